/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.c - a line for each thing that happened; callable by all threads */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "sim.h"

static FILE *trace;

int64_t sim_now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int sim_trace_open(const char *path)
{
	if (!path)
		return 0;
	trace = fopen(path, "ae");
	if (!trace) {
		sim_say("%s: %s", path, strerror(errno));
		return -1;
	}
	setvbuf(trace, NULL, _IOLBF, 0);
	return 0;
}

/* One call of stdio a line: its own lock keeps lines whole. */
void sim_trace(const char *what, uint32_t job, int node, const char *format,
	       ...)
{
	int64_t now = sim_now_us();
	char detail[256];
	va_list args;

	if (!trace)
		return;
	va_start(args, format);
	vsnprintf(detail, sizeof(detail), format, args);
	va_end(args);
	fprintf(trace, "%" PRId64 ".%06d %s %u %s%s%s\n", now / 1000000,
		(int)(now % 1000000), what, job, sim_node(node)->name,
		*detail ? " " : "", detail);
}

void sim_say(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "simslurmd: %s\n", text);
}
