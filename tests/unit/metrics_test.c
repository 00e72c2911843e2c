/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics_test.c - the metrics are what Prometheus's own checker accepts
 *
 * The rules of the text format and of names (as promtool checks them) are
 * asked of every line. The answers are canned: written here after the
 * runtime's, not taken from a running slurmctld.
 */
#include <check.h>
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/metrics.h"
#include "conf/load.h"

#include "suite.h"

static const char canned_status[] =
	"{\"version\":\"0.1.0\",\"mode\":\"ENFORCE\","
	"\"policy\":{\"valid\":true,\"loaded\":1000},"
	"\"queues\":[{\"queue\":\"tr\\\"a\\\\in\",\"state\":\"ENABLED\","
	"\"status\":\"VALID\",\"healthy\":false,\"problems\":["
	"{\"code\":\"PLUGIN_MISSING\",\"text\":\"x\"},"
	"{\"code\":\"PLUGIN_MISSING\",\"text\":\"y\"},"
	"{\"code\":\"NODES_DOWN\",\"text\":\"z\"}]}],"
	"\"shares\":[{\"share\":\"A\",\"queue\":\"train\",\"type\":\"h100\","
	"\"capacity\":4,\"limit\":0,\"used\":6,\"own\":4,\"borrowed\":0,"
	"\"lent\":0,\"idle\":0,\"over_limit\":2,\"waiting\":0},"
	"{\"share\":\"B\",\"queue\":\"train\",\"type\":\"h100\","
	"\"capacity\":4,\"limit\":null,\"used\":0,\"own\":0,\"borrowed\":0,"
	"\"lent\":1,\"idle\":3,\"over_limit\":0,\"waiting\":2}],"
	"\"totals\":[{\"queue\":\"train\",\"type\":\"h100\",\"capacity\":8,"
	"\"in_service\":7}],"
	"\"counters\":{\"grants\":5,\"claims\":2,\"claims_refused\":1,"
	"\"claims_timed_out\":0,\"spared\":0,\"ledger_drift\":0,"
	"\"state_errors\":0,\"last_round\":999}}";

static const char canned_metrics[] =
	"{\"plans\":3,\"plan_us\":2000123,\"reclaim\":{\"count\":3,"
	"\"sum\":130,\"buckets\":[{\"le\":1,\"count\":1},"
	"{\"le\":120,\"count\":2},{\"le\":600,\"count\":3}]},"
	"\"preemptions\":[{\"how\":\"RECLAIM\",\"code\":\"QUOTA\","
	"\"count\":4},{\"how\":\"IN_SHARE\",\"code\":\"PRIORITY\","
	"\"count\":0}],"
	"\"jobs\":[{\"share\":\"A\",\"queue\":\"train\",\"running\":2,"
	"\"waiting\":0}]}";

static char *print(const char *status, const char *metrics)
{
	struct json_object *s = status ? json_tokener_parse(status) : NULL;
	struct json_object *m = metrics ? json_tokener_parse(metrics) : NULL;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	qs_metrics_print(s, m, file);
	fclose(file);
	json_object_put(s);
	json_object_put(m);
	return text;
}

/* A family, as the # lines and its samples make it. */
struct family {
	char name[128], type[16];
	bool help;
	double last, count;
	int samples;
};

static bool is_name(const char *text, size_t n)
{
	if (!n || !(isalpha((unsigned char)text[0]) || text[0] == '_'))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	return true;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

static void check_name(const struct family *f)
{
	static const char *const bad[] = { "_info_total", "_count", "_sum",
					   "_bucket", "__" };

	ck_assert_msg(is_name(f->name, strlen(f->name)), "%s", f->name);
	for (const char *c = f->name; *c; c++)
		ck_assert_msg(!isupper((unsigned char)*c), "%s", f->name);
	for (size_t i = 0; i < 4; i++)
		ck_assert_msg(!ends_with(f->name, bad[i]), "%s", f->name);
	ck_assert_msg(!strstr(f->name, bad[4]), "%s", f->name);
	ck_assert_msg(ends_with(f->name, "_total") ==
			      !strcmp(f->type, "counter"),
		      "%s is a %s", f->name, f->type);
	ck_assert_msg(!strstr(f->name, "milli") && !strstr(f->name, "_ms"),
		      "%s: not in base units", f->name);
}

/* The labels between { and }; returns the place behind. */
static const char *skip_labels(const char *at, const char *line)
{
	ck_assert_msg(*at == '{', "%s", line);
	do {
		const char *key = ++at;

		at += strcspn(at, "=");
		ck_assert_msg(is_name(key, (size_t)(at - key)), "%s", line);
		ck_assert_msg(at[0] == '=' && at[1] == '"', "%s", line);
		for (at += 2; *at != '"'; at++) {
			ck_assert_msg(*at != '\0', "%s", line);
			if (*at == '\\') {
				at++;
				ck_assert_msg(strchr("\\\"n", *at), "%s", line);
			}
		}
		at++;
	} while (*at == ',');
	ck_assert_msg(*at == '}', "%s", line);
	return at + 1;
}

static bool belongs(const struct family *f, const char *name, size_t n)
{
	static const char *const ends[] = { "", "_bucket", "_sum", "_count" };
	size_t last = !strcmp(f->type, "histogram") ? 4 :
		      !strcmp(f->type, "summary")   ? 4 :
						      1;
	char full[160];

	for (size_t i = 0; i < last; i++) {
		snprintf(full, sizeof(full), "%s%s", f->name, ends[i]);
		if (strlen(full) == n && !strncmp(full, name, n))
			return true;
	}
	return false;
}

static void check_sample(struct family *f, const char *line)
{
	size_t n = strcspn(line, "{ ");
	const char *at = line + n;
	char *end;
	double value;

	ck_assert_msg(f->help && f->type[0], "no HELP and TYPE before %s",
		      line);
	ck_assert_msg(belongs(f, line, n), "%s stands among %s", line, f->name);
	if (*at == '{')
		at = skip_labels(at, line);
	ck_assert_msg(*at == ' ', "%s", line);
	value = !strcmp(at + 1, "+Inf") ? INFINITY : strtod(at + 1, &end);
	ck_assert_msg(isinf(value) || (end != at + 1 && !*end), "%s", line);
	if (strstr(line, "_bucket{")) {
		ck_assert_msg(value >= f->last, "falls: %s", line);
		f->last = value;
	}
	if (!strcmp(f->type, "counter"))
		ck_assert_msg(value >= 0, "%s", line);
	if (!strcmp(f->type, "histogram") && ends_with(f->name, "_seconds") &&
	    !strncmp(line + strlen(f->name), "_count", 6))
		ck_assert_msg(value == f->last, "+Inf is not the count: %s",
			      line);
	f->samples++;
}

/* A HELP line begins a family; each only once. */
static void begin(struct family *all, size_t *n, const char *line)
{
	struct family *f;
	char name[128];

	ck_assert_int_eq(sscanf(line, "# HELP %127s", name), 1);
	ck_assert_msg(line[7 + strlen(name)] == ' ' &&
			      line[8 + strlen(name)] != '\0',
		      "no help: %s", line);
	for (size_t i = 0; i < *n; i++)
		ck_assert_msg(strcmp(all[i].name, name) != 0, "twice: %s",
			      line);
	f = &all[(*n)++];
	memset(f, 0, sizeof(*f));
	strcpy(f->name, name);
	f->help = true;
}

static void check_type(struct family *f, const char *line)
{
	char name[128];

	ck_assert_int_eq(sscanf(line, "# TYPE %127s %15s", name, f->type), 2);
	ck_assert_str_eq(name, f->name);
	ck_assert_msg(!strcmp(f->type, "gauge") ||
			      !strcmp(f->type, "counter") ||
			      !strcmp(f->type, "histogram") ||
			      !strcmp(f->type, "summary"),
		      "%s", line);
	check_name(f);
}

/* Returns the number of samples. */
static int check_format(char *text)
{
	static struct family all[128];
	char *line, *rest = text, *lines[1024];
	size_t n = 0, nlines = 0;
	int samples = 0;

	ck_assert_msg(*text && text[strlen(text) - 1] == '\n', "no last \\n");
	while ((line = strsep(&rest, "\n")) && rest) {
		ck_assert_msg(*line, "an empty line");
		if (!strncmp(line, "# HELP ", 7)) {
			begin(all, &n, line);
		} else if (!strncmp(line, "# TYPE ", 7)) {
			ck_assert_uint_gt(n, 0);
			check_type(&all[n - 1], line);
		} else {
			ck_assert_uint_gt(n, 0);
			check_sample(&all[n - 1], line);
			samples++;
			for (size_t i = 0; i < nlines; i++)
				ck_assert_msg(
					strncmp(lines[i], line,
						strcspn(line, " ")) ||
						lines[i][strcspn(line, " ")] !=
							' ',
					"twice: %s", line);
			lines[nlines++] = line;
		}
	}
	return samples;
}

START_TEST(format)
{
	char *text = print(canned_status, canned_metrics);

	ck_assert_int_gt(check_format(text), 40);
	free(text);
}
END_TEST

static const char *const has[] = {
	"\nquota_share_limit_gpus{queue=\"train\",share=\"A\",type=\"h100\"} "
	"0\n",
	/* law 11: no bound is neither 0 nor -1 */
	"\nquota_share_limit_gpus{queue=\"train\",share=\"B\",type=\"h100\"} "
	"+Inf\n",
	"\nquota_share_over_limit_gpus{queue=\"train\",share=\"A\","
	"type=\"h100\"} 2\n",
	"\nquota_share_queue_healthy{queue=\"tr\\\"a\\\\in\"} 0\n",
	"\nquota_share_queue_problem{queue=\"tr\\\"a\\\\in\","
	"code=\"NODES_DOWN\"} 1\n",
	"\nquota_share_preemptions_total{reason=\"QUOTA\"} 4\n",
	"\nquota_share_preemptions_total{reason=\"PRIORITY\"} 0\n",
	"\nquota_share_reclaim_seconds_bucket{le=\"120\"} 2\n",
	"\nquota_share_reclaim_seconds_bucket{le=\"+Inf\"} 3\n",
	"\nquota_share_reclaim_seconds_sum 130\n",
	"\nquota_share_planner_seconds_sum 2.000123\n",
	"\nquota_share_running_jobs{queue=\"train\",share=\"A\"} 2\n",
	"\nquota_share_info{version=\"0.1.0\",mode=\"ENFORCE\"} 1\n",
	"\nquota_share_up 1\n",
};

START_TEST(values)
{
	char *text = print(canned_status, canned_metrics);

	ck_assert_msg(strstr(text, has[_i]) != NULL, "no %s in:\n%s", has[_i],
		      text);
	free(text);
}
END_TEST

START_TEST(slurmctld_is_gone)
{
	char *text = print(NULL, NULL);

	ck_assert_str_eq(text,
			 "# HELP quota_share_up 1 if slurmctld has answered.\n"
			 "# TYPE quota_share_up gauge\nquota_share_up 0\n");
	ck_assert_int_eq(check_format(text), 1);
	free(text);
}
END_TEST

/* What the board and the alerts ask for is there. */
static const char *const users[] = {
	"contrib/grafana/quota-shares.json",
	"contrib/metrics/alerts.yml",
};

START_TEST(asked_for_is_there)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
	char *metrics = print(canned_status, canned_metrics);
	const char *top = getenv("QS_SRCDIR"), *problem;
	char path[4096], name[128], *text;
	int found = 0;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", top ? top : QS_SRCDIR, users[_i]);
	ck_assert_msg(!qs_load_file(path, 1 << 20, &text, &n, NULL, &problem),
		      "%s: %s", path, problem);
	for (char *at = text; (at = strstr(at, "quota_share_"));) {
		n = strspn(at, letters);
		snprintf(name, sizeof(name), "\n%.*s", (int)n, at);
		ck_assert_msg(strstr(metrics, name) != NULL, "%s: no%s",
			      users[_i], name + 1);
		at += n;
		found++;
	}
	ck_assert_int_gt(found, 4);
	free(text);
	free(metrics);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("metrics");
	TCase *core = tcase_create("core");

	tcase_add_test(core, format);
	tcase_add_loop_test(core, values, 0, ARRAY_LEN(has));
	tcase_add_test(core, slurmctld_is_gone);
	tcase_add_loop_test(core, asked_for_is_there, 0, ARRAY_LEN(users));
	suite_add_tcase(suite, core);
	return suite_run(suite);
}
