/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.c - the event log and the audit log, a JSON object a line (R18, R22)
 *
 * Called by our thread with no lock held; blocks on the file system. Each write()
 * is of whole lines to a file opened for appending, so a log rotated by renaming
 * goes on in a new file and no line is torn. A log that cannot be written is
 * told once, and in the health lines, and does not hold up anything. Where one
 * thing makes many lines they are written together: on a shared file system to
 * open, write and close takes milliseconds, and an owner may wait meanwhile.
 */
#include "runtime/inner.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/file.h"

/* A line of the audit log has two whole policies in it. */
#define LINE_MAX_BYTES  16384
#define AUDIT_MAX_BYTES (3 * QS_AUDIT_POLICY_MAX)
/* Lines that wait for the thread; more are counted, not kept. */
#define LATER_MAX 1024
/* Lines that are written together, in bytes. */
#define HELD_MAX 65536

struct later {
	const char *what;
	char fields[512];
};

static struct later later[LATER_MAX];
static unsigned nlater, nlost;

/* Of the event log, by this thread, between qs_log_hold() and _release(). */
static __thread char *held;
static __thread size_t nheld;

static const char *const default_name[] = {
	[QS_LOG_EVENT] = "quota_share.events.jsonl",
	[QS_LOG_AUDIT] = "quota_share.audit.jsonl",
};

static void path_of(enum qs_log which, char *path, size_t size)
{
	const struct qs_policy *policy = qs_runtime_policy_get();
	const char *given = !policy               ? NULL :
			    which == QS_LOG_EVENT ? policy->event_log :
						    policy->audit_log;

	if (given)
		snprintf(path, size, "%s", given);
	else
		snprintf(path, size, "%s/%s", qs_state_folder(),
			 default_name[which]);
	qs_runtime_policy_put(policy);
}

static int append(enum qs_log which, const char *lines, size_t n)
{
	char path[4096];
	const char *why;
	bool told;

	path_of(which, path, sizeof(path));
	if (!qs_file_append(path, lines, n, &why)) {
		slurm_mutex_lock(&qs_rt.lock);
		qs_rt.log_error[which][0] = '\0';
		slurm_mutex_unlock(&qs_rt.lock);
		return 0;
	}
	slurm_mutex_lock(&qs_rt.lock);
	told = qs_rt.log_error[which][0];
	snprintf(qs_rt.log_error[which], sizeof(qs_rt.log_error[which]),
		 "%.400s: %.100s", path, why);
	slurm_mutex_unlock(&qs_rt.lock);
	if (!told)
		error("quota_share: %s: cannot write: %s", path, why);
	return -1;
}

/* On a disk that is full all together may not fit where some do. */
static void write_held(void)
{
	const char *line = held, *end;

	if (nheld && append(QS_LOG_EVENT, held, nheld)) {
		while ((end = memchr(line, '\n',
				     nheld - (size_t)(line - held)))) {
			if (append(QS_LOG_EVENT, line,
				   (size_t)(end + 1 - line)))
				break;
			line = end + 1;
		}
	}
	nheld = 0;
}

void qs_log_hold(void)
{
	if (!held)
		held = malloc(HELD_MAX);
}

void qs_log_release(void)
{
	write_held();
	free(held);
	held = NULL;
}

static void put(enum qs_log which, const char *line, size_t n)
{
	if (!held || which != QS_LOG_EVENT) {
		append(which, line, n);
		return;
	}
	if (nheld + n > HELD_MAX)
		write_held();
	memcpy(held + nheld, line, n);
	nheld += n;
}

bool qs_log_begun(void)
{
	char path[4096], audit[4096];
	struct stat st;

	path_of(QS_LOG_EVENT, path, sizeof(path));
	path_of(QS_LOG_AUDIT, audit, sizeof(audit));
	return strcmp(path, audit) && !stat(path, &st) && S_ISREG(st.st_mode) &&
	       st.st_size;
}

void qs_log_line(enum qs_log which, const char *what, const char *fmt, ...)
{
	size_t size = which == QS_LOG_AUDIT ? AUDIT_MAX_BYTES : LINE_MAX_BYTES;
	char *line = malloc(size), stamp[32];
	time_t now = time(NULL);
	struct tm tm;
	va_list args;
	size_t n;
	int more;

	if (!line)
		return;
	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", &tm);
	n = (size_t)snprintf(line, size, "{\"time\":\"%s\",\"event\":\"%s\"",
			     stamp, what);
	va_start(args, fmt);
	more = vsnprintf(line + n, size - n - 2, fmt, args);
	va_end(args);
	/* Half a line would not be JSON: leave the fields away. */
	if (more > 0 && n + (size_t)more < size - 2)
		n += (size_t)more;
	line[n++] = '}';
	line[n++] = '\n';
	put(which, line, n);
	free(line);
}

void qs_log_later(const char *what, const char *fmt, ...)
{
	struct later *l = &later[nlater];
	va_list args;
	int n;

	if (nlater == LATER_MAX) {
		nlost++;
		return;
	}
	va_start(args, fmt);
	n = vsnprintf(l->fields, sizeof(l->fields), fmt, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(l->fields))
		return;
	l->what = what;
	nlater++;
}

void qs_log_flush(void)
{
	struct later *lines;
	unsigned n, lost;

	slurm_mutex_lock(&qs_rt.lock);
	n = nlater;
	lost = nlost;
	lines = n ? calloc(n, sizeof(*lines)) : NULL;
	if (lines)
		memcpy(lines, later, n * sizeof(*lines));
	nlater = nlost = 0;
	slurm_mutex_unlock(&qs_rt.lock);
	if (!n && !lost)
		return;
	qs_log_hold();
	for (unsigned i = 0; lines && i < n; i++)
		qs_log_line(QS_LOG_EVENT, lines[i].what, "%s", lines[i].fields);
	if (lost)
		qs_log_line(QS_LOG_EVENT, "lines_lost", ",\"count\":%u", lost);
	qs_log_release();
	free(lines);
}
