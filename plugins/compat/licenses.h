/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * licenses.h - Slurm's licences, as each version counts them
 */
#ifndef QS_COMPAT_LICENSES_H
#define QS_COMPAT_LICENSES_H

#include "compat/compat.h"

#include "src/slurmctld/licenses.h"
#include "src/slurmctld/reservation.h"

/* How many there are in the cluster of what a job's list names, and are in use;
 * of those that a server counts, by others as well. False: it is unknown. Job
 * read lock. */
bool qs_compat_license(const licenses_t *wanted, uint64_t *total,
		       uint64_t *used);

/* From 25.05 on some belong to nodes (hierarchical resources), and a job may
 * ask for one or another (-L a|b). */
static inline bool qs_compat_license_of_nodes(const licenses_t *license)
{
#if QS_SLURM_AT_LEAST(25, 5)
	return license->id.hres_id != NO_VAL16;
#else
	(void)license;
	return false;
#endif
}

static inline bool qs_compat_license_is_choice(const licenses_t *license)
{
#if QS_SLURM_AT_LEAST(25, 5)
	return license->op_or;
#else
	(void)license;
	return false;
#endif
}

/* How many of it reservations keep from a job that would start now, as
 * license_job_test() asks. Node write lock: reservations may be moved on. */
static inline uint32_t qs_compat_license_reserved(job_record_t *job,
						  const licenses_t *license)
{
#if QS_SLURM_AT_LEAST(25, 5)
	return (uint32_t)job_test_lic_resv(job, license->id, time(NULL), true);
#else
	return (uint32_t)job_test_lic_resv(job, license->name, time(NULL),
					   true);
#endif
}

#endif
