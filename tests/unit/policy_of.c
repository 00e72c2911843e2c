/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy_of.c - see policy_of.h
 */
#include "policy_of.h"

#include <check.h>
#include <string.h>

struct qs_policy *policy_of(const char *text)
{
	struct qs_error err;
	struct qs_policy *policy = qs_conf_read_text("policy", NULL, text,
						     strlen(text), NULL, &err);

	ck_assert_msg(policy != NULL, "%s in\n%s", err.text, text);
	return policy;
}
