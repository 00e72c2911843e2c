/* SPDX-License-Identifier: GPL-2.0-or-later */
/* script.c - reads a batch script with a few string searches, see script.h */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "script.h"

static const struct {
	const char *name;
	int sig;
} signals[] = {
	{ "HUP", SIGHUP },   { "INT", SIGINT },   { "QUIT", SIGQUIT },
	{ "USR1", SIGUSR1 }, { "USR2", SIGUSR2 }, { "TERM", SIGTERM },
};

#define N_SIGNALS (sizeof(signals) / sizeof(signals[0]))

static uint32_t bit(int sig)
{
	return sig > 0 && sig < 32 ? UINT32_C(1) << sig : 0;
}

/* The signals named on the rest of a trap's line. */
static uint32_t named(const char *from, const char *end)
{
	uint32_t set = 0;

	for (size_t i = 0; i < N_SIGNALS; i++) {
		const char *at = strstr(from, signals[i].name);

		if (at && at < end)
			set |= bit(signals[i].sig);
	}
	return set;
}

static void read_trap(const char *text, struct sim_script *script)
{
	const char *at = strstr(text, "trap ");
	const char *end, *out;

	if (!at)
		return;
	end = at + strcspn(at, "\n");
	script->trapped = named(at, end);
	out = strstr(at, "exit");
	script->trap_exit = out && out < end ? atoi(out + 4) : -1;
}

/* The number behind a word, times unit; -1 if the word is not there. */
static int64_t number(const char *text, const char *word, double unit)
{
	const char *at = strstr(text, word);

	return at ? (int64_t)(strtod(at + strlen(word), NULL) * unit) : -1;
}

struct sim_script sim_script_read(const char *text, int64_t die_us)
{
	struct sim_script script = { .die_us = die_us, .trap_exit = -1 };
	int64_t die;

	if (!text)
		return script;
	script.run_us = number(text, "sleep ", 1e6);
	if (script.run_us < 0)
		script.run_us = 0;
	die = number(text, "#SIM die=", 1e3);
	if (die >= 0)
		script.die_us = die;
	read_trap(text, &script);
	return script;
}

enum sim_fate sim_script_signal(const struct sim_script *script, int sig,
				int *status)
{
	if (sig == SIGKILL) {
		*status = sig;
		return SIM_FATE_ENDS;
	}
	for (size_t i = 0; i < N_SIGNALS; i++) {
		if (signals[i].sig != sig)
			continue;
		if (!(script->trapped & bit(sig))) {
			*status = sig;
			return SIM_FATE_ENDS;
		}
		if (script->trap_exit < 0)
			return SIM_FATE_LIVES;
		*status = (script->trap_exit & 0xff) << 8;
		return SIM_FATE_ENDS;
	}
	return SIM_FATE_LIVES;
}
