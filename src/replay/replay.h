/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay.h - a trace under one policy, simulated and measured
 *
 * The figures are those of `qshare report`: the same code makes them
 * (report/measures.h) from the runs of the simulation.
 */
#ifndef QS_REPLAY_H
#define QS_REPLAY_H

#include "replay/sim.h"
#include "report/measures.h"

enum qs_replay_kind {
	QS_REPLAY_GIVEN, /* the policies as they are */
	QS_REPLAY_RIGID, /* as rigid partitions; see baseline.h */
	/* as one pool, measured by who would own what */
	QS_REPLAY_POOL,
	QS_REPLAY_POOL_GREEDY, /* the same, BEST_EFFORT */
};

struct qs_replay_wish {
	struct qs_sim_wish sim;
	enum qs_replay_kind kind;
	/* By since. To be simulated: for a baseline, changed already. */
	const struct qs_sim_policy *policies;
	/* As they were given: by whose shares is measured. The same pointer for
	 * QS_REPLAY_GIVEN. */
	const struct qs_sim_policy *owners;
	uint32_t npolicies;
	/* Window of the figures; QS_TIME_NONE: from the first submission, until
	 * the last run has ended. */
	int64_t begin, end;
	/* Told now and then how many of the trace's jobs are done with. */
	void (*progress)(void *arg, uint32_t done, uint32_t of);
	/* Told of each run, sealed and with indexes of the history, or NULL. */
	void (*run)(void *arg, const struct qs_runs *runs, uint32_t i,
		    const struct qs_quota_history *history);
	void *arg;
};

struct qs_replay {
	struct qs_quota_history history; /* of the owners */
	struct qs_measures m;
	/* [nshares + 2] as outcome: first starts, own or borrowing. */
	struct qs_spread *wait;
	uint32_t *refused; /* [nshares + 1], the last: no share */
	uint32_t refused_by[QS_REFUSALS], nrefused;
	uint32_t first_refused[QS_REFUSALS]; /* line in the trace, 0: none */
	int64_t last_end;                    /* QS_TIME_NONE: nothing ran */
	int64_t restart_gpu_sec;
	uint64_t events, plans, offered;
	uint32_t runs;
};

/* Returns 0, or -1 with errno: ENOMEM, EINVAL (see qs_sim_new()). The caller
 * frees *replay with qs_replay_free() in any case. */
int qs_replay_make(const struct qs_trace *trace,
		   const struct qs_replay_wish *wish, struct qs_replay *replay);
/* As if the window ended later, when all has long ended: GPUs are idle. */
void qs_replay_extend(struct qs_replay *replay, int64_t end);
void qs_replay_free(struct qs_replay *replay);

#endif
