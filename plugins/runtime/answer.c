/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer.c - who answers which words
 *
 * Called for the RPC with qs_rt.lock held and none of slurmctld's locks. Under
 * PrivateData=jobs whoever is no operator sees the shares and his own jobs, and
 * of those that would be stopped for him how many. Its surprise: Slurm 22.05 does
 * not say who asks, not even of root; then no job is shown to anybody.
 */
#include "runtime/inner.h"

#include "runtime/answer.h"
#include "runtime/whatif.h"

#define JOBS_PRIVATE                                                                          \
	"{\"private\":true,\"error\":\"PrivateData=jobs is set, so only operators are shown " \
	"all jobs; qshare explain JOBID is for your own\"}\n"
#define JOBS_UNKNOWN                                                                        \
	"{\"private\":true,\"error\":\"PrivateData=jobs is set, and this version of Slurm " \
	"does not tell the plugins who asks, so no job is shown; squeue "                   \
	"shows the reason of your own\"}\n"

/* What is asked is not for everybody, and who asks is not an operator. */
static char *answer_in_part(const struct qs_words *words,
			    const struct qs_asker *asker)
{
	switch (words->asks) {
	case QS_ASKS_STATUS:
		return qs_status_json(false);
	case QS_ASKS_EXPLAIN:
		if (asker->known)
			return qs_explain_json(words, &asker->uid);
		return xstrdup(JOBS_UNKNOWN);
	case QS_ASKS_WHATIF:
		return qs_whatif_json(words->token, false);
	default:
		return xstrdup(asker->known ? JOBS_PRIVATE : JOBS_UNKNOWN);
	}
}

/* Does the answer name jobs? Numbers of a share and the policy do not. */
static bool names_jobs(const struct qs_words *words)
{
	return words->asks == QS_ASKS_STATUS ||
	       words->asks == QS_ASKS_EXPLAIN || words->asks == QS_ASKS_JOBS ||
	       words->asks == QS_ASKS_SCENARIO || words->asks == QS_ASKS_WHATIF;
}

char *qs_answer(const struct qs_words *words, const struct qs_asker *asker)
{
	if (names_jobs(words) && !asker->all)
		return answer_in_part(words, asker);
	switch (words->asks) {
	case QS_ASKS_STATUS:
		return qs_status_json(true);
	case QS_ASKS_EXPLAIN:
		return qs_explain_json(words, NULL);
	case QS_ASKS_JOBS:
		return qs_answer_later(QS_LATER_JOBS);
	case QS_ASKS_METRICS:
		return qs_metrics_json();
	case QS_ASKS_POLICY:
		return qs_policy_json();
	case QS_ASKS_SCENARIO:
		return qs_answer_later(QS_LATER_SCENARIO);
	case QS_ASKS_WHATIF:
		return qs_whatif_json(words->token, true);
	case QS_ASKS_UNKNOWN:
		break;
	}
	return xstrdup(
		"{\"error\":\"this version of the plugins does not know these words\"}\n");
}
