/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shape.c - give a request the one meaning by which it is charged (R2, R2a)
 *
 * Called by judge.c. Walks the nodes of the job's partitions once or twice;
 * blocks on nothing. Its surprise: a request per node without a number of
 * nodes gets one. Slurm would give as many nodes as it finds CPUs on, so the
 * number of GPUs would be known only when they are already taken.
 */
#include "job_submit/case.h"

#include <stdlib.h>
#include <string.h>

/* Returns how many strings changed, or -1. */
static int rewrite_all(struct qs_case *c, const char *name)
{
	int changed = 0;

	for (int per = 0; per < QS_PERS; per++) {
		char *text;

		if (!c->form.tres[per] || !*c->form.tres[per])
			continue;
		text = qs_terms_rewrite(c->form.tres[per], name);
		if (!text)
			return qs_case_refuse(c, ESLURM_INVALID_GRES,
					      "out of memory");
		if (strcmp(text, c->form.tres[per])) {
			qs_form_set_tres(c->desc, per, text);
			c->form.tres[per] = NULL; /* it may be gone */
			changed++;
		}
		free(text);
	}
	return changed;
}

/* --ntasks-per-gpu alone: there is no string yet to say the type in. */
static void say_gpus_of_tasks(struct qs_case *c, const char *name)
{
	uint64_t gpus = c->form.wish.terms.items[0].per[QS_PER_JOB];
	char *text;

	text = xstrdup_printf(QS_GRES_PREFIX "gpu:%s:%llu", name,
			      (unsigned long long)gpus);
	qs_form_set_tres(c->desc, QS_PER_JOB, text);
	xfree(text);
}

/* Whole nodes of that type only: ask one GPU of it on each. */
static void say_type_of_nodes(struct qs_case *c, const char *name)
{
	const char *had = c->form.tres[QS_PER_NODE];
	char *text = NULL;

	if (had && *had)
		xstrfmtcat(text, "%s,", had);
	xstrfmtcat(text, QS_GRES_PREFIX "gpu:%s:1", name);
	if (!c->read_only)
		qs_form_set_tres(c->desc, QS_PER_NODE, text);
	xfree(text);
	qs_terms_set(&c->form.wish.terms, QS_PER_NODE, name, 1);
}

static bool several(uint64_t bits)
{
	return bits & (bits - 1);
}

int qs_case_type(struct qs_case *c)
{
	const struct qs_wish *wish = &c->form.wish;
	bool untyped = qs_terms_untyped(&wish->terms);
	bool any_node = wish->whole_nodes && !wish->terms.n;
	struct qs_pool_filter filter;
	char text[QS_TEXT_MAX];
	const char *name;
	int type, changed;

	qs_wish_filter(wish, &filter);
	/* Else qs_case_size() looks at what it needs. */
	if (untyped || any_node || !qs_wish_by_node(wish))
		qs_pool_scan(c->policy, &filter, &c->pool);
	if (!untyped && !(any_node && several(c->pool.present)))
		return 0;
	type = qs_submit_untyped(c->policy, c->queue, c->pool.present, text,
				 sizeof(text));
	if (type < 0)
		return qs_case_refuse(
			c, ESLURM_INVALID_GRES, "%s%s",
			any_node ? "whole nodes (--exclusive) bring all their "
				   "GPUs along: " :
				   "",
			text);
	name = qs_pool_gres_name(c->policy, &filter, type);
	if (!name)
		return 0; /* untyped asks for just these */
	if (any_node) {
		say_type_of_nodes(c, name);
		return 0;
	}
	if (c->read_only)
		return 0;
	changed = rewrite_all(c, name);
	if (!changed)
		say_gpus_of_tasks(c, name);
	return changed < 0 ? -1 : 0;
}

/* The name by which the user, or else the policy, calls a type. */
static const char *name_of(const struct qs_case *c, int type)
{
	const struct qs_terms *terms = &c->form.wish.terms;

	for (size_t i = 0; i < terms->n; i++)
		if (terms->items[i].type[0] &&
		    qs_policy_find_gres(c->policy, terms->items[i].type) ==
			    type)
			return terms->items[i].type;
	return c->policy->types[type].name;
}

/* R6b for so many nodes. */
static enum qs_code never(struct qs_case *c, uint32_t nodes,
			  struct qs_ask *failing)
{
	struct qs_ask asks[QS_TYPES_MAX + 1];
	struct qs_node_range range = c->nodes;
	enum qs_code code;
	size_t n = 0, at;

	range.max = nodes;
	qs_wish_judge(c->policy, c->queue, &c->form.wish, &c->pool, &range,
		      &c->request);
	for (uint32_t i = 0; i < c->request.ndemands; i++) {
		asks[n].type = c->request.demands[i].type;
		asks[n++].gpus = c->request.demands[i].gpus;
	}
	if (c->request.unknown_type) {
		asks[n].type = -1;
		asks[n++].gpus = 1;
	}
	code = qs_submit_never(c->policy, c->share, asks, n, &at);
	if (code != QS_CODE_NONE)
		*failing = asks[at];
	return code;
}

/* The most nodes of the range that can ever start; at least its lower end. */
static uint32_t largest(struct qs_case *c)
{
	uint32_t low = c->nodes.min, high = c->nodes.max;
	struct qs_ask failing;

	while (low < high) {
		uint32_t middle = low + (high - low + 1) / 2;

		if (never(c, middle, &failing) == QS_CODE_NONE)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static int refuse_never(struct qs_case *c, enum qs_code code,
			const struct qs_ask *ask)
{
	const char *name =
		ask->type < 0 ? c->request.unknown : name_of(c, ask->type);
	char text[QS_TEXT_MAX];

	qs_submit_never_text(c->policy, c->share, code, *name ? name : "gpu",
			     ask, text, sizeof(text));
	return qs_case_refuse(c,
			      code == QS_CODE_UNKNOWN_TYPE ?
				      ESLURM_INVALID_GRES :
				      ESLURM_ACCOUNTING_POLICY,
			      "%s", text);
}

static void note_nodes(struct qs_case *c, const char *what, const char *hint)
{
	const struct qs_demand *demand = &c->request.demands[0];

	if (!c->request.ndemands)
		return;
	qs_case_note(c, "%s %u node%s with %u %s in total; %s", what,
		     c->nodes.max, c->nodes.max == 1 ? "" : "s", demand->gpus,
		     name_of(c, demand->type), hint);
}

/* Say in the message how many nodes were counted. of_pool: upper end of the
 * range by what nodes there are. */
static void settle(struct qs_case *c, uint32_t of_pool)
{
	const struct qs_shape *shape = &c->form.wish.shape;

	if (c->read_only)
		return;
	if (c->nodes.open) {
		c->desc->min_nodes = c->desc->max_nodes = c->nodes.max;
		if (c->nodes.max > c->nodes.min ||
		    (c->nodes.max > 1 && c->nodes.max == c->pool.min_nodes &&
		     c->nodes.max > shape->min_nodes))
			note_nodes(c, "GPUs are asked per node: the job gets",
				   "say -N for another number");
	} else if (!c->nodes.fixed && c->nodes.max < shape->max_nodes) {
		c->desc->max_nodes = c->nodes.max;
		note_nodes(c, "of the range of nodes at most",
			   c->nodes.max < of_pool ?
				   "more never fit its share" :
				   "no more nodes are such as it asks for");
	}
}

int qs_case_size(struct qs_case *c)
{
	const struct qs_wish *wish = &c->form.wish;
	bool by_node = qs_wish_by_node(wish);
	const struct qs_queue *queue = &c->policy->queues[c->queue];
	struct qs_ask failing;
	uint32_t of_pool;
	enum qs_code code;

	/* Of nodes by name it may be given more than its -N says. */
	if (qs_wish_sized(wish) || (by_node && wish->req_nodes))
		qs_wish_measure(c->policy, c->queue, wish, &c->pool);
	qs_wish_nodes(wish, &c->pool, &c->nodes);
	of_pool = c->nodes.max;
	if (by_node && !c->nodes.fixed && !c->nodes.open)
		c->nodes.max = largest(c);
	code = never(c, c->nodes.max, &failing);
	/* A type that nobody has is a mistake, not a wish to wait. */
	if (code == QS_CODE_UNKNOWN_TYPE ||
	    (code != QS_CODE_NONE && queue->never_fits_rejects))
		return refuse_never(c, code, &failing);
	if (by_node)
		settle(c, of_pool);
	return 0;
}
