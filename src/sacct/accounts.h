/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * accounts.h - which account is below which (R1)
 *
 * Filled from what `sacctmgr -nP show assoc tree format=Account,ParentName`
 * prints. Names compare without case. Without it, an account has no parent.
 */
#ifndef QS_SACCT_ACCOUNTS_H
#define QS_SACCT_ACCOUNTS_H

#include <stddef.h>
#include <stdio.h>

/* No tree of accounts is deeper; a loop ends here. */
#define QS_ACCOUNTS_DEPTH 32

struct qs_account {
	char *name, *parent; /* parent NULL: root, or not known */
};

/* All zero is an empty tree. */
struct qs_accounts {
	struct qs_account *items; /* by name, once sealed */
	size_t n;
	/* private */
	unsigned max;
};

/* Adds what is in the file. Returns 0, or -1 with errno. */
int qs_accounts_read(struct qs_accounts *accounts, FILE *file);
void qs_accounts_free(struct qs_accounts *accounts);
/* An account, its parent and so on up to the root: pointers that are good as
 * long as the tree and name. Returns how many. */
size_t qs_accounts_chain(const struct qs_accounts *accounts, const char *name,
			 const char *chain[QS_ACCOUNTS_DEPTH]);

#endif
