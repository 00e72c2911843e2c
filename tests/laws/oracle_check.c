/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oracle_check.c - the places and victims of one START, held against the rules
 */
#include "oracle_run.h"
#include "planned.h"

#include <string.h>

/* R9: could it be placed on the nodes of its claim? Where a need is kept for
 * somebody on nodes that the plan does not name, nobody knows. */
static bool places_where_claimed(const struct state *st,
				 const struct law_job *job, enum when when)
{
	struct law_job there = *job;

	there.only = job->only ? job->only & job->claim_on : job->claim_on;
	return !st->vague && job->claim && there.only &&
	       state_places(st, &there, when);
}

bool run_check_places(struct run *run, const struct law_job *job,
		      const struct qs_decision *d, struct holder *h,
		      enum when when)
{
	const struct law_world *w = run->st.w;
	uint32_t sum[LAW_TYPES] = { 0 }, nodes = 0;

	for (uint32_t i = 0; i < d->nplaces; i++) {
		const struct qs_placed *p = &run->plan->places[d->places + i];
		int n = run->view->node_of[p->node];

		if (!law_node_suits(w, job, n))
			return run_no(run, "job %u: node %s does not suit it",
				      job->id, w->nodes[n].name);
		h->on[n][p->type] += p->gpus;
		sum[p->type] += p->gpus;
		nodes |= 1u << n;
	}
	for (int t = 0; t < w->ntypes; t++) {
		if (sum[t] != job->gpus[t])
			return run_no(run, "job %u: placed %u of %u GPUs",
				      job->id, sum[t], job->gpus[t]);
	}
	if (nodes & ~job->claim_on &&
	    places_where_claimed(&run->st, job, when) &&
	    !run_others_claim(run, world_find(w, job->id), job->claim_on))
		return run_no(run, "job %u: not on the nodes of its claim",
			      job->id);
	if (job->need_nodes &&
	    (uint32_t)__builtin_popcount(nodes) != job->need_nodes)
		return run_no(run, "job %u: on %d nodes, wants %u", job->id,
			      __builtin_popcount(nodes), job->need_nodes);
	for (int n = 0; n < w->nnodes; n++) {
		for (int t = 0; t < w->ntypes; t++) {
			uint32_t each = job->need_nodes ?
						job->gpus[t] / job->need_nodes :
						0;

			if (h->on[n][t] > 0 &&
			    state_free(&run->st, n, t, when) < h->on[n][t])
				return run_no(
					run, "job %u: node %s has not %u free",
					job->id, w->nodes[n].name, h->on[n][t]);
			if (job->need_nodes && nodes >> n & 1 &&
			    (h->on[n][t] < each || h->on[n][t] > each + 1))
				return run_no(run, "job %u: not even", job->id);
		}
		if (nodes >> n & 1) {
			uint32_t k = (uint32_t)__builtin_popcount(nodes);

			h->cpus_on[n] = (job->cpus + k - 1) / k;
			/* Who wants none fits where they are promised. */
			if (h->cpus_on[n] &&
			    state_free_cpus(&run->st, n, when) < h->cpus_on[n])
				return run_no(run, "job %u: CPUs of %s",
					      job->id, w->nodes[n].name);
		}
	}
	return true;
}

static int holder_of(const struct run *run, uint32_t snap_job)
{
	for (int i = 0; i < run->st.nholders; i++) {
		if (!run->st.holders[i].decided &&
		    run->st.holders[i].job == run->view->job_of[snap_job])
			return i;
	}
	return -1;
}

static bool differing_sets(struct run *run, const struct law_job *job,
			   const struct qs_decision *d,
			   const struct judgement *judged)
{
	const struct qs_victim *v = run->plan->victims + d->victims;
	char plan[128] = "", rules[128] = "";
	size_t n = 0;

	for (uint32_t i = 0; i < d->nvictims && n < sizeof(plan) - 12; i++)
		n += (size_t)snprintf(plan + n, sizeof(plan) - n, " %u",
				      v[i].id);
	n = 0;
	for (uint32_t i = 0; i < judged->nvictims && n < sizeof(rules) - 12;
	     i++)
		n += (size_t)snprintf(rules + n, sizeof(rules) - n, " %u",
				      run->st.holders[judged->victims[i]].id);
	return run_no(run, "job %u: victims%s, by R10%s", job->id, plan, rules);
}

/* Laws 2 and 3: allowed, enough, and none too many. */
bool run_check_victims(struct run *run, const struct law_job *job,
		       const struct qs_decision *d,
		       const struct judgement *judged)
{
	const struct qs_victim *v = run->plan->victims + d->victims;
	struct state *st = &run->st;
	int who[LAW_HOLDERS];

	for (uint32_t i = 0; i < d->nvictims; i++) {
		who[i] = holder_of(run, v[i].job);
		if (who[i] < 0)
			return run_no(run, "job %u: victim %u holds nothing",
				      job->id, v[i].id);
		if (!law_may_take(st, job, who[i], judged->how, false))
			return run_no(run, "job %u: victim %u is not allowed",
				      job->id, v[i].id);
	}
	for (uint32_t i = 0; i < d->nvictims; i++)
		st->gone[who[i]] = true;
	if (!law_suffices(st, job, judged->how))
		return run_no(run, "job %u does not start without its victims",
			      job->id);
	if (!law_all_may_go(st, job, judged->how, false, false))
		return run_no(run, "job %u: takes a job that is own by then",
			      job->id);
	for (uint32_t i = 0; i < d->nvictims; i++) {
		st->gone[who[i]] = false;
		if (law_suffices(st, job, judged->how))
			return run_no(run, "job %u starts without victim %u",
				      job->id, v[i].id);
		st->gone[who[i]] = true;
	}
	memset(st->gone, 0, sizeof(st->gone));
	if (judged->exact) {
		law_oracle_stats.exact_sets++;
		for (uint32_t i = 0; i < judged->nvictims; i++) {
			bool there = false;

			for (uint32_t k = 0; k < d->nvictims; k++)
				there |= who[k] == (int)judged->victims[i];
			if (!there)
				return differing_sets(run, job, d, judged);
		}
	} else {
		law_oracle_stats.searched_sets++;
	}
	for (uint32_t i = 0; i < d->nvictims; i++)
		st->holders[who[i]].ends = true;
	return true;
}
