/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay_read.c - the trace of qshare replay, and a cluster from a scenario
 *
 * Called once. Blocks on the files. A trace that begins with '{', or whose
 * first line has a '|', is what sacct wrote; the readers of `qshare report`
 * make runs of it (attempts, resizes, spellings of GPUs), and each job's runs
 * become one line: submitted when it could first run, as long as its last run.
 */
#include "cli/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conf/scenario.h"
#include "sacct/attempts.h"

#define NAME QS_REPLAY_NAME

/* Grows as it is read, so that a pipe will do. */
static char *read_all(FILE *file, size_t *n)
{
	size_t max = 1 << 20, got;
	char *text = malloc(max), *bigger;

	*n = 0;
	while (text && (got = fread(text + *n, 1, max - *n, file)) > 0) {
		*n += got;
		if (*n < max)
			continue;
		max *= 2;
		bigger = realloc(text, max);
		if (!bigger)
			free(text);
		text = bigger;
	}
	if (text && ferror(file)) {
		free(text);
		return NULL;
	}
	return text;
}

static bool is_sacct(const char *text, size_t n)
{
	const char *end;
	size_t i = 0;

	while (i < n && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' ||
			 text[i] == '\r'))
		i++;
	if (i < n && text[i] == '{')
		return true;
	end = memchr(text, '\n', n);
	return n && memchr(text, '|', end ? (size_t)(end - text) : n);
}

/* Why a job of accounting cannot be replayed; NULL: it can. */
static const char *unusable(const struct qs_run *first,
			    const struct qs_run *last, bool resized)
{
	if (resized)
		return "it was resized";
	if (!qs_run_started(last))
		return "it never ran to its end";
	if (last->end == QS_TIME_NONE)
		return "it has not ended: no run time known";
	if (last->end < last->start)
		return "it ends before it starts";
	if (first->submit == QS_TIME_NONE && first->eligible == QS_TIME_NONE)
		return "no time of submission";
	if (last->ndemands != 1)
		return last->ndemands ?
			       "it holds GPUs of several types" :
			       "no GPUs asked for: no share is charged";
	return NULL;
}

static int take_job(struct qs_trace *trace, const struct qs_runs *runs,
		    const struct qs_quota_history *history, uint32_t from,
		    uint32_t to)
{
	const struct qs_run *first = &runs->items[from];
	const struct qs_run *last = &runs->items[to - 1];
	const char *share = "", *type, *why;
	const struct qs_demand *d = qs_runs_demands(runs, last);
	bool resized = false;
	struct qs_trace_job job;
	char id[32];

	for (uint32_t i = from; i < to; i++)
		resized |= runs->items[i].ended == QS_RUN_RESIZED;
	trace->rows++;
	why = unusable(first, last, resized);
	snprintf(id, sizeof(id), "JobID %" PRIu64, first->job);
	if (why) {
		qs_trace_leave_out(trace, 0, why, id, strlen(id));
		return 0;
	}
	job = (struct qs_trace_job){
		.submit = first->eligible != QS_TIME_NONE ? first->eligible :
							    first->submit,
		.run_sec = last->end - last->start,
		.id = first->job,
		.line = trace->rows,
		.gpus = d->gpus,
		.priority = last->priority,
		.ended = last->ended,
	};
	/* What stopped it then is no property of the job. */
	if (qs_run_interrupted(last))
		job.ended = QS_RUN_COMPLETED;
	if (last->share >= 0)
		share = history->shares[last->share];
	type = history->types[d->type];
	return qs_trace_add(trace, &job, share, strlen(share), type,
			    strlen(type));
}

static int take_jobs(struct qs_trace *trace, const struct qs_runs *runs,
		     const struct qs_quota_history *history)
{
	for (uint32_t from = 0, i = 0; i < runs->n; i++) {
		if (!qs_runs_last(runs, i))
			continue;
		if (take_job(trace, runs, history, from, i + 1))
			return -1;
		from = i + 1;
	}
	return qs_trace_seal(trace);
}

static struct qs_trace *read_sacct(const char *name, char *text, size_t n,
				   const struct qs_policy *policy)
{
	struct qs_quota_history history = { .nshares = 0 };
	struct qs_trace *trace = qs_trace_new();
	struct qs_attempts_wish wish = { .history = &history };
	struct qs_attempts *attempts = NULL;
	struct qs_attempts_facts facts;
	struct qs_runs runs = { .n = 0 };
	FILE *file = fmemopen(text, n, "r");
	struct qs_error err = { .text = "out of memory" };
	bool good = false;

	if (!trace || !file ||
	    qs_quota_history_add(&history, INT64_MIN, policy))
		goto out;
	wish.problems = &trace->problems;
	attempts = qs_attempts_new(&wish);
	good = attempts &&
	       !qs_sacct_read(file, name, qs_attempts_add, attempts,
			      &trace->problems, &err) &&
	       !qs_attempts_finish(attempts, &runs, &facts) &&
	       !take_jobs(trace, &runs, &history);
out:
	if (!good) {
		qs_cli_error(NAME, "%s", err.text);
		qs_trace_free(trace);
		trace = NULL;
	}
	if (file)
		fclose(file);
	qs_attempts_free(attempts);
	qs_runs_free(&runs);
	qs_quota_history_free(&history);
	return trace;
}

struct qs_trace *qs_replay_read(const char *path,
				const struct qs_policy *policy)
{
	bool standard = !strcmp(path, "-");
	const char *name = standard ? "standard input" : path;
	FILE *file = standard ? stdin : fopen(path, "r");
	struct qs_trace *trace = NULL;
	struct qs_error err;
	char *text;
	size_t n;

	if (!file) {
		qs_cli_error(NAME, "%s: %s", path, strerror(errno));
		return NULL;
	}
	text = read_all(file, &n);
	if (!text) {
		qs_cli_error(NAME, "%s: %s", name, strerror(errno));
	} else if (is_sacct(text, n)) {
		trace = read_sacct(name, text, n, policy);
	} else {
		trace = qs_trace_read(name, text, n, &err);
		if (!trace)
			qs_cli_error(NAME, "%s", err.text);
	}
	free(text);
	if (!standard)
		fclose(file);
	return trace;
}

static int add_node(struct qs_replay_args *args, const char *type,
		    uint32_t gpus)
{
	for (uint32_t i = 0; i < args->sim.nnodes; i++) {
		struct qs_sim_nodes *group = &args->nodes[i];

		if (!strcmp(group->type, type) && group->gpus == gpus) {
			group->count++;
			return 0;
		}
	}
	if (args->sim.nnodes == QS_REPLAY_NODES)
		return qs_cli_error(NAME, "more than %d kinds of node",
				    QS_REPLAY_NODES);
	args->nodes[args->sim.nnodes] =
		(struct qs_sim_nodes){ .count = 1, .gpus = gpus };
	snprintf(args->nodes[args->sim.nnodes++].type,
		 sizeof(args->nodes[0].type), "%s", type);
	return 0;
}

int qs_replay_read_nodes(struct qs_replay_args *args, const char *path)
{
	struct qs_scenario *scenario;
	struct qs_error err;
	int rc = 0;

	scenario = qs_scenario_read_file(path, &err);
	if (!scenario)
		return qs_cli_error(NAME, "%s", err.text);
	if (!scenario->snap->has_nodes)
		rc = qs_cli_error(NAME, "%s: it has no nodes", path);
	for (uint32_t n = 0; n < scenario->snap->nnodes && !rc; n++) {
		const struct qs_policy *policy = scenario->policy;
		const uint32_t *gpus =
			&scenario->snap->node_gpus[n * (size_t)policy->ntypes];
		int types = 0;

		for (int t = 0; t < policy->ntypes && !rc; t++) {
			if (!gpus[t])
				continue;
			if (types++)
				rc = qs_cli_error(
					NAME,
					"%s: node %s has GPUs of several "
					"types, which replay does not know",
					path, scenario->snap->nodes[n].name);
			else
				rc = add_node(args, policy->types[t].name,
					      gpus[t]);
		}
	}
	qs_scenario_free(scenario);
	return rc;
}
