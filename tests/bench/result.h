/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result.h - the figures of a benchmark beside their goals
 *
 * A figure without a goal has 0 there. Nothing fails because of a figure: the
 * machine may be slow or busy. Lower is better everywhere.
 */
#ifndef BENCH_RESULT_H
#define BENCH_RESULT_H

#include <stdbool.h>

/* name and unit must stay where they are. Ends the program if there are too
 * many. */
void bench_result(const char *name, double value, const char *unit,
		  double goal);
/* All of them, as a table or as a JSON array. */
void bench_results_print(bool json);
/* The only option of the benchmarks. Ends the program at any other. */
bool bench_wants_json(int argc, char **argv, int *runs);

#endif
