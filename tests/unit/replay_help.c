/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay_help.c - see replay_help.h
 */
#include "replay_help.h"

#include <check.h>
#include <string.h>

struct qs_trace *trace_of(const char *text)
{
	struct qs_trace *trace;
	struct qs_error err;

	trace = qs_trace_read("trace", text, strlen(text), &err);
	ck_assert_msg(trace != NULL, "%s", err.text);
	return trace;
}

void simulate(const struct qs_trace *trace,
	      const struct qs_sim_policy *policies, uint32_t n,
	      const struct qs_sim_wish *wish, struct qs_sim_result *result)
{
	struct qs_sim *sim = qs_sim_new(trace, policies, n, wish);

	ck_assert_ptr_nonnull(sim);
	while (qs_sim_step(sim, 7) > 0)
		;
	ck_assert_int_eq(qs_sim_finish(sim, result), 0);
	qs_sim_free(sim);
	ck_assert_int_eq(qs_runs_seal(&result->runs), 0);
}
