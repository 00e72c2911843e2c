/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strict_scan.h - finds a key that an object has twice
 */
#ifndef QS_STRICT_SCAN_H
#define QS_STRICT_SCAN_H

#include <stdbool.h>
#include <stddef.h>

struct qs_scan_twice {
	size_t offset; /* of the second one */
	char key[64];  /* cut if longer */
};

/* The text must be well-formed JSON of less than 64 levels. True if it has a
 * doubled key. */
bool qs_scan_twice(const char *text, size_t n, struct qs_scan_twice *twice);

#endif
