/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer_later.c - answers that are too long to be made while slurmctld waits
 *
 * slurmctld holds a mutex around the RPC in which all of its scheduling stands
 * still, and we hold ours. So what grows with the number of jobs is made by our
 * thread, with no lock, and the RPC only copies it. Its surprise: it is made
 * only while somebody asks. The first to ask is told to come again, which
 * qshare does within some hundredths of a second.
 */
#include "runtime/inner.h"

#include <json-c/json.h>

#include "engine/turns.h"

#include "runtime/answer.h"
#include "runtime/events.h"

/* Made anew with each look for so long after the last question. */
#define ASKED_US 10000000

static int64_t asked[QS_LATERS]; /* qs_rt.lock; 0: never */

_Static_assert(sizeof(((struct qs_view *)NULL)->answers) ==
		       QS_LATERS * sizeof(char *),
	       "a view has room for each of the answers");

static char *come_again(void)
{
	struct json_object *answer = json_object_new_object();

	qs_answer_text(answer, "version", QS_VERSION);
	if (!qs_rt.view) {
		qs_answer_early(answer);
		return qs_answer_print(answer);
	}
	json_object_object_add(answer, "later", json_object_new_boolean(1));
	qs_answer_text(answer, "text",
		       "this answer is being made: ask again in a moment");
	return qs_answer_print(answer);
}

static void look_now(void)
{
	qs_rt.dirty = true;
	pthread_cond_signal(&qs_rt.wake);
}

char *qs_answer_later(enum qs_later which)
{
	const struct qs_view *view = qs_rt.view;

	asked[which] = qs_mono_us();
	if (view && view->answers[which])
		return xstrdup(view->answers[which]);
	if (view)
		look_now();
	return come_again();
}

char *qs_answer_if_news(void)
{
	if (!qs_rt.dirty && !qs_rt.longer && !qs_rt.rounding)
		return NULL;
	/* A round that is under way is not followed by one for the same: who
	 * asks about what does not exist is told so after it. */
	if (qs_rt.longer && !qs_rt.rounding)
		look_now();
	return come_again();
}

static bool wanted(enum qs_later which)
{
	bool recent;

	slurm_mutex_lock(&qs_rt.lock);
	recent = asked[which] && qs_mono_us() - asked[which] < ASKED_US;
	slurm_mutex_unlock(&qs_rt.lock);
	return recent;
}

void qs_answer_prepare(struct qs_view *view)
{
	bool jobs = wanted(QS_LATER_JOBS), turns = wanted(QS_LATER_TURNS);

	/* In which order they would go takes long: only for who asks. */
	if ((jobs || turns) &&
	    qs_turns_make(view->snap, &view->turns, &view->nturns))
		view->turns = NULL;
	if (!view->turns && qs_events_differ(view) &&
	    qs_turns_split(view->snap, &view->splits, &view->nsplits))
		view->splits = NULL;
	if (jobs && view->turns)
		view->answers[QS_LATER_JOBS] = qs_jobs_text(view);
	if (wanted(QS_LATER_SCENARIO))
		view->answers[QS_LATER_SCENARIO] = qs_scenario_text(view);
}
