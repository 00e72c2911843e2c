/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * time.c - the two clocks of the runtime
 *
 * Any thread, never blocks. The engine sees neither: it is given a time.
 * Wall time is what slurmctld's records and people have. Whatever waits for
 * something to be over, counts by the other clock, which nobody can set.
 */
#include "runtime/inner.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

int64_t qs_now(void)
{
	return (int64_t)time(NULL);
}

int64_t qs_since(int64_t then)
{
	int64_t sec = qs_now() - then;

	return sec > 0 ? sec : 0;
}

int64_t qs_tick(void)
{
	return qs_mono_us() / 1000000;
}

int64_t qs_mono_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

void qs_boot_id(char *id, size_t size)
{
	int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, id, size - 1);

	if (fd >= 0)
		close(fd);
	id[n > 0 ? n : 0] = '\0';
	id[strcspn(id, "\n")] = '\0';
}

/*
 * After another boot, or on another host, the two clocks have nothing to do
 * with each other. What passed meanwhile is then not counted, since by the
 * wall clocks of two hosts a grace time could be over at once: nobody's time
 * gets shorter, at worst it begins again.
 */
int64_t qs_mono_recall(const char *boot, int64_t written, int64_t then)
{
	int64_t now = qs_mono_us(), age = written - then;
	char mine[64];

	if (!then)
		return 0;
	qs_boot_id(mine, sizeof(mine));
	if (mine[0] && !strcmp(mine, boot) && written <= now)
		return then;
	then = now - (age > 0 ? age : 0);
	return then ? then : 1;
}

/* Wall seconds less monotonic ones; both only by the thread, or before it. */
static int64_t offset;
static bool offset_known;

#define STEP_LEAST 3 /* less is the rounding of two clocks, or a slow machine */

void qs_clock_recall(const char *boot, int64_t wall, int64_t mono_us)
{
	char mine[64];

	qs_boot_id(mine, sizeof(mine));
	offset_known = mine[0] && !strcmp(mine, boot) && wall &&
		       mono_us <= qs_mono_us();
	offset = wall - mono_us / 1000000;
}

int64_t qs_clock_set_back(void)
{
	int64_t now = qs_now() - qs_tick(), back = 0;

	if (offset_known && offset - now >= STEP_LEAST)
		back = offset - now;
	offset = now;
	offset_known = true;
	return back;
}
