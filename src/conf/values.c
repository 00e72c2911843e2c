/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * values.c - the values of the policy file: numbers, names, lists, counts
 *
 * Called by the policy reader. No locale: slurmctld and qshare must agree.
 */
#include "conf/values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int qs_value_number(const char *text, int64_t *number)
{
	const char *at = text + (*text == '-');

	if (!is_digit(*at))
		return -1;
	for (; *at; at++)
		if (!is_digit(*at))
			return -1;
	errno = 0;
	*number = strtoll(text, NULL, 10);
	return errno ? -1 : 0;
}

int qs_value_word(const char *text, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (!strcasecmp(text, words[i]))
			return i;
	return -1;
}

bool qs_value_is_name(const char *text)
{
	size_t n = 0;

	for (; text[n]; n++) {
		char c = text[n];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
		    !is_digit(c) && c != '-' && c != '_')
			return false;
	}
	return n >= 1 && n <= QS_NAME_MAX;
}

bool qs_value_is_word(const char *text, size_t n)
{
	if (!n || n > QS_WORD_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)text[i] <= ' ' || text[i] == 0x7f)
			return false;
		if (strchr("\"#,:=()\\", text[i]))
			return false;
	}
	return true;
}

bool qs_value_is_note(const char *text)
{
	size_t n = strlen(text);

	return n >= 1 && n <= QS_NOTE_MAX;
}

int64_t qs_value_next(const char **at, const char **element)
{
	size_t n;

	if (!*at)
		return -1;
	*element = *at;
	n = strcspn(*at, ",");
	*at = (*at)[n] ? *at + n + 1 : NULL;
	return (int64_t)n;
}

int qs_value_next_count(const char **at, const char **type, size_t *n,
			uint32_t *count)
{
	int64_t length = qs_value_next(at, type);
	const char *end, *colon;
	uint32_t sum = 0;

	if (length < 0)
		return 0;
	*n = (size_t)length;
	end = *type + length;
	colon = memchr(*type, ':', (size_t)length);
	if (!colon || colon + 1 == end ||
	    !qs_value_is_word(*type, (size_t)(colon - *type)))
		return -1;
	for (const char *c = colon + 1; c < end; c++) {
		if (!is_digit(*c))
			return -1;
		sum = sum * 10 + (uint32_t)(*c - '0');
		if (sum > QS_GPUS_MAX)
			return -1;
	}
	*n = (size_t)(colon - *type);
	*count = sum;
	return 1;
}

int qs_names_add(struct qs_names *names, const char *name, size_t n)
{
	char **items = realloc(names->items, (names->n + 1) * sizeof(*items));

	if (!items)
		return -1;
	names->items = items;
	items[names->n] = strndup(name, n);
	if (!items[names->n])
		return -1;
	names->n++;
	return 0;
}

void qs_names_clear(struct qs_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->items[i]);
	free(names->items);
	*names = (struct qs_names){ 0 };
}

int qs_names_find(const struct qs_names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->items[i], name))
			return (int)i;
	return -1;
}

int qs_names_find_nocase(const struct qs_names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcasecmp(names->items[i], name))
			return (int)i;
	return -1;
}
