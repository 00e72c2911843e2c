/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * documents.h - a set-up as what `aws batch create-… --cli-input-json` takes
 *
 * Every function returns an object that is the caller's (json_object_put).
 */
#ifndef QS_DOCUMENTS_H
#define QS_DOCUMENTS_H

#include <json-c/json.h>

#include "aws/notes.h"
#include "aws/setup.h"

/* The inputs of CreateSchedulingPolicy, CreateServiceEnvironment,
 * CreateJobQueue and CreateQuotaShare. */
struct json_object *qs_document_policy(const struct qs_aws_policy *policy);
struct json_object *
qs_document_environment(const struct qs_aws_environment *environment);
/* Without region and account in the set-up, placeholders stand in the ARN. */
struct json_object *qs_document_queue(const struct qs_setup *setup,
				      const struct qs_aws_queue *queue);
struct json_object *qs_document_share(const struct qs_aws_share *share);

/* All of them, and the notes as "report". */
struct json_object *qs_document_bundle(const struct qs_setup *setup,
				       const struct qs_notes *notes);

/* The text of a document, the caller's (free); NULL: no memory. */
char *qs_document_text(struct json_object *document);

/* A file of an export. */
struct qs_export_file {
	char *name;
	char *text;
	bool executable;
};

struct qs_export_files {
	struct qs_export_file *items;
	size_t n;
};

/* One file a document, bundle.json, create.sh that makes the calls in order,
 * and report.txt. Returns 0, or -1 with errno ENOMEM. The caller clears. */
int qs_export_files_make(const struct qs_setup *setup,
			 const struct qs_notes *notes,
			 struct qs_export_files *files);
/* Takes name and text, which may be NULL: then -1. */
int qs_export_files_add(struct qs_export_files *files, char *name, char *text,
			bool executable);
void qs_export_files_clear(struct qs_export_files *files);

/* script.c: the text of create.sh; NULL: no memory. The names of the files
 * are those of qs_export_file_name(). */
char *qs_export_script(const struct qs_setup *setup);
/* report.c's text: a line a note. NULL: no memory. */
char *qs_export_report(const struct qs_notes *notes);
/* what: "job-queue" and so on; the caller's (free). */
char *qs_export_file_name(const char *what, const char *name);

#endif
