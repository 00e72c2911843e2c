/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * online.c - ask the runtime inside slurmctld, through Slurm's public API
 *
 * Called by status, explain and priority. Waits for slurmctld's answer. Its
 * surprise: libslurm ends the process by itself where it finds no slurm.conf,
 * so the sentence that helps is said on the way out.
 */
#ifdef HAVE_CONFIG_H
#include "qs_config.h"
#endif

#include "cli/online.h"
#include "cli/progress.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef QS_HAVE_SLURM

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/slurm_version.h>

/* What the API hands out is to be released by Slurm's xfree(), which its
 * installed headers do not have. libslurm exports it, the same from 22.05 to
 * 26.05. */
extern void slurm_xfree(void **item);

/* What to add to slurm.conf, wherever the plugin proves to be missing. */
#define NOT_LOADED                                                   \
	"slurmctld has no quota shares: no plugin of ours answers. " \
	"slurm.conf needs BurstBufferType=burst_buffer/quota_share " \
	"and JobSubmitPlugins=quota_share (behind what is there); "  \
	"that is enough to observe. Then restart slurmctld and see " \
	"its log. What enforcing needs: doc/adoption.md"

/* Between two questions for an answer that is being made; doubled up to the
 * second. */
#define FIRST_PAUSE_MS 20
#define MOST_PAUSE_MS  320
#define LATER_MS       20000

static bool starting;
/* qs_online_try() asks: nothing is said. */
static bool quiet;

static int fail(const char *name, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static int fail(const char *name, const char *fmt, ...)
{
	char text[2048];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return quiet ? QS_EXIT_ERROR : qs_cli_error(name, "%s", text);
}

static void say_no_config(void)
{
	if (starting)
		fputs("qshare: no usable slurm.conf was found. Set SLURM_CONF "
		      "to its path, or run qshare on a machine of the "
		      "cluster\n",
		      stderr);
}

/* Returns 0, or -1 with the reason said; or ends the process, see above. */
static int start(const char *name)
{
	const char *path = getenv("SLURM_CONF");
	static bool started;

	if (started)
		return 0;
	/* libslurm would try for a minute. */
	if (path && access(path, R_OK)) {
		fail(name, "SLURM_CONF=%s: %s", path, strerror(errno));
		return -1;
	}
	started = starting = true;
	atexit(say_no_config);
	slurm_init(NULL);
	starting = false;
	return 0;
}

static int say_error(const char *name, int error)
{
	switch (error) {
	case SLURM_COMMUNICATIONS_CONNECTION_ERROR:
	case SLURM_COMMUNICATIONS_SEND_ERROR:
	case SLURM_COMMUNICATIONS_RECEIVE_ERROR:
	case SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR:
	case SLURMCTLD_COMMUNICATIONS_SEND_ERROR:
	case SLURMCTLD_COMMUNICATIONS_RECEIVE_ERROR:
	case SLURM_PROTOCOL_SOCKET_IMPL_TIMEOUT:
	case ETIMEDOUT:
	case ECONNREFUSED:
		return fail(name,
			    "slurmctld cannot be reached (%s): is it "
			    "running? `scontrol ping` asks the same",
			    slurm_strerror(error));
	case SLURM_PROTOCOL_VERSION_ERROR:
	case SLURM_UNEXPECTED_MSG_ERROR:
		return fail(name,
			    "slurmctld speaks another version of "
			    "Slurm's protocol than this qshare, which "
			    "was built for Slurm %d.%02d.%d: build it for "
			    "yours",
			    SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER),
			    SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER),
			    SLURM_VERSION_MICRO(SLURM_VERSION_NUMBER));
	default:
		return fail(name, "slurmctld says: %s", slurm_strerror(error));
	}
}

/* The answer as text, the caller's (free), or NULL with the reason said. */
static char *ask_text(const char *name, int argc, const char *const *argv)
{
	char *words[8], *text = NULL, *copy = NULL;
	int rc;

	if (start(name))
		return NULL;
	if (argc > (int)(sizeof(words) / sizeof(words[0])))
		argc = sizeof(words) / sizeof(words[0]);
	/* The API takes char ** and changes nothing. */
	for (int i = 0; i < argc; i++)
		words[i] = (char *)argv[i];
	errno = 0;
	qs_progress_begin(name, "waiting for slurmctld's answer");
	rc = slurm_load_burst_buffer_stat(argc, words, &text);
	qs_progress_end();
	if (rc != SLURM_SUCCESS) {
		say_error(name, errno ? errno : rc);
		return NULL;
	}
	if (!text || !*text) {
		slurm_xfree((void **)&text);
		fail(name, NOT_LOADED);
		return NULL;
	}
	copy = strdup(text);
	slurm_xfree((void **)&text);
	if (!copy)
		fail(name, "out of memory");
	return copy;
}

static struct json_object *ask_once(const char *name, int argc,
				    const char *const *argv)
{
	struct json_object *answer = NULL;
	char *text = ask_text(name, argc, argv);

	if (!text)
		return NULL;
	answer = json_tokener_parse(text);
	if (!json_object_is_type(answer, json_type_object)) {
		fail(name,
		     "another burst buffer plugin answered, not ours: "
		     "'%.60s'. Of all BurstBufferType plugins only "
		     "burst_buffer/quota_share may be loaded",
		     text);
		json_object_put(answer);
		answer = NULL;
	}
	free(text);
	return answer;
}

/* Long answers are made when they are asked for (runtime/answer_later.c), and
 * none is there in slurmctld's first second. */
static bool comes_later(struct json_object *answer)
{
	struct json_object *later;

	return answer && json_object_object_get_ex(answer, "later", &later) &&
	       json_object_get_boolean(later);
}

static bool is_private(struct json_object *answer)
{
	struct json_object *private;

	return answer &&
	       json_object_object_get_ex(answer, "private", &private) &&
	       json_object_get_boolean(private);
}

struct json_object *qs_online_ask(const char *name, int argc,
				  const char *const *argv)
{
	return qs_online_ask_shown(name, argc, argv, NULL);
}

struct json_object *qs_online_ask_shown(const char *name, int argc,
					const char *const *argv, bool *hidden)
{
	struct timespec pause = { .tv_nsec = FIRST_PAUSE_MS * 1000000L };
	struct json_object *answer = ask_once(name, argc, argv);
	int waited_ms = 0;

	qs_progress_begin(name, "slurmctld is making the answer");
	while (comes_later(answer) && waited_ms < LATER_MS) {
		json_object_put(answer);
		nanosleep(&pause, NULL);
		waited_ms += (int)(pause.tv_nsec / 1000000);
		if (pause.tv_nsec < MOST_PAUSE_MS * 1000000L)
			pause.tv_nsec *= 2;
		answer = ask_once(name, argc, argv);
	}
	qs_progress_end();
	if (hidden)
		*hidden = is_private(answer);
	if (hidden && *hidden)
		;
	else if (answer && qs_online_text(answer, "error", NULL))
		fail(name, "%s", qs_online_text(answer, "error", ""));
	else if (comes_later(answer))
		fail(name,
		     "the planner in slurmctld has not made the answer within "
		     "%d s: see qshare health",
		     LATER_MS / 1000);
	else
		return answer;
	json_object_put(answer);
	return NULL;
}

struct json_object *qs_online_try(const char *name, const char *word)
{
	struct json_object *answer;

	quiet = true;
	answer = qs_online_ask(name, 1, &word);
	quiet = false;
	return answer;
}

int qs_online_reconfigure(const char *name)
{
	if (start(name))
		return -1;
	errno = 0;
	if (!slurm_reconfigure())
		return 0;
	if (errno == ESLURM_ACCESS_DENIED || errno == ESLURM_USER_ID_MISSING)
		fail(name, "only administrators may have slurmctld read its "
			   "files again");
	else
		say_error(name, errno);
	return -1;
}

/* job_submit/quota_share answers with these codes; see its job_modify(). */
static int say_refused(const char *name, const char *job, uint32_t priority,
		       int error)
{
	switch (error) {
	case ESLURM_ACCESS_DENIED:
	case ESLURM_USER_ID_MISSING:
		return qs_cli_error(name,
				    "JobId=%s is not yours: its owner, a "
				    "coordinator of its account or an operator "
				    "may change its priority",
				    job);
	case ESLURM_ACCOUNTING_POLICY:
		return qs_cli_error(name,
				    "JobId=%s: %u is more than its share "
				    "allows (MaxUserPriority); give a lower "
				    "one or ask an operator",
				    job, priority);
	case ESLURM_NOT_SUPPORTED:
		return qs_cli_error(name,
				    "JobId=%s belongs to no quota share, so it "
				    "has no priority in one",
				    job);
	case ESLURM_INVALID_JOB_ID:
		return qs_cli_error(name, "there is no JobId=%s", job);
	case ESLURM_JOB_FINISHED:
	case ESLURM_ALREADY_DONE:
		return qs_cli_error(name, "JobId=%s has ended already", job);
	default:
		return say_error(name, error);
	}
}

int qs_online_set_priority(const char *name, const char *job, uint32_t priority)
{
	job_array_resp_msg_t *tasks = NULL;
	char word[64], *words[] = { word, NULL };
	job_desc_msg_t desc;
	int rc, bad = 0;

	if (start(name))
		return -1;
	snprintf(word, sizeof(word), "SHARE_PRIORITY=%u", priority);
	slurm_init_job_desc_msg(&desc);
	desc.job_id_str = (char *)job;
	desc.spank_job_env = words;
	desc.spank_job_env_size = 1;
	errno = 0;
	rc = slurm_update_job2(&desc, &tasks);
	if (rc != SLURM_SUCCESS) {
		say_refused(name, job, priority, errno ? errno : rc);
		return -1;
	}
	for (uint32_t i = 0; tasks && i < tasks->job_array_count; i++) {
		if (!tasks->error_code[i] ||
		    tasks->error_code[i] == ESLURM_JOB_FINISHED)
			continue;
		say_refused(name, tasks->job_array_id[i], priority,
			    (int)tasks->error_code[i]);
		bad++;
	}
	slurm_free_job_array_resp(tasks);
	return bad ? -1 : 0;
}

#else /* !QS_HAVE_SLURM */

static int say_built_without(const char *name)
{
	return qs_cli_error(name, "this qshare was built without Slurm and "
				  "cannot ask slurmctld: configure it with "
				  "--with-slurm-source=DIR");
}

struct json_object *qs_online_ask(const char *name, int argc,
				  const char *const *argv)
{
	(void)argc;
	(void)argv;
	say_built_without(name);
	return NULL;
}

struct json_object *qs_online_ask_shown(const char *name, int argc,
					const char *const *argv, bool *hidden)
{
	(void)hidden;
	return qs_online_ask(name, argc, argv);
}

struct json_object *qs_online_try(const char *name, const char *word)
{
	(void)name;
	(void)word;
	return NULL;
}

int qs_online_reconfigure(const char *name)
{
	say_built_without(name);
	return -1;
}

int qs_online_set_priority(const char *name, const char *job, uint32_t priority)
{
	(void)job;
	(void)priority;
	say_built_without(name);
	return -1;
}

#endif
