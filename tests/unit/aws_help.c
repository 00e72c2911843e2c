/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aws_help.c - what the suites of import and export share
 */
#include "aws_help.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned pick(struct random *random, unsigned n)
{
	random->state = random->state * UINT64_C(6364136223846793005) +
			UINT64_C(1442695040888963407);
	return (unsigned)(random->state >> 33) % n;
}

const struct qs_instances *instance_table(void)
{
	static struct qs_instances table;
	struct qs_error err;

	if (!table.n)
		ck_assert_msg(!qs_instances_read_file(&table,
						      QS_SRCDIR
						      "/etc/instance_types.csv",
						      &err),
			      "%s", err.text);
	return &table;
}

struct qs_export_options plain_export(void)
{
	return (struct qs_export_options){
		.file = "policy",
		.region = "eu-west-1",
		.account = "123456789012",
		.priority = 1,
		.tags = true,
	};
}

void import_texts(struct import *import, const char *const *texts, size_t n,
		  const struct qs_import_options *options)
{
	static const struct qs_import_options none;

	memset(import, 0, sizeof(*import));
	for (size_t i = 0; i < n && !import->rc; i++) {
		char name[32];

		snprintf(name, sizeof(name), "file%zu", i);
		import->rc =
			qs_setup_read(&import->setup, &import->notes, name,
				      texts[i], strlen(texts[i]), &import->err);
	}
	if (!import->rc)
		import->rc = qs_import(&import->setup, instance_table(),
				       options ? options : &none,
				       &import->imported, &import->notes,
				       &import->warnings, &import->err);
}

const char *import_error(struct import *import, const char *text)
{
	import_texts(import, &text, 1, NULL);
	return import->rc ? import->err.text : "";
}

void import_clear(struct import *import)
{
	qs_imported_clear(&import->imported);
	qs_notes_clear(&import->notes);
	qs_setup_clear(&import->setup);
}

const struct qs_note *find_note(const struct qs_notes *notes,
				enum qs_note_kind kind, const char *share,
				const char *key)
{
	for (size_t i = 0; i < notes->n; i++) {
		const struct qs_note *note = &notes->items[i];

		if (note->kind == kind && note->key &&
		    !strcmp(note->key, key) &&
		    (!share || (note->share && !strcmp(note->share, share))))
			return note;
	}
	return NULL;
}
