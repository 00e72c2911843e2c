/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_aws.c - any bytes as a document of AWS
 *
 * Whatever is taken must be a good policy, be the same when its commented text
 * is read, and come back the same from an export and an import (with --force,
 * since a document may have more than AWS allows).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/documents.h"
#include "aws/export.h"
#include "aws/import.h"
#include "aws/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char csv[] = "type,gpus,gpu\n"
			  "ml.g5.xlarge,1,a10g\n"
			  "ml.g5.12xlarge,4,a10g\n"
			  "ml.g6e.12xlarge,4,l40s\n"
			  "ml.p4d.24xlarge,8,a100\n"
			  "ml.p5.48xlarge,8,h100\n";

static const struct qs_instances *table(void)
{
	static struct qs_instances instances;
	struct qs_error err;

	if (!instances.n && qs_instances_read_text(&instances, "table", csv,
						   sizeof(csv) - 1, &err))
		abort();
	return &instances;
}

static int import(const char *text, size_t n, struct qs_imported *to)
{
	static const struct qs_import_options none;
	struct qs_setup setup = { 0 };
	struct qs_notes notes = { 0 };
	struct qs_error err = { .text = "" };
	int rc = qs_setup_read(&setup, &notes, "fuzz", text, n, &err);

	*to = (struct qs_imported){ 0 };
	if (!rc)
		rc = qs_import(&setup, table(), &none, to, &notes, NULL, &err);
	if (rc && !err.text[0])
		abort();
	qs_notes_clear(&notes);
	qs_setup_clear(&setup);
	return rc;
}

static void must_equal(const struct qs_policy *a, const struct qs_policy *b,
		       const char *text)
{
	char what[200] = "";

	if (a && b && qs_conf_equal(a, b, what, sizeof(what)))
		return;
	fprintf(stderr, "%s\n%s\n", b ? what : "no policy", text);
	abort();
}

static void there_and_back(const struct qs_policy *policy)
{
	struct qs_export_options options = { .priority = 1,
					     .force = true,
					     .tags = true };
	struct qs_setup setup = { 0 };
	struct qs_notes notes = { 0 };
	struct qs_imported again = { 0 };
	struct qs_error err = { .text = "" };
	struct json_object *bundle;
	bool less = false;
	char *text;

	if (!qs_export(policy, table(), &options, &setup, &notes, &err)) {
		for (size_t i = 0; i < notes.n; i++)
			less = less || notes.items[i].kind == QS_NOTE_LOST ||
			       notes.items[i].kind == QS_NOTE_ROUNDED;
		bundle = qs_document_bundle(&setup, &notes);
		text = qs_document_text(bundle);
		if (import(text, strlen(text), &again))
			abort();
		if (!less)
			must_equal(policy, again.policy, text);
		free(text);
		json_object_put(bundle);
	}
	qs_imported_clear(&again);
	qs_notes_clear(&notes);
	qs_setup_clear(&setup);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct qs_imported to;
	struct qs_policy *read;
	struct qs_error err;

	if (!import((const char *)data, size, &to)) {
		read = qs_conf_read_text("text", NULL, to.text, strlen(to.text),
					 NULL, &err);
		must_equal(to.policy, read, to.text);
		qs_policy_free(read);
		there_and_back(to.policy);
	}
	qs_imported_clear(&to);
	return 0;
}
