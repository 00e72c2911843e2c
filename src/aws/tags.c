/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tags.c - what AWS has no field for, kept in tags
 *
 * Called by import and export. Never blocks. The surprise: AWS Batch alone
 * would take any character, but tag editors, policies and other services that
 * see the same tags do not.
 */
#include "aws/tags.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr(" +-._:/@", c));
}

static bool all_plain(const char *text)
{
	while (*text && is_plain(*text))
		text++;
	return !*text;
}

/* Owner and Note only. */
static bool may_be_bare(const char *key)
{
	return !strcmp(key, "Owner") || !strcmp(key, "Note");
}

static int make_key(char *to, size_t size, const char *key, const char *suffix)
{
	int n = snprintf(to, size, QS_TAG_PREFIX "%s%s%s", key,
			 suffix ? ":" : "", suffix ? suffix : "");

	return n < 0 || (size_t)n >= size ? 1 : 0;
}

/* Returns 1 if it does not fit. */
static int encode(char *to, size_t size, const char *from, bool list)
{
	size_t n = 0;

	for (; *from; from++) {
		if (n + 4 > size)
			return 1;
		if (list && *from == ',')
			to[n++] = ' ';
		else if (is_plain(*from))
			to[n++] = *from;
		else
			n += (size_t)snprintf(to + n, size - n, "=%02X",
					      (unsigned char)*from);
	}
	to[n] = '\0';
	return n > QS_AWS_VALUE_MAX;
}

int qs_tags_put(struct qs_aws_tags *tags, const char *key, const char *suffix,
		const char *value, bool list)
{
	char name[QS_AWS_KEY_MAX + 1], text[QS_AWS_VALUE_MAX + 4];

	if (tags->n == QS_AWS_TAGS_MAX)
		return 1;
	if (may_be_bare(key) && all_plain(value) && *value &&
	    strlen(value) <= QS_AWS_VALUE_MAX)
		return qs_aws_tags_add(tags, key, value);
	if (make_key(name, sizeof(name), key, suffix) ||
	    (suffix && !all_plain(suffix)) ||
	    encode(text, sizeof(text), value, list))
		return 1;
	return qs_aws_tags_add(tags, name, text);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* In place. Returns -1 if it is not well formed. */
static int decode(char *text, bool list)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		int high, low;

		if (*from != '=') {
			*to++ = list && *from == ' ' ? ',' : *from;
			continue;
		}
		high = digit(from[1]);
		low = high < 0 ? -1 : digit(from[2]);
		if (low < 0 || (high == 0 && low == 0))
			return -1;
		*to++ = (char)(high * 16 + low);
		from += 2;
	}
	*to = '\0';
	return 0;
}

static const struct qs_aws_tag *find(const struct qs_aws_tags *tags,
				     const char *key)
{
	for (size_t i = 0; i < tags->n; i++)
		if (!strcmp(tags->items[i].key, key))
			return &tags->items[i];
	return NULL;
}

char *qs_tags_get(const struct qs_aws_tags *tags, const char *key,
		  const char *suffix, bool list, const struct qs_aws_tag **tag)
{
	char name[QS_AWS_KEY_MAX + 1];
	bool bare = false;
	char *text;

	*tag = make_key(name, sizeof(name), key, suffix) ? NULL :
							   find(tags, name);
	if (!*tag && may_be_bare(key)) {
		*tag = find(tags, key);
		bare = true;
	}
	errno = 0;
	if (!*tag)
		return NULL;
	text = strdup((*tag)->value);
	if (!text || bare || !decode(text, list))
		return text;
	free(text);
	errno = EINVAL;
	return NULL;
}
