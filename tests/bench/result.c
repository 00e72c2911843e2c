/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result.c - see result.h
 */
#include "result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64

static struct {
	const char *name, *unit;
	double value, goal;
} results[MOST];
static int n;

void bench_result(const char *name, double value, const char *unit, double goal)
{
	if (n == MOST) {
		fprintf(stderr, "too many results\n");
		exit(1);
	}
	results[n].name = name;
	results[n].unit = unit;
	results[n].value = value;
	results[n++].goal = goal;
}

static const char *verdict(int i)
{
	if (!results[i].goal)
		return "";
	return results[i].value <= results[i].goal ? "met" : "MISSED";
}

static void print_json(void)
{
	printf("[");
	for (int i = 0; i < n; i++) {
		printf("%s\n  {\"figure\": \"%s\", \"value\": %.4g, "
		       "\"unit\": \"%s\"",
		       i ? "," : "", results[i].name, results[i].value,
		       results[i].unit);
		if (results[i].goal)
			printf(", \"goal\": %.4g, \"met\": %s", results[i].goal,
			       results[i].value <= results[i].goal ? "true" :
								     "false");
		printf("}");
	}
	printf("\n]\n");
}

void bench_results_print(bool json)
{
	if (json) {
		print_json();
		return;
	}
	printf("\n%-64s %9s %9s\n", "figure", "value", "goal");
	for (int i = 0; i < n; i++) {
		char goal[32] = "";

		if (results[i].goal)
			snprintf(goal, sizeof(goal), "%.4g", results[i].goal);
		printf("%-64s %9.4g %9s %-8s %s\n", results[i].name,
		       results[i].value, goal, results[i].unit, verdict(i));
	}
}

bool bench_wants_json(int argc, char **argv, int *runs)
{
	bool json = false;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json")) {
			json = true;
		} else if (atoi(argv[i]) > 0) {
			*runs = atoi(argv[i]);
		} else {
			fprintf(stderr, "usage: %s [--json] [RUNS]\n", argv[0]);
			exit(2);
		}
	}
	return json;
}
