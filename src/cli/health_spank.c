/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * health_spank.c - does sbatch on this machine know --quota-share?
 *
 * The client's half of the installation. Asked of sbatch itself, which reads
 * plugstack.conf as it does for a job; waits for it, some milliseconds.
 */
#ifdef HAVE_CONFIG_H
#include "qs_config.h"
#endif

#include "cli/health.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEXT                                                   \
	"sbatch on this machine does not know --quota-share: " \
	"plugstack.conf needs the line \"optional "            \
	"spank_quota_share.so\", and this machine that file"

/* sbatch --help with its words into a pipe. Returns the pid, or -1. */
static pid_t start(int *from)
{
	char *argv[] = { "sbatch", "--help", NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid = -1;
	int ends[2], rc;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	rc = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	*from = ends[0];
	if (rc) {
		close(ends[0]);
		return -1;
	}
	return pid;
}

static int ask(void)
{
	char text[65536];
	size_t n = 0;
	ssize_t got;
	int from, status = 0;
	pid_t pid = start(&from);

	if (pid < 0)
		return -1;
	while (n < sizeof(text) - 1 &&
	       (got = read(from, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	close(from);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status) || !n)
		return -1;
	return strstr(text, "--quota-share") != NULL;
}

static void add_problem(struct json_object *queue)
{
	struct json_object *list, *out = json_object_new_object();

	if (!json_object_object_get_ex(queue, "problems", &list)) {
		list = json_object_new_array();
		json_object_object_add(queue, "problems", list);
	}
	json_object_object_add(out, "code",
			       json_object_new_string("SPANK_MISSING"));
	json_object_object_add(out, "text", json_object_new_string(TEXT));
	json_object_array_add(list, out);
	json_object_object_add(queue, "healthy", json_object_new_boolean(0));
}

int qs_health_spank(struct json_object *answer)
{
	struct json_object *list;
	int known = ask();

	if (known || !json_object_object_get_ex(answer, "queues", &list))
		return known;
	for (size_t i = 0; i < json_object_array_length(list); i++)
		add_problem(json_object_array_get_idx(list, i));
	return 0;
}
