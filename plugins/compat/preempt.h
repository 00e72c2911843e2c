/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preempt.h - Slurm's preemption interface, wherever a version keeps it
 *
 * Up to 24.11 a plugin answers one call with a kind of question,
 * preempt_p_get_data(); from 25.05 on there is a call for each.
 */
#ifndef QS_COMPAT_PREEMPT_H
#define QS_COMPAT_PREEMPT_H

#include "compat/compat.h"

#if QS_SLURM_AT_LEAST(23, 2)
#include "src/interfaces/preempt.h"
#else
#include "src/slurmctld/preempt.h"
#endif

#if QS_SLURM_AT_LEAST(25, 5)
#define QS_PREEMPT_GET_DATA 0
#else
#define QS_PREEMPT_GET_DATA 1
#endif

#endif
