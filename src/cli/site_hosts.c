/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * site_hosts.c - the names in a host list
 *
 * Called while slurm.conf is read, where no Slurm need be installed. Never
 * blocks. Its surprise: a range keeps the width of its first number, so
 * [08-10] is 08, 09, 10 and [8-10] is 8, 9, 10.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/site.h"

#define NAME_MAX_BYTES 256
/* Names from one range; more is a slip of the pen. */
#define RANGE_MAX 100000

struct hosts {
	int (*fn)(const char *name, void *arg);
	void *arg;
	char name[NAME_MAX_BYTES];
};

/* Where the item ends: at a comma outside brackets. */
static const char *item_end(const char *at)
{
	int depth = 0;

	for (; *at && (depth || *at != ','); at++)
		depth += (*at == '[') - (*at == ']');
	return at;
}

static int expand(struct hosts *hosts, size_t n, const char *at,
		  const char *end);

static int with_number(struct hosts *hosts, size_t n, long value, int width,
		       const char *rest, const char *end)
{
	int wrote = snprintf(hosts->name + n, sizeof(hosts->name) - n, "%0*ld",
			     width, value);

	if (wrote < 0 || (size_t)wrote >= sizeof(hosts->name) - n)
		return -1;
	return expand(hosts, n + (size_t)wrote, rest, end);
}

/* One "a-b" or "a" of the brackets; *at is moved behind it. */
static int range(struct hosts *hosts, size_t n, const char **at,
		 const char *rest, const char *end)
{
	char *stop;
	long first, last;
	int width, rc = 0;

	if (**at < '0' || **at > '9')
		return -1;
	first = last = strtol(*at, &stop, 10);
	width = (int)(stop - *at);
	if (*stop == '-') {
		if (stop[1] < '0' || stop[1] > '9')
			return -1;
		last = strtol(stop + 1, &stop, 10);
	}
	*at = stop;
	if (width > 18 || last < first || last - first > RANGE_MAX)
		return -1;
	for (long i = first; !rc && i <= last; i++)
		rc = with_number(hosts, n, i, width, rest, end);
	return rc;
}

/* The first n characters of the name are done; at..end is the rest of the
 * item. */
static int expand(struct hosts *hosts, size_t n, const char *at,
		  const char *end)
{
	const char *rest;
	int rc = 0;

	for (; at < end && *at != '['; at++) {
		if (n + 1 >= sizeof(hosts->name) || *at == ']')
			return -1;
		hosts->name[n++] = *at;
	}
	if (at == end) {
		hosts->name[n] = '\0';
		return n ? hosts->fn(hosts->name, hosts->arg) : 0;
	}
	rest = memchr(at, ']', (size_t)(end - at));
	if (!rest)
		return -1;
	for (at++; !rc && at < rest; at += *at == ',')
		rc = range(hosts, n, &at, rest + 1, end);
	return rc;
}

int qs_hosts_each(const char *list, int (*fn)(const char *name, void *arg),
		  void *arg)
{
	struct hosts hosts = { .fn = fn, .arg = arg };
	int rc = 0;

	while (!rc && *list) {
		const char *end = item_end(list);

		rc = expand(&hosts, 0, list, end);
		list = end + (*end == ',');
	}
	return rc;
}
