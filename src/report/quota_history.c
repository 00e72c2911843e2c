/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quota_history.c - who owned what when: the policies in force over a time
 *
 * Called by report and replay before they measure. Blocks on nothing. Look-ups
 * by name are linear, as those of a policy.
 */
#include "report/quota_history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/array.h"

static void free_names(char **names, int32_t n)
{
	for (int32_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

void qs_quota_history_free(struct qs_quota_history *h)
{
	free_names(h->shares, h->nshares);
	free_names(h->types, h->ntypes);
	free_names(h->queues, h->nqueues);
	free(h->share_queue);
	for (uint32_t i = 0; i < h->nperiods; i++) {
		free(h->periods[i].share_of);
		free(h->periods[i].type_of);
	}
	free(h->periods);
	free(h->service);
	memset(h, 0, sizeof(*h));
}

static int32_t find(char *const *names, int32_t n, const char *name)
{
	for (int32_t i = 0; i < n; i++) {
		if (!strcmp(names[i], name))
			return i;
	}
	return -1;
}

/* The index of a name, which is added if it is new; -1 with errno. */
static int32_t learn(char ***names, int32_t *n, uint32_t *max, const char *name)
{
	int32_t at = find(*names, *n, name);
	char *copy;

	if (at >= 0)
		return at;
	if (!qs_array_room((void **)names, max, (uint64_t)*n + 1,
			   sizeof(**names)))
		return -1;
	copy = strdup(name);
	if (!copy)
		return -1;
	(*names)[*n] = copy;
	return (*n)++;
}

static int learn_types(struct qs_quota_history *h,
		       const struct qs_policy *policy)
{
	for (int t = 0; t < policy->ntypes; t++) {
		if (learn(&h->types, &h->ntypes, &h->types_max,
			  policy->types[t].name) < 0)
			return -1;
	}
	if (h->ntypes > QS_TYPES_MAX) {
		errno = E2BIG;
		return -1;
	}
	return 0;
}

static int learn_shares(struct qs_quota_history *h,
			const struct qs_policy *policy)
{
	for (int s = 0; s < policy->nshares; s++) {
		const struct qs_share *share = &policy->shares[s];
		int32_t queue, at;
		int32_t *bigger;

		queue = learn(&h->queues, &h->nqueues, &h->queues_max,
			      policy->queues[share->queue].name);
		bigger = realloc(h->share_queue,
				 ((size_t)h->nshares + 1) * sizeof(*bigger));
		if (bigger)
			h->share_queue = bigger;
		at = learn(&h->shares, &h->nshares, &h->shares_max,
			   share->name);
		if (queue < 0 || !bigger || at < 0)
			return -1;
		h->share_queue[at] = queue;
	}
	return 0;
}

/* Of the policies before, shares and types that came later are not in them. */
static int fit_period(const struct qs_quota_history *h,
		      struct qs_quota_period *period)
{
	const struct qs_policy *policy = period->policy;
	size_t nshares = (size_t)h->nshares + 1, ntypes = (size_t)h->ntypes + 1;
	int32_t *shares = realloc(period->share_of, nshares * sizeof(*shares));
	int32_t *types;

	if (!shares)
		return -1;
	period->share_of = shares;
	types = realloc(period->type_of, ntypes * sizeof(*types));
	if (!types)
		return -1;
	period->type_of = types;
	for (int32_t s = 0; s < h->nshares; s++)
		shares[s] = qs_policy_find_share(policy, h->shares[s]);
	for (int32_t t = 0; t < h->ntypes; t++)
		types[t] = qs_policy_find_type(policy, h->types[t]);
	return 0;
}

int qs_quota_history_add(struct qs_quota_history *h, int64_t since,
			 const struct qs_policy *policy)
{
	int32_t shares = h->nshares, types = h->ntypes;
	uint32_t from;

	if (h->nperiods && since < h->periods[h->nperiods - 1].since) {
		errno = EINVAL;
		return -1;
	}
	if (learn_types(h, policy) || learn_shares(h, policy) ||
	    !qs_array_room((void **)&h->periods, &h->periods_max,
			   (uint64_t)h->nperiods + 1, sizeof(*h->periods)))
		return -1;
	h->periods[h->nperiods] =
		(struct qs_quota_period){ .since = since, .policy = policy };
	from = shares == h->nshares && types == h->ntypes ? h->nperiods : 0;
	h->nperiods++;
	for (uint32_t i = from; i < h->nperiods; i++) {
		if (fit_period(h, &h->periods[i])) {
			errno = ENOMEM;
			return -1;
		}
	}
	return 0;
}

int32_t qs_quota_history_add_type(struct qs_quota_history *h, const char *name)
{
	int32_t type = learn(&h->types, &h->ntypes, &h->types_max, name);

	for (uint32_t i = 0; type >= 0 && i < h->nperiods; i++)
		if (fit_period(h, &h->periods[i]))
			return -1;
	return type;
}

int qs_quota_history_service(struct qs_quota_history *h, int64_t at,
			     int32_t queue, uint16_t type, int64_t gpus)
{
	if (h->nservice && at < h->service[h->nservice - 1].at) {
		errno = EINVAL;
		return -1;
	}
	if (!qs_array_room((void **)&h->service, &h->service_max,
			   (uint64_t)h->nservice + 1, sizeof(*h->service)))
		return -1;
	h->service[h->nservice++] = (struct qs_service_change){
		.at = at, .queue = queue, .type = type, .gpus = gpus
	};
	return 0;
}

int32_t qs_quota_history_share(const struct qs_quota_history *h,
			       const char *name)
{
	return find(h->shares, h->nshares, name);
}

int32_t qs_quota_history_type(const struct qs_quota_history *h,
			      const char *name)
{
	return find(h->types, h->ntypes, name);
}

int32_t qs_quota_history_gres(const struct qs_quota_history *h,
			      const char *gres_type)
{
	for (uint32_t i = h->nperiods; i > 0; i--) {
		const struct qs_policy *policy = h->periods[i - 1].policy;
		int type = qs_policy_find_gres(policy, gres_type);

		if (type >= 0)
			return qs_quota_history_type(h,
						     policy->types[type].name);
	}
	return -1;
}

const struct qs_quota_period *
qs_quota_history_at(const struct qs_quota_history *h, int64_t when)
{
	uint32_t low = 0, high = h->nperiods;

	if (!h->nperiods)
		return NULL;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (h->periods[middle].since <= when)
			low = middle + 1;
		else
			high = middle;
	}
	return &h->periods[low ? low - 1 : 0];
}
