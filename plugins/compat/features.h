/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * features.h - the list of nodes' features, wherever a version keeps it
 */
#ifndef QS_COMPAT_FEATURES_H
#define QS_COMPAT_FEATURES_H

#include "compat/compat.h"

#include "src/common/node_conf.h"
#if QS_SLURM_AT_LEAST(24, 11)
#include "src/common/node_features.h"
#elif QS_SLURM_AT_LEAST(24, 5)
#include "src/stepmgr/stepmgr.h"
#endif

/* The nodes that have a feature now, not to be freed; NULL: no node has. Node
 * read lock. */
static inline bitstr_t *qs_compat_featured(char *feature)
{
	const node_feature_t *found = NULL;

	if (active_feature_list)
		found = list_find_first(active_feature_list, list_find_feature,
					feature);
	return found ? found->node_bitmap : NULL;
}

#endif
