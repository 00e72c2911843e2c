/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aws_io.h - what the commands about AWS share: files, and two options
 *
 * All functions say what is wrong on stderr; name is the subcommand. They
 * return 0, or -1, where nothing else is said.
 */
#ifndef QS_CLI_AWS_IO_H
#define QS_CLI_AWS_IO_H

#include "aws/documents.h"
#include "aws/instances.h"
#include "engine/policy.h"

/* The table of instance types: the given file, else $QSHARE_INSTANCES, else
 * the installed one. The caller clears it in any case. */
int qs_io_instances(const char *name, const char *path,
		    struct qs_instances *table);

/* A whole file, or standard input where path is "-"; *text is the caller's. */
int qs_io_read(const char *name, const char *path, size_t max, char **text,
	       size_t *n);

/* A policy file; NULL: quota_share.conf beside slurm.conf. *file is what was
 * read, the caller's (free). NULL: said why. */
struct qs_policy *qs_io_policy(const char *name, const char *path, char **file);

/* A text as a file: all of it, or the file stays as it was. */
int qs_io_write(const char *name, const char *path, const char *text,
		bool executable);

/* All files in a folder that is new, or empty: all of them, or none. */
int qs_io_write_all(const char *name, const char *dir,
		    const struct qs_export_files *files);

/* The values of --region and --account, looked at, into *to. Return -1 to go on,
 * or an exit code, as qs_cli_parser's take. */
int qs_io_region(const char *name, const char **to);
int qs_io_account(const char *name, const char **to);

/* The notes, a line each. */
void qs_io_notes(const char *name, const struct qs_notes *notes);

#endif
