/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instances.h - the table of AWS instance types and the GPUs in each
 *
 * A CSV file (etc/instance_types.csv, installed as data): the first line names
 * the columns, of which type, gpus and gpu must be there. Lines that are empty
 * or begin with # are skipped, columns that are not known too.
 */
#ifndef QS_INSTANCES_H
#define QS_INSTANCES_H

#include <stddef.h>
#include <stdint.h>

#include "conf/error.h"

/* No table is larger. */
#define QS_INSTANCES_BYTES_MAX (1024 * 1024)
/* More GPUs in one machine are a typing error. */
#define QS_INSTANCE_GPUS_MAX 1024

struct qs_instance {
	char *name;              /* e.g. ml.g5.xlarge */
	char *gpu;               /* model, e.g. a10g */
	uint32_t gpus;           /* at least 1 */
	uint32_t vcpus, mem_gib; /* 0: the table does not say */
};

struct qs_instances {
	struct qs_instance *items; /* in the order of the file */
	size_t n;
};

/* Return 0, or -1 with *err and errno. *table must be zeroed before and is to
 * be given to qs_instances_clear() in any case. The first blocks on the file
 * system; name is what messages call the text. */
int qs_instances_read_file(struct qs_instances *table, const char *path,
			   struct qs_error *err);
int qs_instances_read_text(struct qs_instances *table, const char *name,
			   const char *text, size_t n, struct qs_error *err);
void qs_instances_clear(struct qs_instances *table);

/* By exact name; NULL. */
const struct qs_instance *qs_instances_find(const struct qs_instances *table,
					    const char *name);

#endif
