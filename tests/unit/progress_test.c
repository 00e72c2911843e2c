/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress_test.c - the line on the terminal while something takes long
 */
#define _GNU_SOURCE
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/progress.h"

#include "suite.h"

static int saved;

static void stderr_to(int fd)
{
	fflush(stderr);
	ck_assert_int_ge(saved = dup(STDERR_FILENO), 0);
	ck_assert_int_ge(dup2(fd, STDERR_FILENO), 0);
}

static void stderr_back(void)
{
	fflush(stderr);
	ck_assert_int_ge(dup2(saved, STDERR_FILENO), 0);
	close(saved);
}

/* What comes within ten seconds, until there are the words behind what was
 * looked for before: *at is moved behind them. */
static void read_until(int fd, char *text, size_t size, size_t *at,
		       const char *words)
{
	size_t n = strlen(text);
	const char *found;

	for (int i = 0; i < 1000 && !strstr(text + *at, words); i++) {
		ssize_t got = read(fd, text + n, size - n - 1);

		if (got > 0)
			text[n += (size_t)got] = '\0';
		else
			usleep(10000);
	}
	found = strstr(text + *at, words);
	ck_assert_msg(found != NULL, "'%s' not in '%s' from %zu on", words,
		      text, *at);
	*at = (size_t)(found - text) + strlen(words);
}

/* The seconds of the next line with a quarter done. */
static int read_seconds(int fd, char *text, size_t size, size_t *at)
{
	size_t from;

	read_until(fd, text, size, at, "(25 %, ");
	from = *at;
	read_until(fd, text, size, at, " s)\33[K");
	return atoi(text + from);
}

START_TEST(on_a_terminal)
{
	int ours = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK), theirs;
	char text[4000] = "";
	size_t at = 0;
	int seconds;

	ck_assert_int_ge(ours, 0);
	ck_assert(!grantpt(ours) && !unlockpt(ours));
	theirs = open(ptsname(ours), O_RDWR | O_NOCTTY);
	ck_assert_int_ge(theirs, 0);
	stderr_to(theirs);
	qs_progress_begin("test", "waiting for it");
	/* one inside of another is the outer one's */
	qs_progress_begin("inner", "never shown");
	qs_progress_end();
	read_until(ours, text, sizeof(text), &at,
		   "\rqshare test: waiting for it (1 s)");
	qs_progress_at(1, 4);
	/* A slow machine may not come to it in the next second. */
	seconds = read_seconds(ours, text, sizeof(text), &at);
	ck_assert_int_ge(seconds, 2);
	/* a message has a line of its own */
	qs_cli_error("test", "trouble");
	read_until(ours, text, sizeof(text), &at,
		   "\r\33[Kqshare test: trouble\r\n");
	ck_assert_int_gt(read_seconds(ours, text, sizeof(text), &at), seconds);
	qs_progress_end();
	stderr_back();
	read_until(ours, text, sizeof(text), &at, "\r\33[K");
	ck_assert_ptr_null(strstr(text, "inner"));
	close(theirs);
	close(ours);
}
END_TEST

START_TEST(piped)
{
	char text[100] = "";
	int fds[2];

	ck_assert(!pipe2(fds, O_NONBLOCK));
	stderr_to(fds[1]);
	qs_progress_begin("test", "waiting for it");
	usleep(1100000);
	qs_progress_at(1, 2);
	qs_progress_hide();
	qs_progress_end();
	stderr_back();
	ck_assert_int_le(read(fds[0], text, sizeof(text)), 0);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("progress");
	TCase *core = tcase_create("core");

	tcase_set_timeout(core, 60);
	tcase_add_test(core, on_a_terminal);
	tcase_add_test(core, piped);
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
