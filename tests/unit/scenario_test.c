/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario_test.c - the scenario reader: what is read, what is refused
 *
 * Groups: core, malformed (each row one mistake in the "jobs", "nodes" or top
 * of a good scenario, and the JSON path at which it must be found).
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/scenario.h"

#include "suite.h"

#define POLICY                                               \
	"\"policy\": [\"Queue=q Partitions=p,r\","           \
	"\"Share=A Accounts=a Capacity=h100:4 Strategy=LEND" \
	" InSharePreemption=NO\",\"Share=B Accounts=b"       \
	" Capacity=h100:4,l40:2 Strategy=LEND InSharePreemption=NO\"]"
#define NODES "\"nodes\": [{\"name\": \"n1\", \"gpus\": {\"h100\": 4}}]"

static struct qs_scenario *read_text(const char *text, struct qs_error *err)
{
	return qs_scenario_read_text("s.json", NULL, text, strlen(text), err);
}

static struct qs_scenario *read_good(const char *text)
{
	struct qs_error err;
	struct qs_scenario *s = read_text(text, &err);

	ck_assert_msg(s != NULL, "%s", err.text);
	return s;
}

/* ---- core ---- */

START_TEST(every_key_is_read)
{
	struct qs_scenario *s = read_good(
		"{\"name\": \"x\", " POLICY ", \"now\": 7, \"nodes\": ["
		"{\"name\": \"n1\", \"gpus\": {\"h100\": 4, \"l40\": 1},"
		" \"cpus\": 8, \"state\": \"DRAIN\", \"partitions\": [\"r\"],"
		" \"other_gpus\": {\"l40\": 1}},"
		"{\"name\": \"n2\", \"state\": \"DOWN\"}],"
		"\"jobs\": [{\"id\": 5, \"share\": \"B\", \"state\":"
		" \"RUNNING\", \"gpus\": {\"h100\": 2}, \"priority\": 3,"
		" \"eligible\": 1, \"start\": 2, \"on\": {\"n1\": {\"h100\":"
		" 2}}, \"cpus\": 4, \"nodes\": 1, \"requeue\": false,"
		" \"preempted\": 6, \"retries\": 0, \"ends\": true},"
		"{\"id\": 6, \"account\": \"A\", \"state\": \"PENDING\","
		" \"gpus\": {\"h100\": 1, \"x\": 2}, \"eligible\": 3,"
		" \"held\": true, \"partition\": \"p\", \"tasks\": 9,"
		" \"claim\": true, \"displaced_by\": 5}],"
		"\"expect\": {}, \"expect_shares\": [], \"expect_order\": []}");
	const struct qs_snapshot *snap = s->snap;
	const struct qs_job *a = &snap->jobs[0], *b = &snap->jobs[1];

	ck_assert_str_eq(s->name, "x");
	ck_assert_int_eq(snap->now, 7);
	ck_assert(snap->has_nodes);
	ck_assert_uint_eq(snap->nnodes, 2);
	ck_assert_str_eq(snap->nodes[0].name, "n1");
	ck_assert_uint_eq(snap->nodes[0].cpus, 8);
	ck_assert_uint_eq(snap->nodes[0].state, QS_NODE_DRAIN);
	ck_assert_uint_eq(snap->nodes[0].partitions, 2);
	ck_assert_uint_eq(snap->node_gpus[0], 4);
	ck_assert_uint_eq(snap->node_gpus[1], 1);
	ck_assert_uint_eq(snap->node_gpus_other[1], 1);
	ck_assert_uint_eq(snap->nodes[1].cpus, 0);
	ck_assert_uint_eq(snap->nodes[1].state, QS_NODE_DOWN);
	ck_assert_uint_eq(snap->njobs, 2);
	ck_assert_uint_eq(a->id, 5);
	ck_assert_int_eq(a->share, 1);
	ck_assert_uint_eq(a->state, QS_JOB_RUNNING);
	ck_assert_uint_eq(a->priority, 3);
	ck_assert_int_eq(a->eligible, 1);
	ck_assert_int_eq(a->start, 2);
	ck_assert_uint_eq(a->cpus, 4);
	ck_assert_uint_eq(a->need_nodes, 1);
	ck_assert(!a->requeue && a->ends && !a->held && !a->claim);
	ck_assert_uint_eq(a->preempted, 6);
	ck_assert(a->retries.set && a->retries.value == 0);
	ck_assert_uint_eq(a->ndemands, 1);
	ck_assert_uint_eq(a->nplaced, 1);
	ck_assert_int_eq(b->share, 0);
	ck_assert(b->requeue && !b->ends && b->held && b->claim);
	ck_assert(b->unknown_type);
	ck_assert_uint_eq(b->ndemands, 1);
	ck_assert(!b->retries.set);
	ck_assert_uint_eq(b->partitions, 1);
	ck_assert_uint_eq(b->copies, 9);
	ck_assert_uint_eq(b->displaced_by, 5);
	ck_assert_uint_eq(b->need_nodes, QS_NODES_ANY);
	qs_scenario_free(s);
}
END_TEST

START_TEST(without_nodes_there_is_one_pool)
{
	struct qs_scenario *s = read_good("{" POLICY ", \"now\": 1}");

	ck_assert(!s->snap->has_nodes);
	qs_scenario_free(s);
	s = read_good("{" POLICY ", \"now\": 1, \"nodes\": []}");
	ck_assert(s->snap->has_nodes);
	qs_scenario_free(s);
}
END_TEST

START_TEST(completing_is_ending)
{
	struct qs_scenario *s = read_good(
		"{" POLICY ", \"now\": 1, \"jobs\": [{\"id\": 1, \"share\":"
		" \"A\", \"state\": \"COMPLETING\", \"gpus\": {\"h100\": 1},"
		" \"start\": 1}]}");

	ck_assert(s->snap->jobs[0].ends);
	qs_scenario_free(s);
}
END_TEST

/* ---- malformed ---- */

struct bad_row {
	const char *name, *text;
	const char *path; /* what err.key must be */
	const char *says;
};

#define TOP(rest)  "{" POLICY ", \"now\": 1" rest "}"
#define JOBS(jobs) TOP(", " NODES ", \"jobs\": [" jobs "]")
#define JOB(rest)                                                    \
	JOBS("{\"id\": 1, \"share\": \"A\", \"state\": \"PENDING\"," \
	     " \"gpus\": {\"h100\": 1}, \"eligible\": 1" rest "}")
#define RUN(rest)                                                    \
	JOBS("{\"id\": 1, \"share\": \"A\", \"state\": \"RUNNING\"," \
	     " \"start\": 1" rest "}")
#define NODE(rest) \
	TOP(", \"nodes\": [{\"name\": \"n1\"}, {\"name\": \"n2\"" rest "}]")

static const struct bad_row bad[] = {
	{ "empty", "", "", "ends in the middle" },
	{ "truncated", "{" POLICY ", \"now\": 1, \"jobs\": [{\"id\"", "",
	  "ends in the middle" },
	{ "no object", "[]", "", "one JSON object" },
	{ "null", "null", "", "one JSON object" },
	{ "two objects", TOP("") "{}", "", "something follows" },
	{ "a comment", "{/* x */" POLICY ", \"now\": 1}", "",
	  "one JSON object" },
	{ "a comma at the end", TOP(","), "", "one JSON object" },
	{ "no UTF-8", TOP(", \"name\": \"\xff\""), "", "one JSON object" },
	{ "doubled key", TOP(", \"now\": 2"), "now", "a doubled key" },
	{ "doubled key, deep", JOB(", \"id\": 2"), "id", "a doubled key" },
	{ "unknown key", TOP(", \"job\": []"), "job", "did you mean jobs?" },
	{ "no policy", "{\"now\": 1}", "the file", "either \"policy\" or" },
	{ "two policies", TOP(", \"policy_file\": \"x\""), "the file",
	  "either \"policy\" or" },
	{ "relative policy file without a folder",
	  "{\"policy_file\": \"x\", \"now\": 1}", "policy_file",
	  "an absolute path here" },
	{ "no now", "{" POLICY "}", "the file", "\"now\"" },
	{ "now is text", "{" POLICY ", \"now\": \"1\"}", "now",
	  "a whole number" },
	{ "now is a fraction", "{" POLICY ", \"now\": 1.5}", "now",
	  "a whole number" },
	{ "now is negative", "{" POLICY ", \"now\": -1}", "now",
	  "a whole number" },
	{ "now is beyond all bounds",
	  "{" POLICY ", \"now\": 99999999999999999999999}", "now",
	  "a whole number" },
	{ "policy is no list", "{\"policy\": \"x\", \"now\": 1}", "policy",
	  "a list" },
	{ "policy line is no string", "{\"policy\": [1], \"now\": 1}", "policy",
	  "element 0 is none" },
	{ "error in the policy",
	  "{\"policy\": [\"Queue=q\", \"Share=A\"], \"now\": 1}", "Capacity",
	  "s.json policy:2: Capacity" },
	{ "jobs is no list", TOP(", \"jobs\": {}"), "jobs", "a list" },
	{ "job is no object", TOP(", \"jobs\": [1]"), "jobs[0]", "an object" },
	{ "unknown key of a job", JOB(", \"prio\": 1"), "jobs[0].prio",
	  "unknown key" },
	{ "no id", JOBS("{}"), "jobs[0]", "\"id\"" },
	{ "id 0", JOBS("{\"id\": 0}"), "jobs[0].id", "from 1" },
	{ "id above 32 bits", JOBS("{\"id\": 4294967296}"), "jobs[0].id",
	  "to 4294967294" },
	{ "id is true", JOBS("{\"id\": true}"), "jobs[0].id",
	  "a whole number" },
	{ "doubled id",
	  JOBS("{\"id\": 1, \"share\": \"A\", \"state\": \"PENDING\","
	       " \"gpus\": {\"h100\": 1}, \"eligible\": 1}, {\"id\": 1}"),
	  "jobs[1].id", "the id is taken" },
	{ "no state", JOBS("{\"id\": 1}"), "jobs[0]", "\"state\"" },
	{ "unknown state", JOBS("{\"id\": 1, \"state\": \"RUNING\"}"),
	  "jobs[0].state", "did you mean RUNNING?" },
	{ "no share", JOBS("{\"id\": 1, \"state\": \"PENDING\"}"), "jobs[0]",
	  "\"share\" or \"account\"" },
	{ "unknown share",
	  JOBS("{\"id\": 1, \"state\": \"PENDING\", \"share\": \"a\"}"),
	  "jobs[0].share", "did you mean A?" },
	{ "unknown account",
	  JOBS("{\"id\": 1, \"state\": \"PENDING\", \"account\": \"x\"}"),
	  "jobs[0].account", "account x belongs to no quota share" },
	{ "a share that the account may not use", JOB(", \"account\": \"b\""),
	  "jobs[0].account", "may not use" },
	{ "removed share is there",
	  JOBS("{\"id\": 1, \"state\": \"PENDING\", \"removed_share\":"
	       " \"A\"}"),
	  "jobs[0].removed_share", "the policy has this share" },
	{ "no gpus",
	  JOBS("{\"id\": 1, \"state\": \"PENDING\", \"share\": \"A\","
	       " \"eligible\": 1}"),
	  "jobs[0]", "\"gpus\"" },
	{ "gpus is a number",
	  JOBS("{\"id\": 1, \"state\": \"PENDING\", \"share\": \"A\","
	       " \"eligible\": 1, \"gpus\": 1}"),
	  "jobs[0].gpus", "an object" },
	{ "no GPU in gpus",
	  JOBS("{\"id\": 1, \"state\": \"PENDING\", \"share\": \"A\","
	       " \"eligible\": 1, \"gpus\": {\"h100\": 0}}"),
	  "jobs[0].gpus", "1 to 1000000 GPUs" },
	{ "negative gpus", RUN(", \"gpus\": {\"h100\": -1}"),
	  "jobs[0].gpus.h100", "from 0 to 1000000" },
	{ "too many gpus", RUN(", \"gpus\": {\"h100\": 1000001}"),
	  "jobs[0].gpus.h100", "from 0 to 1000000" },
	{ "too many gpus in two types",
	  RUN(", \"gpus\": {\"h100\": 1000000, \"l40\": 1}"), "jobs[0].gpus",
	  "1 to 1000000 GPUs" },
	{ "a running job's unknown type", RUN(", \"gpus\": {\"h10\": 1}"),
	  "jobs[0].gpus.h10", "did you mean h100?" },
	{ "no eligible",
	  JOBS("{\"id\": 1, \"state\": \"PENDING\", \"share\": \"A\","
	       " \"gpus\": {\"h100\": 1}}"),
	  "jobs[0]", "\"eligible\"" },
	{ "no start",
	  JOBS("{\"id\": 1, \"state\": \"RUNNING\", \"share\": \"A\","
	       " \"gpus\": {\"h100\": 1}}"),
	  "jobs[0]", "\"start\"" },
	{ "priority above its range", JOB(", \"priority\": 10000"),
	  "jobs[0].priority", "from 0 to 9999" },
	{ "negative retries", JOB(", \"retries\": -1"), "jobs[0].retries",
	  "from 0" },
	{ "retries is null", JOB(", \"retries\": null"), "jobs[0].retries",
	  "a whole number" },
	{ "negative preempted", JOB(", \"preempted\": -1"), "jobs[0].preempted",
	  "from 0" },
	{ "nodes 0", JOB(", \"nodes\": 0"), "jobs[0].nodes", "from 1" },
	{ "negative cpus", JOB(", \"cpus\": -1"), "jobs[0].cpus", "from 0" },
	{ "requeue is a number", JOB(", \"requeue\": 1"), "jobs[0].requeue",
	  "true or false" },
	{ "held is text", JOB(", \"held\": \"no\""), "jobs[0].held",
	  "true or false" },
	{ "a waiting job that ends", JOB(", \"ends\": true"), "jobs[0].ends",
	  "not PENDING" },
	{ "a waiting job's place", JOB(", \"on\": {}"), "jobs[0].on",
	  "no place" },
	{ "a running job's claim",
	  RUN(", \"claim\": true, \"gpus\": {\"h100\": 1}"), "jobs[0].claim",
	  "a PENDING job" },
	{ "a running array", RUN(", \"tasks\": 2, \"gpus\": {\"h100\": 1}"),
	  "jobs[0].tasks", "from 1 to 1" },
	{ "unknown partition", JOB(", \"partition\": \"q\""),
	  "jobs[0].partition", "no queue has such a partition" },
	{ "no place", RUN(", \"gpus\": {\"h100\": 1}"), "jobs[0]", "\"on\"" },
	{ "unknown node",
	  RUN(", \"gpus\": {\"h100\": 1}, \"on\": {\"n9\": {\"h100\": 1}}"),
	  "jobs[0].on.n9", "no such node" },
	{ "unknown type on a node",
	  RUN(", \"gpus\": {\"h100\": 1}, \"on\": {\"n1\": {\"x\": 1}}"),
	  "jobs[0].on.n1.x", "no such type" },
	{ "a node that holds more than it has",
	  RUN(", \"gpus\": {\"h100\": 5}, \"on\": {\"n1\": {\"h100\": 5}}"),
	  "jobs[0].on.n1.h100", "holds more than it has" },
	{ "a node that holds more, by two jobs",
	  JOBS("{\"id\": 1, \"share\": \"A\", \"state\": \"RUNNING\","
	       " \"start\": 1, \"gpus\": {\"h100\": 3}, \"on\": {\"n1\":"
	       " {\"h100\": 3}}}, {\"id\": 2, \"share\": \"A\", \"state\":"
	       " \"COMPLETING\", \"start\": 1, \"gpus\": {\"h100\": 2},"
	       " \"on\": {\"n1\": {\"h100\": 2}}}"),
	  "jobs[1].on.n1.h100", "holds more than it has" },
	{ "a type that the node lacks",
	  RUN(", \"gpus\": {\"l40\": 1}, \"on\": {\"n1\": {\"l40\": 1}}"),
	  "jobs[0].on.n1.l40", "holds more than it has" },
	{ "place and gpus differ",
	  RUN(", \"gpus\": {\"h100\": 2}, \"on\": {\"n1\": {\"h100\": 1}}"),
	  "jobs[0].on", "as many GPUs as in" },
	{ "a place without nodes",
	  TOP(", \"jobs\": [{\"id\": 1, \"share\": \"A\", \"state\":"
	      " \"RUNNING\", \"start\": 1, \"gpus\": {\"h100\": 1}, \"on\":"
	      " {\"n1\": {\"h100\": 1}}}]"),
	  "jobs[0].on.n1", "no such node" },
	{ "a node without a name", TOP(", \"nodes\": [{}]"), "nodes[0]",
	  "\"name\"" },
	{ "doubled node",
	  TOP(", \"nodes\": [{\"name\": \"n\"}, {\"name\":"
	      " \"n\"}]"),
	  "nodes[1].name", "the name is taken" },
	{ "unknown key of a node", NODE(", \"gpu\": {}"), "nodes[1].gpu",
	  "did you mean gpus?" },
	{ "unknown type of a node", NODE(", \"gpus\": {\"H100\": 1}"),
	  "nodes[1].gpus.H100", "did you mean h100?" },
	{ "negative gpus of a node", NODE(", \"gpus\": {\"h100\": -1}"),
	  "nodes[1].gpus.h100", "from 0" },
	{ "cpus 0 of a node", NODE(", \"cpus\": 0"), "nodes[1].cpus",
	  "from 1" },
	{ "unknown state of a node", NODE(", \"state\": \"DRAINED\""),
	  "nodes[1].state", "did you mean DRAIN?" },
	{ "unknown partition of a node", NODE(", \"partitions\": [\"x\"]"),
	  "nodes[1].partitions", "no queue has such a partition" },
	{ "no partition of a node", NODE(", \"partitions\": []"),
	  "nodes[1].partitions", "at least one" },
	{ "other GPUs above what the node has",
	  NODE(", \"other_gpus\": {\"h100\": 1}"), "nodes[1].other_gpus",
	  "at most what the node has" },
	{ "NUL in a name", NODE(", \"state\": \"UP\\u0000\""), "nodes[1].state",
	  "a string" },
};

START_TEST(malformed)
{
	const struct bad_row *row = &bad[_i];
	struct qs_error err;
	struct qs_scenario *s = read_text(row->text, &err);

	ck_assert_msg(s == NULL, "%s: was taken", row->name);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_msg(!strcmp(err.key, row->path), "%s: path %s: %s", row->name,
		      err.key, err.text);
	ck_assert_msg(strstr(err.text, row->says) != NULL,
		      "%s: no \"%s\" in: %s", row->name, row->says, err.text);
	ck_assert_msg(!strncmp(err.text, "s.json", 6), "%s", err.text);
}
END_TEST

/* Cut anywhere, a good scenario is an error, never a crash. */
START_TEST(every_truncation_is_refused)
{
	static const char text[] =
		RUN(", \"gpus\": {\"h100\": 2}, \"on\": {\"n1\":"
		    " {\"h100\": 2}}");
	struct qs_error err;

	qs_scenario_free(read_good(text));
	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		char *copy = malloc(n ? n : 1); /* for the sanitizer */

		ck_assert_ptr_nonnull(copy);
		memcpy(copy, text, n);
		ck_assert_ptr_null(
			qs_scenario_read_text("s.json", NULL, copy, n, &err));
		free(copy);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("scenario");
	TCase *core = tcase_create("core");
	TCase *malformed_case = tcase_create("malformed");

	tcase_add_test(core, every_key_is_read);
	tcase_add_test(core, without_nodes_there_is_one_pool);
	tcase_add_test(core, completing_is_ending);
	tcase_add_loop_test(malformed_case, malformed, 0, ARRAY_LEN(bad));
	tcase_add_test(malformed_case, every_truncation_is_refused);
	suite_add_tcase(suite, core);
	suite_add_tcase(suite, malformed_case);
	return suite_run(suite);
}
