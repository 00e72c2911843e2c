/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy.h - the agreement: types, queues, shares and what each share owns
 *
 * Filled by the policy reader (src/conf), read by everybody else. A policy
 * is immutable once its reader returned it: readers in several threads
 * need no lock as long as nobody frees it.
 *
 * Unset, 0 and -1 are three different things (law 11). Every optional number
 * is a struct qs_opt; nothing here uses a magic value for "unset".
 *
 * Strings are owned by the policy (malloc) and freed by qs_policy_free().
 * Names of shares, queues and types compare exactly; account names without
 * case (R1). Units: GPUs, seconds, percent.
 */
#ifndef QS_POLICY_H
#define QS_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest share or queue name (AWS: quotaShareName, jobQueueName 1..128). */
#define QS_NAME_MAX 128
/* Highest in-share priority (AWS: schedulingPriority 0..9999). */
#define QS_PRIORITY_MAX 9999
/* BorrowLimit: no bound. */
#define QS_UNLIMITED (-1)
/* Bounds that keep sums of GPUs inside 32 bits: largest count in a file. */
#define QS_GPUS_MAX 1000000
/* Most types in one policy; a type's index fits the job's bit masks. */
#define QS_TYPES_MAX 64
/* Most partitions in all queues together; see struct qs_node. */
#define QS_PARTITIONS_MAX 64

/* A number that may be absent. */
struct qs_opt {
	bool set;
	int64_t value;
};

/* A list of owned strings; items[n] is not NULL-terminated. */
struct qs_names {
	char **items;
	size_t n;
};

enum qs_mode {
	QS_MODE_ENFORCE,
	QS_MODE_OBSERVE, /* R19: compute, log, show; hold and stop nobody */
};

enum qs_strategy {
	QS_STRATEGY_RESERVE,
	QS_STRATEGY_LEND,
	QS_STRATEGY_LEND_AND_BORROW,
};

enum qs_order {
	QS_ORDER_STRICT, /* R6a */
	QS_ORDER_BEST_EFFORT,
};

enum qs_assign {
	QS_ASSIGN_FIFO, /* AWS: idleResourceAssignmentStrategy */
	QS_ASSIGN_FAIR,
};

/* R10 steps 2 to 4, in the order in which VictimOrder= names them. */
enum qs_victim_step {
	QS_VICTIM_PRIORITY,
	QS_VICTIM_FIT,
	QS_VICTIM_DURATION,
	QS_VICTIM_STEPS,
};

struct qs_type {
	char *name;           /* as messages and tables show it */
	struct qs_names gres; /* gres types that mean it; never empty */
	char *instance;       /* AWS instance type or NULL */
};

struct qs_queue {
	char *name;
	struct qs_names partitions; /* empty: all (only one queue may) */
	/* [policy->ntypes] the pool; unset: the sum of the shares' capacities */
	struct qs_opt *capacity;
	bool enabled;
	int default_share;       /* index or -1 */
	int untyped;             /* type index, -1: REJECT (R2a) */
	bool never_fits_rejects; /* R6b: true REJECT, false WAIT */
	enum qs_order in_share_order;
	enum qs_assign idle_assignment;
	enum qs_victim_step victim_order[QS_VICTIM_STEPS];
	uint32_t grace_sec;
	uint32_t claim_timeout_sec; /* R9, counted from the last victim's end */
	bool non_requeue_borrow;    /* R12a */
	unsigned line;              /* where the file has it; 0: nowhere */
};

/* What one share owns of one type. */
struct qs_quota {
	bool listed; /* else the type is not usable (section 1) */
	uint32_t capacity;
	struct qs_opt borrow_gpus; /* R3a */
	struct qs_opt lend_limit;  /* R3a */
};

struct qs_share {
	char *name;
	int queue;
	struct qs_names accounts;
	enum qs_strategy strategy;
	struct qs_opt borrow_limit; /* percent, QS_UNLIMITED; unset = -1 (R3) */
	bool in_share_preemption;
	bool enabled;                  /* R15 */
	uint32_t min_runtime_sec;      /* R13 */
	struct qs_opt grace_sec;       /* unset: the queue's */
	struct qs_opt preempt_retries; /* R12; unset: without limit */
	uint32_t max_user_priority;
	char *owner, *note; /* or NULL */
	unsigned line;
};

struct qs_policy {
	enum qs_mode mode;
	bool admin_comment; /* accounting records say what was borrowed */
	char *audit_log, *event_log; /* NULL: in StateSaveLocation */
	struct qs_type *types;
	int ntypes;
	struct qs_queue *queues;
	int nqueues;
	struct qs_share *shares;
	int nshares;
	struct qs_quota *quotas; /* [share * ntypes + type] */
};

/* An empty policy with defaults; NULL with errno ENOMEM. */
struct qs_policy *qs_policy_new(void);
/* Frees everything; NULL is fine. */
void qs_policy_free(struct qs_policy *policy);

/* The row of share and type. Both indexes must be valid. */
static inline const struct qs_quota *
qs_policy_quota(const struct qs_policy *policy, int share, int type)
{
	return &policy->quotas[(size_t)share * (size_t)policy->ntypes +
			       (size_t)type];
}

/* Index by exact name, -1 if there is none. */
int qs_policy_find_share(const struct qs_policy *policy, const char *name);
int qs_policy_find_queue(const struct qs_policy *policy, const char *name);
/* By the policy's own name only. */
int qs_policy_find_type(const struct qs_policy *policy, const char *name);
/* By any of the gres types that mean it (R2c: exact). */
int qs_policy_find_gres(const struct qs_policy *policy, const char *gres_type);
/* The queue of a partition, -1 if none; a queue without a list has all. */
int qs_policy_queue_of(const struct qs_policy *policy, const char *partition);

/* R3: most GPUs of a type the share may use; INT64_MAX when unlimited. */
int64_t qs_policy_limit(const struct qs_policy *policy, int share, int type);
/* Most GPUs of a type the share may ever have on loan to others (R3a). */
int64_t qs_policy_lends(const struct qs_policy *policy, int share, int type);
/* R6b: the queue's pool: its Capacity, else the sum over its shares. */
int64_t qs_policy_pool(const struct qs_policy *policy, int queue, int type);
/* Sum of what the queue's shares own of a type. */
int64_t qs_policy_promised(const struct qs_policy *policy, int queue, int type);
/* R11: the share's grace time, else its queue's. */
uint32_t qs_policy_grace(const struct qs_policy *policy, int share);

/* Words of the policy file for the enums; never NULL. */
const char *qs_strategy_name(enum qs_strategy strategy);

#endif
