/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * duration.h - seconds as squeue writes them
 */
#ifndef QS_CLI_DURATION_H
#define QS_CLI_DURATION_H

#include <stddef.h>
#include <stdint.h>

/* 4:05, 1:02:03, 2-03:04; less than nothing is 0:00. 32 bytes are enough. */
void qs_duration_text(int64_t seconds, char *text, size_t size);

#endif
