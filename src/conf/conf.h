/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf.h - quota_share.conf into a policy, and back
 *
 * A policy is read as a whole or not at all (R18). It comes out sealed: all
 * references resolved, quotas[] dense, and in an order of its own (queues by
 * name, shares by queue and name, types by name), so that two files with the
 * same lines in any order give the same policy.
 */
#ifndef QS_CONF_H
#define QS_CONF_H

#include <stdio.h>

#include "conf/error.h"
#include "engine/policy.h"

/*
 * Read a policy. The caller frees it with qs_policy_free(). NULL with *err and
 * errno if anything is wrong. *warnings is added to; it may be NULL, or
 * zeroed by the caller. May block on the file system.
 */
struct qs_policy *qs_conf_read_file(const char *path,
				    struct qs_warnings *warnings,
				    struct qs_error *err);
/* The text of a file. name: what messages call it. dir: where Include looks
 * for relative names; NULL: Include is an error. */
struct qs_policy *qs_conf_read_text(const char *name, const char *dir,
				    const char *text, size_t n,
				    struct qs_warnings *warnings,
				    struct qs_error *err);
/* The same as an array of lines without their ends. */
struct qs_policy *qs_conf_read_lines(const char *name, const char *dir,
				     const char *const *lines, size_t n,
				     struct qs_warnings *warnings,
				     struct qs_error *err);

/*
 * Print a policy as a canonical quota_share.conf: what is at its default is
 * left out, and reading it again gives an equal policy. The caller frees the
 * text. NULL with errno: ENOMEM, or EINVAL for a text that the file's syntax
 * cannot hold (a control character; no policy that was read has one).
 */
char *qs_conf_print(const struct qs_policy *policy);

/*
 * Are two policies the same agreement? Line numbers do not count. When not,
 * *what says where they differ first, e.g. "share A: Capacity" (NULL is fine).
 */
bool qs_conf_equal(const struct qs_policy *a, const struct qs_policy *b,
		   char *what, size_t size);

#endif
