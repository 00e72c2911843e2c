/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.c - the event log and the audit log, a JSON object a line (R18, R22)
 *
 * Called by our thread with no lock held; blocks on the file system. Each line
 * is one write() to a file opened for appending, so a log rotated by renaming
 * goes on in a new file and no line is torn. A log that cannot be written is
 * told once and does not hold up anything.
 */
#include "runtime/inner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A log of more than so many bytes is moved away; so many are kept. */
#define LOG_BYTES (32L * 1024 * 1024)
#define LOG_KEPT  4
/* One write() of this size is still one piece on a local file system. */
#define LINE_MAX_BYTES 16384
/* Lines that wait for the thread; more are counted, not kept. */
#define LATER_MAX 128

struct later {
	const char *what;
	char fields[512];
};

static struct later later[LATER_MAX];
static unsigned nlater, nlost;

static const char *const default_name[] = {
	[QS_LOG_EVENT] = "quota_share.events.jsonl",
	[QS_LOG_AUDIT] = "quota_share.audit.jsonl",
};

char *qs_log_quote(const char *text, char *out, size_t size)
{
	size_t n = 0;

	if (size < 8) {
		if (size)
			out[0] = '\0';
		return out;
	}
	out[n++] = '"';
	for (; text && *text && n < size - 8; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\') {
			out[n++] = '\\';
			out[n++] = (char)c;
		} else if (c < 0x20) {
			n += (size_t)snprintf(out + n, 7, "\\u%04x", c);
		} else {
			out[n++] = (char)c;
		}
	}
	out[n++] = '"';
	out[n] = '\0';
	return out;
}

static void path_of(enum qs_log which, char *path, size_t size)
{
	const struct qs_policy *policy = qs_runtime_policy_get();
	const char *given = !policy               ? NULL :
			    which == QS_LOG_EVENT ? policy->event_log :
						    policy->audit_log;

	if (given)
		snprintf(path, size, "%s", given);
	else
		snprintf(path, size, "%s/%s", slurm_conf.state_save_location,
			 default_name[which]);
	qs_runtime_policy_put(policy);
}

/* A file that grew too large becomes PATH.1, that one PATH.2, …; the oldest
 * goes. True: it was moved, open it anew. */
static bool rotate(const char *path, int fd)
{
	char from[4096 + 16], to[4096 + 16];
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < LOG_BYTES)
		return false;
	for (int i = LOG_KEPT; i > 1; i--) {
		snprintf(from, sizeof(from), "%s.%d", path, i - 1);
		snprintf(to, sizeof(to), "%s.%d", path, i);
		(void)rename(from, to);
	}
	snprintf(to, sizeof(to), "%s.1", path);
	return !rename(path, to);
}

static void append(enum qs_log which, const char *line, size_t n)
{
	static bool told[2];
	char path[4096];
	int fd;

	path_of(which, path, sizeof(path));
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
	if (fd >= 0 && rotate(path, fd)) {
		close(fd);
		fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC,
			  0640);
	}
	if (fd < 0 || write(fd, line, n) != (ssize_t)n) {
		if (!told[which])
			error("quota_share: %s: cannot write: %s", path,
			      strerror(errno));
		told[which] = true;
	} else {
		told[which] = false;
	}
	if (fd >= 0)
		close(fd);
}

void qs_log_line(enum qs_log which, const char *what, const char *fmt, ...)
{
	char *line = malloc(LINE_MAX_BYTES), stamp[32];
	time_t now = time(NULL);
	struct tm tm;
	va_list args;
	size_t n;
	int more;

	if (!line)
		return;
	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", &tm);
	n = (size_t)snprintf(line, LINE_MAX_BYTES,
			     "{\"time\":\"%s\",\"event\":\"%s\"", stamp, what);
	va_start(args, fmt);
	more = vsnprintf(line + n, LINE_MAX_BYTES - n - 2, fmt, args);
	va_end(args);
	/* Half a line would not be JSON: leave the fields away. */
	if (more > 0 && n + (size_t)more < LINE_MAX_BYTES - 2)
		n += (size_t)more;
	line[n++] = '}';
	line[n++] = '\n';
	append(which, line, n);
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
	for (unsigned i = 0; lines && i < n; i++)
		qs_log_line(QS_LOG_EVENT, lines[i].what, "%s", lines[i].fields);
	if (lost)
		qs_log_line(QS_LOG_EVENT, "lines_lost", ",\"count\":%u", lost);
	free(lines);
}
