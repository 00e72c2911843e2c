/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apply_todo.c - which waiting jobs have to be changed to what the plan says
 *
 * Called by our thread once a plan is made, with qs_rt.lock and none of
 * slurmctld's: what needs no more than that is done here. Its surprise: a text
 * is made only if the sum of what it is made of is another than that of the
 * text which the job shows. In a long queue nearly all are as they were.
 */
#include "runtime/apply.h"

#include <string.h>

#include "runtime/mix.h"

void qs_apply_text(const struct qs_view *view, const struct qs_want *want,
		   uint32_t job, char *text, size_t size)
{
	const char *slurm = qs_view_slurm_says(view, job);
	char reason[QS_REASON_MAX] = "";

	qs_explain_short(view->policy, want->say, reason, sizeof(reason));
	/* The engine can only say that it has no place. */
	if (!strncmp(slurm, QS_WHY_LIMIT, sizeof(QS_WHY_LIMIT) - 1))
		snprintf(text, size,
			 QS_DESC_PREFIX "%s, so it takes nothing back", slurm);
	else if (slurm[0])
		snprintf(text, size, QS_DESC_PREFIX "%s (%s)", reason, slurm);
	else
		snprintf(text, size, QS_DESC_PREFIX "%s", reason);
}

/* Of all that qs_apply_text() reads, so that equal sums are equal texts. Never 0. */
static uint64_t sum_of(const struct qs_view *view, const struct qs_want *want,
		       uint32_t job)
{
	const struct qs_decision *d = want->say;
	const struct qs_facts *f = &d->facts;
	const char *slurm = qs_view_slurm_says(view, job);
	const int64_t numbers[] = {
		f->capacity, f->limit,        f->used,
		f->lendable, f->lendable_max, f->pool,
		f->ending,   f->missing,      f->until,
	};
	uint64_t sum = qs_rt.generation;

	sum = qs_mix(sum, (uint64_t)d->verdict << 24 | (uint64_t)d->how << 16 |
				  (uint64_t)d->code << 8 | d->reserves);
	sum = qs_mix(sum, (uint64_t)(uint32_t)d->share << 32 | d->copies);
	sum = qs_mix(sum, (uint64_t)f->type << 32 | f->need);
	sum = qs_mix(sum, (uint64_t)f->behind << 32 | d->nvictims);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sum = qs_mix(sum, (uint64_t)numbers[i]);
	if (slurm[0])
		sum = qs_mix(sum, qs_text_sum(slurm, strlen(slurm)));
	return sum ? sum : 1;
}

/* The same for the text of a job that waits. */
static enum qs_todo text_differs(const struct qs_view *view,
				 struct qs_want *want, uint32_t job,
				 struct qs_jobrec *rec, bool refresh)
{
	char text[QS_DESC_SIZE];

	want->said = sum_of(view, want, job);
	if (rec->said == want->said && view->seen[job].same_text)
		return QS_TODO_NOTHING;
	qs_apply_text(view, want, job, text, sizeof(text));
	if (view->seen[job].same_text && !xstrcmp(rec->desc, text)) {
		rec->said = want->said;
		return QS_TODO_NOTHING;
	}
	return refresh || !rec->desc ? QS_TODO_NOW : QS_TODO_ALONG;
}

struct how {
	bool enforce;
	bool refresh; /* texts of which only numbers have changed, too */
	bool claims;  /* there are some, or the plan makes some */
};

/* qs_rt.lock held. What needs no other lock is done here. */
static enum qs_todo differs(const struct qs_view *view, struct qs_want *want,
			    uint32_t job, const struct how *how)
{
	const struct qs_seen *seen = &view->seen[job];
	struct qs_jobrec *rec;

	if (view->snap->jobs[job].state != QS_JOB_PENDING)
		return QS_TODO_NOTHING;
	rec = qs_jobrec_find(seen->id);
	if (!rec)
		return QS_TODO_NOTHING;
	if (seen->fix_begin || seen->fix_clock)
		return QS_TODO_NOW;
	if (!how->enforce || !seen->open) {
		rec->grant = 0;
		rec->offered = 0;
		return seen->ours_shown || rec->rank || rec->fenced ?
			       QS_TODO_NOW :
			       QS_TODO_NOTHING;
	}
	if (want->grants) {
		/* A grant that lasts is only made longer, where it is not to
		 * be kept off claims. */
		if (!rec->grant || seen->ours_shown || rec->fenced ||
		    how->claims || !rec->rank)
			return QS_TODO_NOW;
		rec->grant = want->grants;
		rec->grant_until = qs_tick() + QS_GRANT_SEC;
		return rec->rank == want->rank ? QS_TODO_NOTHING :
						 QS_TODO_ALONG;
	}
	if (want->claims || rec->grant || rec->rank || rec->fenced ||
	    !seen->ours_shown)
		return QS_TODO_NOW;
	return text_differs(view, want, job, rec, how->refresh);
}

/* Numbers in texts change all the time: show the new ones now and then. */
static bool refresh_due(int64_t now_us)
{
	static int64_t last;

	if (now_us - last < QS_REFRESH_US)
		return false;
	last = now_us;
	return true;
}

bool qs_apply_todo(const struct qs_view *view, struct qs_want *wants,
		   bool enforce)
{
	struct how how = { .enforce = enforce,
			   .refresh = refresh_due(qs_mono_us()),
			   .claims = qs_rt.claims };
	bool any = false;

	for (uint32_t i = 0; i < view->snap->njobs; i++)
		how.claims |= wants[i].claims;
	for (uint32_t i = 0; i < view->snap->njobs; i++) {
		wants[i].todo = (uint8_t)differs(view, &wants[i], i, &how);
		any |= wants[i].todo == QS_TODO_NOW;
	}
	return any;
}
