/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy_of.h - a policy from the text of a quota_share.conf
 */
#ifndef QS_TEST_POLICY_OF_H
#define QS_TEST_POLICY_OF_H

#include "conf/conf.h"

/* The running test fails where it cannot be read. */
struct qs_policy *policy_of(const char *text);

#endif
