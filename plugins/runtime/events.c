/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.c - which jobs began, ended, or hold more or fewer borrowed GPUs
 *
 * Called by our thread after each look. What a job holds is compared with what
 * it held at the look before, so that a change that no callback tells of (R4:
 * a borrowed job becomes an own one) is seen as any other. Blocks on the file
 * system. Its surprise: a job that begins and ends between two looks is in
 * Slurm's accounting only.
 */
#include "runtime/events.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "engine/turns.h"

#include "runtime/inner.h"
#include "runtime/mix.h"

/* "h100:2,a10g:1": bounded, whatever a job asks for (law 14). */
#define GPUS_TEXT 160

/* A running job as the last look saw it. */
struct held {
	uint32_t id, user, preempted;
	uint32_t array_job, array_task; /* 0, NO_VAL where none */
	int64_t start, eligible;
	char share[QS_NAME_MAX + 1], queue[QS_NAME_MAX + 1];
	char own[GPUS_TEXT], borrowed[GPUS_TEXT];
};

/* Written by the thread under qs_rt.lock, read by callbacks under it. "noted" are
 * those that a thread reads without it, however long its lines take. */
static struct held *known;
static const struct held *noted;
static uint32_t nknown;
static bool begun;
static uint64_t signature;

static bool holds(const struct qs_job *job)
{
	return job->state == QS_JOB_RUNNING || job->state == QS_JOB_SUSPENDED;
}

/* Does anything differ that own and borrowed follow from? */
static uint64_t sign(const struct qs_view *view)
{
	const struct qs_snapshot *snap = view->snap;
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	sum = qs_mix(sum, qs_rt.generation);
	for (uint32_t i = 0; i < snap->njobs; i++) {
		const struct qs_job *job = &snap->jobs[i];

		if (job->state == QS_JOB_PENDING)
			continue;
		sum = qs_mix(sum, job->id);
		sum = qs_mix(sum, (uint64_t)job->start);
		sum = qs_mix(sum, job->priority);
		sum = qs_mix(sum, (uint64_t)job->state << 32 | job->ndemands);
		sum = qs_mix(sum, (uint32_t)job->share);
		for (uint32_t k = 0; k < job->ndemands; k++)
			sum = qs_mix(sum, snap->demands[job->demands + k].gpus);
	}
	return sum;
}

static void add_gpus(char *text, const char *type, uint32_t gpus)
{
	size_t n = strlen(text);
	int wrote;

	if (!gpus)
		return;
	wrote = snprintf(text + n, GPUS_TEXT - n, "%s%s:%u", n ? "," : "", type,
			 gpus);
	if (wrote < 0 || (size_t)wrote >= GPUS_TEXT - n)
		text[n] = '\0';
}

static int by_id(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static void fill(struct held *held, const struct qs_view *view, uint32_t i)
{
	const struct qs_job *job = &view->snap->jobs[i];

	held->id = job->id;
	held->user = view->seen[i].user;
	held->array_job = view->seen[i].array_job;
	held->array_task = view->seen[i].array_task;
	held->preempted = job->preempted;
	held->start = job->start;
	held->eligible = job->eligible;
	if (job->share >= 0)
		snprintf(held->share, sizeof(held->share), "%s",
			 view->policy->shares[job->share].name);
	snprintf(held->queue, sizeof(held->queue), "%s",
		 view->policy->queues[job->queue].name);
}

/* All that hold GPUs now, by id; NULL: no memory. */
static struct held *gather(const struct qs_view *view, uint32_t *n)
{
	const struct qs_snapshot *snap = view->snap;
	struct held *all = calloc((size_t)snap->njobs + 1, sizeof(*all));
	const struct qs_turn *turns = view->turns ? view->turns : view->splits;
	uint32_t nturns = view->turns ? view->nturns : view->nsplits, t = 0;

	*n = 0;
	if (!all || !turns) {
		free(all);
		return NULL;
	}
	for (uint32_t i = 0; i < snap->njobs; i++) {
		if (!holds(&snap->jobs[i]))
			continue;
		fill(&all[*n], view, i);
		while (t < nturns && turns[t].job < i)
			t++;
		for (; t < nturns && turns[t].job == i; t++) {
			const char *type =
				view->policy->types[turns[t].type].name;

			add_gpus(all[*n].own, type, turns[t].own);
			add_gpus(all[*n].borrowed, type, turns[t].beyond);
		}
		(*n)++;
	}
	qsort(all, *n, sizeof(*all), by_id);
	return all;
}

/* "h100:2,a10g:1" as a JSON object. Type names need no escapes. */
static const char *object(const char *text, char *out, size_t size)
{
	size_t n = (size_t)snprintf(out, size, "{");

	while (*text && n + 8 < size) {
		size_t item = strcspn(text, ","), type = item;

		while (type && text[type] != ':')
			type--;
		n += (size_t)snprintf(out + n, size - n, "%s\"%.*s\":%.*s",
				      n > 1 ? "," : "", (int)type, text,
				      (int)(item - type - 1), text + type + 1);
		text += item + (text[item] == ',');
	}
	snprintf(out + (n < size - 1 ? n : size - 2), 2, "}");
	return out;
}

static void log_job(const char *event, const struct held *held,
		    const char *more)
{
	char own[GPUS_TEXT * 2], borrowed[GPUS_TEXT * 2];
	char share[QS_NAME_MAX * 2], array[48] = "";

	if (held->array_job && held->array_task != NO_VAL)
		snprintf(array, sizeof(array), ",\"id\":\"%u_%u\"",
			 held->array_job, held->array_task);
	qs_log_line(
		QS_LOG_EVENT, event,
		",\"job\":%u%s,\"uid\":%u,\"share\":%s,\"queue\":\"%s\",\"start\":%" PRId64
		",\"own\":%s,\"borrowed\":%s%s",
		held->id, array, held->user,
		qs_log_quote(held->share, share, sizeof(share)), held->queue,
		held->start, object(held->own, own, sizeof(own)),
		object(held->borrowed, borrowed, sizeof(borrowed)), more);
}

static void log_start(const struct held *held)
{
	char more[96];
	int64_t waited = held->eligible ? held->start - held->eligible : 0;

	snprintf(more, sizeof(more), ",\"waited\":%" PRId64 ",\"preempted\":%u",
		 waited > 0 ? waited : 0, held->preempted);
	log_job("start", held, more);
}

/* Requeued by a command, it has the flag alone. */
const char *qs_events_state(uint32_t state)
{
	if (!(state & JOB_STATE_BASE) && (state & JOB_REQUEUE))
		return "REQUEUED";
	return job_state_string(state & JOB_STATE_BASE);
}

/* How it ended is known from the callback. Without that (the job ended in the
 * moment in which slurmctld was killed) the line has no state. */
static void log_end(const struct qs_view *view, const struct held *held)
{
	struct qs_jobrec *rec, copy = { 0 };
	char more[160];
	int n;

	slurm_mutex_lock(&qs_rt.lock);
	rec = qs_jobrec_find(held->id);
	if (rec)
		copy = *rec;
	slurm_mutex_unlock(&qs_rt.lock);
	if (copy.end_start != held->start || !copy.end_time) {
		copy.end_time = qs_now();
		copy.end_start = 0;
	}
	n = snprintf(more, sizeof(more), ",\"run\":%" PRId64 ",\"requeued\":%s",
		     copy.end_time > held->start ? copy.end_time - held->start :
						   0,
		     copy.alive_look == view->number ? "true" : "false");
	if (copy.end_start)
		snprintf(more + n, sizeof(more) - (size_t)n,
			 ",\"state\":\"%s\",\"exit_code\":%d,\"signal\":%d",
			 qs_events_state(copy.end_state),
			 WIFEXITED(copy.end_code) ? WEXITSTATUS(copy.end_code) :
						    0,
			 WIFSIGNALED(copy.end_code) ? WTERMSIG(copy.end_code) :
						      0);
	log_job("end", held, more);
}

static void log_loan(const struct held *was, const struct held *is)
{
	char more[GPUS_TEXT * 2 + 32], borrowed[GPUS_TEXT * 2];

	snprintf(more, sizeof(more), ",\"borrowed_before\":%s",
		 object(was->borrowed, borrowed, sizeof(borrowed)));
	log_job("loan", is, more);
}

static void log_started(uint32_t n)
{
	qs_log_line(QS_LOG_EVENT, "runtime_started",
		    ",\"version\":\"" QS_VERSION "\",\"running\":%u", n);
}

/* Both are by id. Gathers what is new for qs_observe_starts(). */
static void compare(const struct qs_view *view, const struct held *was,
		    uint32_t nwas, const struct held *now, uint32_t n,
		    uint32_t *fresh, uint32_t *nfresh)
{
	uint32_t i = 0, k = 0;

	while (i < n || k < nwas) {
		if (k == nwas || (i < n && now[i].id < was[k].id)) {
			log_start(&now[i]);
			fresh[(*nfresh)++] = now[i++].id;
		} else if (i == n || was[k].id < now[i].id) {
			log_end(view, &was[k++]);
		} else {
			if (was[k].start != now[i].start) {
				log_end(view, &was[k]);
				log_start(&now[i]);
				fresh[(*nfresh)++] = now[i].id;
			} else if (strcmp(was[k].borrowed, now[i].borrowed)) {
				log_loan(&was[k], &now[i]);
			}
			i++;
			k++;
		}
	}
}

bool qs_events_differ(const struct qs_view *view)
{
	return !begun || sign(view) != signature;
}

void qs_events_note(struct qs_view *old, const struct qs_view *view)
{
	uint64_t sum = sign(view);
	struct held *now, *was;
	uint32_t n, nwas, nfresh = 0, *fresh;
	bool first, dismissed;

	qs_service_note(old, view);
	if (begun && sum == signature)
		return;
	now = gather(view, &n);
	fresh = calloc((size_t)n + 1, sizeof(*fresh));
	if (!now || !fresh) {
		free(now);
		free(fresh);
		return;
	}
	slurm_mutex_lock(&qs_rt.lock);
	dismissed = qs_thread_dismissed();
	if (!dismissed)
		noted = known;
	was = known;
	nwas = nknown;
	first = !begun;
	slurm_mutex_unlock(&qs_rt.lock);
	if (dismissed) {
		/* They are the next one's by now, or about to go. */
		free(now);
		free(fresh);
		return;
	}
	if (first)
		log_started(n);
	else
		compare(view, was, nwas, now, n, fresh, &nfresh);
	qs_observe_starts(old, view, fresh, nfresh);
	slurm_mutex_lock(&qs_rt.lock);
	if (noted == was)
		noted = NULL;
	if (!qs_thread_dismissed()) {
		known = now;
		nknown = n;
		begun = true;
		signature = sum;
		now = NULL;
	} else if (known == was) {
		was = NULL;
	}
	slurm_mutex_unlock(&qs_rt.lock);
	free(was);
	free(now);
	free(fresh);
}

void qs_events_clear(void)
{
	if (known != noted)
		free(known);
	known = NULL;
	nknown = 0;
	begun = false;
	qs_service_clear();
}

void qs_events_ended(const job_record_t *job, struct qs_jobrec *rec)
{
	if (!rec)
		return;
	rec->end_state = job->job_state;
	rec->end_code = job->exit_code;
	rec->end_time = job->end_time ? (int64_t)job->end_time : qs_now();
	/* Without nodes: start_time is a guess of when it might have. */
	rec->end_start = job->nodes ? (int64_t)job->start_time : 0;
	rec->withdrawn = !job->nodes && rec->ours;
}

/* Why it was stopped, if it was: in words, behind the numbers. */
static char *stop_text(const struct qs_stop *stop)
{
	if (!stop || (!stop->counted && stop->phase != QS_PHASE_KILL))
		return NULL;
	return xstrdup_printf(" for=%u how=%s code=%s; %s", stop->claimant,
			      qs_how_name(stop->how), qs_code_name(stop->code),
			      stop->text);
}

/* sacct separates fields by '|' and escapes nothing. */
static void plain(char *text)
{
	for (; *text; text++)
		if (*text == '|' || *text == '\n' || *text == '\r')
			*text = ' ';
}

void qs_events_comment(job_record_t *job)
{
	struct held key = { .id = qs_jobrec_key(job) };
	const struct held *held =
		nknown ? bsearch(&key, known, nknown, sizeof(key), by_id) :
			 NULL;
	const struct qs_jobrec *rec = qs_jobrec_find(key.id);
	char *why;

	if (!held || held->start != (int64_t)job->start_time || !qs_rt.policy ||
	    !qs_rt.policy->policy->admin_comment)
		return;
	if (job->admin_comment && xstrncmp(job->admin_comment, QS_DESC_PREFIX,
					   sizeof(QS_DESC_PREFIX) - 1))
		return;
	why = stop_text(qs_stop_find(key.id));
	xfree(job->admin_comment);
	job->admin_comment = xstrdup_printf(
		QS_DESC_PREFIX
		"share=%s queue=%s own=%s borrowed=%s start=%" PRId64
		" preempted=%u%s",
		held->share[0] ? held->share : "(removed)", held->queue,
		held->own[0] ? held->own : "0",
		held->borrowed[0] ? held->borrowed : "0", held->start,
		rec ? rec->preempted : 0, why ? why : "");
	plain(job->admin_comment);
	xfree(why);
}
