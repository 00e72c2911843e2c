/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_units.c - what each instance type is on this site
 *
 * Called by import.c. Never blocks. Asked are, in this order: the user's map,
 * a tag that an export left on the job queue, the table. Instance types with
 * the same GPU are one type here, since a job asks Slurm for GPUs.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/import_run.h"
#include "aws/tags.h"
#include "conf/nearest.h"
#include "conf/values.h"

int qs_import_map_read(char *text, struct qs_import_map *map)
{
	char *equal = strchr(text, '='), *colon;
	int64_t gpus = 0;

	if (!equal)
		return -1;
	*equal = '\0';
	colon = strchr(equal + 1, ':');
	if (colon) {
		*colon = '\0';
		if (qs_value_number(colon + 1, &gpus) || gpus < 1 ||
		    gpus > QS_INSTANCE_GPUS_MAX)
			return -1;
	}
	*map = (struct qs_import_map){ text, equal + 1, (uint32_t)gpus };
	return qs_value_is_word(text, strlen(text)) &&
			       qs_value_is_word(map->type, strlen(map->type)) ?
		       0 :
		       -1;
}

static struct qs_import_unit *find(const struct qs_import_run *run,
				   const char *unit)
{
	for (size_t u = 0; u < run->nunits; u++)
		if (!strcmp(run->units[u].unit, unit))
			return &run->units[u];
	return NULL;
}

const struct qs_import_unit *
qs_import_unit_find(const struct qs_import_run *run, const char *unit)
{
	const struct qs_import_unit *found = find(run, unit);

	return found && found->type ? found : NULL;
}

bool qs_import_unit_is_main(const struct qs_import_run *run,
			    const struct qs_import_unit *unit)
{
	for (size_t u = 0; u < run->nunits; u++) {
		const struct qs_import_unit *other = &run->units[u];

		if (other == unit || !other->type ||
		    strcmp(other->type, unit->type))
			continue;
		if (other->gpus < unit->gpus ||
		    (other->gpus == unit->gpus &&
		     strcmp(other->unit, unit->unit) < 0))
			return false;
	}
	return true;
}

int64_t qs_import_gpus(const struct qs_import_run *run,
		       const struct qs_aws_limits *limits, const char *type)
{
	int64_t sum = 0;

	for (size_t i = 0; i < limits->n; i++) {
		const struct qs_import_unit *unit =
			qs_import_unit_find(run, limits->items[i].unit);

		if (unit && !strcmp(unit->type, type))
			sum += limits->items[i].max * unit->gpus;
	}
	return sum;
}

static const struct qs_import_map *mapped(const struct qs_import_run *run,
					  const char *unit)
{
	for (size_t m = 0; m < run->options->nmaps; m++)
		if (!strcmp(run->options->maps[m].unit, unit))
			return &run->options->maps[m];
	return NULL;
}

/* A list of words, or nothing. */
static bool are_words(const char *list)
{
	const char *at = list, *word;
	int64_t n;

	while ((n = qs_value_next(&at, &word)) >= 0)
		if (!qs_value_is_word(word, (size_t)n))
			return false;
	return true;
}

/* The name, and the gres types behind it if it has others: "h100,h100,nvidia".
 * Both the unit's. */
static int take_tag(const struct qs_import_run *run, struct qs_import_unit *to,
		    const struct qs_import_queue *queue, char *text)
{
	char *comma = strchr(text, ',');

	if (comma)
		*comma++ = '\0';
	if (!qs_value_is_word(text, strlen(text)) || !are_words(comma))
		return qs_import_fail(
			run, &queue->queue->source, "tags", text, NULL, NULL,
			"a GPU type in the tag " QS_TAG_PREFIX "GpuType:%.80s",
			to->unit);
	if (to->type && strcmp(to->type, text))
		return qs_import_fail(run, &queue->queue->source, "tags", text,
				      "two queues give the instance type two "
				      "names",
				      NULL, "%.80s as in the other queue",
				      to->type);
	if (to->type)
		return 0;
	to->type = strdup(text);
	to->slurm = comma ? strdup(comma) : NULL;
	return to->type && (to->slurm || !comma) ? 0 :
						   qs_error_memory(run->err);
}

/* What an export wrote about it, with any queue. */
static int read_tags(struct qs_import_run *run, struct qs_import_unit *to)
{
	for (size_t q = 0; q < run->nqueues; q++) {
		const struct qs_import_queue *queue = &run->queues[q];
		const struct qs_aws_tag *tag;
		char *text;
		int rc;

		if (!queue->queue)
			continue;
		text = qs_tags_get(&queue->queue->tags, "GpuType", to->unit,
				   true, &tag);
		if (!text && errno == ENOMEM)
			return qs_error_memory(run->err);
		if (!text && tag)
			return qs_import_fail(run, &queue->queue->source,
					      "tags", tag->value, NULL, NULL,
					      "=HH for special characters in "
					      "%.160s",
					      tag->key);
		if (!text)
			continue;
		rc = take_tag(run, to, queue, text);
		free(text);
		if (rc)
			return -1;
	}
	return 0;
}

/* Where it is: a limit's place in an object. */
struct where {
	const struct qs_aws_source *source;
	size_t limit;
};

static int unknown(struct qs_import_run *run, const char *unit,
		   const struct where *where)
{
	struct qs_nearest nearest;
	char key[64];

	if (run->options->force) {
		qs_notes_add(run->notes, QS_NOTE_ROUNDED, NULL, NULL,
			     "capacityUnit",
			     "%.80s is not in the table: all limits of it are "
			     "left out",
			     unit);
		return 0;
	}
	qs_nearest_init(&nearest, unit);
	for (size_t i = 0; i < run->table->n; i++)
		qs_nearest_offer(&nearest, run->table->items[i].name);
	snprintf(key, sizeof(key), "capacityLimits[%zu].capacityUnit",
		 where->limit);
	return qs_import_fail(run, where->source, key, unit,
			      "no instance type of the table",
			      qs_nearest_get(&nearest),
			      "one that qshare instances shows, --map "
			      "%.80s=TYPE:GPUS, or --force to leave it out",
			      unit);
}

static int resolve(struct qs_import_run *run, struct qs_import_unit *to,
		   const struct where *where)
{
	const struct qs_instance *known =
		qs_instances_find(run->table, to->unit);
	const struct qs_import_map *map = mapped(run, to->unit);

	to->gpus = map && map->gpus ? map->gpus : known ? known->gpus : 0;
	if (!to->gpus)
		return unknown(run, to->unit, where);
	if (map) {
		to->type = strdup(map->type);
		return to->type ? 0 : qs_error_memory(run->err);
	}
	if (read_tags(run, to))
		return -1;
	if (!to->type)
		to->type = strdup(known->gpu);
	return to->type ? 0 : qs_error_memory(run->err);
}

static int add(struct qs_import_run *run, const char *unit,
	       const struct where *where)
{
	struct qs_import_unit *units;

	if (find(run, unit))
		return 0;
	units = realloc(run->units, (run->nunits + 1) * sizeof(*units));
	if (!units)
		return qs_error_memory(run->err);
	run->units = units;
	units[run->nunits] = (struct qs_import_unit){ .unit = unit };
	return resolve(run, &units[run->nunits++], where);
}

/* Keep sums inside what a policy can hold. */
static int check_limits(struct qs_import_run *run,
			const struct qs_aws_limits *limits,
			const struct qs_aws_source *source)
{
	for (size_t i = 0; i < limits->n; i++) {
		const struct qs_aws_limit *limit = &limits->items[i];
		const struct where where = { source, i };
		const struct qs_import_unit *unit;
		char value[32], key[64];

		if (add(run, limit->unit, &where))
			return -1;
		unit = qs_import_unit_find(run, limit->unit);
		snprintf(value, sizeof(value), "%" PRId64, limit->max);
		snprintf(key, sizeof(key), "capacityLimits[%zu].maxCapacity",
			 i);
		if (unit && limit->max > QS_GPUS_MAX / unit->gpus)
			return qs_import_fail(
				run, source, key, value, "too many GPUs", NULL,
				"at most %d GPUs, which are %" PRIu32
				" of %.80s",
				QS_GPUS_MAX, QS_GPUS_MAX / unit->gpus,
				unit->unit);
	}
	return 0;
}

/* Two instance types that are one type here. */
static void note_merged(struct qs_import_run *run)
{
	for (size_t u = 0; u < run->nunits; u++) {
		const struct qs_import_unit *unit = &run->units[u];

		if (unit->type && !qs_import_unit_is_main(run, unit))
			qs_notes_add(run->notes, QS_NOTE_LOST, NULL, NULL,
				     "capacityUnit",
				     "%.80s is a GPU type with others here, "
				     "%.80s, and their limits are added; --map "
				     "%.80s=NAME keeps them apart",
				     unit->unit, unit->type, unit->unit);
	}
}

int qs_import_units(struct qs_import_run *run)
{
	const struct qs_setup *setup = run->setup;

	for (size_t s = 0; s < setup->nshares; s++)
		if (qs_import_has(run, &setup->shares[s]) &&
		    check_limits(run, &setup->shares[s].limits,
				 &setup->shares[s].source))
			return -1;
	for (size_t q = 0; q < run->nqueues; q++) {
		const struct qs_aws_environment *environment =
			run->queues[q].environment;

		if (environment && check_limits(run, &environment->limits,
						&environment->source))
			return -1;
	}
	note_merged(run);
	return 0;
}
