/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arn.c - Amazon Resource Names of AWS Batch, and the names in them
 *
 * Called by import and export. Never blocks.
 */
#include "aws/arn.h"

#include <stdio.h>
#include <string.h>

#include "conf/values.h"

static const char *const kinds[] = {
	[QS_ARN_JOB_QUEUE] = "job-queue/",
	[QS_ARN_QUOTA_SHARE] = "job-queue/",
	[QS_ARN_SCHEDULING_POLICY] = "scheduling-policy/",
	[QS_ARN_SERVICE_ENVIRONMENT] = "service-environment/",
	[QS_ARN_SERVICE_JOB] = "service-job/",
};

static bool has_only(const char *text, const char *chars)
{
	return *text && !text[strspn(text, chars)];
}

bool qs_arn_is_region(const char *text)
{
	return strlen(text) < sizeof(((struct qs_arn *)0)->region) &&
	       has_only(text, "abcdefghijklmnopqrstuvwxyz0123456789-");
}

bool qs_arn_is_account(const char *text)
{
	return strlen(text) == 12 && has_only(text, "0123456789");
}

static int copy_name(char *to, const char *from, size_t n)
{
	if (n > QS_NAME_MAX)
		return -1;
	memcpy(to, from, n);
	to[n] = '\0';
	return qs_value_is_name(to) ? 0 : -1;
}

/* The next part of the ARN up to ':'; NULL if it is too long or the last. */
static const char *take(const char *at, char *part, size_t size)
{
	const char *end = at ? strchr(at, ':') : NULL;

	if (!end || (size_t)(end - at) >= size)
		return NULL;
	memcpy(part, at, (size_t)(end - at));
	part[end - at] = '\0';
	return end + 1;
}

int qs_arn_read(const char *text, enum qs_arn_kind kind, struct qs_arn *arn)
{
	char word[16], service[16];
	const char *at = text, *slash;

	memset(arn, 0, sizeof(*arn));
	if (strncmp(text, "arn:", 4))
		return kind == QS_ARN_QUOTA_SHARE ?
			       -1 :
			       copy_name(arn->name, text, strlen(text));
	at = take(at, word, sizeof(word));
	at = take(at, word, sizeof(word)); /* the partition */
	at = take(at, service, sizeof(service));
	at = take(at, arn->region, sizeof(arn->region));
	at = take(at, arn->account, sizeof(arn->account));
	if (!at || strcmp(service, "batch") ||
	    strncmp(at, kinds[kind], strlen(kinds[kind])))
		return -1;
	if (!strcmp(arn->region, QS_ARN_REGION))
		arn->region[0] = '\0';
	if (!strcmp(arn->account, QS_ARN_ACCOUNT))
		arn->account[0] = '\0';
	if ((*arn->region && !qs_arn_is_region(arn->region)) ||
	    (*arn->account && !qs_arn_is_account(arn->account)))
		return -1;
	at += strlen(kinds[kind]);
	if (kind != QS_ARN_QUOTA_SHARE)
		return copy_name(arn->name, at, strlen(at));
	slash = strchr(at, '/');
	if (!slash || copy_name(arn->queue, at, (size_t)(slash - at)) ||
	    strncmp(slash, "/quota-share/", 13))
		return -1;
	return copy_name(arn->name, slash + 13, strlen(slash + 13));
}

static const char *partition_of(const char *region)
{
	if (!strncmp(region, "cn-", 3))
		return "aws-cn";
	if (!strncmp(region, "us-gov-", 7))
		return "aws-us-gov";
	return "aws";
}

void qs_arn_print(char *text, size_t size, enum qs_arn_kind kind,
		  const char *region, const char *account, const char *queue,
		  const char *name)
{
	region = region ? region : QS_ARN_REGION;
	snprintf(text, size, "arn:%s:batch:%s:%s:%s%s%s%s",
		 partition_of(region), region,
		 account ? account : QS_ARN_ACCOUNT, kinds[kind],
		 queue ? queue : "", queue ? "/quota-share/" : "", name);
}
