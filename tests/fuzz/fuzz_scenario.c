/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_scenario.c - any bytes as a scenario
 *
 * Whatever is taken must be planned, and the answer must be JSON. Arrays of
 * many tasks are left out: they are slow, not wrong.
 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "conf/scenario.h"
#include "engine/plan.h"

#define TASKS_MAX 1000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_slow(const struct qs_snapshot *snap)
{
	uint64_t tasks = 0;

	for (uint32_t i = 0; i < snap->njobs; i++)
		tasks += snap->jobs[i].copies;
	return tasks > TASKS_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct qs_scenario *scenario;
	struct json_object *json;
	struct qs_plan *plan;
	struct qs_error err;
	char *text;

	scenario = qs_scenario_read_text("fuzz", NULL, (const char *)data, size,
					 &err);
	if (!scenario) {
		if (!err.text[0])
			abort();
		return 0;
	}
	if (is_slow(scenario->snap)) {
		qs_scenario_free(scenario);
		return 0;
	}
	plan = qs_plan_make(scenario->snap);
	if (!plan)
		abort();
	text = qs_scenario_print(scenario->snap, plan);
	json = text ? json_tokener_parse(text) : NULL;
	if (!json)
		abort();
	json_object_put(json);
	free(text);
	qs_plan_free(plan);
	qs_scenario_free(scenario);
	return 0;
}
