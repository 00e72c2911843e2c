/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inner.h - what the files of the runtime share among themselves
 *
 * One struct qs_rt. Its mutex, qs_rt.lock, guards everything in it that is not
 * marked otherwise. It is the last lock in the order (slurmctld's locks, the
 * burst buffer mutex, ours) and is never held while Slurm is asked to do
 * anything that can end a job, nor over any I/O.
 *
 * Who runs where:
 *   thread     our thread: look, plan, apply, act, save; owns "mine" below
 *   callbacks  gate, begin, end: any of slurmctld's threads, job write lock
 *   RPC        status: no lock of slurmctld's
 */
#ifndef QS_RUNTIME_INNER_H
#define QS_RUNTIME_INNER_H

#include <pthread.h>

#include "compat/compat.h"

#include "engine/explain.h"
#include "engine/plan.h"
#include "engine/snapshot.h"
#include "engine/standing.h"
#include "engine/submit.h"

#include "runtime/quote.h"
#include "runtime/runtime.h"
#include "runtime/words.h"

/* Before every text of ours in a job's state_desc. */
#define QS_DESC_PREFIX "QuotaShare: "
/* A grant is good for so long without a new plan; then the gate is shut. */
#define QS_GRANT_SEC 30
/* Offered for so long and not started by Slurm: it has no place for it. */
#define QS_OFFER_SEC 10
/* The same for an entitled job that stands in Slurm's own queue for CPUs or
 * memory: it is first there, and Slurm keeps a place for it. */
#define QS_OFFER_OWN_SEC 60
/* Then it is left alone for so long, or until some job ends; the second is
 * how long at least. */
#define QS_BACKOFF_SEC       30
#define QS_BACKOFF_LEAST_SEC 5
/* After its nodes are done, a requeued victim waits so long (see stop.c). */
#define QS_REQUEUE_WAIT_SEC 2
/* A victim that was told and then spared is still ours if it dies of that
 * within its grace time and this much more. */
#define QS_SPARED_SEC 10
/* A job that began less than so long ago is told to go so much later. */
#define QS_YOUNG_SEC 2
/* Begins that are remembered between a look and the use of its plan. */
#define QS_BEGAN_MAX 1024
/* Jobs of a queue whose place is told; AWS tells as many. */
#define QS_PLACES_MAX 100
/* Law 14: preemptions that are remembered, in all and per job. */
#define QS_HISTORY_MAX 256
#define QS_HISTORY_JOB 10
/* Why Slurm cannot start a job that the plan would start. */
#define QS_WHY_SIZE  80
#define QS_WHY_LIMIT "another limit holds it: "
#define QS_LINE_MAX  512

/* What a look has measured of a job, good as long as the print is the same; see
 * look_kept.c. One demand, and of a job that runs one place. */
struct qs_kept {
	uint64_t print; /* 0: nothing */
	uint64_t partitions;
	struct qs_demand demand;
	struct qs_placed place;
	uint32_t need_nodes, cpus;
	int16_t queue;
	int32_t share;
};

/* Slurm had no place for a job that it was offered: unplaceable for a while.
 * Few jobs have one. */
struct qs_rest {
	int64_t until;         /* qs_tick(), */
	int64_t least;         /* at least until then, whatever ends, */
	uint64_t ends;         /* and while qs_rt.ends is this */
	uint32_t but; /* tasks of an array that do not: they may begin */
	char why[QS_WHY_SIZE]; /* in Slurm's words */
};

/* One job that we have to do with. Kept while slurmctld knows the job. There are
 * as many as jobs wait, so members are ordered to leave no holes. */
struct qs_jobrec {
	/* The gate asks for these of every waiting job in every cycle: one line
	 * of the cache, down to the flags. */
	uint32_t id;
	uint32_t grant;         /* tasks that may start */
	struct qs_jobrec *next; /* in its hash chain */
	const char *desc; /* why it waits, with prefix, or NULL; see texts.c */
	int64_t grant_until; /* qs_tick() */
	uint32_t rank;       /* place in the plan for Slurm's order, 0: none */
	bool looked : 1;     /* a look has judged whether it is */
	bool ours : 1;       /* a share is charged for it */
	bool known : 1;      /* priority and retries were read */
	bool told : 1;       /* OBSERVE: its decision is in the log */
	bool kicked : 1;     /* Slurm was asked to judge it, see look.c */
	bool priority_set : 1; /* by somebody, after its submission */
	bool fenced : 1;       /* see fence.c */
	bool held : 1;         /* ledger: begun and not ended */
	bool entitled : 1;     /* how it was granted: own */
	bool requeued : 1;     /* by us: its next restart keeps eligible */
	/* It was suspended, which has set its priority to 0: a requeued job
	 * would be held. */
	bool unhold : 1;
	bool resubmit : 1;  /* Slurm's count of submitted jobs lacks it */
	bool fix_begin : 1; /* requeued by us, still to be let in early */
	bool fix_clock : 1; /* its time had come before the clock was set back */
	bool seen : 1;      /* by the last look */
	bool gone : 1;      /* not by the one before */
	bool queued : 1;    /* that it waits is in the log */
	bool withdrawn : 1;       /* it left without a run: to be logged */
	bool stopped_done : 1;    /* of stopped_start: else only counted */
	bool stopped_requeue : 1; /* to be run again */
	/* Is it still the same job? Ids are used again. */
	uint32_t user, restarts;
	int64_t submit;
	/* R6a, R12; from the job's environment, then changed by the owner */
	struct qs_opt retries;
	uint32_t priority;
	uint32_t preempted;        /* R12: by us only */
	uint32_t displaced_by;     /* R14 */
	uint32_t stopped_restarts; /* see stopped_start */
	/* The policy of that moment, see qs_policy_ref.sum; 0: not known. */
	uint64_t displaced_under;
	int64_t eligible; /* the original one, 0: not yet (R14) */
	/* Offers of ours to Slurm. */
	int64_t offered;      /* qs_tick(): granted since then, 0: not */
	int64_t sched_eval;   /* Slurm's last_sched_eval then */
	struct qs_rest *rest; /* or NULL */
	uint64_t held_look;   /* last look that saw it hold */
	uint64_t alive_look;  /* last look that saw it run, or wait for a run */
	/* Of what its text was made of, see apply.c. */
	uint64_t said;
	struct qs_kept kept;
	uint64_t blocked_by; /* the policy by which it never fits: logged */
	/* Its last run that is over, by the callback; end_start 0: none. */
	int64_t end_start, end_time;
	uint32_t end_state; /* Slurm's, with flags */
	uint32_t end_code;  /* as wait() has it */

	/* The run that we last stopped, or counted as about to be: slurmctld
	 * may have forgotten its end after a kill -9. */
	int64_t stopped_start;
};

/* R9: capacity that is being freed for a waiting job. */
struct qs_claim {
	uint32_t claimant;
	int64_t order; /* it was the so-many-th */
	int64_t decided;
	int64_t gone_us; /* qs_mono_us(): last victim gone, 0: not yet */
	uint32_t timeout_sec;
	uint32_t owed_before; /* as in qs_decision */
	uint32_t tasks;       /* decided for so many tasks of an array */
	uint8_t how, code;
	bool dead;   /* to be dropped: the claimant ended */
	char *nodes; /* malloc'ed host list of the freed places */
	struct qs_claim *next;
};

/* log.c */
enum qs_log {
	QS_LOG_EVENT,
	QS_LOG_AUDIT
};
/* A policy in the audit log is cut at so many bytes: some thousand shares.
 * Reports read there who owned what. */
#define QS_AUDIT_POLICY_MAX (256u * 1024)

enum qs_phase {
	QS_PHASE_NEW,    /* decided and remembered, nothing sent yet */
	QS_PHASE_GRACE,  /* signalled */
	QS_PHASE_KILL,   /* counted and remembered, to be stopped now */
	QS_PHASE_ENDING, /* stopped, or went by itself; its nodes are at work */
	QS_PHASE_SPARED, /* signalled, then nobody wanted its GPUs any more */
};

/* One victim on its way out (R11). */
struct qs_stop {
	uint32_t victim, claimant;
	int64_t start; /* of the run that is stopped */
	int64_t decided;
	int64_t retry_at;     /* Slurm did not take it: not before that tick */
	int64_t signalled_us; /* qs_mono_us(); 0: not yet */
	uint32_t grace_sec;
	uint8_t phase;   /* enum qs_phase */
	uint8_t outcome; /* enum qs_outcome */
	uint8_t how, code, chosen;
	bool counted;      /* R12: is in preempted */
	bool ended;        /* by itself, seen by the callback */
	bool logged;       /* the end of it */
	bool suspended;    /* when it was stopped */
	bool recovered;    /* from the state file */
	bool again;        /* of a run whose end slurmctld forgot */
	uint32_t restarts; /* Slurm's count in that run */
	bool shell_waits;  /* to be told when its steps had their time */
	uint32_t gpus, beyond;
	char share[QS_NAME_MAX + 1];
	char text[QS_LINE_MAX]; /* R22 */
	struct qs_stop *next;
};

/* A preemption that happened, newest at history[(next - 1) % max]. */
struct qs_past {
	int64_t time;
	uint32_t victim, claimant;
	uint32_t run_sec, gpus, beyond;
	uint8_t how, code, chosen, outcome;
	char share[QS_NAME_MAX + 1];
	char text[QS_LINE_MAX];
};

/* Beside each job of the snapshot, same index. */
struct qs_seen {
	uint32_t id, user;
	uint32_t array_job, array_task; /* 0, NO_VAL where none */
	uint32_t reason;                /* Slurm's state_reason */
	bool ours_shown;                /* our reason is on it */
	bool same_text;                 /* and rec->desc is what is shown */
	bool open;      /* Slurm waits for nothing else (see look.c) */
	bool resubmit;  /* Slurm's count of submitted jobs lacks it */
	bool fix_begin; /* requeued by us, begin time to be set */
	bool fix_clock; /* the same, since the clock was set back */
	bool fresh;     /* the first look that sees it wait */
	uint32_t front; /* fronts[front - 1] of its view is its; 0: none */
	char *text;     /* Slurm's own reason, of unplaceable jobs only */
};

/* A job among the first of its queue or share; see places.c. */
struct qs_front {
	uint32_t id, job; /* index in the snapshot */
	uint32_t place;   /* of those that wait in its queue, from 1; or 0 */
	/* There without a break since then. first: of its share. 0: it is not. */
	int64_t place_since, first_since;
};

struct qs_refused {
	uint32_t id;
	char text[QS_REASON_MAX];
};

/* A look, the plan for it, and the policy both are by. */
struct qs_view {
	const struct qs_policy *policy; /* one reference */
	struct qs_snapshot *snap;
	struct qs_plan *plan;
	struct qs_standing *standing; /* of the plan */
	struct qs_seen *seen;         /* [snap->njobs] */
	uint32_t seen_max;
	uint32_t nfronts;
	struct qs_front *fronts; /* ascending id */
	uint64_t number;         /* of the look, from 1 */
	/* Jobs that left the queue without a run. */
	uint32_t *left;
	uint32_t nleft, left_max;
	/* Made for those who ask, see answer_later.c; or NULL. Not changed once
	 * the view is published. */
	struct qs_turn *turns;
	uint32_t nturns;
	/* The same as far as the event log needs it; NULL: use turns. */
	struct qs_turn *splits;
	uint32_t nsplits;
	char *answers[3];  /* by enum qs_later, xmalloc'ed; NULL: none */
	int32_t *node_map; /* slurmctld's index -> snapshot's */
	int nodes;
	/* [slurmctld's index]: so many claims are there; NULL: nowhere. See
	 * fence.c. */
	uint32_t *claims_on;
	struct qs_by_id *by_id; /* see view.c */
	int64_t locked_us;      /* see qs_apply_breathe() */
	/* Jobs with our reason that are none of ours any more. */
	uint32_t *strays;
	uint32_t nstrays, strays_max;
	/* Waiting jobs that no share is charged for, with the sentence. */
	struct qs_refused *refused;
	uint32_t nrefused, refused_max;
	bool kick;       /* a new job that Slurm has to judge first */
	uint64_t begins; /* qs_rt.begins when it was made */
	bool soon;       /* some job's nodes are about to be done */
	/* Of all jobs, any, whose nodes are not done; see note_done(). */
	uint64_t completing;
	uint32_t unheard; /* nodes that slurmctld has not heard of yet */
};

/* See policy.c. */
struct qs_policy_ref {
	struct qs_policy *policy;
	/* Of its text: tells whether a policy is still the same, also after a
	 * restart. */
	uint64_t sum;
	unsigned refs;
	struct qs_policy_ref *next; /* replaced, still read by someone */
};

struct qs_counters {
	uint64_t rounds, looks, plans, applies;
	uint64_t plan_us, plan_us_max;
	uint64_t look_us_max, apply_us_max, act_us_max;
	uint64_t grants, claims, claims_timed_out, claims_refused;
	uint64_t stops, preemptions, spared;
	uint64_t ledger_drift;
	uint64_t kept_drift;   /* what a look had kept was wrong */
	uint64_t woken, later; /* rounds at once, rounds for a longer queue */
	uint64_t state_saves, state_errors;
	uint64_t gate_asked, gate_denied;
	uint64_t start_ms_max; /* grant to begin */
};

struct qs_rt {
	pthread_mutex_t lock;
	pthread_cond_t wake; /* CLOCK_MONOTONIC */
	int users;           /* plugins that called init */
	bool dirty;          /* look soon */
	bool longer;         /* look when it is due: see qs_rt.later_us */
	bool rounding; /* a round is under way; what it saw is not published */
	int64_t later_us; /* qs_mono_us(); by the thread */
	bool ready;       /* slurmctld's main loop runs */
	bool stopping;
	bool thread_up, thread_done;
	pthread_t thread;
	uint64_t thread_number; /* of the one in office, see thread.c */
	bool state_dirty;       /* save soon */
	bool state_loaded;
	bool ledger_valid; /* one look has set all held marks */
	bool kick;         /* ask Slurm to schedule, see thread.c */
	/* Not all nodes have registered; written by the thread. */
	bool settling, settle_began;
	/* The slurmctld before this one did not end in order; this one does. */
	bool abrupt, closing;
	uint64_t ends; /* ends of any job so far, and of their nodes' work */
	/* Jobs (arrays by their own id) that began lately; a plan is by a look
	 * that may not have seen them. */
	uint64_t begins;
	uint32_t began[QS_BEGAN_MAX]; /* [begins % max] */

	/* policy; see policy.c */
	struct qs_policy_ref *policy;
	uint64_t generation; /* policies that came into force */
	uint64_t reconfigs;  /* slurm.conf was read anew */
	int64_t policy_loaded;
	char policy_file[4096];
	char policy_error[1200]; /* of the last attempt, "" if good */

	struct qs_jobrec **hash;
	uint32_t hash_size, nrecs;
	struct qs_claim *claims;
	int64_t claims_made; /* the order of the last */
	struct qs_stop *stops;
	struct qs_past *history; /* [QS_HISTORY_MAX] */
	uint32_t history_next, history_n;

	struct qs_view *view;        /* the last one, for RPC */
	const struct qs_view *noted; /* that the thread still reads, or NULL */
	struct qs_counters count;
	/* "" if good: why the state could not be read at the start, or not be
	 * saved; of each log the last line, why not. For the health lines. */
	char state_lost[512], state_error[512];
	char log_error[QS_LOG_AUDIT + 1][512];

	int64_t last_round;      /* seconds */
	int64_t last_round_tick; /* qs_tick() */
};

extern struct qs_rt qs_rt;

/* time.c */
int64_t qs_now(void); /* seconds, as slurmctld's times */
/* Seconds since then, not below 0 where the clock was set back. */
int64_t qs_since(int64_t then);
int64_t qs_mono_us(void);
int64_t qs_tick(void); /* qs_mono_us() in seconds */
/* Which run of the kernel qs_mono_us() belongs to; "" if that cannot be told. */
void qs_boot_id(char *id, size_t size);
/* What a time of qs_mono_us() that was written down in run "boot", when the
 * clock had shown "written", is now. 0 stays 0. */
int64_t qs_mono_recall(const char *boot, int64_t written, int64_t then);
/* Seconds by which the wall clock was set back since the last call; 0: it was
 * not. One thread only. */
int64_t qs_clock_set_back(void);
/* When this boot's clock showed mono_us, the wall clock showed wall: as if
 * qs_clock_set_back() had been called then. */
void qs_clock_recall(const char *boot, int64_t wall, int64_t mono_us);

/* policy.c */
int qs_policy_load(bool at_start);
/* R16: a warning, once for each policy, where jobs are of a share that it does
 * not have. For our thread. */
void qs_policy_warn_removed(const struct qs_view *view);
void qs_policy_drop(void);

/* policy_kept.c: takes qs_rt.lock itself. The second gives the policy that the
 * slurmctld had that this one replaces, and goes on with its numbers; NULL if
 * there is none that can be read. The caller frees. */
void qs_policy_keep(void);
struct qs_policy *qs_policy_kept(void);

/* texts.c; qs_rt.lock held. Whoever takes one drops it. NULL: no memory. */
const char *qs_text_take(const char *words);
void qs_text_drop(const char *words);
/* A sum of text: tells a change, not a forgery. No lock needed. */
uint64_t qs_text_sum(const char *text, size_t n);

/* jobrec.c; qs_rt.lock held */
struct qs_jobrec *qs_jobrec_find(uint32_t id);
struct qs_jobrec *qs_jobrec_add(uint32_t id); /* NULL: no memory */
/* Reads what the job brought, and notices when the id is another job's. by: the
 * component whose words count (host/het.h), else job. Job read lock. */
void qs_jobrec_sync(struct qs_jobrec *rec, const job_record_t *job,
		    const job_record_t *by);
/* No share has judged its priority: it counts for so much at most. */
void qs_jobrec_limit(struct qs_jobrec *rec, uint32_t most);
/* Is this the run that we have stopped, as far as is known here? */
bool qs_jobrec_stopped(const struct qs_jobrec *rec, const job_record_t *job);
void qs_jobrec_set_desc(struct qs_jobrec *rec, const char *text);
/* Unplaceable for QS_BACKOFF_SEC, or until something has ended, but for "least"
 * seconds in any case. Without memory it is offered again instead. */
void qs_jobrec_rest(struct qs_jobrec *rec, int64_t least, const char *why);
/* Is it still? Then why, else NULL. */
const char *qs_jobrec_rests(const struct qs_jobrec *rec);
void qs_jobrec_sweep(void); /* forgets those whom two looks have not seen */
void qs_jobrec_clear(void);
/* The id under which a job's grant is kept: het leader's for components. */
uint32_t qs_jobrec_key(const job_record_t *job);

/* look.c: thread, takes and leaves slurmctld's read locks */
struct qs_view *qs_view_look(void); /* NULL: no memory or no policy */

/* view.c: thread */
void qs_view_free(struct qs_view *view);
/* The snapshot's job of this id, or NULL. Before the view is published. */
struct qs_job *qs_view_job(struct qs_view *view, uint32_t id);
/* Where the plan has the job, as slurmctld numbers nodes now; node read lock. The
 * caller frees. */
bitstr_t *qs_view_places(const struct qs_view *view,
			 const struct qs_decision *decision);
/* Slurm's own reason where the snapshot's job is unplaceable, else "". */
const char *qs_view_slurm_says(const struct qs_view *view, uint32_t job);

/* places.c: who stands where in a queue, and since when. Thread, after the
 * plan; takes qs_rt.lock itself. */
void qs_places_note(struct qs_view *view);

/* apply.c: thread. Takes the write locks only if something has to change. */
void qs_apply(struct qs_view *view);
/* slurmctld is going down, or we are: stop nobody, wait for no lock. For our
 * thread. */
bool qs_shutting_down(void);
/* thread.c: the same, but for slurmctld. */
bool qs_thread_dismissed(void);
/* The write locks that stopping, granting and testing need. */
extern const slurmctld_lock_t qs_write_locks;
/* They are given up after so long for a moment: others wait for them. */
#define QS_HOLD_US 50000
#define QS_GAP_US  1000

/* claim.c; qs_rt.lock held where not said otherwise */
struct qs_claim *qs_claim_find(uint32_t claimant);
/* Remembers a decision with victims that Slurm has confirmed. again: for a task
 * that has the claim already. NULL: memory. */
struct qs_claim *qs_claim_add(const struct qs_view *view,
			      const struct qs_decision *decision, bool again);
/* A waiting job left the queue (callback), or one of its tasks began. */
void qs_claim_ended(uint32_t claimant, bool all);
/* Between look and plan: what a claim waited for happened, or its time is
 * over. Takes qs_rt.lock itself. */
void qs_claim_sweep(struct qs_view *view);
/* After the plan: claims that it does not bear out are dropped. */
void qs_claim_check(const struct qs_view *view);
void qs_claim_clear(void);

/* ask.c; write locks held, qs_rt.lock not. Would Slurm place the claimant if
 * exactly these jobs (ascending) were gone? nodes: where the plan has it, asked
 * first, or NULL. why gets the reason if not. */
bool qs_ask_without(job_record_t *claimant, const uint32_t *victims, uint32_t n,
		    const bitstr_t *nodes, char *why, size_t size);
/* Would Slurm place it now? nodes likewise. */
bool qs_ask_now(job_record_t *job, const bitstr_t *nodes);

/* coming.c: called with each job, or part of a het job, that will begin although
 * nobody more is stopped, and with how many of its tasks; of this job with its
 * other tasks. Write locks. While no claims are made there are none. */
typedef void qs_coming_fn(void *arg, const job_record_t *one, uint32_t tasks);
void qs_coming_each(const job_record_t *job, qs_coming_fn *fn, void *arg);

/* limits.c: do limits of its partitions, of accounting, or licences, hold the
 * job even with these jobs gone? Write locks held, qs_rt.lock and the
 * association lock not. */
bool qs_limits_hold(job_record_t *job, const uint32_t *victims, uint32_t n,
		    char *why, size_t size);
/* Why the partition's limits shut the job out, or WAIT_NO_REASON. Locks as
 * above. */
uint32_t qs_limits_partition(job_record_t *job, part_record_t *part);

/* licenses.c: would the claimant lack a licence with these jobs (ascending) gone?
 * Locks as above. */
bool qs_licenses_hold(job_record_t *job, const uint32_t *victims, uint32_t n);
/* Slurm need not be asked about licences after that: takes the job's list from
 * it. The caller puts it back. */
void qs_licenses_aside(job_record_t *job);
/* Could the job have its licences if others with GPUs ended? Job read lock,
 * qs_rt.lock not. *held, NULL at first, is good for one look; then free it. */
struct qs_licenses;
bool qs_licenses_may_come(job_record_t *job, struct qs_licenses **held);
void qs_licenses_free(struct qs_licenses *held);

/* memory.c; write locks held, qs_rt.lock not. Slurm has confirmed the decision as
 * if its job were the only one to come. Would a node lack memory for all who are
 * to come there, with these jobs (ascending) gone? why gets the reason. */
bool qs_memory_short(const struct qs_view *view,
		     const struct qs_decision *decision,
		     const uint32_t *leaving, uint32_t n, char *why,
		     size_t size);

/* The one test that is going on: the claimant, and which jobs it may see as
 * gone. Only touched under the job write lock. */
struct qs_test {
	uint32_t claimant; /* 0: none */
	const uint32_t *victims;
	uint32_t n;
};
extern struct qs_test qs_test;

/* stop.c; qs_rt.lock held where not said otherwise */
struct qs_stop *qs_stop_find(uint32_t victim);
void qs_stop_add(const struct qs_view *view, const struct qs_decision *decision,
		 const struct qs_victim *victim);
/* Has the claimant victims that still hold what it waits for? */
bool qs_stop_pending(uint32_t claimant);
/* Whose victim is gone is dropped. */
void qs_stop_sweep(struct qs_view *view);
/* Stops whose claim is gone are dropped; those whose time has come are
 * counted. True if qs_stop_act() has work. Takes qs_rt.lock itself. */
bool qs_stop_due(void);
/* Signals and stops. Takes the write locks; no lock held. */
void qs_stop_act(void);
void qs_stop_clear(void);
/* Those that went in their grace time, to the event log. No lock held. */
void qs_stop_log_ended(void);
/* A stop in the event log. No lock held. */
void qs_stop_log(const struct qs_stop *stop, const char *event);
/* It runs, says slurmctld, but we had stopped that run before slurmctld was
 * killed: stop it again. */
void qs_stop_again(const struct qs_jobrec *rec, const char *share);
/* A job ends: from the callback, job write lock. */
void qs_stop_ended(job_record_t *job);
/* Into the ring of preemptions. */
void qs_stop_remember(const struct qs_stop *stop);

/* fence.c; write locks held, qs_rt.lock not. The claims there are now, for
 * qs_fence_set(); false: no memory. */
bool qs_fence_count(struct qs_view *view);
/* False: granted without a fence it might take a claimed place, and with one
 * Slurm has no place for it. */
bool qs_fence_set(job_record_t *job, const struct qs_view *view,
		  const struct qs_decision *decision);
void qs_fence_clear(job_record_t *job);

/* thread.c */
void qs_thread_start(void);
void qs_thread_stop(void);

/* state.c: thread or start-up; takes qs_rt.lock for a copy, then writes */
void qs_state_load(void);
/* StateSaveLocation, kept from the start: at each reconfiguration slurmctld
 * frees its configuration and reads it anew, while our thread goes on. */
const char *qs_state_folder(void);
int qs_state_save(void);

/* log.c: one JSON line to the event or audit log. Thread only, no lock held. */
void qs_log_line(enum qs_log which, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* What this thread says to the event log in between is written together. Does
 * not nest. */
void qs_log_hold(void);
void qs_log_release(void);
/* The same for the event log, from where no I/O may be done; qs_rt.lock held.
 * The thread writes them soon. Fields of at most 511 bytes. */
void qs_log_later(const char *what, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void qs_log_flush(void); /* no lock held */
/* Is there an event log of an earlier start? */
bool qs_log_begun(void);

/* status.c, qs_rt.lock held; xmalloc'ed JSON */
/* jobs: with those that are on their way in or out. */
char *qs_status_json(bool jobs);
/* only: of this user's jobs; NULL: of all. */
char *qs_explain_json(const struct qs_words *words, const uint32_t *only);

#endif
