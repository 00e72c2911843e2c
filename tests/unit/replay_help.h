/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay_help.h - policies, traces and simulations for the tests of the replay
 *
 * The running test fails where something cannot be read or made.
 */
#ifndef QS_TEST_REPLAY_HELP_H
#define QS_TEST_REPLAY_HELP_H

#include "replay/replay.h"

#include "policy_of.h"

/* A policy of two shares with four GPUs each: a lends, b borrows. */
#define QUEUE "Queue=q Partitions=p GraceTime=120 ClaimTimeout=60\n"
#define LENDER                                                     \
	"Share=a Queue=q Accounts=a Capacity=gpu:4 Strategy=LEND " \
	"InSharePreemption=NO\n"
#define BORROWER(more)                                                   \
	"Share=b Queue=q Accounts=b Capacity=gpu:4 Strategy=LEND_AND_BO" \
	"RROW InSharePreemption=NO " more "\n"

/* A wish: nothing but that who is told to go uses his grace time. */
#define NONE                    \
	{                       \
		.leave_sec = -1 \
	}

struct qs_trace *trace_of(const char *text);

/* Plays a trace under n policies to its end. The caller gives *result to
 * qs_sim_result_free(). */
void simulate(const struct qs_trace *trace,
	      const struct qs_sim_policy *policies, uint32_t n,
	      const struct qs_sim_wish *wish, struct qs_sim_result *result);

#endif
