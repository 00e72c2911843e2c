/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * accounts.c - which account is below which (R1)
 *
 * Called before the records are read. Its surprise: sacctmgr prints a line for
 * each user, too, without a parent; and leading blanks show the depth.
 */
#include "sacct/accounts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/array.h"

static int by_name(const void *a, const void *b)
{
	const struct qs_account *x = a, *y = b;

	return strcasecmp(x->name, y->name);
}

static int add(struct qs_accounts *accounts, const char *name,
	       const char *parent)
{
	uint32_t max = accounts->max;
	struct qs_account *item;

	if (!qs_array_room((void **)&accounts->items, &max, accounts->n + 1,
			   sizeof(*accounts->items)))
		return -1;
	accounts->max = max;
	item = &accounts->items[accounts->n];
	item->name = strdup(name);
	item->parent = strdup(parent);
	if (!item->name || !item->parent) {
		free(item->name);
		free(item->parent);
		return -1;
	}
	accounts->n++;
	return 0;
}

int qs_accounts_read(struct qs_accounts *accounts, FILE *file)
{
	char *line = NULL;
	size_t size = 0;
	int rc = 0;

	while (!rc && getline(&line, &size, file) >= 0) {
		char *name = line + strspn(line, " ");
		char *parent = strchr(name, '|');

		if (!parent)
			continue;
		*parent++ = '\0';
		parent[strcspn(parent, "|\r\n")] = '\0';
		if (*name && *parent)
			rc = add(accounts, name, parent);
	}
	free(line);
	if (accounts->n)
		qsort(accounts->items, accounts->n, sizeof(*accounts->items),
		      by_name);
	return rc || ferror(file) ? -1 : 0;
}

void qs_accounts_free(struct qs_accounts *accounts)
{
	for (size_t i = 0; i < accounts->n; i++) {
		free(accounts->items[i].name);
		free(accounts->items[i].parent);
	}
	free(accounts->items);
	memset(accounts, 0, sizeof(*accounts));
}

size_t qs_accounts_chain(const struct qs_accounts *accounts, const char *name,
			 const char *chain[QS_ACCOUNTS_DEPTH])
{
	size_t n = 0;

	while (name && *name && n < QS_ACCOUNTS_DEPTH) {
		struct qs_account key = { .name = (char *)name };
		const struct qs_account *found =
			accounts->n ?
				bsearch(&key, accounts->items, accounts->n,
					sizeof(key), by_name) :
				NULL;

		chain[n++] = name;
		name = found ? found->parent : NULL;
	}
	return n;
}
