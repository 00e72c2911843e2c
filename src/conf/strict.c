/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strict.c - JSON without guessing: types, ranges, unknown keys
 *
 * Called by the scenario reader. Never blocks. The surprise: json-c reads a
 * number that does not fit as the nearest that does, so the ranges given here
 * must lie inside those of int64_t.
 */
#include "conf/strict.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/nearest.h"
#include "conf/strict_scan.h"

static struct json_object *get(const struct qs_json *at, const char *key,
			       bool *there)
{
	struct json_object *json = NULL;

	*there = json_object_object_get_ex(at->json, key, &json);
	return json;
}

static void path_add(char *path, const char *from, const char *key)
{
	snprintf(path, QS_PATH_MAX, "%.200s%s%.100s", from, *from ? "." : "",
		 key);
}

int qs_json_fail(const struct qs_json *at, const char *key, const char *problem,
		 const char *near, const char *expected, ...)
{
	char path[QS_PATH_MAX], text[256];
	struct qs_place place = { .file = at->file, .key = path };
	struct json_object *json = at->json;
	bool there = true;
	va_list args;

	if (key) {
		path_add(path, at->path, key);
		json = get(at, key, &there);
	} else {
		snprintf(path, sizeof(path), "%s",
			 *at->path ? at->path : "the file");
	}
	/* the value, unless it is a whole structure */
	if (there && !json_object_is_type(json, json_type_object) &&
	    !json_object_is_type(json, json_type_array))
		place.value = json_object_to_json_string_ext(
			json, JSON_C_TO_STRING_PLAIN |
				      JSON_C_TO_STRING_NOSLASHESCAPE);
	va_start(args, expected);
	vsnprintf(text, sizeof(text), expected, args);
	va_end(args);
	return qs_error_set(at->err, &place, problem, near, "%s", text);
}

static int missing(const struct qs_json *at, const char *key)
{
	return qs_json_fail(at, NULL, NULL, NULL, "the key \"%s\" in it", key);
}

int qs_json_keys(const struct qs_json *at, const char *const *known)
{
	json_object_object_foreach(at->json, key, value)
	{
		struct qs_nearest nearest;
		size_t i = 0;

		(void)value;
		while (known[i] && strcmp(known[i], key))
			i++;
		if (known[i])
			continue;
		qs_nearest_init(&nearest, key);
		for (i = 0; known[i]; i++)
			qs_nearest_offer(&nearest, known[i]);
		return qs_json_fail(at, key, "unknown key",
				    qs_nearest_get(&nearest),
				    "a key that is known here");
	}
	return 0;
}

int qs_json_number(const struct qs_json *at, const char *key, int64_t min,
		   int64_t max, int64_t *value, bool *present)
{
	bool there;
	struct json_object *json = get(at, key, &there);
	int64_t number;

	if (present)
		*present = there;
	if (!there)
		return present ? 0 : missing(at, key);
	number = json_object_get_int64(json);
	if (!json_object_is_type(json, json_type_int) || number < min ||
	    number > max)
		return qs_json_fail(at, key, NULL, NULL,
				    "a whole number from %" PRId64
				    " to %" PRId64,
				    min, max);
	*value = number;
	return 0;
}

int qs_json_bool(const struct qs_json *at, const char *key, bool *value)
{
	bool there;
	struct json_object *json = get(at, key, &there);

	if (!there)
		return 0;
	if (!json_object_is_type(json, json_type_boolean))
		return qs_json_fail(at, key, NULL, NULL, "true or false");
	*value = json_object_get_boolean(json);
	return 0;
}

/* NULL if it is no string, or one that C cannot hold. */
static const char *string_of(struct json_object *json)
{
	const char *text;

	if (!json_object_is_type(json, json_type_string))
		return NULL;
	text = json_object_get_string(json);
	if (strlen(text) != (size_t)json_object_get_string_len(json))
		return NULL;
	return text;
}

int qs_json_string(const struct qs_json *at, const char *key, bool required,
		   const char **value)
{
	bool there;
	struct json_object *json = get(at, key, &there);

	*value = NULL;
	if (!there)
		return required ? missing(at, key) : 0;
	*value = string_of(json);
	if (!*value)
		return qs_json_fail(at, key, NULL, NULL, "a string");
	return 0;
}

int qs_json_array(const struct qs_json *at, const char *key, bool required,
		  struct json_object **array, size_t *n)
{
	bool there;
	struct json_object *json = get(at, key, &there);

	*array = NULL;
	*n = 0;
	if (!there)
		return required ? missing(at, key) : 0;
	if (!json_object_is_type(json, json_type_array))
		return qs_json_fail(at, key, NULL, NULL, "a list");
	*array = json;
	*n = json_object_array_length(json);
	return 0;
}

int qs_json_strings(const struct qs_json *at, const char *key,
		    const char ***strings, size_t *n)
{
	struct json_object *array;

	*strings = NULL;
	if (qs_json_array(at, key, true, &array, n))
		return -1;
	*strings = calloc(*n + 1, sizeof(**strings));
	if (!*strings)
		return qs_error_memory(at->err);
	for (size_t i = 0; i < *n; i++) {
		(*strings)[i] = string_of(json_object_array_get_idx(array, i));
		if ((*strings)[i])
			continue;
		free(*strings);
		*strings = NULL;
		return qs_json_fail(at, key, NULL, NULL,
				    "a list of strings; element %zu is none",
				    i);
	}
	return 0;
}

int qs_json_object(const struct qs_json *at, const char *key, bool required,
		   struct qs_json *child)
{
	bool there;
	struct json_object *json = get(at, key, &there);

	*child = (struct qs_json){ .file = at->file, .err = at->err };
	path_add(child->path, at->path, key);
	if (!there)
		return required ? missing(at, key) : 0;
	if (!json_object_is_type(json, json_type_object))
		return qs_json_fail(at, key, NULL, NULL, "an object");
	child->json = json;
	return 0;
}

int qs_json_element(const struct qs_json *at, const char *key,
		    struct json_object *array, size_t i, struct qs_json *child)
{
	char name[64];

	*child = (struct qs_json){ .file = at->file, .err = at->err };
	snprintf(name, sizeof(name), "%.40s[%zu]", key, i);
	path_add(child->path, at->path, name);
	child->json = json_object_array_get_idx(array, i);
	if (!json_object_is_type(child->json, json_type_object))
		return qs_json_fail(child, NULL, NULL, NULL, "an object");
	return 0;
}

/* Line of a byte offset, from 1. */
static unsigned line_of(const char *text, size_t offset)
{
	unsigned line = 1;

	for (size_t i = 0; i < offset; i++)
		line += text[i] == '\n';
	return line;
}

static int fail_at(const char *file, const char *text, size_t offset,
		   const char *key, const char *problem, const char *expected,
		   struct qs_error *err)
{
	struct qs_place at = { file, line_of(text, offset), key, NULL };

	return qs_error_set(err, &at, problem, NULL, "%s", expected);
}

static bool only_blanks(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!text[i] || !strchr(" \t\r\n", text[i]))
			return false;
	return true;
}

struct json_object *qs_json_parse(const char *file, const char *text, size_t n,
				  struct qs_error *err)
{
	struct json_tokener *tok = json_tokener_new();
	struct json_object *json;
	struct qs_scan_twice twice;
	size_t end;

	if (!tok || n > INT32_MAX) {
		json_tokener_free(tok);
		qs_error_memory(err);
		return NULL;
	}
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT |
					    JSON_TOKENER_ALLOW_TRAILING_CHARS |
					    JSON_TOKENER_VALIDATE_UTF8);
	json = json_tokener_parse_ex(tok, text, (int)n);
	end = json_tokener_get_parse_end(tok);
	if (!json) {
		enum json_tokener_error why = json_tokener_get_error(tok);

		fail_at(file, text, end < n ? end : n, NULL,
			why == json_tokener_success ?
				NULL :
			why == json_tokener_continue ?
				"the text ends in the middle" :
				json_tokener_error_desc(why),
			"one JSON object", err);
		json_tokener_free(tok);
		return NULL;
	}
	json_tokener_free(tok);
	if (!json_object_is_type(json, json_type_object))
		fail_at(file, text, 0, NULL, NULL, "one JSON object", err);
	else if (!only_blanks(text + end, n - end))
		fail_at(file, text, end, NULL, "something follows the object",
			"one JSON object", err);
	else if (qs_scan_twice(text, end, &twice))
		fail_at(file, text, twice.offset, twice.key, "a doubled key",
			"each key once in an object", err);
	else
		return json;
	json_object_put(json);
	return NULL;
}
