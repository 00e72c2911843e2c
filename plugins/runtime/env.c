/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * env.c - the words that a job carries in its spank_job_env
 *
 * slurmctld saves these with the job and hands them to prolog and epilog, so
 * they survive what the job survives. Any thread that may read (get, number)
 * or write (set) the job. Its surprise: Slurm puts "SPANK_" before each name
 * the first time a prolog runs, so both spellings are looked for.
 */
#include "runtime/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "SPANK_"

static const char *value_of(const char *entry, const char *name)
{
	size_t n = strlen(name);

	if (!entry)
		return NULL;
	if (!strncmp(entry, PREFIX, sizeof(PREFIX) - 1))
		entry += sizeof(PREFIX) - 1;
	return !strncmp(entry, name, n) && entry[n] == '=' ? entry + n + 1 :
							     NULL;
}

const char *qs_env_get(char *const *env, uint32_t n, const char *name)
{
	const char *value = NULL;

	for (uint32_t i = 0; env && i < n && !value; i++)
		value = value_of(env[i], name);
	return value;
}

void qs_env_set(char ***env, uint32_t *n, const char *name, const char *value)
{
	uint32_t kept = 0;
	char *entry =
		value ? xstrdup_printf(PREFIX "%s=%s", name, value) : NULL;

	for (uint32_t i = 0; *env && i < *n; i++) {
		if (!value_of((*env)[i], name)) {
			(*env)[kept++] = (*env)[i];
			continue;
		}
		xfree((*env)[i]);
		if (entry) {
			(*env)[kept++] = entry;
			entry = NULL;
		}
	}
	if (entry) {
		/* One more than counted stays NULL: some of Slurm's readers
		 * want that. */
		xrecalloc(*env, kept + 2, sizeof(**env));
		(*env)[kept++] = entry;
	}
	for (uint32_t i = kept; *env && i < *n; i++)
		(*env)[i] = NULL;
	*n = kept;
}

int qs_env_number(char *const *env, uint32_t n, const char *name, int64_t max,
		  struct qs_opt *out)
{
	const char *text = qs_env_get(env, n, name);
	char *end = NULL;
	long long value;

	*out = (struct qs_opt){ 0 };
	if (!text)
		return 1;
	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	value = strtoll(text, &end, 10);
	if (errno || *end || value > max)
		return -1;
	*out = (struct qs_opt){ .set = true, .value = value };
	return 0;
}
