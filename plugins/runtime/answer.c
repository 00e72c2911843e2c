/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer.c - which words ask for what, beside status and explain
 *
 * Called for the RPC with qs_rt.lock held and none of slurmctld's locks.
 */
#include "runtime/inner.h"

#include <string.h>

#include "runtime/answer.h"
#include "runtime/whatif.h"

static const struct {
	const char *word;
	char *(*answer)(void);
} plain[] = {
	{ "jobs", qs_jobs_json },
	{ "metrics", qs_metrics_json },
	{ "policy", qs_policy_json },
	{ "scenario", qs_scenario_json },
};

char *qs_answer_other(uint32_t argc, char **argv)
{
	for (size_t i = 0; argc && i < sizeof(plain) / sizeof(plain[0]); i++)
		if (!xstrcasecmp(argv[0], plain[i].word))
			return plain[i].answer();
	if (argc == 2 && !xstrcasecmp(argv[0], "answer"))
		return qs_whatif_json(argv[1]);
	return NULL;
}
