/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h - a line on the terminal while something takes long
 *
 * "qshare reload: waiting for slurmctld to read its files again (3 s)". On
 * standard error, if that is a terminal, from the second second on; gone when
 * it is done. Otherwise nothing is printed and nothing is started.
 */
#ifndef QS_CLI_PROGRESS_H
#define QS_CLI_PROGRESS_H

#include <stdint.h>

/* what: "waiting for ..."; it must live until the end. One at a time: inside
 * of another one, begin and end do nothing. */
void qs_progress_begin(const char *name, const char *what);
/* So much is done of so much, in whatever unit; of 0: not known. */
void qs_progress_at(int64_t done, int64_t of);
/* Takes the line away, for a message; it comes again. */
void qs_progress_hide(void);
/* Takes it away for good. Before anything else is printed. */
void qs_progress_end(void);

#endif
