/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * submit.h - what is judged once, when a job is submitted: R1, R2a, R6b, R15
 *
 * Pure. Sentences are written into the caller's buffer, are bounded by it and
 * always name what to ask for instead. They are meant for the user's terminal.
 */
#ifndef QS_SUBMIT_H
#define QS_SUBMIT_H

#include "plan.h"

/* Long enough for every sentence made here, with the longest names cut. */
#define QS_TEXT_MAX 1024

/*
 * R1. The share of a job: the one it names, if one of its accounts may use it;
 * else the share that lists the nearest of the accounts; else the queue's
 * default. accounts: the job's account first, then its parents up to the root;
 * n may be 0 (no account known). wanted: --quota-share or NULL.
 * Returns the share's index, or -1 with the sentence in text.
 */
int qs_submit_share(const struct qs_policy *policy, int queue,
		    const char *wanted, const char *const *accounts, size_t n,
		    char *text, size_t size);

/*
 * R2a. The type for an untyped request: the only type that the job's
 * partitions hold, else the queue's UntypedGpus. present: bit per policy type
 * found on the nodes of the job's partitions. Returns the type's index, or -1
 * with the sentence in text (the types to choose from).
 */
int qs_submit_untyped(const struct qs_policy *policy, int queue,
		      uint64_t present, char *text, size_t size);

/* What R6b compares a request of a share for a type with. Worth keeping for
 * who asks about many jobs: each is a sum over all shares. */
struct qs_bounds {
	bool listed;
	int64_t pool, limit;
	int64_t most; /* own capacity and all that others could lend */
};
void qs_submit_bounds(const struct qs_policy *policy, int share, int type,
		      struct qs_bounds *bounds);
/* R6b for so many GPUs of that share and type. */
enum qs_code qs_submit_never_of(const struct qs_policy *policy, int share,
				const struct qs_bounds *bounds, int64_t gpus);
/* Of several types, the code that is told is the first that applies: is it
 * this one rather than that? */
static inline bool qs_submit_sooner(enum qs_code code, enum qs_code than)
{
	/* The codes stand in the order in which they apply. */
	return code != QS_CODE_NONE && (than == QS_CODE_NONE || code < than);
}

/*
 * R6b, UNKNOWN_TYPE included: can a request ever start? code is the first that
 * applies, QS_CODE_NONE if it can; type is the one it fails for.
 * A demand's type may be -1: not a type of this policy.
 */
struct qs_ask {
	int type;
	int64_t gpus;
};
enum qs_code qs_submit_never(const struct qs_policy *policy, int share,
			     const struct qs_ask *asks, size_t n,
			     size_t *failing);

/*
 * The sentence for such a code: AWS's text for the case, then the numbers,
 * then what to ask for instead. type_name: as the user wrote it.
 */
void qs_submit_never_text(const struct qs_policy *policy, int share,
			  enum qs_code code, const char *type_name,
			  const struct qs_ask *ask, char *text, size_t size);

/* R12: what happens at the next preemption of such a job. */
enum qs_outcome {
	QS_OUTCOME_REQUEUE,
	QS_OUTCOME_TERMINATE, /* retries used up */
	QS_OUTCOME_CANCEL,    /* R12a: cannot be requeued */
};
/* retries: the job's own number, else the share's, else unset. */
enum qs_outcome qs_submit_outcome(const struct qs_policy *policy, int share,
				  const struct qs_opt *retries,
				  uint32_t preempted, bool requeue);

#endif
