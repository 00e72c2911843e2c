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

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/turns.h"

#include "runtime/inner.h"

/* "h100:2,a10g:1": bounded, whatever a job asks for (law 14). */
#define GPUS_TEXT 160

/* A running job as the last look saw it. */
struct held {
	uint32_t id, user, preempted;
	int64_t start, eligible;
	char share[QS_NAME_MAX + 1], queue[QS_NAME_MAX + 1];
	char own[GPUS_TEXT], borrowed[GPUS_TEXT];
};

/* Written by the thread under qs_rt.lock, read by callbacks under it. */
static struct held *known;
static uint32_t nknown;
static bool begun;
static uint64_t signature;

static bool holds(const struct qs_job *job)
{
	return job->state == QS_JOB_RUNNING || job->state == QS_JOB_SUSPENDED;
}

static uint64_t mix(uint64_t sum, uint64_t value)
{
	return (sum ^ value) * UINT64_C(0x100000001b3);
}

/* Does anything differ that own and borrowed follow from? */
static uint64_t sign(const struct qs_view *view)
{
	const struct qs_snapshot *snap = view->snap;
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	sum = mix(sum, qs_rt.generation);
	for (uint32_t i = 0; i < snap->njobs; i++) {
		const struct qs_job *job = &snap->jobs[i];

		if (job->state == QS_JOB_PENDING)
			continue;
		sum = mix(sum, job->id);
		sum = mix(sum, (uint64_t)job->start);
		sum = mix(sum, job->priority);
		sum = mix(sum, (uint64_t)job->state << 32 | job->ndemands);
		sum = mix(sum, (uint32_t)job->share);
		for (uint32_t k = 0; k < job->ndemands; k++)
			sum = mix(sum, snap->demands[job->demands + k].gpus);
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
	struct qs_turn *turns = NULL;
	uint32_t nturns = 0, t = 0;

	*n = 0;
	if (!all || qs_turns_make(snap, &turns, &nturns)) {
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
	free(turns);
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
	char share[QS_NAME_MAX * 2];

	qs_log_line(
		QS_LOG_EVENT, event,
		",\"job\":%u,\"uid\":%u,\"share\":%s,\"queue\":\"%s\",\"own\":%s,\"borrowed\":%s%s",
		held->id, held->user,
		qs_log_quote(held->share, share, sizeof(share)), held->queue,
		object(held->own, own, sizeof(own)),
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

static void log_end(const struct held *held)
{
	char more[64];

	snprintf(more, sizeof(more), ",\"run\":%" PRId64,
		 qs_now() - held->start);
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

/* Both are by id. What is new is marked for observe(). */
static void compare(const struct held *now, uint32_t n, bool *fresh)
{
	uint32_t i = 0, k = 0;

	while (i < n || k < nknown) {
		if (k == nknown || (i < n && now[i].id < known[k].id)) {
			log_start(&now[i]);
			fresh[i++] = true;
		} else if (i == n || known[k].id < now[i].id) {
			log_end(&known[k++]);
		} else {
			if (known[k].start != now[i].start) {
				log_end(&known[k]);
				log_start(&now[i]);
				fresh[i] = true;
			} else if (strcmp(known[k].borrowed, now[i].borrowed)) {
				log_loan(&known[k], &now[i]);
			}
			i++;
			k++;
		}
	}
}

static int64_t find_job(const struct qs_snapshot *snap, uint32_t id)
{
	for (uint32_t i = 0; i < snap->njobs; i++)
		if (snap->jobs[i].id == id)
			return i;
	return -1;
}

/* What the shares would have said to a job that Slurm started under
 * Mode=OBSERVE: it is put into the look before, as waiting. */
static void judge_start(struct qs_view *old, const struct qs_view *view,
			const struct held *held)
{
	struct qs_snapshot *snap = old->snap;
	int64_t at = find_job(view->snap, held->id);
	const struct qs_decision *d = qs_plan_find(old->plan, held->id);
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
		d = plan ? qs_plan_find(plan, held->id) : NULL;
	}
	if (d && (d->verdict != QS_VERDICT_START || d->nvictims)) {
		qs_explain_short(view->policy, d, reason, sizeof(reason));
		qs_log_line(
			QS_LOG_EVENT, "would_hold",
			",\"job\":%u,\"uid\":%u,\"share\":\"%s\",\"queue\":\"%s\",\"verdict\":\"%s\",\"how\":\"%s\",\"code\":\"%s\",\"victims\":%u,\"text\":%s",
			held->id, held->user, held->share, held->queue,
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

static void observe(struct qs_view *old, const struct qs_view *view,
		    const struct held *now, uint32_t n, const bool *fresh)
{
	int judged = 0;

	if (!old || view->policy->mode != QS_MODE_OBSERVE)
		return;
	for (uint32_t i = 0; i < n && judged < JUDGED_MAX; i++) {
		if (!fresh[i])
			continue;
		judge_start(old, view, &now[i]);
		judged++;
	}
}

void qs_events_note(struct qs_view *old, const struct qs_view *view)
{
	uint64_t sum = sign(view);
	struct held *now, *was;
	bool *fresh;
	uint32_t n;

	if (begun && sum == signature)
		return;
	now = gather(view, &n);
	fresh = calloc((size_t)n + 1, sizeof(*fresh));
	if (!now || !fresh) {
		free(now);
		free(fresh);
		return;
	}
	if (begun)
		compare(now, n, fresh);
	else
		log_started(n);
	observe(old, view, now, n, fresh);
	slurm_mutex_lock(&qs_rt.lock);
	was = known;
	known = now;
	nknown = n;
	begun = true;
	signature = sum;
	slurm_mutex_unlock(&qs_rt.lock);
	free(was);
	free(fresh);
}

void qs_events_would_preempt(const struct qs_view *view,
			     const struct qs_decision *d, uint32_t k)
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

void qs_events_clear(void)
{
	free(known);
	known = NULL;
	nknown = 0;
	begun = false;
}

void qs_runtime_would_refuse(uint32_t uid, const char *text)
{
	char quoted[400];

	slurm_mutex_lock(&qs_rt.lock);
	qs_log_later("would_refuse", ",\"uid\":%u,\"text\":%s", uid,
		     qs_log_quote(text, quoted, sizeof(quoted)));
	slurm_mutex_unlock(&qs_rt.lock);
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

	if (!held || held->start != (int64_t)job->start_time)
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

bool qs_events_rotate(const char *path, int fd)
{
	char from[4096 + 8], to[4096 + 8];
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < QS_LOG_BYTES)
		return false;
	for (int i = QS_LOG_KEPT; i > 1; i--) {
		snprintf(from, sizeof(from), "%s.%d", path, i - 1);
		snprintf(to, sizeof(to), "%s.%d", path, i);
		(void)rename(from, to);
	}
	snprintf(to, sizeof(to), "%s.1", path);
	return !rename(path, to);
}
