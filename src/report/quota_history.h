/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quota_history.h - who owned what when: the policies in force over a time
 *
 * Shares and types of all its policies get one index each for the whole time,
 * so that a share that was added, renamed or removed in between stays one row.
 * Names compare exactly. Also what was out of service, where that is known.
 */
#ifndef QS_QUOTA_HISTORY_H
#define QS_QUOTA_HISTORY_H

#include "engine/policy.h"

/* One policy, from since until the next one's. */
struct qs_quota_period {
	int64_t since;
	const struct qs_policy *policy; /* not owned */
	int32_t *share_of; /* [nshares] index in policy, -1: not in it (R16) */
	int32_t *type_of;  /* [ntypes] likewise */
};

/* So many GPUs of a type are out of service in a queue, from a time on. */
struct qs_service_change {
	int64_t at;
	int32_t queue;
	uint16_t type; /* the history's */
	int64_t gpus;
};

struct qs_quota_history {
	/* In the order in which they were first seen. */
	char **shares, **types, **queues;
	int32_t *share_queue; /* [nshares] the last one it was in */
	int32_t nshares, ntypes, nqueues;
	struct qs_quota_period *periods; /* by since */
	uint32_t nperiods;
	struct qs_service_change *service; /* by at */
	uint32_t nservice;
	/* private */
	uint32_t shares_max, types_max, queues_max, periods_max, service_max;
};

/* All zero is an empty history. Frees what it holds, not itself, no policy. */
void qs_quota_history_free(struct qs_quota_history *history);

/*
 * A policy came into force. Times must not go back. The policy must outlive the
 * history. What happens before the first policy is measured by the first one.
 * Returns 0, or -1 with errno: ENOMEM, EINVAL (time goes back), E2BIG (more
 * types in all than QS_TYPES_MAX).
 */
int qs_quota_history_add(struct qs_quota_history *history, int64_t since,
			 const struct qs_policy *policy);
/* Likewise, what is out of service. Optional. */
int qs_quota_history_service(struct qs_quota_history *history, int64_t at,
			     int32_t queue, uint16_t type, int64_t gpus);

/*
 * A type that no policy knows, for what has to be counted all the same; after
 * the last policy was added. Returns its index, or -1 with errno.
 */
int32_t qs_quota_history_add_type(struct qs_quota_history *history,
				  const char *name);

/* Index by exact name, -1 if there is none. */
int32_t qs_quota_history_share(const struct qs_quota_history *history,
			       const char *name);
int32_t qs_quota_history_type(const struct qs_quota_history *history,
			      const char *name);
/* By any gres type that means it in any of the policies (R2c). */
int32_t qs_quota_history_gres(const struct qs_quota_history *history,
			      const char *gres_type);
/* The period of a time: the last one that began by then, else the first; NULL
 * if there is none at all. */
const struct qs_quota_period *
qs_quota_history_at(const struct qs_quota_history *history, int64_t when);

#endif
