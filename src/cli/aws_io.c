/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aws_io.c - what the commands about AWS share: files, and two options
 *
 * Called by those commands. Blocks on the file system. The surprise: what is
 * written is written beside its place and renamed, so that an error leaves
 * nothing half done.
 */
#include "cli/aws_io.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aws/arn.h"
#include "cli/cli.h"
#include "cli/policy_path.h"
#include "conf/conf.h"
#include "conf/document.h"
#include "conf/load.h"

#ifndef QS_PKGDATADIR
#define QS_PKGDATADIR "/usr/share/slurm-quota-share"
#endif

int qs_io_region(const char *name, const char **to)
{
	*to = optarg;
	return qs_arn_is_region(optarg) ?
		       -1 :
		       qs_cli_usage(name,
				    "--region=%s: expected a region as "
				    "us-east-1",
				    optarg);
}

int qs_io_account(const char *name, const char **to)
{
	*to = optarg;
	return qs_arn_is_account(optarg) ?
		       -1 :
		       qs_cli_usage(name,
				    "--account=%s: expected the 12 digits of "
				    "an account",
				    optarg);
}

int qs_io_instances(const char *name, const char *path,
		    struct qs_instances *table)
{
	struct qs_error err;

	if (!path)
		path = getenv("QSHARE_INSTANCES");
	if (!path || !*path)
		path = QS_PKGDATADIR "/instance_types.csv";
	if (!qs_instances_read_file(table, path, &err))
		return 0;
	qs_cli_error(name, "%s", err.text);
	return -1;
}

static int fail_read(const char *name, const char *path, const char *problem)
{
	qs_cli_error(name, "%s: %s", path, problem);
	return -1;
}

static int read_stdin(const char *name, size_t max, char **text, size_t *n)
{
	size_t size = 0;

	do {
		char *more;

		size = size ? size * 2 : 65536;
		more = realloc(*text, size);
		if (!more)
			return fail_read(name, "standard input",
					 "out of memory");
		*text = more;
		*n += fread(*text + *n, 1, size - *n, stdin);
	} while (*n == size && size <= max);
	if (ferror(stdin))
		return fail_read(name, "standard input", strerror(errno));
	if (*n > max)
		return fail_read(name, "standard input", "it is too large");
	return 0;
}

int qs_io_read(const char *name, const char *path, size_t max, char **text,
	       size_t *n)
{
	const char *problem;

	*text = NULL;
	*n = 0;
	if (!strcmp(path, "-")) {
		if (!read_stdin(name, max, text, n))
			return 0;
		free(*text);
		*text = NULL;
		return -1;
	}
	if (!qs_load_file(path, max, text, n, NULL, &problem))
		return 0;
	return fail_read(name, path, problem);
}

struct qs_policy *qs_io_policy(const char *name, const char *path, char **file)
{
	struct qs_policy *policy = NULL;
	struct qs_error err = { 0 };
	char *text;
	size_t n;

	*file = path ? strdup(path) : qs_policy_path();
	if (!*file) {
		qs_cli_error(name, "out of memory");
		return NULL;
	}
	if (strcmp(*file, "-")) {
		policy = qs_conf_read_file(*file, NULL, &err);
	} else if (!qs_io_read(name, "-", QS_FILE_BYTES_MAX, &text, &n)) {
		policy = qs_conf_read_text("standard input", ".", text, n, NULL,
					   &err);
		free(text);
	}
	if (!policy && *err.text)
		qs_cli_error(name, "%s", err.text);
	return policy;
}

static int put(int fd, const char *text)
{
	size_t n = strlen(text);

	while (n) {
		ssize_t done = write(fd, text, n);

		if (done < 0 && errno != EINTR)
			return -1;
		if (done < 0)
			continue;
		text += done;
		n -= (size_t)done;
	}
	return 0;
}

int qs_io_write(const char *name, const char *path, const char *text,
		bool executable)
{
	size_t size = strlen(path) + 8;
	char *temp = malloc(size);
	mode_t mask = umask(0);
	int fd, rc = -1;

	umask(mask);
	if (!temp) {
		qs_cli_error(name, "out of memory");
		return -1;
	}
	snprintf(temp, size, "%s.XXXXXX", path);
	fd = mkstemp(temp);
	if (fd >= 0) {
		rc = put(fd, text);
		if (!rc)
			rc = fchmod(fd, (executable ? 0777 : 0666) & ~mask);
		if (close(fd))
			rc = -1;
		if (!rc)
			rc = rename(temp, path);
		if (rc)
			unlink(temp);
	}
	if (rc)
		qs_cli_error(name, "%s: %s", path, strerror(errno));
	free(temp);
	return rc;
}

static bool is_empty(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool empty = dir != NULL;

	while (empty && (entry = readdir(dir)))
		empty = !strcmp(entry->d_name, ".") ||
			!strcmp(entry->d_name, "..");
	if (dir)
		closedir(dir);
	return empty;
}

/* The caller's (free). NULL: said that there is no memory. */
static char *join(const char *name, const char *dir, const char *file)
{
	size_t size = strlen(dir) + strlen(file) + 2;
	char *path = malloc(size);

	if (path)
		snprintf(path, size, "%s/%s", dir, file);
	else
		qs_cli_error(name, "out of memory");
	return path;
}

int qs_io_write_all(const char *name, const char *dir,
		    const struct qs_export_files *files)
{
	bool made = !mkdir(dir, 0777);
	size_t done = 0;
	int rc = 0;

	if (!made && (errno != EEXIST || !is_empty(dir))) {
		qs_cli_error(name, "%s: %s", dir,
			     errno == EEXIST ? "it is there and not an empty "
					       "folder" :
					       strerror(errno));
		return -1;
	}
	for (; !rc && done < files->n; done++) {
		const struct qs_export_file *file = &files->items[done];
		char *path = join(name, dir, file->name);

		rc = path ? qs_io_write(name, path, file->text,
					file->executable) :
			    -1;
		free(path);
	}
	while (rc && done) {
		char *path = join(name, dir, files->items[--done].name);

		if (path)
			unlink(path);
		free(path);
	}
	if (rc && made)
		rmdir(dir);
	return rc;
}

void qs_io_notes(const char *name, const struct qs_notes *notes)
{
	for (size_t i = 0; i < notes->n; i++) {
		char *line = qs_note_line(&notes->items[i]);

		fprintf(stderr, "qshare %s: %s\n", name,
			line ? line : "out of memory");
		free(line);
	}
}
