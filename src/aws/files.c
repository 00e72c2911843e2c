/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files.c - the files of an export, in memory
 *
 * Called by qshare export, which writes them when all of them are made.
 * Never blocks.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/documents.h"

char *qs_document_text(struct json_object *document)
{
	const char *text = json_object_to_json_string_ext(
		document, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
				  JSON_C_TO_STRING_NOSLASHESCAPE);
	size_t n = text ? strlen(text) : 0;
	char *copy = text ? malloc(n + 2) : NULL;

	if (copy)
		snprintf(copy, n + 2, "%s\n", text);
	return copy;
}

int qs_export_files_add(struct qs_export_files *files, char *name, char *text,
			bool executable)
{
	struct qs_export_file *items =
		name && text ?
			realloc(files->items, (files->n + 1) * sizeof(*items)) :
			NULL;

	if (!items) {
		free(name);
		free(text);
		errno = ENOMEM;
		return -1;
	}
	files->items = items;
	items[files->n++] = (struct qs_export_file){ name, text, executable };
	return 0;
}

void qs_export_files_clear(struct qs_export_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		free(files->items[i].name);
		free(files->items[i].text);
	}
	free(files->items);
	*files = (struct qs_export_files){ 0 };
}

char *qs_export_file_name(const char *what, const char *name)
{
	size_t n = strlen(what) + strlen(name) + 7;
	char *text = malloc(n);

	if (text)
		snprintf(text, n, "%s-%s.json", what, name);
	return text;
}

char *qs_export_report(const struct qs_notes *notes)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	bool failed = false;

	if (!file)
		return NULL;
	if (!notes->n)
		fputs("Everything is taken over.\n", file);
	for (size_t i = 0; i < notes->n; i++) {
		char *line = qs_note_line(&notes->items[i]);

		failed = failed || !line;
		fprintf(file, "%-7s %s\n",
			qs_note_kind_name(notes->items[i].kind),
			line ? line : "");
		free(line);
	}
	if (fclose(file) || failed) {
		free(text);
		return NULL;
	}
	return text;
}

/* Puts the document. */
static int add(struct qs_export_files *files, const char *what,
	       const char *name, struct json_object *document)
{
	int rc = qs_export_files_add(files, qs_export_file_name(what, name),
				     qs_document_text(document), false);

	json_object_put(document);
	return rc;
}

int qs_export_files_make(const struct qs_setup *setup,
			 const struct qs_notes *notes,
			 struct qs_export_files *files)
{
	struct json_object *bundle;
	int rc = 0;

	for (size_t i = 0; !rc && i < setup->npolicies; i++)
		rc = add(files, "scheduling-policy", setup->policies[i].name,
			 qs_document_policy(&setup->policies[i]));
	for (size_t i = 0; !rc && i < setup->nenvironments; i++)
		rc = add(files, "service-environment",
			 setup->environments[i].name,
			 qs_document_environment(&setup->environments[i]));
	for (size_t i = 0; !rc && i < setup->nqueues; i++)
		rc = add(files, "job-queue", setup->queues[i].name,
			 qs_document_queue(setup, &setup->queues[i]));
	for (size_t i = 0; !rc && i < setup->nshares; i++)
		rc = add(files, "quota-share", setup->shares[i].name,
			 qs_document_share(&setup->shares[i]));
	if (rc)
		return rc;
	bundle = qs_document_bundle(setup, notes);
	rc = qs_export_files_add(files, strdup("bundle.json"),
				 qs_document_text(bundle), false);
	json_object_put(bundle);
	if (!rc)
		rc = qs_export_files_add(files, strdup("create.sh"),
					 qs_export_script(setup), true);
	if (!rc)
		rc = qs_export_files_add(files, strdup("report.txt"),
					 qs_export_report(notes), false);
	return rc;
}
