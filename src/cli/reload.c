/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reload.c - qshare reload: put the policy file in force, and say whether it is
 *
 * By Slurm's own reconfigure, which only administrators may ask for and which
 * is the same in every version; slurm.conf is read again too. The file is
 * checked here first, so that a broken one does not even get that far. Waits
 * for slurmctld, for some seconds at most.
 */
#include "cli/online.h"
#include "cli/progress.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/policy_path.h"
#include "conf/conf.h"

#define NAME    "reload"
#define WAIT_MS 30000
#define POLL_MS 100

static void help(void)
{
	puts("Usage: qshare reload [OPTION...]\n"
	     "\n"
	     "Have slurmctld read quota_share.conf again. The file is checked "
	     "first; if it is\n"
	     "in error nothing happens. This is `scontrol reconfigure`, so "
	     "slurm.conf is read\n"
	     "too, and only administrators may do it. Look before: qshare diff "
	     "--live FILE.\n"
	     "\n"
	     "  -h, --help  show this and exit\n"
	     "\n"
	     "Exit status: 0 the file is in force, 1 it is not, 2 usage.\n"
	     "\n"
	     "Example: qshare reload");
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static struct json_object *ask(void)
{
	const char *const words[] = { "policy" };

	return qs_online_ask(NAME, 1, words);
}

/* Which attempt to read the file the answer is about; a new slurmctld begins
 * to count anew. */
static void attempt_of(struct json_object *answer, int64_t id[2])
{
	id[0] = qs_online_number(answer, "pid", 0);
	id[1] = qs_online_number(answer, "attempts", 0);
}

/* From Slurm 23.11 on it is a new slurmctld that reads the file: it is waited
 * for until it answers as the one before did. */
static struct json_object *wait_for(const int64_t before[2])
{
	const struct timespec pause = { .tv_nsec = POLL_MS * 1000000L };
	int64_t until = now_ms() + WAIT_MS, id[2];
	struct json_object *answer = NULL;

	do {
		struct json_object *now = qs_online_try(NAME, "policy");

		if (now) {
			attempt_of(now, id);
			if (id[0] != before[0] || id[1] != before[1]) {
				json_object_put(answer);
				answer = json_object_get(now);
			}
			json_object_put(now);
		}
		if (answer && qs_online_number(answer, "looked", 1))
			return answer;
		nanosleep(&pause, NULL);
	} while (now_ms() < until);
	if (answer)
		return answer;
	qs_cli_error(NAME, "slurmctld has not read the file again within %d s",
		     WAIT_MS / 1000);
	return NULL;
}

static int report(struct json_object *answer)
{
	const char *error = qs_online_text(answer, "error_text", NULL);

	if (error)
		return qs_cli_error(NAME, "the old policy stays in force: %s",
				    error);
	printf("%s is in force: %lld queue%s, %lld shares, %s\n",
	       qs_online_text(answer, "file", "?"),
	       (long long)qs_online_number(answer, "queues", 0),
	       qs_online_number(answer, "queues", 0) == 1 ? "" : "s",
	       (long long)qs_online_number(answer, "shares", 0),
	       strcmp(qs_online_text(answer, "mode", ""), "OBSERVE") ?
		       "enforced" :
		       "observed only");
	return QS_EXIT_OK;
}

/* The file as slurmctld knows it, if this machine has it. */
static int check(const char *path)
{
	struct qs_policy *policy;
	struct qs_error err;

	policy = qs_conf_read_file(path, NULL, &err);
	if (!policy)
		return qs_cli_error(NAME, "nothing was changed: %s", err.text);
	qs_policy_free(policy);
	return QS_EXIT_OK;
}

static int reload(void)
{
	struct json_object *before = ask(), *after = NULL;
	char *path = qs_policy_path();
	int code = QS_EXIT_ERROR;
	int64_t id[2];

	if (before && path && check(path) == QS_EXIT_OK) {
		attempt_of(before, id);
		qs_progress_begin(NAME, "waiting for slurmctld to read its "
					"files again");
		if (!qs_online_reconfigure(NAME))
			after = wait_for(id);
		qs_progress_end();
		if (after)
			code = report(after);
	}
	json_object_put(before);
	json_object_put(after);
	free(path);
	return code;
}

int qs_cli_reload(int argc, char **argv)
{
	const struct qs_cli_parser parser = {
		.name = NAME,
		.help = help,
	};
	int code = qs_cli_parse(&parser, argc, argv, NULL);

	return code >= 0 ? code : qs_cli_flush(NAME, reload());
}
