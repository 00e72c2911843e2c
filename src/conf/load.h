/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.h - a whole regular file in memory
 */
#ifndef QS_LOAD_H
#define QS_LOAD_H

#include <stddef.h>
#include <sys/types.h>

/* Which file it was, under whatever name. */
struct qs_file_id {
	dev_t dev;
	ino_t ino;
};

/*
 * Read a regular file of at most max bytes. *text is the caller's (free) and
 * NUL-terminated behind its *n bytes. id may be NULL. Returns 0, or -1 with
 * *problem in words (good until the next strerror()).
 */
int qs_load_file(const char *path, size_t max, char **text, size_t *n,
		 struct qs_file_id *id, const char **problem);

#endif
