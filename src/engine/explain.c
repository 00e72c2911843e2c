/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain.c - why a job waits, and why one was stopped, in sentences
 *
 * Called by the runtime's thread and by the tools, never in a hot callback.
 * Every sentence gives the numbers of the decision and says what would help.
 */
#include "explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "submit.h"
#include "text.h"

/* A victim list in a sentence names at most so many (law 14). */
#define IDS_MAX 8

#define say qs_text_say

static const char *type_name(const struct qs_policy *policy,
			     const struct qs_facts *facts)
{
	if (facts->type >= policy->ntypes)
		return "gpu";
	return policy->types[facts->type].name;
}

static const char *share_name(const struct qs_policy *policy, int32_t share)
{
	return share >= 0 && share < policy->nshares ?
		       policy->shares[share].name :
		       "(removed)";
}

static int32_t not_negative(int32_t n)
{
	return n > 0 ? n : 0;
}

static void say_limit(const struct qs_facts *facts, char *text, size_t size)
{
	if (facts->limit == QS_FACT_MAX)
		say(text, size, "unlimited");
	else
		say(text, size, "%d", facts->limit);
}

/* In UTC, so that the same decision has the same words everywhere. */
static void say_when(int64_t until, char *text, size_t size)
{
	const time_t when = (time_t)until;
	char word[32] = "";
	struct tm utc;

	if (gmtime_r(&when, &utc) &&
	    strftime(word, sizeof(word), "%Y-%m-%d %H:%M:%S", &utc))
		say(text, size, "; the first may be at %s UTC", word);
}

/* squeue's column: numbers first, few words. */
void qs_explain_short(const struct qs_policy *policy,
		      const struct qs_decision *decision, char *text,
		      size_t size)
{
	const struct qs_facts *f = &decision->facts;
	const char *type = type_name(policy, f);
	const char *share = share_name(policy, decision->share);

	text[0] = '\0';
	switch ((enum qs_code)decision->code) {
	case QS_CODE_LIMIT:
		say(text, size, "needs %u %s, %.40s uses %d of limit ", f->need,
		    type, share, f->used);
		say_limit(f, text, size);
		break;
	case QS_CODE_NOTHING_LENDABLE:
		say(text, size,
		    "needs %u %s, %.40s uses %d, owns %d, %d lendable", f->need,
		    type, share, f->used, f->capacity,
		    not_negative(f->lendable));
		break;
	case QS_CODE_ORDER:
		say(text, size, "needs %u %s, behind JobId=%u of %.40s",
		    f->need, type, f->behind, share);
		break;
	case QS_CODE_ENDING:
		say(text, size, "needs %u %s, %d on their way out", f->need,
		    type, f->ending);
		break;
	case QS_CODE_CLAIMED:
		say(text, size, "needs %u %s, claimed by JobId=%u", f->need,
		    type, f->behind);
		break;
	case QS_CODE_PROTECTED:
		say(text, size, "needs %u %s, loans are in their MinRuntime",
		    f->need, type);
		break;
	case QS_CODE_IN_SHARE_OFF:
		say(text, size,
		    "needs %u %s, %.40s uses %d, owns %d, "
		    "in-share preemption is off",
		    f->need, type, share, f->used, f->capacity);
		break;
	case QS_CODE_PLACEMENT:
		say(text, size, "needs %u %s, no node can take it", f->need,
		    type);
		break;
	case QS_CODE_NODES_DOWN:
		if (f->missing)
			say(text, size, "needs %u %s, %d out of service",
			    f->need, type, f->missing);
		else
			say(text, size,
			    "needs %u %s, the nodes for it are out of service",
			    f->need, type);
		break;
	case QS_CODE_HELD:
		say(text, size, "held");
		break;
	case QS_CODE_SHARE_DISABLED:
		say(text, size, "share %.40s is disabled", share);
		break;
	case QS_CODE_SHARE_REMOVED:
		say(text, size, "its share was removed from the policy");
		break;
	case QS_CODE_UNKNOWN_TYPE:
		say(text, size, "share %.40s has no such GPU type", share);
		break;
	case QS_CODE_OVER_QUEUE:
		say(text, size, "needs %u %s, the queue has %d", f->need, type,
		    f->pool);
		break;
	case QS_CODE_OVER_LIMIT:
	case QS_CODE_OVER_BORROW_LIMIT:
		say(text, size,
		    "needs %u %s, above the limit of %.40s: ", f->need, type,
		    share);
		say_limit(f, text, size);
		break;
	case QS_CODE_OVER_LENDABLE:
		say(text, size,
		    "needs %u %s, %.40s owns %d, others lend at most %d",
		    f->need, type, share, f->capacity, f->lendable_max);
		break;
	default:
		say(text, size, "starts: %s",
		    qs_how_name((enum qs_how)decision->how));
		break;
	}
}

static void say_state(const struct qs_policy *policy,
		      const struct qs_decision *decision, char *text,
		      size_t size)
{
	const struct qs_facts *f = &decision->facts;
	const char *type = type_name(policy, f);

	say(text, size, "The job needs %u %s. Share %s owns %d, may use ",
	    f->need, type, share_name(policy, decision->share), f->capacity);
	say_limit(f, text, size);
	say(text, size, ", uses %d; others can lend it %d now. ", f->used,
	    not_negative(f->lendable));
}

static void say_victims(const struct qs_plan *plan,
			const struct qs_decision *decision, char *text,
			size_t size)
{
	uint32_t n = decision->nvictims;

	say(text, size, "%u job%s will be stopped for it", n,
	    n == 1 ? "" : "s");
	for (uint32_t i = 0; plan && i < n && i < IDS_MAX; i++)
		say(text, size, "%s%u", i ? "," : ": JobId=",
		    plan->victims[decision->victims + i].id);
	if (plan && n > IDS_MAX)
		say(text, size, " and %u more", n - IDS_MAX);
	say(text, size, ". ");
}

static void say_start(const struct qs_policy *policy,
		      const struct qs_plan *plan,
		      const struct qs_decision *decision, char *text,
		      size_t size)
{
	switch ((enum qs_how)decision->how) {
	case QS_HOW_OWN:
		say(text, size, "It starts on the share's own GPUs (R5).");
		break;
	case QS_HOW_BORROW:
		say(text, size,
		    "It starts on borrowed GPUs (R6); their owners may take "
		    "them back.");
		break;
	case QS_HOW_RECLAIM:
		say_victims(plan, decision, text, size);
		if (decision->code == QS_CODE_PLACEMENT)
			say(text, size,
			    "It is within its share's own GPUs, and borrowed "
			    "jobs sit on every node that could take it (R7).");
		else
			say(text, size,
			    "It is within its share's own GPUs, which are on "
			    "loan and are taken back (R7).");
		break;
	case QS_HOW_IN_SHARE:
		say_victims(plan, decision, text, size);
		say(text, size,
		    "They are of share %s and have a lower priority (R8).",
		    share_name(policy, decision->share));
		break;
	case QS_HOW_NONE:
		break;
	}
}

/* Of another job. 0: which one is not for whoever reads this. */
static const char *name_other(uint32_t id, const char *unnamed, char word[24])
{
	if (!id)
		return unnamed;
	snprintf(word, 24, "JobId=%" PRIu32, id);
	return word;
}

static void say_wait(const struct qs_policy *policy,
		     const struct qs_decision *decision, char *text,
		     size_t size)
{
	const struct qs_facts *f = &decision->facts;
	const char *share = share_name(policy, decision->share);
	char word[24];
	int64_t could;

	switch ((enum qs_code)decision->code) {
	case QS_CODE_LIMIT:
		say(text, size,
		    "It would exceed what the share may use (R3). It starts "
		    "when jobs of share %s end.",
		    share);
		break;
	case QS_CODE_NOTHING_LENDABLE:
		could = (int64_t)not_negative(f->capacity - f->used) +
			not_negative(f->lendable);
		say(text, size,
		    "It is beyond the share's own GPUs and too few are idle "
		    "and lent (R6). It starts when jobs of share %s end or a "
		    "lender's GPUs fall idle",
		    share);
		if (could)
			say(text, size,
			    "; a request of at most %" PRId64 " could start "
			    "sooner",
			    could);
		say(text, size, ".");
		break;
	case QS_CODE_ORDER:
		say(text, size,
		    "%s of the same share ranks before it and waits for "
		    "quota (R6a). A higher priority would change that.",
		    name_other(f->behind, "Another job", word));
		break;
	case QS_CODE_ENDING:
		say(text, size,
		    "What it needs is on its way out already: %d "
		    "GPUs. Nobody else is stopped (R9).",
		    f->ending);
		break;
	case QS_CODE_CLAIMED:
		if (f->own_room)
			say(text, size,
			    "%s is to start on the share's own GPUs, and until "
			    "then nobody of the share goes beyond these (R9).",
			    name_other(f->behind, "Another job", word));
		else
			say(text, size,
			    "The GPUs that come free are kept for %s (R9).",
			    name_other(f->behind, "another job", word));
		break;
	case QS_CODE_PROTECTED:
		say(text, size,
		    "Jobs that could be stopped for it have not run their "
		    "share's MinRuntime yet (R13)");
		if (f->until && f->until != INT64_MAX)
			say_when(f->until, text, size);
		say(text, size, ".");
		break;
	case QS_CODE_IN_SHARE_OFF:
		say(text, size,
		    "Jobs of share %s with a lower priority run, but "
		    "InSharePreemption is NO. It starts when one of them ends.",
		    share);
		break;
	case QS_CODE_PLACEMENT:
		say(text, size,
		    "Quota allows it, but no node can take it, even with all "
		    "borrowed jobs gone; so nobody is stopped (law 1). Fewer "
		    "GPUs per node, or fewer CPUs, may fit sooner.");
		break;
	case QS_CODE_NODES_DOWN:
		if (f->missing)
			say(text, size,
			    "Quota allows it, but GPUs are out of service: "
			    "%d of those promised are missing (R17).",
			    f->missing);
		else
			say(text, size,
			    "Quota allows it, but the nodes that could take "
			    "it are out of service (R17).");
		break;
	case QS_CODE_HELD:
		say(text, size,
		    "It is held by its user, an admin, or another limit; it "
		    "takes nothing back meanwhile.");
		break;
	case QS_CODE_SHARE_DISABLED:
		say(text, size,
		    "Share %s or its queue is disabled and takes no new jobs "
		    "(R15).",
		    share);
		break;
	case QS_CODE_SHARE_REMOVED:
		say(text, size,
		    "Its share is no longer in the policy (R16). Move it to "
		    "another account, or ask an admin.");
		break;
	default:
		break;
	}
}

void qs_explain_long(const struct qs_policy *policy, const struct qs_plan *plan,
		     const struct qs_decision *decision, char *text,
		     size_t size)
{
	const struct qs_facts *f = &decision->facts;
	struct qs_ask ask = { f->type, f->need };

	text[0] = '\0';
	if (decision->verdict == QS_VERDICT_NEVER) {
		qs_submit_never_text(policy, decision->share,
				     (enum qs_code)decision->code,
				     decision->code == QS_CODE_UNKNOWN_TYPE ?
					     "of that name" :
					     type_name(policy, f),
				     &ask, text, size);
		return;
	}
	if (decision->code != QS_CODE_HELD && decision->share >= 0)
		say_state(policy, decision, text, size);
	if (decision->verdict == QS_VERDICT_START)
		say_start(policy, plan, decision, text, size);
	else
		say_wait(policy, decision, text, size);
}

void qs_explain_victim(const struct qs_policy *policy,
		       const struct qs_decision *decision,
		       const struct qs_victim *victim, int64_t run_sec,
		       char *text, size_t size)
{
	text[0] = '\0';
	/* The first text is AWS's, letter by letter; it publishes none for
	 * the other cases, and ours follow its pattern. */
	if (decision->how == QS_HOW_IN_SHARE)
		say(text, size,
		    "In-share preemption triggered by a job of higher "
		    "priority");
	else if (victim->over_limit)
		say(text, size,
		    "Cross-share preemption triggered to reclaim capacity "
		    "above a lowered limit");
	else
		say(text, size,
		    "Cross-share preemption triggered to reclaim borrowed "
		    "capacity");
	say(text, size, ": for JobId=%u of share %s (%s), ", decision->id,
	    share_name(policy, decision->share),
	    qs_code_name((enum qs_code)decision->code));
	if (decision->how == QS_HOW_IN_SHARE)
		say(text, size, "held %u GPUs", victim->gpus);
	else
		say(text, size, "held %u GPUs of which %u beyond its share's",
		    victim->gpus, victim->beyond);
	say(text, size, ", had run %" PRId64 " s; chosen because: %s", run_sec,
	    qs_chosen_name((enum qs_chosen)victim->chosen));
}
