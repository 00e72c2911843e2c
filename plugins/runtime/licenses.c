/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * licenses.c - will a claimant have its licences once its victims are gone?
 *
 * Called by limits.c before anybody is stopped, under the write locks. Slurm's own
 * test, license_job_test(), counts what the victims hold as in use. Here that is
 * taken off, and what those will take who are coming (coming.c) is added, since
 * it is spoken for; else the sum is the same, with what reservations keep.
 *
 * Also called by the look, for jobs that Slurm has wait for licences. In 22.05
 * it does not ask the gate about them, so they would never be planned.
 *
 * Its surprise: licences of nodes (hierarchical resources, from 25.05 on) are
 * not counted here, as license_job_test() does not count them. select/cons_tres
 * does, so a job that asks for one is left to that with all it asks for
 * (qs_licenses_aside()).
 */
#include "runtime/inner.h"

#include <stdlib.h>

#include "compat/licenses.h"
#include "engine/array.h"

#include "host/parts.h"

/* Numbers of licences; the names are those in jobs' records. */
struct term {
	const char *name;
	uint64_t n;
};

struct sum {
	struct term *terms;
	uint32_t n, max;
	bool failed;
};

struct qs_licenses {
	struct sum sum;
};

static void add(struct sum *sum, const char *name, uint64_t n)
{
	uint32_t i = 0;

	while (i < sum->n && xstrcmp(sum->terms[i].name, name))
		i++;
	if (i < sum->n) {
		sum->terms[i].n += n;
	} else if (qs_array_room((void **)&sum->terms, &sum->max,
				 (uint64_t)sum->n + 1, sizeof(*sum->terms))) {
		sum->terms[sum->n++] = (struct term){ name, n };
	} else {
		sum->failed = true;
	}
}

static uint64_t sum_of(const struct sum *sum, const char *name)
{
	for (uint32_t i = 0; i < sum->n; i++)
		if (!xstrcmp(sum->terms[i].name, name))
			return sum->terms[i].n;
	return 0;
}

static void add_job(struct sum *sum, const job_record_t *job, uint32_t times)
{
	const licenses_t *license;
	list_itr_t *it;

	if (!job->license_list)
		return;
	it = list_iterator_create(job->license_list);
	while ((license = list_next(it)))
		if (!qs_compat_license_of_nodes(license))
			add(sum, license->name,
			    (uint64_t)license->total * times);
	list_iterator_destroy(it);
}

/* They come back when its last node is done (cleanup_completing()). */
static bool holds(const job_record_t *job)
{
	return IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job) ||
	       IS_JOB_COMPLETING(job);
}

/* What a job asks for, or of it what it holds. */
static void add_parts(struct sum *sum, const job_record_t *job, bool held)
{
	struct qs_parts parts = qs_parts_of(job);
	const job_record_t *one;

	while ((one = qs_parts_next(&parts)))
		if (!held || holds(one))
			add_job(sum, one, 1);
	qs_parts_end(&parts);
}

static void add_coming(void *sum, const job_record_t *one, uint32_t tasks)
{
	add_job(sum, one, tasks);
}

/* By the whole job, if this is a part of one, and by all who are coming. */
static void add_asked(struct sum *sum, const job_record_t *job)
{
	const job_record_t *whole = find_job_record(qs_jobrec_key(job));

	qs_coming_each(job, add_coming, sum);
	add_parts(sum, whole ? whole : job, false);
}

/* ids: ascending. */
static void add_freed(struct sum *sum, const uint32_t *ids, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const job_record_t *job = find_job_record(ids[i]);

		if (job && !(i && ids[i] == ids[i - 1]))
			add_parts(sum, job, true);
	}
}

static bool suffices(const licenses_t *wanted, const struct sum *asked,
		     const struct sum *freed, uint32_t reserved)
{
	uint64_t total, used, given = sum_of(freed, wanted->name);

	if (!qs_compat_license(wanted, &total, &used))
		return false;
	used -= used < given ? used : given;
	return used + sum_of(asked, wanted->name) + reserved <= total;
}

/* guess: what reservations keep is not asked; that needs the write locks. */
static bool all_suffice(job_record_t *job, const struct sum *asked,
			const struct sum *freed, bool guess)
{
	list_itr_t *it = list_iterator_create(job->license_list);
	const licenses_t *wanted;
	uint32_t reserved = 0;
	bool good = true;

	while ((wanted = list_next(it))) {
		if (qs_compat_license_of_nodes(wanted))
			continue;
		if (!guess)
			reserved = qs_compat_license_reserved(job, wanted);
		good = suffices(wanted, asked, freed, reserved);
		/* Of a choice the first will do, of others all are needed. */
		if (good == qs_compat_license_is_choice(wanted))
			break;
	}
	list_iterator_destroy(it);
	return good;
}

bool qs_licenses_hold(job_record_t *job, const uint32_t *victims, uint32_t n)
{
	struct sum asked = { 0 }, freed = { 0 };
	bool good;

	if (!job->license_list)
		return false;
	add_asked(&asked, job);
	add_freed(&freed, victims, n);
	good = !asked.failed && !freed.failed &&
	       all_suffice(job, &asked, &freed, false);
	free(asked.terms);
	free(freed.terms);
	return !good;
}

/* All jobs that hold GRES, GPUs mostly. */
static struct qs_licenses *held_with_gres(void)
{
	struct qs_licenses *held = calloc(1, sizeof(*held));
	const job_record_t *job;
	list_itr_t *it;

	if (!held)
		return NULL;
	it = list_iterator_create(job_list);
	while ((job = list_next(it)))
		if (job->license_list && job->gres_list_alloc && holds(job))
			add_job(&held->sum, job, 1);
	list_iterator_destroy(it);
	return held;
}

bool qs_licenses_may_come(job_record_t *job, struct qs_licenses **held)
{
	struct sum asked = { 0 };
	bool good;

	if (!*held)
		*held = held_with_gres();
	if (!*held || !job->license_list)
		return *held != NULL;
	add_job(&asked, job, 1);
	good = !asked.failed && all_suffice(job, &asked, &(*held)->sum, true);
	free(asked.terms);
	return good;
}

void qs_licenses_free(struct qs_licenses *held)
{
	if (held)
		free(held->sum.terms);
	free(held);
}

static int is_of_nodes(void *item, void *unused)
{
	(void)unused;
	return qs_compat_license_of_nodes(item);
}

void qs_licenses_aside(job_record_t *job)
{
	if (job->license_list &&
	    !list_find_first(job->license_list, is_of_nodes, NULL))
		job->license_list = NULL;
}
