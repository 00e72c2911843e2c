/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits.c - who waits anew, who left without a run, who can never start
 *
 * Called by our thread after each look; writes to the event log. Blocks on the
 * file system. Its surprise: a job that is submitted and cancelled between two
 * looks is in Slurm's accounting only.
 */
#include "runtime/events.h"
#include "runtime/inner.h"

#include <stdio.h>

/* A job of a view, as the beginning of a line's fields. */
static void describe(const struct qs_view *view, uint32_t i, char *text,
		     size_t size)
{
	const struct qs_job *job = &view->snap->jobs[i];
	const struct qs_seen *seen = &view->seen[i];
	char id[48] = "";

	if (seen->array_job && seen->array_task != NO_VAL)
		snprintf(id, sizeof(id), ",\"id\":\"%u_%u\"", seen->array_job,
			 seen->array_task);
	snprintf(text, size,
		 ",\"job\":%u%s,\"uid\":%u,\"share\":\"%s\",\"queue\":\"%s\"",
		 job->id, id, seen->user,
		 job->share >= 0 ? view->policy->shares[job->share].name : "",
		 view->policy->queues[job->queue].name);
}

/* What it asks for, as a JSON object. Type names need no escapes. */
static void gpus_of(const struct qs_view *view, const struct qs_job *job,
		    char *text, size_t size)
{
	size_t n = (size_t)snprintf(text, size, "{");

	for (uint32_t k = 0; k < job->ndemands && n + 24 < size; k++) {
		const struct qs_demand *d =
			&view->snap->demands[job->demands + k];
		int more = snprintf(text + n, size - n - 1, "%s\"%s\":%u",
				    k ? "," : "",
				    view->policy->types[d->type].name, d->gpus);

		if (more < 0 || (size_t)more >= size - n - 1)
			break;
		n += (size_t)more;
	}
	snprintf(text + n, size - n, "}");
}

static void log_queued(const struct qs_view *view, uint32_t i)
{
	const struct qs_job *job = &view->snap->jobs[i];
	char who[QS_NAME_MAX * 2 + 160], gpus[400];

	describe(view, i, who, sizeof(who));
	gpus_of(view, job, gpus, sizeof(gpus));
	qs_log_line(QS_LOG_EVENT, "queued",
		    "%s,\"gpus\":%s,\"tasks\":%u,\"held\":%s", who, gpus,
		    job->copies, job->held ? "true" : "false");
}

static void log_left(const struct qs_view *old, uint32_t id)
{
	char who[QS_NAME_MAX * 2 + 160];
	const struct qs_jobrec *rec;
	uint32_t state = 0, i = 0;

	while (i < old->snap->njobs && old->snap->jobs[i].id != id)
		i++;
	if (i == old->snap->njobs || old->snap->jobs[i].state != QS_JOB_PENDING)
		return;
	slurm_mutex_lock(&qs_rt.lock);
	rec = qs_jobrec_find(id);
	if (rec)
		state = rec->end_state;
	slurm_mutex_unlock(&qs_rt.lock);
	describe(old, i, who, sizeof(who));
	qs_log_line(QS_LOG_EVENT, "withdrawn", "%s,\"state\":\"%s\"", who,
		    qs_events_state(state));
}

/* Once for each policy. */
static bool blocked_anew(uint32_t id)
{
	struct qs_jobrec *rec;
	bool anew;

	slurm_mutex_lock(&qs_rt.lock);
	rec = qs_jobrec_find(id);
	anew = rec && rec->blocked_by != qs_rt.generation;
	if (anew)
		rec->blocked_by = qs_rt.generation;
	slurm_mutex_unlock(&qs_rt.lock);
	return anew;
}

static void log_blocked(const struct qs_view *view, const struct qs_decision *d)
{
	char who[QS_NAME_MAX * 2 + 160];
	char reason[QS_REASON_MAX] = "", quoted[QS_REASON_MAX * 2];

	if (d->verdict != QS_VERDICT_NEVER || !blocked_anew(d->id))
		return;
	describe(view, d->job, who, sizeof(who));
	qs_explain_short(view->policy, d, reason, sizeof(reason));
	qs_log_line(QS_LOG_EVENT, "blocked", "%s,\"code\":\"%s\",\"text\":%s",
		    who, qs_code_name(d->code),
		    qs_log_quote(reason, quoted, sizeof(quoted)));
}

void qs_waits_note(const struct qs_view *old, const struct qs_view *view)
{
	for (uint32_t i = 0; i < view->snap->njobs; i++)
		if (view->seen[i].fresh)
			log_queued(view, i);
	for (uint32_t i = 0; i < view->plan->ndecisions; i++)
		log_blocked(view, &view->plan->decisions[i]);
	for (uint32_t i = 0; old && i < view->nleft; i++)
		log_left(old, view->left[i]);
}
