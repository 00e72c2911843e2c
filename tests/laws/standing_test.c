/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * standing_test.c - what a plan says about a job that it has not seen
 *
 * Of each random world every waiting job is taken out in turn, and the plan
 * without it is asked about it. Where it is sure that the job waits, the plan of
 * the whole world must say so too and be the same otherwise: else a job that
 * did not wake the planner would have been forgotten.
 *
 * By hand: QS_LAWS_N=100000 ./standing_test
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "engine/standing.h"

#include "../unit/suite.h"
#include "hunt.h"
#include "planned.h"

/* About two seconds together. */
#define WORLDS 6000

static unsigned long asked, sure, by_order;

static bool same_victims(const struct planned *p, const struct qs_decision *a,
			 const struct planned *q, const struct qs_decision *b)
{
	if (a->nvictims != b->nvictims)
		return false;
	for (uint32_t i = 0; i < a->nvictims; i++) {
		if (p->plan->victims[a->victims + i].id !=
		    q->plan->victims[b->victims + i].id)
			return false;
	}
	return true;
}

/* The start number n of a job: tasks of an array have one each. */
static const struct qs_decision *start_of(const struct qs_plan *plan,
					  uint32_t id, uint32_t n)
{
	for (uint32_t i = 0; i < plan->ndecisions; i++) {
		const struct qs_decision *d = &plan->decisions[i];

		if (d->id == id && d->verdict == QS_VERDICT_START && !n--)
			return d;
	}
	return NULL;
}

/* Does whoever starts in p start in q, in the same way? A claim that comes in
 * its turn may come before or after others (R9). */
static bool starts_in(const struct planned *p, const struct planned *q,
		      char *why, size_t size)
{
	for (int j = 0; j < p->world->njobs; j++) {
		uint32_t id = p->world->jobs[j].id;
		const struct qs_decision *a, *b;

		for (uint32_t n = 0; (a = start_of(p->plan, id, n)); n++) {
			b = start_of(q->plan, id, n);
			if (b && a->how == b->how && same_victims(p, a, q, b))
				continue;
			snprintf(why, size, "JobId=%u starts in one only", id);
			return false;
		}
	}
	return true;
}

static bool same_starts(const struct planned *p, const struct planned *q,
			char *why, size_t size)
{
	return starts_in(p, q, why, size) && starts_in(q, p, why, size);
}

/* Does anybody stop jobs of his share, or start by a claim? See standing.c. */
static bool yields(const struct planned *p)
{
	for (uint32_t i = 0; i < p->plan->ndecisions; i++) {
		const struct qs_decision *d = &p->plan->decisions[i];

		if (d->how == QS_HOW_IN_SHARE ||
		    (d->verdict == QS_VERDICT_START &&
		     p->view.snap->jobs[d->job].claim))
			return true;
	}
	return false;
}

/* What the whole plan says of the job, against what was told of it. */
static bool waits_too(const struct planned *p, int job,
		      const struct qs_decision *told, char *why, size_t size)
{
	for (uint32_t i = 0; i < p->plan->ndecisions; i++) {
		const struct qs_decision *d = &p->plan->decisions[i];

		if (planned_job(p, d->job) != job)
			continue;
		if (d->verdict == QS_VERDICT_WAIT && !d->reserves &&
		    (told->code != QS_CODE_ORDER || d->code == QS_CODE_ORDER))
			continue;
		snprintf(why, size, "JobId=%u: told %s, is %s %s%s", d->id,
			 qs_code_name(told->code), qs_verdict_name(d->verdict),
			 qs_code_name(d->code), d->reserves ? ", kept" : "");
		return false;
	}
	return true;
}

static bool is_new(const struct law_job *job)
{
	return job->state == QS_JOB_PENDING && !job->claim && !job->held &&
	       !job->unplaceable && !job->submitting && !job->unknown_type &&
	       !job->displaced_by;
}

static const struct qs_job *snap_job(const struct planned *p, int job)
{
	for (uint32_t i = 0; i < p->view.snap->njobs; i++) {
		if (planned_job(p, i) == job)
			return &p->view.snap->jobs[i];
	}
	return NULL;
}

static bool holds_of(const struct law_world *world, const struct planned *all,
		     int job, char *why, size_t size)
{
	const struct qs_job *new = snap_job(all, job);
	struct law_world without = *world;
	struct qs_standing *standing;
	struct qs_decision told;
	struct planned before;
	bool good = true;

	law_world_drop_job(&without, job);
	planned_make(&before, &without, 0);
	standing = qs_standing_make(before.view.snap, before.plan);
	ck_assert_ptr_nonnull(standing);
	asked++;
	if (qs_standing_waits(standing, new,
			      qs_snapshot_demands(all->view.snap, new),
			      new->ndemands, &told)) {
		sure++;
		by_order += told.code == QS_CODE_ORDER;
		good = waits_too(all, job, &told, why, size) &&
		       (yields(all) || same_starts(&before, all, why, size));
	}
	qs_standing_free(standing);
	planned_free(&before);
	return good;
}

static bool holds(const struct law_world *world, char *why, size_t size)
{
	struct planned all;
	bool good = true;

	planned_make(&all, world, 0);
	for (int j = 0; good && j < world->njobs; j++) {
		if (is_new(&world->jobs[j]))
			good = holds_of(world, &all, j, why, size);
	}
	planned_free(&all);
	return good;
}

static const struct {
	const char *name;
	struct law_taste taste;
} tastes[] = {
	{ "standing-types", { .types = true, .extras = true } },
	{ "standing-claims", { .claims = true, .many = true } },
	{ "standing-nodes",
	  { .nodes = true, .types = true, .claims = true, .extras = true } },
	{ "standing-many",
	  { .nodes = true, .types = true, .claims = true, .many = true } },
};

START_TEST(nobody_is_forgotten)
{
	asked = sure = by_order = 0;
	law_hunt(tastes[_i].name, holds, &tastes[_i].taste, WORLDS);
	printf("  %lu jobs asked about, sure of %lu, %lu by order\n", asked,
	       sure, by_order);
	/* An answer that is never sure would prove nothing. */
	if (asked < 1000)
		return;
	ck_assert_uint_gt(by_order, asked / 50);
	ck_assert_uint_gt(sure - by_order, asked / 1000);
}
END_TEST

/* Found once, after many others: tried each time. */
START_TEST(an_owner_behind_a_claim_that_borrows)
{
	law_hunt_one(tastes[1].name, holds, &tastes[1].taste, 149704449113);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("standing");
	TCase *core = tcase_create("core");

	tcase_set_timeout(core, 0);
	tcase_add_loop_test(core, nobody_is_forgotten, 0, ARRAY_LEN(tastes));
	tcase_add_test(core, an_owner_behind_a_claim_that_borrows);
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
