/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.c - a whole regular file in memory
 *
 * Called by the readers. Blocks on the file system, but never on a FIFO or a
 * device: slurmctld calls this too.
 */
#include "conf/load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *check(int fd, size_t max, struct stat *st)
{
	if (fstat(fd, st))
		return strerror(errno);
	if (!S_ISREG(st->st_mode))
		return "it is not a regular file";
	if (st->st_size < 0 || (size_t)st->st_size > max)
		return "it is too large";
	return NULL;
}

int qs_load_file(const char *path, size_t max, char **text, size_t *n,
		 struct qs_file_id *id, const char **problem)
{
	struct stat st;
	ssize_t got = 0;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	*text = NULL;
	*n = 0;
	*problem = fd < 0 ? strerror(errno) : check(fd, max, &st);
	if (*problem)
		goto fail;
	if (id)
		*id = (struct qs_file_id){ st.st_dev, st.st_ino };
	*text = malloc((size_t)st.st_size + 1);
	if (!*text) {
		*problem = "out of memory";
		goto fail;
	}
	while (*n < (size_t)st.st_size) {
		got = read(fd, *text + *n, (size_t)st.st_size - *n);
		if (got <= 0)
			break;
		*n += (size_t)got;
	}
	if (got < 0) {
		*problem = strerror(errno);
		goto fail;
	}
	(*text)[*n] = '\0';
	close(fd);
	return 0;
fail:
	if (fd >= 0)
		close(fd);
	free(*text);
	*text = NULL;
	return -1;
}
