/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * top.c - qshare top: the shares and their jobs, again and again
 *
 * For a terminal. Each refresh is a child of its own that asks slurmctld and
 * writes the whole screen into a pipe: libslurm may end the process that calls
 * it, keeps memory of every answer, and may wait long. Waits for keys and time.
 */
#ifdef HAVE_CONFIG_H
#include "qs_config.h"
#endif

#include "cli/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "cli/online.h"

#define NAME        "top"
#define SECONDS_MIN 1
#define SECONDS_MAX 3600
#define SCREEN_MAX  (512 * 1024)

static void help(void)
{
	puts("Usage: qshare top [OPTION...]\n"
	     "\n"
	     "The table of shares and the jobs of the shares, drawn anew every "
	     "few seconds.\n"
	     "Keys: q ends, space draws at once, r and w show running or "
	     "waiting jobs only, a\n"
	     "all, m mine, + and - change the interval.\n"
	     "\n"
	     "  -d, --delay=SECONDS  between two screens (2)\n"
	     "  -q, --queue=NAME     only this quota queue\n"
	     "  -s, --share=NAME     only jobs of this share\n"
	     "  -1, --once           one screen, then end; also without a "
	     "terminal\n"
	     "      --color=WHEN     auto (on a terminal, the default), "
	     "always, never\n"
	     "  -h, --help           show this and exit\n"
	     "\n"
	     "Exit status: 0 ended by the user, 1 slurmctld gave no answer at "
	     "the first try,\n"
	     "2 usage.\n"
	     "\n"
	     "Example: qshare top -d 5");
}

struct view {
	struct qs_jobs_filter filter;
	int delay;
	bool color, once;
};

static volatile sig_atomic_t ended, resized;

static void on_end(int signal)
{
	(void)signal;
	ended = 1;
}

static void on_resize(int signal)
{
	(void)signal;
	resized = 1;
}

static struct json_object *ask(const char *word)
{
	return qs_online_ask(NAME, 1, &word);
}

/* The whole screen, into stdout. Runs in a child. */
static int draw(const struct view *view)
{
	const struct qs_cli_output out = { QS_TABLE_ALIGNED, true,
					   view->color };
	struct json_object *status = ask("status"), *jobs;
	char stamp[32];
	time_t now = time(NULL);
	struct tm tm;

	if (!status)
		return QS_EXIT_ERROR;
	localtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%H:%M:%S", &tm);
	printf("%s  every %d s  %s\n", stamp, view->delay,
	       view->once ? "" : "q ends, r w a m choose jobs, + - interval");
	if (qs_status_print(status, view->filter.queue, &out, stdout))
		return qs_cli_error(NAME, "%s",
				    errno == ENOENT ?
					    "there is no such quota queue" :
					    "slurmctld's answer has no shares");
	jobs = ask("jobs");
	if (!jobs)
		return QS_EXIT_ERROR;
	if (view->filter.share &&
	    !qs_jobs_knows(status, "share", view->filter.share) &&
	    !qs_jobs_knows(jobs, "share", view->filter.share))
		return qs_cli_error(NAME, "there is no quota share '%s'",
				    view->filter.share);
	putchar('\n');
	if (qs_jobs_print(jobs, &view->filter, &out, stdout))
		return qs_cli_error(NAME, "slurmctld's answer has no jobs");
	return qs_cli_flush(NAME, QS_EXIT_OK);
}

/* Start drawing; its words come out of the pipe. Returns the pid, or -1. */
static pid_t start(const struct view *view, int *from)
{
	size_t columns = qs_style_columns(stdout);
	char text[24];
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		/* The tables are to fit where they are shown in the end. */
		snprintf(text, sizeof(text), "%zu", columns);
		setenv("COLUMNS", text, 1);
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		signal(SIGINT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		exit(draw(view));
	}
	close(ends[1]);
	if (pid < 0)
		close(ends[0]);
	*from = ends[0];
	return pid;
}

/* One line of at most so many columns; escapes take none. Returns the place
 * behind the line. */
static const char *put_line(const char *text, int columns, FILE *file)
{
	int at = 0;

	while (*text && *text != '\n') {
		if (*text == '\033') {
			size_t n = strcspn(text, "m");

			fwrite(text, 1, n + (text[n] == 'm'), file);
			text += n + (text[n] == 'm');
			continue;
		}
		/* All bytes of a character, or none. */
		if (((unsigned char)*text & 0xc0) != 0x80)
			at++;
		if (at <= columns)
			putc(*text, file);
		text++;
	}
	return *text ? text + 1 : text;
}

static void show(const char *text)
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	int row = 0;

	(void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	fputs("\033[H", stdout);
	for (; *text && row < size.ws_row - 1; row++) {
		text = put_line(text, size.ws_col, stdout);
		fputs("\033[0m\033[K\n", stdout);
	}
	fputs(*text ? "... (the terminal has no more lines)\033[K\033[J" :
		      "\033[J",
	      stdout);
	fflush(stdout);
}

/* Reads the child's screen to its end. Returns its exit status, or -1. */
static int collect(pid_t pid, int from, char *text, size_t size)
{
	size_t n = 0;
	int status = 0;

	while (!ended && n < size - 1) {
		ssize_t got = read(from, text + n, size - 1 - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	text[n] = '\0';
	close(from);
	if (ended)
		kill(pid, SIGTERM);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void take_key(struct view *view, char key)
{
	switch (key) {
	case 'q':
	case 'Q':
		ended = 1;
		break;
	case 'r':
		view->filter.only = QS_JOBS_RUNNING;
		break;
	case 'w':
		view->filter.only = QS_JOBS_WAITING;
		break;
	case 'a':
		view->filter.only = QS_JOBS_ALL;
		view->filter.user = -1;
		break;
	case 'm':
		view->filter.user = getuid();
		break;
	case '+':
		if (view->delay < SECONDS_MAX)
			view->delay++;
		break;
	case '-':
		if (view->delay > SECONDS_MIN)
			view->delay--;
		break;
	default:
		break;
	}
}

static void wait_for_key(struct view *view)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	char key;

	resized = 0;
	if (poll(&in, 1, view->delay * 1000) <= 0)
		return;
	if (read(STDIN_FILENO, &key, 1) == 1)
		take_key(view, key);
	else
		ended = 1;
}

static int run(struct view *view)
{
	char *text = malloc(SCREEN_MAX);
	bool first = true;
	int code = QS_EXIT_OK;

	if (!text)
		return qs_cli_error(NAME, "out of memory");
	while (!ended) {
		int from;
		pid_t pid = start(view, &from);
		int status =
			pid < 0 ? -1 : collect(pid, from, text, SCREEN_MAX);

		if (status && first && !ended) {
			code = QS_EXIT_ERROR;
			break;
		}
		first = false;
		show(text);
		wait_for_key(view);
	}
	if (code != QS_EXIT_OK)
		fputs(text, stderr);
	free(text);
	return code;
}

/* Keys without Enter, no echo, and the other screen of the terminal. */
static int on_terminal(struct view *view)
{
	struct sigaction action = { .sa_handler = on_end };
	struct termios was, raw;
	int code;

	if (tcgetattr(STDIN_FILENO, &was))
		return qs_cli_error(NAME, "%s", strerror(errno));
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	action.sa_handler = on_resize;
	sigaction(SIGWINCH, &action, NULL);
	raw = was;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	fputs("\033[?1049h\033[?25l", stdout);
	code = run(view);
	fputs("\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	tcsetattr(STDIN_FILENO, TCSANOW, &was);
	return code;
}

static const struct option options[] = {
	{ "delay", required_argument, NULL, 'd' },
	{ "queue", required_argument, NULL, 'q' },
	{ "share", required_argument, NULL, 's' },
	{ "once", no_argument, NULL, '1' },
	{ "color", optional_argument, NULL, QS_CLI_OPT_COLOR },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int take(int opt, void *arg)
{
	struct view *view = arg;
	char *end;

	switch (opt) {
	case 'd':
		view->delay = (int)strtol(optarg, &end, 10);
		if (*end || view->delay < SECONDS_MIN ||
		    view->delay > SECONDS_MAX)
			return qs_cli_usage(NAME,
					    "--delay=%s: give %d to %d seconds",
					    optarg, SECONDS_MIN, SECONDS_MAX);
		return -1;
	case 'q':
		view->filter.queue = optarg;
		return -1;
	case 's':
		view->filter.share = optarg;
		return -1;
	case '1':
		view->once = true;
		return -1;
	case QS_CLI_OPT_COLOR:
		return qs_style_when(optarg, stdout, &view->color) ?
			       QS_CLI_UNKNOWN :
			       -1;
	default:
		return QS_CLI_UNKNOWN;
	}
}

int qs_cli_top(int argc, char **argv)
{
	struct view view = { .filter = { .user = -1 },
			     .delay = 2,
			     .color = qs_style_auto(stdout) };
	const struct qs_cli_parser parser = {
		.name = NAME,
		.letters = ":hd:q:s:1",
		.options = options,
		.help = help,
		.take = take,
	};
	int code = qs_cli_parse(&parser, argc, argv, &view);

	if (code >= 0)
		return code;
	if (view.once || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		view.once = true;
		return draw(&view);
	}
	return on_terminal(&view);
}
