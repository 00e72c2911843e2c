/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_sources.c - what sacct says: run it, or read what was saved
 *
 * Called by report once the policies are known. Runs sacct and sacctmgr as
 * anybody would on a terminal; the time limit is theirs. Blocks on them.
 */
#ifdef HAVE_CONFIG_H
#include "qs_config.h"
#endif

#include "cli/report.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/progress.h"

extern char **environ;

/* Records on their way, counted for who waits at a terminal. */
struct reading {
	struct qs_attempts *attempts;
	FILE *file;
	int64_t size, records;
};

static int take_record(const struct qs_sacct_record *record, void *arg)
{
	struct reading *reading = arg;

	if (!(++reading->records % 4096))
		qs_progress_at(reading->size ? ftell(reading->file) :
					       reading->records,
			       reading->size);
	return qs_attempts_add(record, reading->attempts);
}

/* Returns 0, or QS_EXIT_ERROR with the reason said. */
static int read_records(struct qs_report *r, FILE *file, const char *name,
			struct qs_attempts *attempts)
{
	struct reading reading = { .attempts = attempts, .file = file };
	struct qs_error err;
	struct stat st;
	int rc;

	if (!fstat(fileno(file), &st) && S_ISREG(st.st_mode))
		reading.size = st.st_size;
	qs_progress_begin(QS_REPORT_NAME, "reading what sacct says");
	rc = qs_sacct_read(file, name, take_record, &reading, &r->problems,
			   &err);
	qs_progress_end();
	if (rc)
		return qs_cli_error(QS_REPORT_NAME, "%s",
				    rc == -1 && errno != ENOMEM ?
					    err.text :
					    strerror(ENOMEM));
	return 0;
}

/* Run a program and hand over what it prints. NULL with errno. */
static FILE *run(const char *const *argv, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	FILE *file = NULL;
	int ends[2], rc;

	if (pipe(ends))
		return NULL;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, ends[1]);
	/* posix_spawnp() does not change its arguments. */
	rc = posix_spawnp(pid, argv[0], &actions, NULL,
			  (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (!rc)
		file = fdopen(ends[0], "r");
	if (!file)
		close(ends[0]);
	if (rc)
		errno = rc;
	return file;
}

/* Returns the exit code, -1: it did not exit by itself. */
static int end(FILE *file, pid_t pid)
{
	int status = 0;

	fclose(file);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void sacct_time(int64_t when, char *text, size_t size)
{
	time_t seconds = (time_t)when;
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(text, size, "%Y-%m-%dT%H:%M:%S", &tm);
}

/* All attempts of all jobs that touch the window; times in seconds. */
static int ask_sacct(struct qs_report *r, struct qs_attempts *attempts)
{
	char begin[32], finish[32];
	const char *const argv[] = {
		"sacct", "-a", "-D",   "-X", "--parsable2",   "-S",
		begin,   "-E", finish, "-o", qs_sacct_fields, NULL
	};
	pid_t pid;
	FILE *file;
	int rc;

	sacct_time(r->begin, begin, sizeof(begin));
	sacct_time(r->end, finish, sizeof(finish));
	setenv("SLURM_TIME_FORMAT", "%s", 1);
	file = run(argv, &pid);
	if (!file)
		return qs_cli_error(QS_REPORT_NAME,
				    "cannot run sacct: %s. Save its output "
				    "elsewhere and name it with --from",
				    strerror(errno));
	rc = read_records(r, file, "sacct", attempts);
	if (end(file, pid) && !rc)
		rc = qs_cli_error(QS_REPORT_NAME,
				  "sacct failed: is there a slurmdbd, and may "
				  "you see all jobs?");
	qs_report_note(r, "Jobs: from sacct.");
	return rc ? QS_EXIT_ERROR : 0;
}

/* Without the tree only accounts that a share names are found: not an error. */
static void ask_sacctmgr(struct qs_report *r)
{
	static const char *const argv[] = {
		"sacctmgr", "-nP",  "show",
		"assoc",    "tree", "format=Account,ParentName",
		NULL
	};
	pid_t pid;
	FILE *file = run(argv, &pid);
	int rc = -1;

	if (file) {
		rc = qs_accounts_read(&r->accounts, file);
		if (end(file, pid))
			rc = -1;
	}
	if (rc || !r->accounts.n)
		qs_report_note(r, "The tree of accounts is not known: a job is "
				  "of the share that lists its account itself, "
				  "unless its record or the event log names "
				  "another.");
}

static int read_accounts(struct qs_report *r)
{
	FILE *file;
	int rc;

	if (!r->wish.accounts) {
		if (!r->wish.nfrom)
			ask_sacctmgr(r);
		return 0;
	}
	file = fopen(r->wish.accounts, "re");
	rc = file ? qs_accounts_read(&r->accounts, file) : -1;
	if (rc)
		qs_cli_error(QS_REPORT_NAME, "%s: %s", r->wish.accounts,
			     strerror(errno));
	if (file)
		fclose(file);
	return rc ? QS_EXIT_ERROR : 0;
}

static int read_one(struct qs_report *r, const char *path,
		    struct qs_attempts *attempts)
{
	bool is_stdin = !strcmp(path, "-");
	const char *name = is_stdin ? "standard input" : path;
	FILE *file = is_stdin ? stdin : fopen(path, "re");
	int rc;

	if (!file)
		return qs_cli_error(QS_REPORT_NAME, "%s: %s", name,
				    strerror(errno));
	rc = read_records(r, file, name, attempts);
	if (ferror(file) && !rc)
		rc = qs_cli_error(QS_REPORT_NAME, "%s: %s", name,
				  strerror(errno));
	if (!is_stdin)
		fclose(file);
	qs_report_note(r, "Jobs: from %s.", name);
	return rc ? QS_EXIT_ERROR : 0;
}

/* ---- types of nodes, for sites that do not track types ---- */

struct types {
	const struct qs_site *site;
	const char *type;
	bool mixed;
};

static int by_name(const void *a, const void *b)
{
	const char *name = a;
	const struct qs_site_node *node = b;

	return strcmp(name, node->name);
}

static int look_at_node(const char *name, void *arg)
{
	struct types *types = arg;
	const struct qs_site_node *node =
		types->site->nnodes ?
			bsearch(name, types->site->nodes, types->site->nnodes,
				sizeof(*node), by_name) :
			NULL;

	for (size_t i = 0; node && i < node->ngpus; i++) {
		if (types->type && strcmp(types->type, node->gpus[i].type))
			types->mixed = true;
		types->type = node->gpus[i].type;
	}
	return node ? 0 : 1;
}

static const char *type_of_nodes(const char *nodes, void *arg)
{
	struct types types = { .site = arg };

	if (qs_hosts_each(nodes, look_at_node, &types) || types.mixed)
		return NULL;
	return types.type && *types.type ? types.type : NULL;
}

static void note_facts(struct qs_report *r)
{
	const struct qs_attempts_facts *f = &r->facts;

	if (f->typed_by_nodes)
		qs_report_note(r,
			       "The records of %llu runs have no GPU type: it "
			       "was taken from their nodes in slurm.conf and "
			       "gres.conf.",
			       (unsigned long long)f->typed_by_nodes);
	if (f->typed_by_policy)
		qs_report_note(r,
			       "The records of %llu runs have no GPU type: the "
			       "policy's only type was taken.",
			       (unsigned long long)f->typed_by_policy);
	if (f->duplicates)
		qs_report_note(r, "%llu records came twice: counted once.",
			       (unsigned long long)f->duplicates);
	if (f->without_gpus || f->other_partitions)
		qs_report_note(r,
			       "Not counted: %llu records without GPUs, %llu "
			       "of partitions in no queue.",
			       (unsigned long long)f->without_gpus,
			       (unsigned long long)f->other_partitions);
	if (f->records && f->records == f->without_gpus)
		qs_report_note(r, "No record has a GPU: does "
				  "AccountingStorageTRES in slurm.conf list "
				  "gres/gpu and its types?");
}

int qs_report_runs(struct qs_report *r)
{
	struct qs_attempts_wish wish = { .history = &r->history,
					 .accounts = &r->accounts,
					 .type_of =
						 r->site ? type_of_nodes : NULL,
					 .type_arg = r->site,
					 .problems = &r->problems };
	struct qs_attempts *attempts = qs_attempts_new(&wish);
	int rc = attempts ? read_accounts(r) :
			    qs_cli_error(QS_REPORT_NAME, "out of memory");

	if (!rc && !r->wish.nfrom)
		rc = ask_sacct(r, attempts);
	for (int i = 0; !rc && i < r->wish.nfrom; i++)
		rc = read_one(r, r->wish.from[i], attempts);
	if (!rc && qs_attempts_finish(attempts, &r->runs, &r->facts))
		rc = qs_cli_error(QS_REPORT_NAME, "%s", strerror(errno));
	if (!rc)
		note_facts(r);
	qs_attempts_free(attempts);
	return rc;
}
