/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ledger.c - the table of shares from sums
 *
 * See ledger.h. Blocks on nothing.
 */
#include "ledger.h"

#include <stdlib.h>
#include <string.h>

static int64_t min64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void fill_row(struct qs_row *row, const struct qs_policy *policy,
		     int share, int type, int64_t used, int64_t waiting)
{
	int64_t beyond;

	*row = (struct qs_row){
		.share = share,
		.type = (uint16_t)type,
		.capacity = qs_policy_quota(policy, share, type)->capacity,
		.limit = qs_policy_limit(policy, share, type),
		.used = used,
		.waiting = waiting,
	};
	row->unlimited = row->limit == INT64_MAX;
	row->own = min64(used, row->capacity);
	beyond = used - row->own;
	row->over_limit = used > row->limit ? used - row->limit : 0;
	row->borrowed = beyond - row->over_limit;
	row->idle = row->capacity - row->own;
}

/* R4a: each GPU on loan goes to the lender with the most idle own left. */
static void attribute(const struct qs_policy *policy, struct qs_row *rows,
		      uint32_t n, int queue, int type, int64_t loans)
{
	while (loans-- > 0) {
		struct qs_row *best = NULL;

		for (uint32_t i = 0; i < n; i++) {
			struct qs_row *row = &rows[i];
			const struct qs_share *share =
				&policy->shares[row->share];

			if (row->type != type || share->queue != queue ||
			    !row->idle ||
			    row->lent >=
				    qs_policy_lends(policy, row->share, type))
				continue;
			if (!best || row->idle > best->idle ||
			    (row->idle == best->idle &&
			     strcmp(share->name,
				    policy->shares[best->share].name) < 0))
				best = row;
		}
		/* Loans without a lender: limits were lowered (R8a), or the
		 * pool has GPUs that no share owns. */
		if (!best)
			return;
		best->lent++;
		best->idle--;
	}
}

int qs_ledger_rows(const struct qs_policy *policy, const int64_t *used,
		   const int64_t *waiting, const int64_t *removed,
		   struct qs_row **rows_out, uint32_t *n_out)
{
	size_t cells = (size_t)policy->nshares * (size_t)policy->ntypes;
	struct qs_row *rows = calloc(cells ? cells : 1, sizeof(*rows));
	uint32_t n = 0;

	if (!rows)
		return -1;
	for (int s = 0; s < policy->nshares; s++) {
		for (int t = 0; t < policy->ntypes; t++) {
			size_t cell =
				(size_t)s * (size_t)policy->ntypes + (size_t)t;

			if (!qs_policy_quota(policy, s, t)->listed &&
			    !used[cell])
				continue;
			fill_row(&rows[n++], policy, s, t, used[cell],
				 waiting ? waiting[cell] : 0);
		}
	}
	for (int q = 0; q < policy->nqueues; q++) {
		for (int t = 0; t < policy->ntypes; t++) {
			size_t cell =
				(size_t)q * (size_t)policy->ntypes + (size_t)t;
			int64_t loans = removed ? removed[cell] : 0;

			for (uint32_t i = 0; i < n; i++) {
				if (rows[i].type == t &&
				    policy->shares[rows[i].share].queue == q)
					loans += rows[i].borrowed +
						 rows[i].over_limit;
			}
			attribute(policy, rows, n, q, t, loans);
		}
	}
	*rows_out = rows;
	*n_out = n;
	return 0;
}
