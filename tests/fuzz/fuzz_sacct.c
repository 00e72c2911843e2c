/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_sacct.c - any bytes as the output of sacct, text or JSON
 *
 * What is read is measured, and the measures must add up: used is own and
 * borrowed, what was owned is own, lent and idle, all that was lent was
 * borrowed, and shares hold what runs hold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "report/measures.h"
#include "sacct/attempts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const lines[] = {
	"Queue=q Partitions=low,gpu DefaultShare=B",
	"Share=A Accounts=teama Capacity=a100:8,v100:4 Strategy=LEND"
	" InSharePreemption=NO",
	"Share=B Accounts=teamb Capacity=a100:8,v100:4"
	" Strategy=LEND_AND_BORROW InSharePreemption=NO",
};

static void check(const struct qs_runs *runs, const struct qs_measures *m)
{
	int64_t used = 0, held = 0;

	for (int32_t t = 0; t < m->ntypes; t++) {
		int64_t borrowed = 0, lent = 0;

		for (int32_t s = 0; s <= m->nshares; s++) {
			const struct qs_use *u = qs_measures_use(m, s, t);

			if (u->used != u->own + u->borrowed ||
			    u->capacity != u->own + u->lent + u->idle)
				abort();
			used += u->used;
			borrowed += u->borrowed;
			lent += u->lent;
		}
		if (borrowed != lent + m->unowned[t])
			abort();
	}
	for (uint32_t i = 0; i < runs->ndemands; i++)
		held += m->run_use[i].own + m->run_use[i].borrowed;
	if (used != held)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct qs_error err;
	struct qs_policy *policy =
		qs_conf_read_lines("fuzz", NULL, lines,
				   sizeof(lines) / sizeof(*lines), NULL, &err);
	struct qs_quota_history history = { 0 };
	struct qs_problems problems = { 0 };
	struct qs_runs runs = { 0 };
	struct qs_attempts_facts facts;
	const struct qs_attempts_wish wish = { .history = &history,
					       .problems = &problems };
	struct qs_measures m;
	struct qs_attempts *attempts;
	FILE *file;

	if (!policy || qs_quota_history_add(&history, 0, policy))
		abort();
	attempts = qs_attempts_new(&wish);
	file = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
	if (file) {
		if (qs_sacct_read(file, "fuzz", qs_attempts_add, attempts,
				  &problems, &err) < 0 &&
		    !*err.text)
			abort();
		fclose(file);
	}
	if (qs_attempts_finish(attempts, &runs, &facts))
		abort();
	if (facts.last != QS_TIME_NONE) {
		const struct qs_measures_wish window = { .begin = facts.first,
							 .end = facts.last + 1,
							 .now = facts.last,
							 .slices = 7,
							 .per_run = true };

		if (qs_measures_make(&history, &runs, &window, &m))
			abort();
		check(&runs, &m);
		qs_measures_free(&m);
	}
	qs_runs_free(&runs);
	qs_attempts_free(attempts);
	qs_quota_history_free(&history);
	qs_policy_free(policy);
	return 0;
}
