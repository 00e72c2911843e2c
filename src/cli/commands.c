/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commands.c - the table of qshare's subcommands
 *
 * One line a subcommand, sorted. What asks slurmctld is there in every build;
 * one without Slurm's API says so when it is used.
 */
#include "cli/cli.h"

const struct qs_cli_command qs_cli_commands[] = {
	{ "check", "read a policy file and say what is wrong with it", false,
	  qs_cli_check },
	{ "describe-jobs", "jobs as AWS Batch's DescribeServiceJob tells them",
	  true, qs_cli_describe_jobs },
	{ "diff", "what another policy would change, in words and for jobs",
	  false, qs_cli_diff },
	{ "events", "what happened, from the event log or the audit log", true,
	  qs_cli_events },
	{ "explain", "why a job waits, runs or was preempted", true,
	  qs_cli_explain },
	{ "export", "a policy as documents of AWS Batch, or of Kueue", false,
	  qs_cli_export },
	{ "health", "are the quota queues all right? for monitoring", true,
	  qs_cli_health },
	{ "import", "a share set-up of AWS Batch as a policy file", false,
	  qs_cli_import },
	{ "instances", "the table of AWS instance types and their GPUs", false,
	  qs_cli_instances },
	{ "jobs", "what runs and waits in a share, and how safe each job is",
	  true, qs_cli_jobs },
	{ "metrics", "shares and planner for Prometheus", true,
	  qs_cli_metrics },
	{ "observe", "what Mode=OBSERVE would have held back or stopped", true,
	  qs_cli_observe },
	{ "plan", "what the planner decides for a scenario file", false,
	  qs_cli_plan },
	{ "priority", "set a job's priority in its share", true,
	  qs_cli_priority },
	{ "reload", "put the policy file in force", true, qs_cli_reload },
	{ "replay", "the jobs of the past under another policy, side by side",
	  false, qs_cli_replay },
	{ "report", "what sharing brought, from accounting and the logs", false,
	  qs_cli_report },
	{ "scenario", "the cluster as it is now, as a scenario file", true,
	  qs_cli_scenario },
	{ "snapshot", "a queue as AWS Batch's GetJobQueueSnapshot tells it",
	  true, qs_cli_snapshot },
	{ "status", "who owns, uses, borrows, lends and waits, now", true,
	  qs_cli_status },
	{ "top", "the shares and their jobs, again and again", true,
	  qs_cli_top },
	{ "whatif", "what would become of a job, described as for sbatch", true,
	  qs_cli_whatif },
	{ NULL, NULL, false, NULL },
};
