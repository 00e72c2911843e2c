/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * canned.c - see canned.h
 */
#include "canned.h"

#include <check.h>

void canned_begin(struct canned *c, const char *answer)
{
	c->answer = json_tokener_parse(answer);
	ck_assert_ptr_nonnull(c->answer);
	c->text = NULL;
	c->out = open_memstream(&c->text, &c->size);
	ck_assert_ptr_nonnull(c->out);
}

char *canned_end(struct canned *c)
{
	ck_assert_int_eq(fclose(c->out), 0);
	json_object_put(c->answer);
	return c->text;
}
