/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view.c - what is asked of a look once it is made
 *
 * Called by our thread between a look and its end. Blocks on nothing.
 */
#include "runtime/inner.h"

#include <stdlib.h>

#include "host/nodes.h"

void qs_view_free(struct qs_view *view)
{
	if (!view)
		return;
	qs_plan_free(view->plan);
	qs_standing_free(view->standing);
	for (uint32_t i = 0; view->snap && i < view->snap->njobs; i++)
		free(view->seen[i].text);
	free(view->seen);
	free(view->fronts);
	qs_snapshot_free(view->snap);
	qs_runtime_policy_put(view->policy);
	free(view->node_map);
	free(view->claims_on);
	free(view->by_id);
	free(view->strays);
	free(view->left);
	free(view->turns);
	free(view->splits);
	for (size_t i = 0; i < sizeof(view->answers) / sizeof(char *); i++)
		xfree(view->answers[i]);
	free(view->refused);
	free(view);
}

bitstr_t *qs_view_places(const struct qs_view *view,
			 const struct qs_decision *decision)
{
	const struct qs_placed *p = view->plan->places + decision->places;
	bitstr_t *nodes = bit_alloc(node_record_count);

	for (uint32_t i = 0; i < decision->nplaces; i++) {
		const node_record_t *node =
			find_node_record(view->snap->nodes[p[i].node].name);

		if (node)
			bit_set(nodes, node->index);
	}
	return nodes;
}

const char *qs_view_slurm_says(const struct qs_view *view, uint32_t job)
{
	const char *text = view->seen[job].text;

	return text ? text : "";
}

/* A job of the snapshot, for those who know its id. */
struct qs_by_id {
	uint32_t id, job;
};

static int compare(const void *a, const void *b)
{
	const struct qs_by_id *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static struct qs_by_id *sorted(const struct qs_snapshot *snap)
{
	struct qs_by_id *all = calloc((size_t)snap->njobs + 1, sizeof(*all));

	for (uint32_t i = 0; all && i < snap->njobs; i++)
		all[i] = (struct qs_by_id){ snap->jobs[i].id, i };
	if (all)
		qsort(all, snap->njobs, sizeof(*all), compare);
	return all;
}

struct qs_job *qs_view_job(struct qs_view *view, uint32_t id)
{
	const struct qs_by_id key = { .id = id }, *found = NULL;
	struct qs_snapshot *snap = view->snap;

	if (!view->by_id)
		view->by_id = sorted(snap);
	if (view->by_id)
		found = bsearch(&key, view->by_id, snap->njobs, sizeof(key),
				compare);
	for (uint32_t i = 0; !view->by_id && i < snap->njobs; i++)
		if (snap->jobs[i].id == id)
			return &snap->jobs[i];
	return found ? &snap->jobs[found->job] : NULL;
}
