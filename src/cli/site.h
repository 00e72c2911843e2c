/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * site.h - what slurm.conf and gres.conf say of nodes, partitions and plugins
 *
 * Read for `qshare check`, on any machine: no Slurm is asked. Lenient: what it
 * does not know it skips, since slurmctld is the judge of these files.
 */
#ifndef QS_CLI_SITE_H
#define QS_CLI_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/document.h"
#include "conf/error.h"
#include "engine/policy.h"

/* More nodes than this are taken for a mistake in a host list. */
#define QS_SITE_NODES_MAX 200000

struct qs_site_gpu {
	char *type; /* "" for GPUs without a type */
	int64_t count;
};

struct qs_site_node {
	char *name;
	char *features; /* or NULL */
	struct qs_site_gpu *gpus;
	size_t ngpus;
};

struct qs_site_part {
	char *name;
	bool *has; /* [nnodes] */
};

struct qs_site {
	struct qs_document slurm, gres; /* gres is empty if there is none */
	struct qs_site_node *nodes;     /* by name */
	size_t nnodes;
	struct qs_site_part *parts; /* in the order of the file */
	size_t nparts;
	bool autodetect; /* gres.conf leaves it to the nodes */
};

/*
 * gres_conf NULL: gres.conf beside slurm_conf, if there is one. NULL with *err.
 * Blocks on the file system.
 */
struct qs_site *qs_site_read(const char *slurm_conf, const char *gres_conf,
			     struct qs_error *err);
void qs_site_free(struct qs_site *site);

/* The value of a key that stands alone in slurm.conf; the last one counts, as
 * for Slurm. NULL: not there. */
const char *qs_site_value(const struct qs_site *site, const char *key);
/* Is word in a comma list, compared without case? */
bool qs_site_lists(const char *list, const char *word);

/*
 * Calls fn for each name of a host list, "a[1-3,07],b[1-2]c[1-2]", until it
 * returns non-zero, and returns that; -1 if the list is no host list.
 */
int qs_hosts_each(const char *list, int (*fn)(const char *name, void *arg),
		  void *arg);

/* site_check.c: what of the policy does not fit the site. */
void qs_site_check(const struct qs_site *site, const struct qs_policy *policy,
		   struct qs_warnings *warnings);

#endif
