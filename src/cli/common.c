/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * common.c - messages and output options that the subcommands share
 *
 * Called by main.c and by every subcommand. Blocks where stdout and stderr do.
 */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "cli/progress.h"
#include "conf/nearest.h"

const struct qs_cli_command *qs_cli_find(const char *name)
{
	for (const struct qs_cli_command *c = qs_cli_commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

const char *qs_cli_suggest(const char *name)
{
	struct qs_nearest nearest;

	qs_nearest_init(&nearest, name);
	for (const struct qs_cli_command *c = qs_cli_commands; c->name; c++)
		qs_nearest_offer(&nearest, c->name);
	return qs_nearest_get(&nearest);
}

bool qs_cli_output_option(struct qs_cli_output *out, int opt)
{
	switch (opt) {
	case 'n':
		out->header = false;
		return true;
	case 'P':
		out->format = QS_TABLE_PARSABLE;
		return true;
	case QS_CLI_OPT_JSON:
		out->format = QS_TABLE_JSON;
		return true;
	case QS_CLI_OPT_COLOR:
		return !qs_style_when(optarg, stdout, &out->color);
	default:
		return false;
	}
}

static void message(const char *name, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));
static void message(const char *name, const char *fmt, va_list args)
{
	qs_progress_hide();
	fprintf(stderr, "qshare%s%s: ", name ? " " : "", name ? name : "");
	vfprintf(stderr, fmt, args);
	putc('\n', stderr);
}

int qs_cli_usage(const char *name, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message(name, fmt, args);
	va_end(args);
	fprintf(stderr, "Try: qshare%s%s --help\n", name ? " " : "",
		name ? name : "");
	return QS_EXIT_USAGE;
}

int qs_cli_bad_option(const char *name, int opt, char **argv)
{
	const char *given = argv[optind - 1];

	if (opt == ':')
		return qs_cli_usage(name, "option '%s' needs a value", given);
	if (opt == QS_CLI_OPT_COLOR)
		return qs_cli_usage(name, "%s: give auto, always or never",
				    given);
	return qs_cli_usage(name, "unknown option '%s'", given);
}

int qs_cli_error(const char *name, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message(name, fmt, args);
	va_end(args);
	return QS_EXIT_ERROR;
}

int qs_cli_flush(const char *name, int code)
{
	if (fflush(stdout) || ferror(stdout))
		return qs_cli_error(name, "cannot write the output: %s",
				    strerror(errno));
	return code;
}

int qs_cli_parse(const struct qs_cli_parser *parser, int argc, char **argv,
		 void *arg)
{
	static const struct option only_help[] = {
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const struct option *options =
		parser->options ? parser->options : only_help;
	const char *letters = parser->letters ? parser->letters : ":h";
	int opt, code;

	while ((opt = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		if (parser->out && qs_cli_output_option(parser->out, opt))
			continue;
		if (opt == 'h') {
			parser->help();
			return qs_cli_flush(parser->name, QS_EXIT_OK);
		}
		code = opt == '?' || opt == ':' || !parser->take ?
			       QS_CLI_UNKNOWN :
			       parser->take(opt, arg);
		if (code == QS_CLI_UNKNOWN)
			return qs_cli_bad_option(parser->name, opt, argv);
		if (code >= 0)
			return code;
	}
	if (optind < argc && !parser->operands)
		return qs_cli_usage(parser->name, "unexpected argument '%s'",
				    argv[optind]);
	return -1;
}
