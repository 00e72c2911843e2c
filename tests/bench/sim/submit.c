/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simsubmit - submits the jobs that are described on its standard input
 *
 * With slurm_submit_batch_job() of the public API, one after the other: an
 * sbatch for each job costs the machine as much again as slurmctld.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "job_line.h"

/* Slurm before 23.11 wants the colon; later ones take it too. */
#define GRES_PREFIX "gres:"

static void usage(FILE *out)
{
	fprintf(out,
		"usage: simsubmit [--help] <JOBS\n"
		"Submits a job for each line of words KEY=VALUE, as root's or "
		"the caller's:\n"
		"\n"
		"  account=A qos=Q partition=P name=N nodelist=L time=MINUTES\n"
		"  gres=gpu:TYPE:N, nodes=N, cpus=N, mem=MB (a node), array=0-9\n"
		"  sleep=SEC    how long it runs (60)\n"
		"  trap=TERM    lives on with this signal; exit=N: ends with N\n"
		"  die=MS       from being told to being gone (simulated nodes)\n"
		"  requeue=0    may not be requeued\n"
		"  hold=1       held by its user\n"
		"  spank=NAME=VALUE,...  what a SPANK plugin would leave\n"
		"  count=N      so many of these\n"
		"  pause=MS     wait after each\n"
		"  id=WORD      printed again\n"
		"\n"
		"Prints a line each: JOB BEFORE AFTER ID, times in seconds\n"
		"since the epoch; ERROR text for JOB and BEFORE if refused.\n"
		"Exit status 1 if any was refused.\n");
}

static double now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void describe(const struct job_line *line, job_desc_msg_t *desc,
		     char *gres, size_t gres_size, char *script)
{
	static char *environment[] = { (char *)"PATH=/usr/bin:/bin", NULL };

	slurm_init_job_desc_msg(desc);
	desc->account = (char *)line->account;
	desc->array_inx = (char *)line->array;
	desc->env_size = 1;
	desc->environment = environment;
	desc->group_id = getgid();
	desc->max_nodes = (uint32_t)line->nodes;
	desc->min_cpus = (uint32_t)line->cpus;
	desc->min_nodes = (uint32_t)line->nodes;
	desc->name = (char *)line->name;
	desc->num_tasks = (uint32_t)line->cpus;
	desc->partition = (char *)line->partition;
	desc->pn_min_memory = (uint64_t)line->mem_mb;
	desc->qos = (char *)line->qos;
	desc->req_nodes = (char *)line->nodelist;
	desc->requeue = (uint16_t)line->requeue;
	if (line->hold)
		desc->priority = 0;
	desc->script = script;
	desc->std_err = (char *)"/dev/null";
	desc->std_in = (char *)"/dev/null";
	desc->std_out = (char *)"/dev/null";
	if (line->time_min >= 0)
		desc->time_limit = (uint32_t)line->time_min;
	desc->user_id = getuid();
	desc->work_dir = (char *)"/";
	if (line->gres) {
		snprintf(gres, gres_size, GRES_PREFIX "%s", line->gres);
		desc->tres_per_node = gres;
	}
}

/* Each word goes as it is, so a test can send what no plugin of ours would. Cuts
 * text into words. */
static void add_spank(char *text, job_desc_msg_t *desc, char **words,
		      uint32_t most)
{
	char *save = NULL, *word = strtok_r(text, ",", &save);

	desc->spank_job_env = words;
	desc->spank_job_env_size = 0;
	for (; word && desc->spank_job_env_size < most;
	     word = strtok_r(NULL, ",", &save))
		words[desc->spank_job_env_size++] = word;
}

/* 0, or 1 if it was refused. */
static int submit(const struct job_line *line, char *script)
{
	submit_response_msg_t *answer = NULL;
	job_desc_msg_t desc;
	char gres[256], spank[512], *words[16];
	double before;
	int rc;

	describe(line, &desc, gres, sizeof(gres), script);
	if (line->spank) {
		snprintf(spank, sizeof(spank), "%s", line->spank);
		add_spank(spank, &desc, words, 16);
	}
	before = now();
	rc = slurm_submit_batch_job(&desc, &answer);
	if (rc || !answer)
		printf("ERROR %s (%s)\n", slurm_strerror(errno), line->id);
	else
		printf("%u %.6f %.6f %s\n", answer->job_id, before, now(),
		       line->id);
	fflush(stdout);
	slurm_free_submit_response_response_msg(answer);
	return rc || !answer;
}

static void pause_ms(long ms)
{
	struct timespec time = {
		.tv_sec = ms / 1000,
		.tv_nsec = ms % 1000 * 1000000,
	};

	if (ms > 0)
		nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
	char *text = NULL, error[200], script[1024];
	size_t room = 0;
	int rc = 0, number = 0;

	if (argc > 1) {
		bool help = strcmp(argv[1], "--help") == 0;

		usage(help ? stdout : stderr);
		return help ? 0 : 2;
	}
	slurm_init(NULL);
	while (getline(&text, &room, stdin) > 0) {
		struct job_line line;

		number++;
		if (text[strspn(text, " \t\n")] == '\0' || *text == '#')
			continue;
		if (job_line_read(text, &line, error, sizeof(error))) {
			fprintf(stderr, "simsubmit: line %d: %s\n", number,
				error);
			rc = 2;
			break;
		}
		if (job_line_script(&line, script, sizeof(script))) {
			fprintf(stderr, "simsubmit: line %d is too long\n",
				number);
			rc = 2;
			break;
		}
		for (long i = 0; i < line.count; i++) {
			if (submit(&line, script))
				rc = 1;
			pause_ms(line.pause_ms);
		}
	}
	free(text);
	return rc;
}
