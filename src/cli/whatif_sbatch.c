/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif_sbatch.c - ask slurmctld what would become of a job, through sbatch
 *
 * Runs `sbatch --test-only` with a comment that job_submit/quota_share
 * understands as a question, then fetches the answer by its token. Waits for
 * sbatch and the planner. Its surprise: sbatch "fails" where all is well,
 * since a question is never let in.
 */
#ifdef HAVE_CONFIG_H
#include "qs_config.h"
#endif

#include "cli/whatif.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/online.h"
#include "cli/progress.h"

#define NAME    "whatif"
#define COMMENT "--comment=quota_share_whatif:"
#define WAIT_MS 10000
#define POLL_MS 20

static void make_token(char token[33])
{
	unsigned char bytes[16];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		memset(bytes, getpid() & 0xff, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
}

/* sbatch takes the first word that is no option for the script. Which words
 * belong to options only sbatch knows, so: the last word, if it is a file that
 * begins with "#!". */
static bool is_script(const char *word)
{
	char head[2];
	struct stat st;
	bool good;
	int fd;

	if (word[0] == '-' || stat(word, &st) || !S_ISREG(st.st_mode))
		return false;
	fd = open(word, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	good = read(fd, head, 2) == 2 && head[0] == '#' && head[1] == '!';
	close(fd);
	return good;
}

static bool has_wrap(int n, char **args)
{
	for (int i = 0; i < n; i++)
		if (!strncmp(args[i], "--wrap", 6))
			return true;
	return false;
}

/* The whole command line; its last word is NULL. The caller's (free). */
static char **command(int n, char **args, char *comment)
{
	static char sbatch[] = "sbatch", test[] = "--test-only";
	static char wrap[] = "--wrap=true";
	bool script = is_script(args[n - 1]);
	char **argv = calloc((size_t)n + 5, sizeof(*argv));
	int k = 0;

	if (!argv)
		return NULL;
	argv[k++] = sbatch;
	for (int i = 0; i < n - script; i++)
		argv[k++] = args[i];
	argv[k++] = test;
	argv[k++] = comment;
	if (script)
		argv[k++] = args[n - 1];
	else if (!has_wrap(n, args))
		argv[k++] = wrap;
	return argv;
}

/* Runs it; what it says is kept in text. Returns its exit status, or -1. */
static int run(char **argv, char *text, size_t size)
{
	posix_spawn_file_actions_t actions;
	int ends[2], rc, status = 0;
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	text[0] = '\0';
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
	rc = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (rc) {
		close(ends[0]);
		errno = rc;
		return -1;
	}
	while (n < size - 1 &&
	       (got = read(ends[0], text + n, size - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	close(ends[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static bool is(struct json_object *answer, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(answer, key, &value) &&
	       json_object_get_boolean(value);
}

/* said: by sbatch, which is the answer if slurmctld was never asked. */
static struct json_object *fetch(const char *token, const char *said)
{
	const struct timespec pause = { .tv_nsec = POLL_MS * 1000000L };
	const char *const words[] = { "answer", token };
	int64_t until = now_ms() + WAIT_MS;

	for (;;) {
		struct json_object *answer = qs_online_ask(NAME, 2, words);

		if (!answer || is(answer, "ready"))
			return answer;
		if (!is(answer, "known")) {
			json_object_put(answer);
			fputs(said, stderr);
			return NULL;
		}
		json_object_put(answer);
		if (now_ms() > until)
			break;
		nanosleep(&pause, NULL);
	}
	qs_cli_error(NAME,
		     "the planner in slurmctld has not answered within "
		     "%d s: see qshare health",
		     WAIT_MS / 1000);
	return NULL;
}

struct json_object *qs_whatif_sbatch(int n, char **args)
{
	char token[33], comment[sizeof(COMMENT) + sizeof(token)];
	char said[8192], **argv;
	struct json_object *answer;
	int status;

	make_token(token);
	snprintf(comment, sizeof(comment), COMMENT "%s", token);
	argv = command(n, args, comment);
	if (!argv) {
		qs_cli_error(NAME, "out of memory");
		return NULL;
	}
	errno = 0;
	status = run(argv, said, sizeof(said));
	free(argv);
	if (status < 0) {
		qs_cli_error(NAME, "sbatch cannot be run: %s",
			     strerror(errno ? errno : EINTR));
		return NULL;
	}
	if (!status) {
		qs_cli_error(NAME, "slurmctld took this for a job to test, not "
				   "for a question: slurm.conf needs "
				   "JobSubmitPlugins=quota_share");
		return NULL;
	}
	qs_progress_begin(NAME, "waiting for the planner in slurmctld");
	answer = fetch(token, said);
	qs_progress_end();
	return answer;
}
