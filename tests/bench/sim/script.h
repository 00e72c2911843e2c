/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * script.h - what a batch script would do, without running it
 *
 * Read from its text, so that the same script does the same on a real node:
 *
 *	sleep 12.5                 the first one is how long it runs (else 0)
 *	trap 'exit 3' TERM USR1    ends with 3 on these signals
 *	trap '' TERM, trap : TERM  lives on
 *
 * Without a trap a signal ends it. One thing a real node does not know:
 *
 *	#SIM die=2500              milliseconds from being told to being gone
 */
#ifndef QS_SIM_SCRIPT_H
#define QS_SIM_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

struct sim_script {
	int64_t run_us;
	int64_t die_us;
	uint32_t trapped; /* bit per signal number */
	int trap_exit;    /* exit code on those, or -1: lives on */
};

/* text may be NULL; die_us is for scripts that do not say. */
struct sim_script sim_script_read(const char *text, int64_t die_us);

/* How a signal works on it. */
enum sim_fate {
	SIM_FATE_LIVES,
	SIM_FATE_ENDS
};

/* Sets *status, as wait(2) has it, for SIM_FATE_ENDS. */
enum sim_fate sim_script_signal(const struct sim_script *script, int sig,
				int *status);

#endif
