/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer.c - who answers which words
 *
 * Called for the RPC with qs_rt.lock held and none of slurmctld's locks.
 */
#include "runtime/inner.h"

#include "runtime/answer.h"
#include "runtime/whatif.h"

char *qs_answer(const struct qs_words *words)
{
	switch (words->asks) {
	case QS_ASKS_STATUS:
		return qs_status_json();
	case QS_ASKS_EXPLAIN:
		return qs_explain_json(words);
	case QS_ASKS_JOBS:
		return qs_answer_later(QS_LATER_JOBS);
	case QS_ASKS_METRICS:
		return qs_metrics_json();
	case QS_ASKS_POLICY:
		return qs_policy_json();
	case QS_ASKS_SCENARIO:
		return qs_answer_later(QS_LATER_SCENARIO);
	case QS_ASKS_WHATIF:
		return qs_whatif_json(words->token);
	case QS_ASKS_UNKNOWN:
		break;
	}
	return xstrdup(
		"{\"error\":\"this version of the plugins does not know these words\"}\n");
}
