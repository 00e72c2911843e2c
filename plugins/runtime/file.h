/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h - the files that the runtime writes, safely
 *
 * slurmctld may run as root and writes into folders that others may be able to
 * write into as well. So nothing here follows a link in the place of a file,
 * writes into what is not a plain file, or leaves half of something behind.
 * All block on the file system; hold no lock. Any thread. Errors: -1, and *why
 * in words, good until the next strerror().
 */
#ifndef QS_RUNTIME_FILE_H
#define QS_RUNTIME_FILE_H

#include <stddef.h>

/*
 * path becomes head and body, or stays what it was: a new file beside it that
 * nobody else has made, synced, then renamed over whatever stands there. Mode
 * 0600, as slurmctld's own files in StateSaveLocation.
 */
int qs_file_replace(const char *path, const char *head, const char *body,
		    size_t n, const char **why);

/*
 * Adds a line to a log, whole or not at all, and makes the log if there is
 * none: 0640, less what the folder's own mode does not allow. A log of more
 * than a certain size is first renamed to PATH.1, that to PATH.2 and so on; the
 * oldest goes.
 */
int qs_file_append(const char *path, const char *line, size_t n,
		   const char **why);

/* Renames what stands in path to PATH.refused, so that it is not lost.
 * Returns 0, or -1 with errno. to gets the new name. */
int qs_file_set_aside(const char *path, char *to, size_t size);

#endif
