/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parts.h - each part of a job: the components of a het job, any other job itself
 *
 *	struct qs_parts parts = qs_parts_of(job);
 *
 *	while ((one = qs_parts_next(&parts)))
 *		…
 *	qs_parts_end(&parts);
 *
 * Only a leader has its components; one of these stands for itself. Job lock, as
 * for the job list. Between of() and end() the list of components must not change.
 */
#ifndef QS_HOST_PARTS_H
#define QS_HOST_PARTS_H

#include "compat/compat.h"

struct qs_parts {
	job_record_t *alone; /* still to be returned */
	list_itr_t *it;      /* or NULL */
};

static inline struct qs_parts qs_parts_of(const job_record_t *job)
{
	struct qs_parts parts = { NULL, NULL };

	if (job->het_job_list)
		parts.it = list_iterator_create(job->het_job_list);
	else
		parts.alone = (job_record_t *)job;
	return parts;
}

/* NULL: that were all. */
static inline job_record_t *qs_parts_next(struct qs_parts *parts)
{
	job_record_t *one = parts->alone;

	parts->alone = NULL;
	return parts->it ? list_next(parts->it) : one;
}

static inline void qs_parts_end(struct qs_parts *parts)
{
	if (parts->it)
		list_iterator_destroy(parts->it);
	parts->it = NULL;
}

/* Is it so of any part? */
static inline bool qs_parts_any(const job_record_t *job,
				bool (*is_so)(const job_record_t *one))
{
	struct qs_parts parts = qs_parts_of(job);
	const job_record_t *one;
	bool any = false;

	while (!any && (one = qs_parts_next(&parts)))
		any = is_so(one);
	qs_parts_end(&parts);
	return any;
}

#endif
