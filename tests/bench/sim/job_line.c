/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_line.c - see job_line.h */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job_line.h"

/* Where the value of a key goes: a word or a number. */
struct key {
	const char *name;
	const char **word;
	long *number;
};

static int store(const struct key *keys, char *word, char *error, size_t size)
{
	char *value = strchr(word, '='), *end;

	if (value)
		*value++ = '\0';
	for (; value && keys->name; keys++) {
		if (strcmp(keys->name, word) != 0)
			continue;
		if (keys->word) {
			*keys->word = value;
			return 0;
		}
		errno = 0;
		*keys->number = strtol(value, &end, 10);
		if (!errno && end != value && !*end && *keys->number >= 0)
			return 0;
		snprintf(error, size, "%s=%s: give a number, 0 or more", word,
			 value);
		return -1;
	}
	snprintf(error, size, "'%s' is no KEY=VALUE that is known", word);
	return -1;
}

int job_line_read(char *line, struct job_line *job, char *error, size_t size)
{
	const struct key keys[] = {
		{ "account", &job->account, NULL },
		{ "array", &job->array, NULL },
		{ "count", NULL, &job->count },
		{ "cpus", NULL, &job->cpus },
		{ "die", NULL, &job->die_ms },
		{ "exit", NULL, &job->exit_code },
		{ "gres", &job->gres, NULL },
		{ "hold", NULL, &job->hold },
		{ "id", &job->id, NULL },
		{ "mem", NULL, &job->mem_mb },
		{ "name", &job->name, NULL },
		{ "nodelist", &job->nodelist, NULL },
		{ "nodes", NULL, &job->nodes },
		{ "partition", &job->partition, NULL },
		{ "pause", NULL, &job->pause_ms },
		{ "qos", &job->qos, NULL },
		{ "requeue", NULL, &job->requeue },
		{ "sleep", &job->sleep, NULL },
		{ "spank", &job->spank, NULL },
		{ "time", NULL, &job->time_min },
		{ "trap", &job->trap, NULL },
		{ NULL, NULL, NULL },
	};
	char *save = NULL, *word;

	*job = (struct job_line){
		.name = "sim",
		.sleep = "60",
		.nodes = 1,
		.cpus = 1,
		.mem_mb = 100,
		.requeue = 1,
		.die_ms = -1,
		.exit_code = -1,
		.count = 1,
		.time_min = -1,
		.id = "-",
	};
	for (word = strtok_r(line, " \t\n", &save); word;
	     word = strtok_r(NULL, " \t\n", &save)) {
		if (store(keys, word, error, size))
			return -1;
	}
	return 0;
}

int job_line_script(const struct job_line *job, char *script, size_t size)
{
	char trap[128] = "", die[64] = "";
	int n;

	if (job->trap && job->exit_code >= 0)
		snprintf(trap, sizeof(trap), "trap 'exit %ld' %s\n",
			 job->exit_code, job->trap);
	else if (job->trap)
		snprintf(trap, sizeof(trap), "trap '' %s\n", job->trap);
	if (job->die_ms >= 0)
		snprintf(die, sizeof(die), "#SIM die=%ld\n", job->die_ms);
	/* A shell that must run a trap waits; others become the sleep. */
	n = snprintf(script, size, "#!/bin/sh\n%s%s%ssleep %s%s\n", die, trap,
		     job->trap ? "" : "exec ", job->sleep,
		     job->trap ? " & wait; wait" : "");
	return n > 0 && (size_t)n < size ? 0 : -1;
}
