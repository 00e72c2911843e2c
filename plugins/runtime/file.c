/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.c - the files that the runtime writes, safely
 *
 * See file.h. Its surprise: a log may be a device, as /dev/null is, but nothing
 * that could block: not a FIFO, not a terminal.
 */
#include "runtime/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A log of more than so many bytes is moved away; so many are kept. */
#define LOG_BYTES (32L * 1024 * 1024)
#define LOG_KEPT  4
#define LOG_MODE  0640

/* The folder that a file is in. */
static void folder_of(const char *path, char *folder, size_t size)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		snprintf(folder, size, ".");
	else if (slash == path)
		snprintf(folder, size, "/");
	else
		snprintf(folder, size, "%.*s", (int)(slash - path), path);
}

static int write_all(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t wrote = write(fd, text, n);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0) {
			errno = wrote ? errno : ENOSPC;
			return -1;
		}
		text += wrote;
		n -= (size_t)wrote;
	}
	return 0;
}

/* A rename is on the disk when its folder is. Not all file systems can. */
static void sync_folder(const char *path)
{
	char folder[PATH_MAX];
	int fd;

	folder_of(path, folder, sizeof(folder));
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

int qs_file_replace(const char *path, const char *head, const char *body,
		    size_t n, const char **why)
{
	char fresh[PATH_MAX];
	int fd, rc;

	snprintf(fresh, sizeof(fresh), "%s.new", path);
	(void)unlink(fresh);
	fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  0600);
	if (fd < 0) {
		*why = strerror(errno);
		return -1;
	}
	rc = write_all(fd, head, strlen(head));
	if (!rc)
		rc = write_all(fd, body, n);
	if (!rc)
		rc = fsync(fd);
	if (close(fd))
		rc = -1;
	if (!rc)
		rc = rename(fresh, path);
	if (rc) {
		*why = strerror(errno);
		(void)unlink(fresh);
		return -1;
	}
	sync_folder(path);
	return 0;
}

static int open_log(const char *path, struct stat *st, const char **why)
{
	char folder[PATH_MAX];
	mode_t mode = LOG_MODE;
	int fd;

	folder_of(path, folder, sizeof(folder));
	if (!stat(folder, st))
		mode &= st->st_mode;
	fd = open(path,
		  O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
			  O_NOCTTY | O_CLOEXEC,
		  mode);
	if (fd < 0) {
		*why = errno == ELOOP ? "it is a symbolic link" :
		       errno == ENXIO ? "it is not a plain file" :
					strerror(errno);
		return -1;
	}
	if (fstat(fd, st) || isatty(fd) ||
	    !(S_ISREG(st->st_mode) || S_ISCHR(st->st_mode))) {
		*why = "it is not a plain file";
		close(fd);
		return -1;
	}
	return fd;
}

/* True: it was moved, open it anew. */
static bool rotate(const char *path, const struct stat *st)
{
	char from[PATH_MAX + 16], to[PATH_MAX + 16];

	if (!S_ISREG(st->st_mode) || st->st_size < LOG_BYTES)
		return false;
	for (int i = LOG_KEPT; i > 1; i--) {
		snprintf(from, sizeof(from), "%s.%d", path, i - 1);
		snprintf(to, sizeof(to), "%s.%d", path, i);
		(void)rename(from, to);
	}
	snprintf(to, sizeof(to), "%s.1", path);
	return !rename(path, to);
}

int qs_file_append(const char *path, const char *line, size_t n,
		   const char **why)
{
	struct stat st;
	int fd = open_log(path, &st, why);
	ssize_t wrote;

	if (fd >= 0 && rotate(path, &st)) {
		close(fd);
		fd = open_log(path, &st, why);
	}
	if (fd < 0)
		return -1;
	do
		wrote = write(fd, line, n);
	while (wrote < 0 && errno == EINTR);
	if (wrote == (ssize_t)n) {
		close(fd);
		return 0;
	}
	/* A disk that is full takes what it can: half a line would spoil the
	 * next one, too. Nobody else writes here. */
	*why = strerror(wrote < 0 ? errno : ENOSPC);
	if (wrote > 0 && S_ISREG(st.st_mode) && !fstat(fd, &st) &&
	    ftruncate(fd, st.st_size - wrote))
		*why = "it ends with half a line";
	close(fd);
	return -1;
}

int qs_file_set_aside(const char *path, char *to, size_t size)
{
	snprintf(to, size, "%s.refused", path);
	if (!rename(path, to))
		return 0;
	/* A folder does not give way to a file, nor a file to a folder. */
	snprintf(to, size, "%s.refused.%ld", path, (long)getpid());
	return rename(path, to);
}
