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

void qs_ledger_row(const struct qs_policy *policy, int share, int type,
		   int64_t used, int64_t waiting, struct qs_row *row)
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

/* What a row has lent when it has lent down to so many idle GPUs. */
static int64_t lent_down_to(const struct qs_policy *policy,
			    const struct qs_row *row, int64_t level)
{
	int64_t lends = qs_policy_lends(policy, row->share, row->type);
	int64_t lent = row->idle > level ? row->idle - level : 0;

	return lent < lends ? lent : lends;
}

static int64_t all_lent_down_to(const struct qs_policy *policy,
				struct qs_row *const *rows, uint32_t n,
				int64_t level)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += lent_down_to(policy, rows[i], level);
	return sum;
}

/*
 * R4a: each GPU on loan goes to the lender with the most idle own left; tie:
 * name. So the lenders are levelled down from the top: find the level that
 * takes no more than all loans, then one each by name. Loans without a lender
 * (limits were lowered, or the pool has GPUs that no share owns) stay over.
 */
int64_t qs_ledger_lend(const struct qs_policy *policy, struct qs_row **rows,
		       uint32_t n, int64_t loans)
{
	int64_t low = 0, high = 0;

	for (uint32_t i = 0; i < n; i++) {
		rows[i]->idle += rows[i]->lent;
		rows[i]->lent = 0;
		if (rows[i]->idle > high)
			high = rows[i]->idle;
	}
	if (loans <= 0)
		return loans;
	while (low < high) {
		int64_t level = (low + high) / 2;

		if (all_lent_down_to(policy, rows, n, level) <= loans)
			high = level;
		else
			low = level + 1;
	}
	loans -= all_lent_down_to(policy, rows, n, high);
	for (uint32_t i = 0; i < n; i++)
		rows[i]->lent = lent_down_to(policy, rows[i], high);
	for (uint32_t i = 0; i < n; i++) {
		/* One more step down, as far as the rest goes. */
		if (loans > 0 && high > 0 &&
		    lent_down_to(policy, rows[i], high - 1) > rows[i]->lent) {
			rows[i]->lent++;
			loans--;
		}
		rows[i]->idle -= rows[i]->lent;
	}
	return loans;
}

/* The queue's rows of one type, by the names of their shares. */
static uint32_t rows_by_name(const struct qs_policy *policy,
			     struct qs_row *rows, uint32_t n, int queue,
			     int type, struct qs_row **out)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = found;

		if (rows[i].type != type ||
		    policy->shares[rows[i].share].queue != queue)
			continue;
		found++;
		while (at > 0 &&
		       strcmp(policy->shares[rows[i].share].name,
			      policy->shares[out[at - 1]->share].name) < 0) {
			out[at] = out[at - 1];
			at--;
		}
		out[at] = &rows[i];
	}
	return found;
}

int qs_ledger_rows(const struct qs_policy *policy, const int64_t *used,
		   const int64_t *waiting, const int64_t *removed,
		   struct qs_row **rows_out, uint32_t *n_out)
{
	size_t cells = (size_t)policy->nshares * (size_t)policy->ntypes;
	struct qs_row *rows = calloc(cells ? cells : 1, sizeof(*rows));
	struct qs_row **ours = calloc(cells ? cells : 1, sizeof(*ours));
	uint32_t n = 0;

	if (!rows || !ours) {
		free(rows);
		free(ours);
		return -1;
	}
	for (int s = 0; s < policy->nshares; s++) {
		for (int t = 0; t < policy->ntypes; t++) {
			size_t cell =
				(size_t)s * (size_t)policy->ntypes + (size_t)t;

			if (!qs_policy_quota(policy, s, t)->listed &&
			    !used[cell])
				continue;
			qs_ledger_row(policy, s, t, used[cell],
				      waiting ? waiting[cell] : 0, &rows[n++]);
		}
	}
	for (int q = 0; q < policy->nqueues; q++) {
		for (int t = 0; t < policy->ntypes; t++) {
			size_t cell =
				(size_t)q * (size_t)policy->ntypes + (size_t)t;
			int64_t loans = removed ? removed[cell] : 0;

			uint32_t found =
				rows_by_name(policy, rows, n, q, t, ours);

			for (uint32_t i = 0; i < found; i++)
				loans +=
					ours[i]->borrowed + ours[i]->over_limit;
			qs_ledger_lend(policy, ours, found, loans);
		}
	}
	free(ours);
	*rows_out = rows;
	*n_out = n;
	return 0;
}
