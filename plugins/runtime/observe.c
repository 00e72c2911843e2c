/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * observe.c - Mode=OBSERVE in the event log: what would have been done (R19)
 *
 * Called by our thread with no lock held; a refused submission by any thread.
 * Blocks on the file system. Its surprise: a start is judged by the look
 * before it, in which the job is put as waiting, since it is that moment at
 * which it would have been held back.
 */
#include "runtime/events.h"
#include "runtime/inner.h"

static int64_t place_of(const struct qs_snapshot *snap, uint32_t id)
{
	for (uint32_t i = 0; i < snap->njobs; i++)
		if (snap->jobs[i].id == id)
			return i;
	return -1;
}

/* What the shares would have said to a job that Slurm started under
 * Mode=OBSERVE: it is put into the look before, as waiting. */
static void judge_start(struct qs_view *old, const struct qs_view *view,
			uint32_t id)
{
	struct qs_snapshot *snap = old->snap;
	int64_t at = place_of(view->snap, id);
	const struct qs_decision *d = qs_plan_find(old->plan, id);
	char reason[QS_REASON_MAX] = "", quoted[QS_REASON_MAX * 2];
	uint32_t njobs = snap->njobs, ndemands = snap->ndemands;
	struct qs_plan *plan = NULL;
	struct qs_job job;

	if (at < 0)
		return;
	job = view->snap->jobs[at];
	if (!d || d->code == QS_CODE_HELD) {
		if (old->policy != view->policy || d)
			return;
		job.state = QS_JOB_PENDING;
		job.nodeset = QS_NODESET_ALL;
		job.need_nodes = QS_NODES_ANY;
		job.eligible = snap->now;
		job.start = 0;
		job.copies = 1;
		job.ends = false;
		if (qs_snapshot_add_job(snap, &job,
					view->snap->demands + job.demands,
					job.ndemands, NULL, 0) < 0)
			return;
		plan = qs_plan_make(snap);
		d = plan ? qs_plan_find(plan, id) : NULL;
	}
	if (d && (d->verdict != QS_VERDICT_START || d->nvictims)) {
		qs_explain_short(view->policy, d, reason, sizeof(reason));
		qs_log_line(
			QS_LOG_EVENT, "would_hold",
			",\"job\":%u,\"uid\":%u,\"share\":\"%s\",\"queue\":\"%s\",\"verdict\":\"%s\",\"how\":\"%s\",\"code\":\"%s\",\"victims\":%u,\"text\":%s",
			id, view->seen[at].user,
			job.share >= 0 ? view->policy->shares[job.share].name :
					 "",
			view->policy->queues[job.queue].name,
			qs_verdict_name(d->verdict), qs_how_name(d->how),
			qs_code_name(d->code), d->nvictims,
			qs_log_quote(reason, quoted, sizeof(quoted)));
	}
	qs_plan_free(plan);
	snap->njobs = njobs;
	snap->ndemands = ndemands;
}

/* A plan for each is costly: so many a look, the others are not judged. */
#define JUDGED_MAX 16

void qs_observe_starts(struct qs_view *old, const struct qs_view *view,
		       const uint32_t *ids, uint32_t n)
{
	if (!old || view->policy->mode != QS_MODE_OBSERVE)
		return;
	for (uint32_t i = 0; i < n && i < JUDGED_MAX; i++)
		judge_start(old, view, ids[i]);
}

void qs_observe_preempt(const struct qs_view *view, const struct qs_decision *d,
			uint32_t k)
{
	const struct qs_victim *victim = &view->plan->victims[d->victims + k];
	const struct qs_job *job = &view->snap->jobs[victim->job];
	int64_t run = view->snap->now - job->start;
	char text[QS_LINE_MAX], quoted[QS_LINE_MAX + 64];

	qs_explain_victim(view->policy, d, victim, run, text, sizeof(text));
	qs_log_line(
		QS_LOG_EVENT, "would_preempt",
		",\"job\":%u,\"for\":%u,\"uid\":%u,\"share\":\"%s\",\"how\":\"%s\",\"code\":\"%s\",\"chosen\":\"%s\",\"gpus\":%u,\"beyond\":%u,\"run\":%" PRId64
		",\"text\":%s",
		victim->id, d->id, view->seen[victim->job].user,
		job->share >= 0 ? view->policy->shares[job->share].name : "",
		qs_how_name(d->how), qs_code_name(d->code),
		qs_chosen_name(victim->chosen), victim->gpus, victim->beyond,
		run, qs_log_quote(text, quoted, sizeof(quoted)));
}

void qs_runtime_would_refuse(uint32_t uid, const char *text)
{
	char quoted[400];

	slurm_mutex_lock(&qs_rt.lock);
	qs_log_later("would_refuse", ",\"uid\":%u,\"text\":%s", uid,
		     qs_log_quote(text, quoted, sizeof(quoted)));
	slurm_mutex_unlock(&qs_rt.lock);
}
