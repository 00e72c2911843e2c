/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * script.c - the calls that create a set-up, in their order, as a shell script
 *
 * Called by qshare export. Never blocks. All names in it are letters, digits,
 * - and _, so nothing needs quoting. The surprise: AWS creates in the
 * background and refuses to build on what is not VALID yet, so the script
 * waits between the steps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aws/documents.h"

static const char head[] =
	"#!/bin/sh\n"
	"# Creates the share set-up of the documents beside this script with "
	"the AWS CLI.\n"
	"# Written by qshare export. It stops at the first call that fails; "
	"what was\n"
	"# created before stays.\n"
	"set -eu\n"
	"cd \"$(dirname \"$0\")\"\n";

static const char functions[] =
	"\n"
	"# valid COMMAND OPTION NAME LIST: waits until it can be built upon.\n"
	"valid()\n"
	"{\n"
	"\ttries=0\n"
	"\twhile :; do\n"
	"\t\tstatus=$(aws batch \"$1\" \"$2\" \"$3\" \\\n"
	"\t\t\t--query \"$4[0].status\" --output text)\n"
	"\t\tcase $status in\n"
	"\t\tVALID) return ;;\n"
	"\t\tINVALID) echo \"$3 is INVALID: see aws batch $1 $2 $3\" >&2\n"
	"\t\t\texit 1 ;;\n"
	"\t\tesac\n"
	"\t\ttries=$((tries + 1))\n"
	"\t\tif [ \"$tries\" -ge \"${QSHARE_TRIES:-60}\" ]; then\n"
	"\t\t\techo \"$3 is still $status\" >&2\n"
	"\t\t\texit 1\n"
	"\t\tfi\n"
	"\t\tsleep \"${QSHARE_PAUSE:-5}\"\n"
	"\tdone\n"
	"}\n";

static void put_queue(FILE *file, const struct qs_aws_queue *queue)
{
	fprintf(file, "\n# job queue %s\n", queue->name);
	if (queue->policy)
		fprintf(file,
			"arn=$(aws batch create-scheduling-policy \\\n"
			"\t--cli-input-json "
			"file://scheduling-policy-%s.json \\\n"
			"\t--query arn --output text)\n",
			queue->policy);
	if (queue->environment)
		fprintf(file,
			"aws batch create-service-environment \\\n"
			"\t--cli-input-json file://service-environment-%s.json"
			"\n"
			"valid describe-service-environments "
			"--service-environments \\\n"
			"\t%s serviceEnvironments\n",
			queue->environment, queue->environment);
	/* The ARN that AWS gave stands above the one in the document. */
	fprintf(file,
		"aws batch create-job-queue \\\n"
		"\t--cli-input-json file://job-queue-%s.json%s\n"
		"valid describe-job-queues --job-queues \\\n"
		"\t%s jobQueues\n",
		queue->name,
		queue->policy ? " \\\n\t--scheduling-policy-arn \"$arn\"" : "",
		queue->name);
}

char *qs_export_script(const struct qs_setup *setup)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	fputs(head, file);
	if (setup->region)
		fprintf(file, "export AWS_REGION=%s AWS_DEFAULT_REGION=%s\n",
			setup->region, setup->region);
	fputs(functions, file);
	for (size_t q = 0; q < setup->nqueues; q++) {
		put_queue(file, &setup->queues[q]);
		for (size_t s = 0; s < setup->nshares; s++)
			if (!strcmp(setup->shares[s].queue,
				    setup->queues[q].name))
				fprintf(file,
					"aws batch create-quota-share "
					"--cli-input-json \\\n"
					"\tfile://quota-share-%s.json\n",
					setup->shares[s].name);
	}
	if (fclose(file)) {
		free(text);
		return NULL;
	}
	return text;
}
