/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.c - run the real qshare and keep what it said
 *
 * Called by suites. Output goes to unlinked temporary files, so that nothing
 * can block on a full pipe; the child is given 60 s (ALRM ends it).
 */
#include "run.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGS_MAX 16
#define SECONDS  60

static const char *qshare(void)
{
	const char *path = getenv("QSHARE");

	return path ? path : QS_BUILDDIR "/src/cli/qshare";
}

static FILE *scratch(const char *content)
{
	FILE *file = tmpfile();

	ck_assert_ptr_nonnull(file);
	if (content)
		fputs(content, file);
	rewind(file);
	return file;
}

static char *content(FILE *file)
{
	long size;
	char *text;

	fseek(file, 0, SEEK_END);
	size = ftell(file);
	ck_assert_int_ge(size, 0);
	rewind(file);
	text = malloc((size_t)size + 1);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(fread(text, 1, (size_t)size, file), (size_t)size);
	text[size] = '\0';
	fclose(file);
	return text;
}

void run_qshare(struct run *run, const char *input, ...)
{
	FILE *in = scratch(input), *out = scratch(NULL), *err = scratch(NULL);
	char *argv[ARGS_MAX] = { (char *)"qshare" };
	int argc = 1, status;
	va_list args;
	pid_t pid;

	va_start(args, input);
	while (argc < ARGS_MAX - 1 && (argv[argc] = va_arg(args, char *)))
		argc++;
	va_end(args);
	argv[argc] = NULL;
	fflush(NULL);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		dup2(fileno(in), 0);
		dup2(fileno(out), 1);
		dup2(fileno(err), 2);
		alarm(SECONDS);
		execv(qshare(), argv);
		perror(qshare());
		_exit(127);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	run->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	run->out = content(out);
	run->err = content(err);
	fclose(in);
	ck_assert_msg(run->code != 127, "%s", run->err);
}

void run_clear(struct run *run)
{
	free(run->out);
	free(run->err);
}
