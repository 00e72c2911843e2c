/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ledger.h - used, own, borrowed, lent: the table of shares
 *
 * R3, R4, R4a and R8a on sums. Pure arithmetic on counts by share and type;
 * which jobs are beyond is plan work (R4) and not asked here.
 */
#ifndef QS_LEDGER_H
#define QS_LEDGER_H

#include "snapshot.h"

/* One line of the table: a share and a type that it lists. Unit: GPUs. */
struct qs_row {
	int32_t share;
	uint16_t type;
	bool unlimited; /* limit has no bound; limit is then INT64_MAX */
	int64_t capacity, limit;
	int64_t used, own;
	int64_t borrowed;   /* beyond, within the limit */
	int64_t over_limit; /* beyond, above the limit (R8a) */
	int64_t lent;       /* idle own on loan, by R4a */
	int64_t idle;       /* idle own not on loan */
	int64_t waiting;    /* GPUs that eligible pending jobs ask for */
};

/* The row of one share and type, with what lent is not known yet: it is 0. */
void qs_ledger_row(const struct qs_policy *policy, int share, int type,
		   int64_t used, int64_t waiting, struct qs_row *row);

/*
 * R4a: so many GPUs on loan are lent by these rows, all of one queue and type,
 * by the names of their shares. Sets their lent and idle. Returns how many
 * loans no row stands for.
 */
int64_t qs_ledger_lend(const struct qs_policy *policy, struct qs_row **rows,
		       uint32_t n, int64_t loans);

/*
 * The rows of all shares from used and waiting counts,
 * both [share * ntypes + type]; waiting may be NULL. removed, [queue * ntypes
 * + type] or NULL, counts what jobs of removed shares hold: all on loan (R16).
 * Writes one row per listed share and type in the policy's order into *rows
 * (malloc, the caller's) and their number into *n.
 * Returns 0, or -1 with errno ENOMEM.
 */
int qs_ledger_rows(const struct qs_policy *policy, const int64_t *used,
		   const int64_t *waiting, const int64_t *removed,
		   struct qs_row **rows, uint32_t *n);

#endif
