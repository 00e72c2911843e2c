/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cli.h - what the subcommands of qshare share: table, exit codes, options
 *
 * A subcommand is one file NAME.c with one function qs_cli_NAME() and a line
 * in the table of commands.c. It parses its own options with getopt_long(),
 * prints its result on stdout and everything else on stderr, and returns one
 * of the exit codes below.
 */
#ifndef QS_CLI_H
#define QS_CLI_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/table.h"

/* Exit codes of qshare, the same for every subcommand; see qshare(1). */
enum qs_exit {
	QS_EXIT_OK = 0,
	QS_EXIT_ERROR = 1, /* the input or the answer is an error */
	QS_EXIT_USAGE = 2, /* the command line is */
};

struct qs_cli_command {
	const char *name;
	const char *summary; /* one line of qshare --help */
	bool online;         /* asks slurmctld */
	/* argv[0] is the subcommand's name. Returns enum qs_exit. */
	int (*run)(int argc, char **argv);
};

/* In the order of qshare --help; the last one has no name. */
extern const struct qs_cli_command qs_cli_commands[];

/* By exact name; NULL if there is none. */
const struct qs_cli_command *qs_cli_find(const char *name);
/* The name that looks most like a misspelt one; NULL if none does. */
const char *qs_cli_suggest(const char *name);

/*
 * The options that every command with a table takes, spelt as Slurm's own
 * tools spell them. Use: put the macros at the end of the command's lists,
 * offer each option to qs_cli_output_option() first.
 */
struct qs_cli_output {
	enum qs_table_format format;
	bool header;
	bool color; /* aligned tables: colour and bars */
};

#define QS_CLI_OUTPUT_INIT                                    \
	{                                                     \
		QS_TABLE_ALIGNED, true, qs_style_auto(stdout) \
	}
#define QS_CLI_OPT_JSON     0x1000
#define QS_CLI_OPT_COLOR    0x1001
#define QS_CLI_OUTPUT_SHORT "nP"
#define QS_CLI_OUTPUT_LONG                                         \
	{ "noheader", no_argument, NULL, 'n' },                    \
		{ "parsable", no_argument, NULL, 'P' },            \
		{ "json", no_argument, NULL, QS_CLI_OPT_JSON },    \
	{                                                          \
		"color", optional_argument, NULL, QS_CLI_OPT_COLOR \
	}
#define QS_CLI_OUTPUT_HELP                                               \
	"  -n, --noheader   no line with the names of the columns\n"     \
	"  -P, --parsable   columns separated by '|', not padded\n"      \
	"      --json       JSON\n"                                      \
	"      --color=WHEN auto (on a terminal, the default), always, " \
	"never\n"

/* True if opt was one of them and is now in *out; optarg as getopt left it. */
bool qs_cli_output_option(struct qs_cli_output *out, int opt);

/* How a command takes its options, and whether it takes operands. */
struct qs_cli_parser {
	/* letters as getopt_long(), ":" first; NULL: none but h. */
	const char *name, *letters;
	const struct option *options; /* NULL: none but help */
	void (*help)(void);           /* for 'h' */
	struct qs_cli_output *out;    /* gets the options of a table; or NULL */
	/* Any other option. Returns -1 to go on, QS_CLI_UNKNOWN if it is none
	 * of the command's, or an exit code after what was said. */
	int (*take)(int opt, void *arg); /* NULL: there is none */
	bool operands; /* from argv[optind] on; else there may be none */
};
#define QS_CLI_UNKNOWN (-2)

/* Returns -1 to go on, or the exit code: help was asked for, or there is a
 * mistake, which is said. */
int qs_cli_parse(const struct qs_cli_parser *parser, int argc, char **argv,
		 void *arg);

/* "qshare NAME: text" on stderr, the pointer to --help below it. Returns
 * QS_EXIT_USAGE. name NULL: qshare itself. */
int qs_cli_usage(const char *name, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* What getopt_long() with ':' first could not take, said as above. */
int qs_cli_bad_option(const char *name, int opt, char **argv);
/* "qshare NAME: text" on stderr. Returns QS_EXIT_ERROR. */
int qs_cli_error(const char *name, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* After the last output: a full disk or a closed pipe is an error, not a
 * truncated success. Returns code, or QS_EXIT_ERROR. */
int qs_cli_flush(const char *name, int code);

/* offline */
int qs_cli_check(int argc, char **argv);
int qs_cli_diff(int argc, char **argv);
int qs_cli_export(int argc, char **argv);
int qs_cli_import(int argc, char **argv);
int qs_cli_instances(int argc, char **argv);
int qs_cli_plan(int argc, char **argv);
int qs_cli_replay(int argc, char **argv);
int qs_cli_report(int argc, char **argv);
/* online: built with --with-slurm-source only */
int qs_cli_status(int argc, char **argv);
int qs_cli_describe_jobs(int argc, char **argv);
int qs_cli_explain(int argc, char **argv);
int qs_cli_health(int argc, char **argv);
int qs_cli_jobs(int argc, char **argv);
int qs_cli_events(int argc, char **argv);
int qs_cli_metrics(int argc, char **argv);
int qs_cli_observe(int argc, char **argv);
int qs_cli_reload(int argc, char **argv);
int qs_cli_scenario(int argc, char **argv);
int qs_cli_top(int argc, char **argv);
int qs_cli_whatif(int argc, char **argv);
int qs_cli_priority(int argc, char **argv);
int qs_cli_snapshot(int argc, char **argv);

#endif
