/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spank_quota_share.c - --quota-share, --share-priority, --preempt-retries
 *
 * plugstack.conf: "optional spank_quota_share.so". sbatch, salloc and srun load
 * it, check what the user wrote and put it into the job's control environment,
 * which travels with the submission to the job_submit plugin. slurmd and
 * slurmstepd load it too and get the options handed on; there it does nothing,
 * and says nothing. Never blocks. Its surprise: srun inside a job gets the
 * job's options again from the environment. No new job is made then, so they
 * have no effect.
 *
 * Nothing of the runtime is in it, nor of slurmctld: public headers only.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/spank.h>

SPANK_PLUGIN(quota_share, 1)

/* As the policy file has them. */
#define NAME_MAX_LEN 128
#define PRIORITY_MAX 9999
#define RETRIES_MAX  1000000

enum option {
	OPTION_SHARE,
	OPTION_PRIORITY,
	OPTION_RETRIES,
	OPTIONS,
};

static int take(int option, const char *value, int remote);

/* Slurm keeps pointers into this table. */
static struct spank_option options[] = {
	[OPTION_SHARE] = { "quota-share", "name",
			   "run the job in this quota share, if its account "
			   "may (default: the account's share)",
			   1, OPTION_SHARE, take },
	[OPTION_PRIORITY] = { "share-priority", "n",
			      "priority among the jobs of its quota share, 0 "
			      "to 9999, high first (default: 0)",
			      1, OPTION_PRIORITY, take },
	[OPTION_RETRIES] = { "preempt-retries", "n",
			     "requeue the job after so many preemptions by "
			     "quota, then end it (default: no limit)",
			     1, OPTION_RETRIES, take },
};

/* Names of runtime.h, which is not for clients. */
static const char *const words[] = {
	[OPTION_SHARE] = "QUOTA_SHARE",
	[OPTION_PRIORITY] = "SHARE_PRIORITY",
	[OPTION_RETRIES] = "PREEMPT_RETRIES",
};

/* One process submits once, or again with the same options. */
static char *given[OPTIONS];

static int bad_name(const char *value)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
	size_t n = value ? strlen(value) : 0;

	if (n && n <= NAME_MAX_LEN && strspn(value, good) == n)
		return 0;
	slurm_error("--quota-share=%s: a share's name is 1 to %d letters, "
		    "digits, '-' and '_' (qshare lists the shares)",
		    value ? value : "", NAME_MAX_LEN);
	return -1;
}

static int bad_number(const char *name, const char *value, long max)
{
	char *end = NULL;
	long number;

	errno = 0;
	number = value ? strtol(value, &end, 10) : -1;
	if (value && *value >= '0' && *value <= '9' && !*end && !errno &&
	    number <= max)
		return 0;
	slurm_error("--%s=%s: give a whole number from 0 to %ld", name,
		    value ? value : "", max);
	return -1;
}

static int bad(int option, const char *value)
{
	switch (option) {
	case OPTION_SHARE:
		return bad_name(value);
	case OPTION_PRIORITY:
		return bad_number("share-priority", value, PRIORITY_MAX);
	default:
		return bad_number("preempt-retries", value, RETRIES_MAX);
	}
}

/* The last one on the command line holds, as for Slurm's own options. */
static int take(int option, const char *value, int remote)
{
	char *copy;

	if (remote)
		return ESPANK_SUCCESS;
	if (option < 0 || option >= OPTIONS || bad(option, value))
		return ESPANK_BAD_ARG;
	copy = strdup(value);
	if (!copy)
		return ESPANK_ERROR;
	free(given[option]);
	given[option] = copy;
	return ESPANK_SUCCESS;
}

int slurm_spank_init(spank_t spank, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	/* slurmd runs prologs, it has no options. */
	if (spank_context() == S_CTX_SLURMD ||
	    spank_context() == S_CTX_JOB_SCRIPT)
		return ESPANK_SUCCESS;
	for (int i = 0; i < OPTIONS; i++)
		if (spank_option_register(spank, &options[i]) !=
		    ESPANK_SUCCESS) {
			slurm_error("quota_share: cannot add the option --%s",
				    options[i].name);
			return ESPANK_ERROR;
		}
	return ESPANK_SUCCESS;
}

/* All options are read, nothing has been sent yet. */
int slurm_spank_init_post_opt(spank_t spank, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (spank_context() != S_CTX_LOCAL &&
	    spank_context() != S_CTX_ALLOCATOR)
		return ESPANK_SUCCESS;
	for (int i = 0; i < OPTIONS; i++) {
		if (!given[i])
			continue;
		if (spank_job_control_setenv(spank, words[i], given[i], 1) ==
		    ESPANK_SUCCESS)
			continue;
		slurm_error("--%s=%s could not be handed to slurmctld; the job "
			    "is not submitted",
			    options[i].name, given[i]);
		return ESPANK_ERROR;
	}
	return ESPANK_SUCCESS;
}

int slurm_spank_exit(spank_t spank, int argc, char **argv)
{
	(void)spank;
	(void)argc;
	(void)argv;
	for (int i = 0; i < OPTIONS; i++) {
		free(given[i]);
		given[i] = NULL;
	}
	return ESPANK_SUCCESS;
}
