/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events_read.c - lines of a log, what was rotated away first
 *
 * Called by events and observe. Blocks on the file system. Its surprise: a
 * file that is rotated while it is read may have its lines twice or not at
 * all; each line is whole in any case.
 */
#ifdef HAVE_CONFIG_H
#include "qs_config.h"
#endif

#include "cli/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/online.h"
#include "cli/progress.h"

/* As many as the runtime keeps (runtime/events.h), and a site some more. */
#define KEPT_MAX 30

int64_t qs_events_time(struct json_object *event)
{
	const char *text = qs_online_text(event, "time", "");
	struct tm tm = { 0 };
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);

	return end && !strcmp(end, "Z") ? (int64_t)timegm(&tm) : 0;
}

/* Is the word in the comma list? */
static bool listed(const char *list, const char *word)
{
	size_t n = strlen(word);

	while (*list) {
		size_t item = strcspn(list, ",");

		if (item == n && !strncmp(list, word, n))
			return true;
		list += item + (list[item] == ',');
	}
	return false;
}

bool qs_events_match(const struct qs_events_filter *filter,
		     struct json_object *event)
{
	int64_t time = qs_events_time(event);

	if (time < filter->since || (filter->until && time > filter->until))
		return false;
	if (filter->event &&
	    !listed(filter->event, qs_online_text(event, "event", "")))
		return false;
	if (filter->share &&
	    strcmp(filter->share, qs_online_text(event, "share", "")))
		return false;
	if (filter->job && qs_online_number(event, "job", 0) != filter->job &&
	    qs_online_number(event, "for", 0) != filter->job)
		return false;
	return filter->user < 0 ||
	       qs_online_number(event, "uid", -1) == filter->user;
}

static int read_file(FILE *file,
		     int (*fn)(struct json_object *event, void *arg), void *arg,
		     size_t *bad)
{
	struct stat st = { 0 };
	char *line = NULL;
	size_t size = 0, lines = 0;
	int rc = 0;

	fstat(fileno(file), &st);
	while (!rc && getline(&line, &size, file) >= 0) {
		if (!(++lines % 1000))
			qs_progress_at(ftell(file), (int64_t)st.st_size);
		struct json_object *event = json_tokener_parse(line);

		if (json_object_is_type(event, json_type_object))
			rc = fn(event, arg);
		else
			(*bad)++;
		json_object_put(event);
	}
	free(line);
	return rc;
}

int qs_events_read(const char *path,
		   int (*fn)(struct json_object *event, void *arg), void *arg,
		   size_t *bad)
{
	size_t n = strlen(path) + 8;
	char *name = malloc(n);
	bool any = false;
	int rc = 0, error = ENOENT;

	*bad = 0;
	for (int i = KEPT_MAX; name && !rc && i >= 0; i--) {
		FILE *file;

		snprintf(name, n, i ? "%s.%d" : "%s", path, i);
		file = fopen(name, "re");
		if (!file) {
			if (!i)
				error = errno;
			continue;
		}
		any = true;
		rc = read_file(file, fn, arg, bad);
		fclose(file);
	}
	free(name);
	if (any)
		return rc;
	errno = error;
	return -1;
}

/* "now-2hours", "now-30minutes"; a number alone is seconds. */
static int relative(const char *text, int64_t now, int64_t *when)
{
	static const struct {
		const char *word;
		int64_t seconds;
	} units[] = {
		{ "second", 1 },  { "minute", 60 },   { "hour", 3600 },
		{ "day", 86400 }, { "week", 604800 }, { "min", 60 },
		{ "sec", 1 },
	};
	char *end;
	long long count;

	*when = now;
	if (!*text)
		return 0;
	if (*text != '-')
		return -1;
	count = strtoll(text + 1, &end, 10);
	if (end == text + 1 || count < 0 || count > 1000000000)
		return -1;
	*when = now - count;
	if (!*end)
		return 0;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t n = strlen(units[i].word);

		if (strncmp(end, units[i].word, n) ||
		    (end[n] && strcmp(end + n, "s")))
			continue;
		*when = now - count * units[i].seconds;
		return 0;
	}
	return -1;
}

int qs_events_when(const char *text, int64_t now, int64_t *when)
{
	static const char *const formats[] = { "%Y-%m-%dT%H:%M:%S",
					       "%Y-%m-%dT%H:%M", "%Y-%m-%d",
					       "%H:%M:%S", "%H:%M" };
	char *stop;

	if (!strncmp(text, "now", 3))
		return relative(text + 3, now, when);
	if (*text == '@') {
		*when = strtoll(text + 1, &stop, 10);
		return text[1] && !*stop && *when >= 0 ? 0 : -1;
	}
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		time_t today = (time_t)now;
		struct tm tm;
		const char *end;

		localtime_r(&today, &tm);
		tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
		tm.tm_isdst = -1;
		end = strptime(text, formats[i], &tm);
		if (!end || *end)
			continue;
		*when = mktime(&tm);
		return 0;
	}
	return -1;
}
