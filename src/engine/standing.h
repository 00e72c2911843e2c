/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * standing.h - what a plan in force says about a job that it has not seen
 *
 * A queue that only gets longer need not be planned anew: of a job that stands
 * behind others of its share, and of one that asks for as much as another was
 * refused, it is plain that it waits. Who is not sure of that plans again.
 *
 * Pure. Made once for a plan; asking is a look-up, allocates nothing, and may
 * be done in a scheduler's callbacks.
 */
#ifndef QS_STANDING_H
#define QS_STANDING_H

#include "plan.h"

struct qs_standing;

/* By the plan of this snapshot; keeps no pointer into either, but one to the
 * snapshot's policy. NULL with errno ENOMEM. */
struct qs_standing *qs_standing_make(const struct qs_snapshot *snap,
				     const struct qs_plan *plan);
void qs_standing_free(struct qs_standing *standing);

/*
 * Would this waiting job, had the plan known of it, have had to wait, with
 * nothing kept for it, and whatever else the plan decided? True only if that is
 * certain; then *out is the decision, without an index. job: id, share, queue,
 * priority, eligible, requeue are read; it must have no claim, not be held,
 * and not be unplaceable. demands: one a type, by type, none zero.
 */
bool qs_standing_waits(const struct qs_standing *standing,
		       const struct qs_job *job,
		       const struct qs_demand *demands, uint32_t ndemands,
		       struct qs_decision *out);

#endif
