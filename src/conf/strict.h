/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strict.h - JSON without guessing: types, ranges, unknown and doubled keys
 *
 * A thin layer over json-c, which is lenient where a policy must not be: it
 * turns "3" into 3, a missing key into 0, and keeps the last of two equal
 * keys. Errors carry the JSON path, e.g. jobs[3].gpus.h100. Private to
 * src/conf.
 */
#ifndef QS_STRICT_H
#define QS_STRICT_H

#include <json-c/json.h>
#include <stdint.h>

#include "conf/error.h"

/* Longest JSON path; longer ones are cut. */
#define QS_PATH_MAX 320

/* An object inside a document. */
struct qs_json {
	const char *file;         /* what errors call the document */
	char path[QS_PATH_MAX];   /* "" for the whole document */
	struct json_object *json; /* not owned */
	struct qs_error *err;
};

/*
 * Parse a document that must be one object: no comments, nothing behind it,
 * valid UTF-8, no doubled key anywhere. The caller's (json_object_put); NULL
 * with *err.
 */
struct json_object *qs_json_parse(const char *file, const char *text, size_t n,
				  struct qs_error *err);

/* All functions below return 0, or -1 with at->err. */

/* Only keys of the NULL-terminated list. */
int qs_json_keys(const struct qs_json *at, const char *const *known);
/* A whole number from min to max, *present tells whether the key is there
 * (NULL: it must be). *value is left alone if it is not. */
int qs_json_number(const struct qs_json *at, const char *key, int64_t min,
		   int64_t max, int64_t *value, bool *present);
/* true or false; *value is left alone if the key is not there. */
int qs_json_bool(const struct qs_json *at, const char *key, bool *value);
/* A string without NUL; *value lives as long as the document; NULL if the key
 * is not there and required is false. */
int qs_json_string(const struct qs_json *at, const char *key, bool required,
		   const char **value);
/* An array; *n is 0 and *array NULL if the key is not there. */
int qs_json_array(const struct qs_json *at, const char *key, bool required,
		  struct json_object **array, size_t *n);
/* An array of strings; *strings has *n entries and is the caller's (free). */
int qs_json_strings(const struct qs_json *at, const char *key,
		    const char ***strings, size_t *n);
/* The object under a key; *child.json is NULL if the key is not there. */
int qs_json_object(const struct qs_json *at, const char *key, bool required,
		   struct qs_json *child);
/* Element i of an array that stands under a key; it must be an object. */
int qs_json_element(const struct qs_json *at, const char *key,
		    struct json_object *array, size_t i, struct qs_json *child);

/* An error about what stands under a key (NULL: about the object itself). */
int qs_json_fail(const struct qs_json *at, const char *key, const char *problem,
		 const char *near, const char *expected, ...)
	__attribute__((format(printf, 5, 6)));

#endif
