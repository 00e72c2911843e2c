/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_line.c - one line of an imported file, and values out of tags
 *
 * Called by import_lines.c and import_shares.c. Never blocks. A tag may have
 * been edited: its value stands in quotes and the policy reader judges it, but
 * whatever would end the line is refused here, where the tag is known.
 */
#include "aws/import_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aws/tags.h"
#include "conf/values.h"

int qs_line_begin(struct qs_line *line, struct qs_import_run *run,
		  const struct qs_aws_source *source)
{
	*line = (struct qs_line){ .run = run, .source = source };
	line->file = open_memstream(&line->text, &line->size);
	return line->file ? 0 : qs_error_memory(run->err);
}

/* Ends it and gives it to the run; rc is passed on. */
int qs_line_end(struct qs_line *line, int rc)
{
	struct qs_import_run *run = line->run;
	struct qs_import_line *lines = NULL;

	if (fclose(line->file) && !rc)
		rc = qs_error_memory(run->err);
	if (!rc)
		lines = realloc(run->lines, (run->nlines + 1) * sizeof(*lines));
	if (!lines) {
		free(line->text);
		return rc ? rc : qs_error_memory(run->err);
	}
	run->lines = lines;
	lines[run->nlines++] =
		(struct qs_import_line){ line->text, line->source };
	return 0;
}

void qs_line_quoted(struct qs_line *line, const char *key, const char *value)
{
	fprintf(line->file, " %s=\"", key);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			putc('\\', line->file);
		putc(*value, line->file);
	}
	putc('"', line->file);
}

/* No control characters, which would end the line. */
static bool is_line(const char *value)
{
	for (; *value; value++)
		if (((unsigned char)*value < ' ' && *value != '\t') ||
		    *value == 0x7f)
			return false;
	return true;
}

/* Is it an Owner or Note that people may have written in AWS? */
static bool is_plain(const struct qs_aws_tag *tag)
{
	return strncmp(tag->key, QS_TAG_PREFIX, strlen(QS_TAG_PREFIX)) != 0;
}

int qs_line_tag(const struct qs_line *line, const struct qs_aws_tags *tags,
		const struct qs_field *field, char **value,
		const struct qs_aws_tag **tag)
{
	char key[QS_AWS_KEY_MAX + 8];

	*value = qs_tags_get(tags, field->key, NULL, field->list, tag);
	if (!*value && errno == ENOMEM)
		return qs_error_memory(line->run->err);
	if (!*tag)
		return 0;
	snprintf(key, sizeof(key), "tags.%s", (*tag)->key);
	if (!*value)
		return qs_import_fail(line->run, line->source, key,
				      (*tag)->value, NULL, NULL,
				      "=HH for special characters");
	if (is_line(*value) || is_plain(*tag))
		return 0;
	free(*value);
	*value = NULL;
	return qs_import_fail(line->run, line->source, key, (*tag)->value, NULL,
			      NULL, "text without control characters");
}

int qs_line_list(const struct qs_line *line, const struct qs_aws_tags *tags,
		 const char *name, char **value)
{
	const struct qs_field field = { name, true };
	const struct qs_aws_tag *tag;

	return qs_line_tag(line, tags, &field, value, &tag);
}

int qs_line_put_tag(struct qs_line *line, const struct qs_aws_tags *tags,
		    const struct qs_field *field, const char *share)
{
	const struct qs_aws_tag *tag;
	char *value;

	if (qs_line_tag(line, tags, field, &value, &tag))
		return -1;
	if (!value)
		return 0;
	if (is_plain(tag) && (!is_line(value) || !qs_value_is_note(value)))
		qs_notes_add(line->run->notes, QS_NOTE_LOST, NULL, share,
			     field->key,
			     "the tag's text is not one line of 1 to %d bytes",
			     QS_NOTE_MAX);
	else
		qs_line_quoted(line, field->key, value);
	free(value);
	return 0;
}
