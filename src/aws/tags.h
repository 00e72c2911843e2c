/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tags.h - what AWS has no field for, kept in tags
 *
 * A key KEY of quota_share.conf becomes the tag quota-share:KEY. Values are
 * made of the characters that all of AWS's tagging accepts: letters, digits,
 * blanks and + - . _ : / @; anything else is written =HH, its byte in hex, and
 * the comma of a list becomes a blank. Owner and Note are plain tags, Owner and
 * Note, where they need no such help.
 */
#ifndef QS_TAGS_H
#define QS_TAGS_H

#include "aws/setup.h"

#define QS_TAG_PREFIX "quota-share:"

/*
 * Add a value under a key of quota_share.conf (suffix: more of the key, e.g.
 * an instance type, or NULL). list: commas separate. Returns 0; 1 if it does
 * not fit, with the tags as they were; -1 with errno ENOMEM.
 */
int qs_tags_put(struct qs_aws_tags *tags, const char *key, const char *suffix,
		const char *value, bool list);

/*
 * The value under a key as the file would have it, the caller's (free). NULL
 * with errno 0 if there is none, EINVAL if it is not as above, ENOMEM. *tag is
 * the tag it was found in, if any.
 */
char *qs_tags_get(const struct qs_aws_tags *tags, const char *key,
		  const char *suffix, bool list, const struct qs_aws_tag **tag);

#endif
