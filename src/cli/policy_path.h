/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy_path.h - where the policy file is unless somebody says otherwise
 */
#ifndef QS_CLI_POLICY_PATH_H
#define QS_CLI_POLICY_PATH_H

/* quota_share.conf beside slurm.conf ($SLURM_CONF, else /etc/slurm); the
 * caller's (free). NULL: no memory. */
char *qs_policy_path(void);
/* A file beside another one; the caller's (free). NULL: no memory. */
char *qs_path_beside(const char *path, const char *name);

#endif
