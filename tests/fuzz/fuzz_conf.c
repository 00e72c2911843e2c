/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_conf.c - any bytes as a policy file
 *
 * Whatever is taken must survive being printed and read again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct qs_warnings warnings;
	struct qs_error err;
	struct qs_policy *policy, *again;
	char *text, what[200];

	memset(&warnings, 0, sizeof(warnings));
	policy = qs_conf_read_text("fuzz", NULL, (const char *)data, size,
				   &warnings, &err);
	if (!policy) {
		if (!err.text[0])
			abort();
		return 0;
	}
	text = qs_conf_print(policy);
	if (!text)
		abort();
	again = qs_conf_read_text("print", NULL, text, strlen(text), NULL,
				  &err);
	if (!again || !qs_conf_equal(policy, again, what, sizeof(what))) {
		fprintf(stderr, "%s\n%s\n", again ? what : err.text, text);
		abort();
	}
	free(text);
	qs_policy_free(policy);
	qs_policy_free(again);
	return 0;
}
