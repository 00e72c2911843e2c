/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer.h - JSON for the RPC; between status.c, explain.c and answer_*.c
 */
#ifndef QS_RUNTIME_ANSWER_H
#define QS_RUNTIME_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;
struct qs_turn;
struct qs_view;
struct qs_words;

void qs_answer_number(struct json_object *to, const char *key, int64_t value);
/* text NULL: null */
void qs_answer_text(struct json_object *to, const char *key, const char *text);
struct json_object *qs_answer_list(struct json_object *to, const char *key);
/* There is no view yet: says so, and that it is worth asking again. */
void qs_answer_early(struct json_object *to);
/* One line, xmalloc'ed; frees the answer. */
char *qs_answer_print(struct json_object *answer);

/* GPUs of a type on nodes that may be used or are. */
int64_t qs_answer_in_service(const struct qs_view *view, int queue, int type);

struct qs_decision;
/* explain.c: why it waits, in few words; if Slurm has it wait, with Slurm's word
 * for that. */
void qs_answer_reason(const struct qs_view *view, uint32_t at,
		      const struct qs_decision *d, char *text, size_t size);

/* answer_health.c: "status", "healthy" and "problems" of a queue. */
void qs_answer_health(struct json_object *to, const struct qs_view *view,
		      int queue);
/* A plugin of ours came (+1) or went (-1); qs_rt.lock held. */
void qs_health_plugin(const char *type, int up);

/* answer_later.c: what our thread makes when somebody asks. */
enum qs_later {
	QS_LATER_JOBS,
	QS_LATER_SCENARIO,
	QS_LATER_TURNS, /* no text: the view's turns */
	QS_LATERS
};
/* For the RPC, qs_rt.lock held: the text if the view has it, xmalloc'ed; else
 * it is made soon, and this says that. */
char *qs_answer_later(enum qs_later which);
/* Likewise, about something that the view does not have: NULL if nothing has
 * happened since slurmctld was looked at, else what tells to come again. */
char *qs_answer_if_news(void);
/* Our thread, before it publishes the view, no lock held. */
void qs_answer_prepare(struct qs_view *view);

/* answer_jobs.c. How many jobs have a turn in the queue and type of this one. */
uint32_t qs_answer_victims(const struct qs_view *view,
			   const struct qs_turn *turns, uint32_t n,
			   const struct qs_turn *like);
/* "job", the number, and "id", as Slurm's tools write it. */
void qs_answer_id(struct json_object *to, const struct qs_view *view,
		  uint32_t at);
/* Our thread, no lock held; xmalloc'ed. */
char *qs_jobs_text(const struct qs_view *view);

/* answer_metrics.c; qs_rt.lock held. A claimant began so long after others
 * were told to go for it; a job was stopped. */
void qs_metrics_reclaimed(int64_t seconds);
void qs_metrics_preempted(uint8_t how, uint8_t code);
char *qs_metrics_json(void);

/* answer_policy.c. A file was read and is in force, or was refused; qs_rt.lock
 * held. */
void qs_answer_policy_tried(void);
/* How often it was tried so far; and where a slurmctld that replaces another
 * goes on counting. */
uint64_t qs_answer_policy_attempts(void);
void qs_answer_policy_begin(uint64_t before);
char *qs_policy_json(void);

/* answer_scenario.c. Our thread, no lock held; xmalloc'ed. */
char *qs_scenario_text(const struct qs_view *view);

/* Who asks, and what that lets him see. */
struct qs_asker {
	bool known; /* else uid says nothing */
	bool all;   /* jobs are not private, or this is an operator */
	uint32_t uid;
};
/* The answer to the words, xmalloc'ed, never NULL. */
char *qs_answer(const struct qs_words *words, const struct qs_asker *asker);

#endif
