/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_claims.c - claims (R9), kept as the runtime in slurmctld keeps them
 *
 * Called by sim_jobs.c and sim_look.c. A claim is of certain nodes, of what was
 * owed before, and older or younger than others: without these a claimant could
 * take what is freed for another, or stop somebody for a debt that is not its
 * own. There are few.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/array.h"
#include "replay/sim_inner.h"

static struct qs_sim_claim *find(const struct qs_sim *sim, uint32_t job)
{
	for (uint32_t i = 0; i < sim->nclaims; i++) {
		if (sim->claims[i].job == job)
			return &sim->claims[i];
	}
	return NULL;
}

static size_t bytes_of(const struct qs_sim *sim)
{
	return (sim->snap->nnodes + 7u) / 8u;
}

static struct qs_sim_claim *add(struct qs_sim *sim, uint32_t job)
{
	struct qs_sim_claim *claim;

	if (!qs_array_room((void **)&sim->claims, &sim->claims_max,
			   (uint64_t)sim->nclaims + 1, sizeof(*sim->claims)))
		return NULL;
	claim = &sim->claims[sim->nclaims];
	*claim = (struct qs_sim_claim){ .job = job,
					.order = ++sim->claims_made };
	if (sim->snap->has_nodes) {
		claim->nodes = malloc(bytes_of(sim) + 1);
		if (!claim->nodes)
			return NULL;
	}
	sim->nclaims++;
	return claim;
}

bool qs_claim_make(struct qs_sim *sim, const struct qs_plan *plan,
		   const struct qs_decision *d)
{
	struct qs_sim_claim *claim = find(sim, d->id - 1);

	if (!claim)
		claim = add(sim, d->id - 1);
	if (!claim) {
		sim->no_memory = true;
		return false;
	}
	if (d->owed_before > claim->owed)
		claim->owed = d->owed_before;
	if (!claim->nodes)
		return true;
	memset(claim->nodes, 0, bytes_of(sim));
	for (uint32_t i = 0; i < d->nplaces; i++) {
		uint32_t node = plan->places[d->places + i].node;

		claim->nodes[node / 8] |= (uint8_t)(1u << (node % 8));
	}
	return true;
}

void qs_claim_drop(struct qs_sim *sim, uint32_t job)
{
	struct qs_sim_claim *claim = find(sim, job);

	free(claim->nodes);
	*claim = sim->claims[--sim->nclaims];
}

void qs_claim_free_all(struct qs_sim *sim)
{
	for (uint32_t i = 0; i < sim->nclaims; i++)
		free(sim->claims[i].nodes);
	free(sim->claims);
}

bool qs_claim_tell(struct qs_sim *sim, const struct qs_sim_claim *claim,
		   struct qs_job *ask)
{
	ask->claim = true;
	ask->claimed = claim->order;
	ask->claim_owed = claim->owed;
	if (claim->nodes) {
		int32_t set = qs_snapshot_add_nodeset(sim->snap, claim->nodes,
						      bytes_of(sim));

		if (set < 0) {
			sim->no_memory = true;
			return false;
		}
		ask->claimed_on = (uint32_t)set + 1;
	}
	return true;
}
