/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay_make.c - see replay.h
 *
 * Called by `qshare replay` for each policy. Pure. Its surprise: shares and
 * types of a trace get the history's indexes here, so that a share which a
 * policy renames or removes stays one row.
 */
#include "replay/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Seconds with events between two looks at how far it is. */
#define STEPS 4096

/* The history's share of a name of the trace: by the first policy that has
 * one for it. */
static int32_t share_in(const struct qs_replay_wish *wish,
			const struct qs_quota_history *history,
			const char *name)
{
	for (uint32_t i = 0; i < wish->npolicies; i++) {
		const struct qs_policy *policy = wish->owners[i].policy;
		int share = qs_sim_share_of(policy, name);

		if (share >= 0)
			return qs_quota_history_share(
				history, policy->shares[share].name);
	}
	return QS_RUN_NO_SHARE;
}

static int32_t type_in(const struct qs_replay_wish *wish,
		       const struct qs_quota_history *history, const char *name)
{
	for (uint32_t i = 0; i < wish->npolicies; i++) {
		const struct qs_policy *policy = wish->owners[i].policy;
		int type = qs_sim_type_of(policy, name);

		if (type >= 0)
			return qs_quota_history_type(history,
						     policy->types[type].name);
	}
	return -1;
}

struct maps {
	int32_t *shares, *types;
};

static int make_maps(const struct qs_trace *trace,
		     const struct qs_replay_wish *wish,
		     const struct qs_quota_history *history, struct maps *maps)
{
	maps->shares = calloc((size_t)trace->shares.n + 1, sizeof(int32_t));
	maps->types = calloc((size_t)trace->types.n + 1, sizeof(int32_t));
	if (!maps->shares || !maps->types) {
		errno = ENOMEM;
		return -1;
	}
	for (uint32_t i = 0; i < trace->shares.n; i++)
		maps->shares[i] =
			share_in(wish, history, trace->shares.items[i]);
	for (uint32_t i = 0; i < trace->types.n; i++)
		maps->types[i] = type_in(wish, history, trace->types.items[i]);
	return 0;
}

static void rename_runs(struct qs_runs *runs, const struct maps *maps)
{
	for (uint32_t i = 0; i < runs->n; i++)
		runs->items[i].share = maps->shares[runs->items[i].share];
	for (uint32_t i = 0; i < runs->ndemands; i++)
		runs->demands[i].type =
			(uint16_t)maps->types[runs->demands[i].type];
}

static int take_refused(const struct qs_trace *trace,
			const struct qs_sim_result *result,
			const struct maps *maps, struct qs_replay *replay)
{
	int32_t n = replay->history.nshares;

	replay->refused = calloc((size_t)n + 1, sizeof(*replay->refused));
	if (!replay->refused)
		return -1;
	for (uint32_t s = 0; s < trace->shares.n; s++) {
		int32_t share = maps->shares[s] < 0 ? n : maps->shares[s];

		for (int why = 0; why < QS_REFUSALS; why++) {
			uint32_t jobs = result->refused[s * QS_REFUSALS + why];

			replay->refused[share] += jobs;
			replay->refused_by[why] += jobs;
		}
	}
	for (int why = 0; why < QS_REFUSALS; why++) {
		uint32_t id = result->first_refused[why];

		if (id)
			replay->first_refused[why] = trace->jobs[id - 1].line;
	}
	replay->nrefused = result->nrefused;
	return 0;
}

static bool counts(const struct qs_replay *replay, const struct qs_runs *runs,
		   uint32_t i, int32_t share)
{
	const struct qs_run *run = &runs->items[i];
	int32_t n = replay->history.nshares;
	int32_t mine = run->share < 0 ? n : run->share;

	return qs_runs_first(runs, i) && qs_run_started(run) &&
	       run->start >= replay->m.begin && run->start < replay->m.end &&
	       (share > n || mine == share);
}

static int measure_waits(const struct qs_runs *runs, struct qs_replay *replay)
{
	int32_t n = replay->history.nshares + 2;
	int64_t *values = malloc(((size_t)runs->n + 1) * sizeof(*values));

	replay->wait = calloc((size_t)n, sizeof(*replay->wait));
	if (!values || !replay->wait) {
		free(values);
		return -1;
	}
	for (int32_t share = 0; share < n; share++) {
		uint32_t count = 0;

		for (uint32_t i = 0; i < runs->n; i++) {
			const struct qs_run *run = &runs->items[i];

			if (counts(replay, runs, i, share))
				values[count++] = run->start - run->submit;
		}
		replay->wait[share] = qs_spread_of(values, count);
	}
	free(values);
	return 0;
}

static int measure(const struct qs_trace *trace,
		   const struct qs_replay_wish *wish,
		   struct qs_sim_result *result, struct qs_replay *replay)
{
	struct qs_measures_wish want = { .begin = wish->begin,
					 .end = wish->end };
	struct maps maps = { NULL, NULL };
	int failed = -1;

	if (want.begin == QS_TIME_NONE)
		want.begin = trace->njobs ? trace->jobs[0].submit : 0;
	if (want.end == QS_TIME_NONE)
		want.end = result->last_end == QS_TIME_NONE ||
					   result->last_end < want.begin ?
				   want.begin :
				   result->last_end + 1;
	want.now = want.end;
	if (make_maps(trace, wish, &replay->history, &maps))
		goto out;
	rename_runs(&result->runs, &maps);
	if (qs_runs_seal(&result->runs) ||
	    qs_measures_make(&replay->history, &result->runs, &want,
			     &replay->m) ||
	    measure_waits(&result->runs, replay) ||
	    take_refused(trace, result, &maps, replay))
		goto out;
	for (uint32_t i = 0; wish->run && i < result->runs.n; i++)
		wish->run(wish->arg, &result->runs, i, &replay->history);
	replay->last_end = result->last_end;
	replay->restart_gpu_sec = result->restart_gpu_sec;
	replay->events = result->events;
	replay->plans = result->plans;
	replay->offered = result->offered;
	replay->runs = result->runs.n;
	failed = 0;
out:
	free(maps.shares);
	free(maps.types);
	return failed;
}

static int simulate(const struct qs_trace *trace,
		    const struct qs_replay_wish *wish,
		    struct qs_sim_result *result)
{
	struct qs_sim_wish sim_wish = wish->sim;
	struct qs_sim *sim;
	int more;

	sim_wish.one_pool = wish->kind == QS_REPLAY_POOL ||
			    wish->kind == QS_REPLAY_POOL_GREEDY;
	sim = qs_sim_new(trace, wish->policies, wish->npolicies, &sim_wish);
	if (!sim)
		return -1;
	while ((more = qs_sim_step(sim, STEPS)) > 0) {
		if (wish->progress)
			wish->progress(wish->arg, qs_sim_done(sim),
				       trace->njobs);
	}
	if (!more)
		more = qs_sim_finish(sim, result);
	qs_sim_free(sim);
	return more;
}

int qs_replay_make(const struct qs_trace *trace,
		   const struct qs_replay_wish *wish, struct qs_replay *replay)
{
	struct qs_sim_result result = { .nrefused = 0 };
	int failed = 0;

	memset(replay, 0, sizeof(*replay));
	for (uint32_t i = 0; i < wish->npolicies && !failed; i++)
		failed = qs_quota_history_add(&replay->history,
					      wish->owners[i].since,
					      wish->owners[i].policy);
	if (!failed)
		failed = simulate(trace, wish, &result);
	if (!failed)
		failed = measure(trace, wish, &result, replay);
	qs_sim_result_free(&result);
	return failed;
}

void qs_replay_extend(struct qs_replay *replay, int64_t end)
{
	struct qs_measures *m = &replay->m;
	const struct qs_quota_period *last;

	if (end <= m->end)
		return;
	last = qs_quota_history_at(&replay->history, m->end);
	for (int32_t s = 0; s < m->nshares; s++) {
		for (int32_t t = 0; t < m->ntypes; t++) {
			struct qs_use *use = &m->use[s * m->ntypes + t];
			int64_t owned = 0;

			if (last->share_of[s] >= 0 && last->type_of[t] >= 0)
				owned = qs_policy_quota(last->policy,
							last->share_of[s],
							last->type_of[t])
						->capacity;
			use->capacity += owned * (end - m->end);
			use->idle += owned * (end - m->end);
		}
	}
	m->end = end;
}

void qs_replay_free(struct qs_replay *replay)
{
	qs_measures_free(&replay->m);
	qs_quota_history_free(&replay->history);
	free(replay->wait);
	free(replay->refused);
	replay->wait = NULL;
	replay->refused = NULL;
}
