/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario.h - a policy, a cluster and its jobs in one JSON file
 *
 * What `qshare plan` reads and prints; test case, bug report and what-if in
 * one. The format is described in qshare_scenario(5).
 */
#ifndef QS_SCENARIO_H
#define QS_SCENARIO_H

#include <json-c/json.h>

#include "conf/error.h"
#include "engine/plan.h"
#include "engine/snapshot.h"

/* No scenario is larger. */
#define QS_SCENARIO_BYTES_MAX (256u * 1024 * 1024)

struct qs_scenario {
	char *name; /* or NULL */
	struct qs_policy *policy;
	struct qs_snapshot *snap;
	struct qs_warnings warnings; /* of the policy */
	/* the document, for its "expect" and "expect_shares" */
	struct json_object *json;
};

/* NULL with *err and errno. Blocks on the file system. */
struct qs_scenario *qs_scenario_read_file(const char *path,
					  struct qs_error *err);
/* name: what errors call it; dir: where "policy_file" looks; NULL: nowhere. */
struct qs_scenario *qs_scenario_read_text(const char *name, const char *dir,
					  const char *text, size_t n,
					  struct qs_error *err);
void qs_scenario_free(struct qs_scenario *scenario);

/*
 * The answer as JSON text, the caller's (free); NULL with errno ENOMEM. Byte
 * for byte the same for equal plans.
 */
char *qs_scenario_print(const struct qs_snapshot *snap,
			const struct qs_plan *plan);

#endif
