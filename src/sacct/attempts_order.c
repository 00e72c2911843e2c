/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attempts_order.c - the records of a job in order, and what they tell about
 * each other
 *
 * Called once all records are there. By order, never by equal times: an
 * attempt's submission is the end of the one before it, or some seconds later.
 */
#include "sacct/attempts_run.h"

#include <stdlib.h>

static int by_order(const void *a, const void *b)
{
	const struct qs_draft *x = a, *y = b;

	if (x->run.job != y->run.job)
		return x->run.job < y->run.job ? -1 : 1;
	if (x->run.submit != y->run.submit)
		return x->run.submit < y->run.submit ? -1 : 1;
	if (x->db_index != y->db_index)
		return x->db_index < y->db_index ? -1 : 1;
	if (x->run.start != y->run.start) {
		if (x->run.start == QS_TIME_NONE)
			return 1;
		if (y->run.start == QS_TIME_NONE)
			return -1;
		return x->run.start < y->run.start ? -1 : 1;
	}
	if (x->run.end != y->run.end)
		return x->run.end < y->run.end ? -1 : 1;
	return x->run.demands < y->run.demands ?
		       -1 :
		       x->run.demands > y->run.demands;
}

/* The same record from two files, perhaps an older and a younger one. */
static bool same_record(const struct qs_draft *x, const struct qs_draft *y)
{
	if (x->run.job != y->run.job || x->run.submit != y->run.submit)
		return false;
	if (x->db_index && y->db_index)
		return x->db_index == y->db_index;
	return x->run.start == y->run.start || x->run.start == QS_TIME_NONE ||
	       y->run.start == QS_TIME_NONE;
}

/* Which of two copies knows more: the one that started, the one that ended. */
static bool knows_more(const struct qs_draft *x, const struct qs_draft *y)
{
	if ((x->run.start == QS_TIME_NONE) != (y->run.start == QS_TIME_NONE))
		return y->run.start == QS_TIME_NONE;
	return x->run.end != QS_TIME_NONE && y->run.end == QS_TIME_NONE;
}

static void drop_duplicates(struct qs_attempts *a)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		struct qs_draft *last = kept ? &a->drafts[kept - 1] : NULL;

		if (last && same_record(last, &a->drafts[i])) {
			a->facts.duplicates++;
			if (knows_more(&a->drafts[i], last))
				*last = a->drafts[i];
			continue;
		}
		a->drafts[kept++] = a->drafts[i];
	}
	a->n = kept;
}

/* The runs of a job, in order: what each tells about the others. */
static void mend_job(struct qs_attempts *a, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		struct qs_run *run = &a->drafts[i].run;
		const struct qs_run *before =
			i > from ? &a->drafts[i - 1].run : NULL;

		run->requeued = i + 1 < to && qs_run_interrupted(run);
		/* Slurm 22.05 repeats the first start after a resize. */
		if (before && before->ended == QS_RUN_RESIZED &&
		    run->start != QS_TIME_NONE && run->start < run->submit)
			run->start = run->submit;
		/* Later waits: not before BeginTime, which says nothing. */
		if (before)
			run->eligible = QS_TIME_NONE;
	}
}

/* Jobs that never held anything count if they asked for GPUs. */
static bool is_of_gpus(const struct qs_attempts *a, uint32_t from, uint32_t to)
{
	bool asked = false;

	for (uint32_t i = from; i < to; i++) {
		if (a->drafts[i].run.ndemands || a->drafts[i].wants_gpus)
			return true;
		asked |= a->drafts[i].asked;
	}
	if (!asked)
		qs_problems_note(a->wish.problems,
				 "jobs that never started, of which the "
				 "records do not say (ReqTRES) whether they "
				 "ask for GPUs: left out",
				 "job %llu",
				 (unsigned long long)a->drafts[from].run.job);
	return false;
}

static int hand_over(struct qs_attempts *a, uint32_t from, uint32_t to,
		     struct qs_runs *runs)
{
	if (!is_of_gpus(a, from, to)) {
		a->facts.without_gpus += to - from;
		return 0;
	}
	mend_job(a, from, to);
	for (uint32_t i = from; i < to; i++) {
		const struct qs_run *run = &a->drafts[i].run;

		if (!qs_runs_add(runs, run,
				 run->ndemands ? &a->demands[run->demands] :
						 NULL,
				 run->ndemands))
			return -1;
	}
	return 0;
}

int qs_attempts_finish(struct qs_attempts *a, struct qs_runs *runs,
		       struct qs_attempts_facts *facts)
{
	int rc = 0;

	if (a->n)
		qsort(a->drafts, a->n, sizeof(*a->drafts), by_order);
	drop_duplicates(a);
	for (uint32_t i = 0, to; !rc && i < a->n; i = to) {
		for (to = i + 1; to < a->n; to++)
			if (a->drafts[to].run.job != a->drafts[i].run.job)
				break;
		rc = hand_over(a, i, to, runs);
	}
	if (!rc)
		rc = qs_runs_seal(runs);
	*facts = a->facts;
	return rc;
}
