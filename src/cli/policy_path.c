/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy_path.c - where the policy file is unless somebody says otherwise
 *
 * Called by the commands that read one. Never blocks: nothing is opened.
 */
#include "cli/policy_path.h"

#include <stdlib.h>
#include <string.h>

#define POLICY_FILE "quota_share.conf"

char *qs_path_beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) + 1 : 0;
	char *text = malloc(n + strlen(name) + 1);

	if (text) {
		memcpy(text, path, n);
		strcpy(text + n, name);
	}
	return text;
}

char *qs_policy_path(void)
{
	const char *conf = getenv("SLURM_CONF");

	if (!conf || !strchr(conf, '/'))
		return strdup("/etc/slurm/" POLICY_FILE);
	return qs_path_beside(conf, POLICY_FILE);
}
