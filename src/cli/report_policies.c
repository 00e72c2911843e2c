/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_policies.c - the policies in force over time, from the audit log
 *
 * Called by report before anything is counted. The audit log has the whole
 * text of each policy (R18). Without it, the policy of today stands for all
 * times, and the report says so.
 */
#include "cli/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/events.h"
#include "cli/online.h"
#include "cli/policy_path.h"
#include "conf/conf.h"

/* Takes the policy over. */
static int add_policy(struct qs_report *r, int64_t since,
		      struct qs_policy *policy)
{
	struct qs_policy **bigger =
		realloc(r->policies, (r->npolicies + 1) * sizeof(*bigger));

	if (bigger)
		r->policies = bigger;
	if (!bigger || qs_quota_history_add(&r->history, since, policy)) {
		qs_policy_free(policy);
		return qs_cli_error(QS_REPORT_NAME, "the policies: %s",
				    strerror(bigger ? errno : ENOMEM));
	}
	r->policies[r->npolicies++] = policy;
	return 0;
}

static struct qs_policy *parse(struct qs_report *r, int64_t when,
			       const char *text)
{
	struct qs_error err;
	struct qs_policy *policy;
	char stamp[32];

	policy = qs_conf_read_text("audit log", NULL, text, strlen(text), NULL,
				   &err);
	if (policy)
		return policy;
	qs_report_time(when, stamp, sizeof(stamp));
	qs_problems_note(&r->problems,
			 "policies of the audit log that cannot be read (long "
			 "ones are cut there): the one before stands on",
			 "of %s: %.80s", stamp, err.text);
	return NULL;
}

/* The window may not be known yet: qs_report_changes() comes later. */
static void note_change(struct qs_report *r, int64_t when, bool refused,
			const char *text)
{
	struct qs_report_change *change;

	if (r->nchanges == QS_CHANGES_MAX) {
		memmove(r->changes, r->changes + 1,
			(QS_CHANGES_MAX - 1) * sizeof(*r->changes));
		r->nchanges--;
	}
	change = &r->changes[r->nchanges++];
	change->when = when;
	change->refused = refused;
	qs_error_copy(change->text, sizeof(change->text), text);
}

void qs_report_changes(struct qs_report *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->nchanges; i++) {
		if (r->changes[i].when < r->begin ||
		    r->changes[i].when >= r->end)
			continue;
		if (r->changes[i].refused)
			r->policies_refused++;
		else
			r->policies_changed++;
		r->changes[kept++] = r->changes[i];
	}
	r->nchanges = kept;
}

static int take(struct json_object *event, void *arg)
{
	struct qs_report *r = arg;
	const char *word = qs_online_text(event, "event", "");
	int64_t when = qs_events_time(event);
	const char *old = qs_online_text(event, "old", "");
	struct qs_policy *policy;
	char what[256] = "";

	if (!strcmp(word, "policy_refused"))
		note_change(r, when, true, qs_online_text(event, "error", ""));
	if ((strcmp(word, "policy_loaded") && strcmp(word, "policy_changed")) ||
	    !when || when >= r->end)
		return 0;
	/* The log begins with a change: what was before is in it, too. */
	if (!r->npolicies && *old) {
		policy = parse(r, when, old);
		if (policy && add_policy(r, 0, policy))
			return QS_EXIT_ERROR;
	}
	policy = parse(r, when, qs_online_text(event, "new", ""));
	if (!policy)
		return 0;
	if (r->npolicies) {
		struct qs_policy *last = r->policies[r->npolicies - 1];

		if (qs_conf_equal(last, policy, what, sizeof(what))) {
			qs_policy_free(policy);
			return 0;
		}
		note_change(r, when, false, what);
	}
	/* Clocks that went back: not before the one before. */
	if (r->history.nperiods &&
	    when < r->history.periods[r->history.nperiods - 1].since) {
		qs_problems_note(&r->problems,
				 "lines of the audit log whose time goes back "
				 "(a clock was changed?)",
				 "%s", qs_online_text(event, "time", ""));
		when = r->history.periods[r->history.nperiods - 1].since;
	}
	return add_policy(r, when, policy) ? QS_EXIT_ERROR : 0;
}

/* Returns 0, an exit code, or -1: there is no such log. */
static int read_audit(struct qs_report *r, const char *path)
{
	size_t bad = 0;
	int rc = qs_events_read(path, take, r, &bad);

	for (size_t i = 0; i < bad; i++)
		qs_problems_note(&r->problems,
				 "half-written lines of the audit log, left "
				 "out",
				 "%s", path);
	if (rc < 0)
		return -1;
	if (!rc && r->npolicies) {
		const struct qs_quota_period *first = r->history.periods;

		qs_report_note(r, "Who owned what: from the audit log %s.",
			       path);
		if (first->since > r->begin) {
			char stamp[32];

			qs_report_time(first->since, stamp, sizeof(stamp));
			qs_report_note(r,
				       "The audit log begins at %s; before, "
				       "its first policy is taken to be in "
				       "force.",
				       stamp);
		}
	}
	return rc;
}

static int use_file(struct qs_report *r, struct qs_policy *policy,
		    const char *path)
{
	qs_report_note(
		r, "Who owned what: as in %s, for the whole time%s.", path,
		r->wish.policy ? "" : ", since no audit log could be read");
	return add_policy(r, 0, policy);
}

static void read_site(struct qs_report *r, const char *policy_path)
{
	char *path = r->wish.slurm_conf ?
			     strdup(r->wish.slurm_conf) :
			     qs_path_beside(policy_path, "slurm.conf");
	struct qs_error err;

	if (path)
		r->site = qs_site_read(path, NULL, &err);
	if (path && !r->site && r->wish.slurm_conf)
		qs_report_note(r, "Types of nodes are not known: %.200s.",
			       err.text);
	free(path);
}

char *qs_report_log_path(const struct qs_report *r, bool audit)
{
	const char *given = audit ? r->wish.audit : r->wish.events;
	const char *state = NULL;
	char *path;
	size_t n;

	for (size_t i = r->npolicies; !given && i > 0; i--)
		given = audit ? r->policies[i - 1]->audit_log :
				r->policies[i - 1]->event_log;
	if (given)
		return strdup(given);
	if (r->site)
		state = qs_site_value(r->site, "StateSaveLocation");
	if (!state)
		return NULL;
	n = strlen(state) + 64;
	path = malloc(n);
	if (path)
		snprintf(path, n, "%s/quota_share.%s.jsonl", state,
			 audit ? "audit" : "events");
	return path;
}

/* The audit log is named in the policy file, which is not in force yet. */
static char *audit_path(struct qs_report *r, struct qs_policy *policy)
{
	if (r->wish.audit)
		return strdup(r->wish.audit);
	if (policy && policy->audit_log)
		return strdup(policy->audit_log);
	return qs_report_log_path(r, true);
}

int qs_report_policies(struct qs_report *r)
{
	char *path = r->wish.policy ? strdup(r->wish.policy) : qs_policy_path();
	char *audit = NULL;
	struct qs_policy *policy = NULL;
	struct qs_error err = { 0 };
	int rc = -1;

	if (!path)
		return qs_cli_error(QS_REPORT_NAME, "out of memory");
	read_site(r, path);
	policy = qs_conf_read_file(path, NULL, &err);
	if (!policy && r->wish.policy) {
		rc = qs_cli_error(QS_REPORT_NAME, "%s", err.text);
		goto out;
	}
	/* One that is named stands for itself, unless the log is named, too. */
	if (!r->wish.policy || r->wish.audit)
		audit = audit_path(r, policy);
	if (audit)
		rc = read_audit(r, audit);
	if (rc < 0 && r->wish.audit) {
		rc = qs_cli_error(QS_REPORT_NAME, "%s: %s", audit,
				  strerror(errno));
		goto out;
	}
	if (rc <= 0 && !r->npolicies) {
		if (policy)
			rc = use_file(r, policy, path);
		else
			rc = qs_cli_error(QS_REPORT_NAME,
					  "who owns what is not known: no "
					  "audit log, and %s. Name one with "
					  "--audit or --policy",
					  err.text);
		policy = NULL;
	}
out:
	qs_policy_free(policy);
	free(audit);
	free(path);
	return rc;
}
