/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle_judge.c - the verdict on one job, as R5 to R9 read
 */
#include "oracle_judge.h"

#include <string.h>

static bool try_victims(struct state *st, const struct law_job *job,
			enum qs_how how, struct judgement *out)
{
	int found = law_search(st, job, how, false, out);

	if (!found)
		return false;
	out->verdict = QS_VERDICT_START;
	out->how = how;
	out->codes = how == QS_HOW_IN_SHARE ? CODE(PRIORITY) :
					      CODE(QUOTA) | CODE(PLACEMENT);
	out->either = found == 1;
	return true;
}

static int protected_would(struct state *st, const struct law_job *job,
			   enum qs_how how)
{
	struct judgement unused;

	return law_search(st, job, how, true, &unused);
}

/* The codes that say something true about a job that waits. */
static uint32_t true_codes(struct state *st, const struct law_job *job)
{
	uint32_t codes = 0;
	bool over = false;

	for (int t = 0; t < st->w->ntypes; t++) {
		if (job->gpus[t] && law_own_is_kept(st, job, t))
			codes |= CODE(CLAIMED);
		over |= job->gpus[t] &&
			state_used(st, job->share, t, NOW) + job->gpus[t] >
				law_limit(st->w, job->share, t);
	}
	/* R12a: it may use its own only; that is its limit. */
	if (over ||
	    (!job->requeue && !st->w->queues[st->queue].non_requeue_borrow))
		codes |= CODE(LIMIT);
	if (!over && !law_own_or_borrow(st, job, NOW))
		codes |= CODE(NOTHING_LENDABLE);
	if (!state_places(st, job, NOW))
		codes |= CODE(PLACEMENT) | CODE(NODES_DOWN);
	return codes;
}

/* Would it start but for what is kept for others, or was given to them? */
static bool claims_keep_it(struct state *st, const struct law_job *job)
{
	bool starts;

	for (int i = 0; i < st->nholders; i++)
		st->gone[i] = st->holders[i].decided;
	starts = law_own_or_borrow(st, job, ENDED) &&
		 state_places(st, job, ENDED);
	memset(st->gone, 0, sizeof(st->gone));
	return starts;
}

static void judge_wait(struct state *st, const struct law_job *job,
		       struct judgement *out)
{
	bool enabled = st->w->shares[job->share].in_share;
	int off;

	out->codes = true_codes(st, job);
	off = enabled ? 0 : law_search(st, job, QS_HOW_IN_SHARE, false, out);
	if (off == 2)
		out->codes = CODE(IN_SHARE_OFF);
	else if (off || protected_would(st, job, QS_HOW_IN_SHARE))
		out->codes |= CODE(PROTECTED) | CODE(IN_SHARE_OFF);
	if (claims_keep_it(st, job))
		out->codes |= CODE(CLAIMED);
	out->nvictims = 0;
}

void law_judge(struct state *st, const struct law_job *job,
	       struct judgement *out)
{
	bool entitled = law_entitled(st, job);
	int guarded = 0;

	memset(out, 0, sizeof(*out));
	/* R9: for whom the need is kept, by why it waits. */
	out->reserve_codes = (entitled || job->claim ? CODE(ENDING) : 0) |
			     (entitled ? CODE(PROTECTED) | CODE(CLAIMED) : 0);
	out->verdict = QS_VERDICT_WAIT;
	if (law_own_or_borrow(st, job, NOW) && state_places(st, job, NOW)) {
		out->verdict = QS_VERDICT_START;
		out->how = entitled ? QS_HOW_OWN : QS_HOW_BORROW;
		out->codes = CODE(NONE);
		out->exact = true;
		return;
	}
	if (law_own_or_borrow(st, job, ENDED) && state_places(st, job, ENDED)) {
		out->codes = CODE(ENDING);
		return;
	}
	if (entitled && try_victims(st, job, QS_HOW_RECLAIM, out))
		return;
	if (st->w->shares[job->share].in_share &&
	    try_victims(st, job, QS_HOW_IN_SHARE, out))
		return;
	if (entitled)
		guarded = protected_would(st, job, QS_HOW_RECLAIM);
	if (guarded == 2) {
		out->codes = CODE(PROTECTED);
		if (claims_keep_it(st, job))
			out->codes |= CODE(CLAIMED);
		return;
	}
	judge_wait(st, job, out);
	/* Only R14 or R10a can be in an owner's way here: no word is fixed. */
	if (entitled && out->codes != CODE(IN_SHARE_OFF))
		out->codes |=
			CODE(PLACEMENT) | CODE(NODES_DOWN) | CODE(CLAIMED);
	if (guarded)
		out->codes |= CODE(PROTECTED);
}
