/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif.c - qshare whatif: would this job start, borrow, stop somebody, wait?
 *
 * Its surprise: all options but its own few are sbatch's, and sbatch itself
 * reads them, #SBATCH lines of a script and the environment included.
 */
#include "cli/whatif.h"

#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/table.h"

#define NAME "whatif"

static void help(void)
{
	puts("Usage: qshare whatif [--json] SBATCH-OPTION... [SCRIPT]\n"
	     "       qshare whatif [--json] --scenario=FILE OPTION...\n"
	     "\n"
	     "What would become of a job, without submitting it: would it "
	     "start, on its\n"
	     "share's own or on borrowed GPUs, who would be preempted for it, "
	     "or what would\n"
	     "it wait for.\n"
	     "\n"
	     "The options are those of sbatch; SCRIPT is read as sbatch reads "
	     "it. The planner\n"
	     "in slurmctld decides. Memory, features and single nodes are not "
	     "judged,\n"
	     "licences and limits of Slurm's own neither.\n"
	     "\n"
	     "With --scenario the planner here decides on a scenario file. "
	     "Options are then\n"
	     "-A, -p, -N, -n, -c, -G, --gres, --gpus-per-node, "
	     "--gpus-per-task, --no-requeue,\n"
	     "--quota-share, --share-priority and --preempt-retries, as in "
	     "sbatch.\n"
	     "\n"
	     "      --json         JSON\n"
	     "      --color=WHEN   auto (on a terminal, the default), always, "
	     "never\n"
	     "  -h, --help         show this and exit\n"
	     "\n"
	     "Exit status: 0 answered, 1 not, 2 usage, 3 the job would be "
	     "refused.\n"
	     "\n"
	     "Example: qshare whatif -A research --gres=gpu:h100:4 -N 2");
}

#define EXIT_REFUSED 3

struct wish {
	const char *scenario;
	bool json, color, help;
};

/* Takes our own options out; what is left is sbatch's. Returns their number,
 * or -1 with the usage said. */
static int split(int argc, char **argv, struct wish *wish)
{
	int n = 0;

	for (int i = 1; i < argc; i++) {
		const char *arg = argv[i];

		if (!strcmp(arg, "--json"))
			wish->json = true;
		else if (!strcmp(arg, "-h") || !strcmp(arg, "--help"))
			wish->help = true;
		else if (!strncmp(arg, "--scenario=", 11))
			wish->scenario = arg + 11;
		else if (!strcmp(arg, "--scenario") && i + 1 < argc)
			wish->scenario = argv[++i];
		else if (!strcmp(arg, "--color"))
			wish->color = true;
		else if (!strncmp(arg, "--color=", 8)) {
			if (qs_style_when(arg + 8, stdout, &wish->color)) {
				qs_cli_usage(NAME,
					     "%s: give auto, always or never",
					     arg);
				return -1;
			}
		} else
			argv[n++] = argv[i];
	}
	return n;
}

static int tell(struct json_object *answer, const struct wish *wish)
{
	struct json_object *verdict;
	const char *word = "";

	json_object_object_get_ex(answer, "verdict", &verdict);
	if (verdict)
		word = json_object_get_string(verdict);
	if (wish->json && qs_json_print(json_object_get(answer), stdout))
		return qs_cli_error(NAME, "%s", strerror(errno));
	if (!wish->json && qs_whatif_print(answer, wish->color, stdout))
		return qs_cli_error(NAME, "slurmctld's answer has no verdict: "
					  "its plugins are of another version");
	return !strcmp(word, "REFUSED") ? EXIT_REFUSED :
	       !strcmp(word, "UNKNOWN") ? QS_EXIT_ERROR :
					  QS_EXIT_OK;
}

int qs_cli_whatif(int argc, char **argv)
{
	struct wish wish = { .color = qs_style_auto(stdout) };
	struct json_object *answer;
	int n = split(argc, argv, &wish), code = QS_EXIT_ERROR;

	if (n < 0)
		return QS_EXIT_USAGE;
	if (wish.help) {
		help();
		return qs_cli_flush(NAME, QS_EXIT_OK);
	}
	if (!n)
		return qs_cli_usage(NAME,
				    "describe a job as you would for sbatch");
	if (wish.scenario)
		answer = qs_whatif_scenario(wish.scenario, n, argv, &code);
	else
		answer = qs_whatif_sbatch(n, argv);
	if (answer)
		code = tell(answer, &wish);
	json_object_put(answer);
	return qs_cli_flush(NAME, code);
}
