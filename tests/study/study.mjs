// SPDX-License-Identifier: GPL-2.0-or-later
//
// study.mjs check|make|page QSHARE WORK - see run

import { execFile } from "node:child_process";
import fs from "node:fs";
import { promisify } from "node:util";
import { experiments } from "./experiments.mjs";
import { blocks, plots } from "./page.mjs";

const [what, qshare, work] = process.argv.slice(2);
const here = new URL("./", import.meta.url).pathname;
const page = here + "../../doc/evidence.md";
const plotDir = here + "../../doc/evidence/";

const columns = ["experiment", "policy", "group", "jobs", "refused",
	"wait_mean", "wait_p90", "turn_mean", "turn_p90", "used_gpuh",
	"borrowed_gpuh", "preempted", "repeated_gpuh", "restart_gpuh",
	"reclaims", "reclaim_p90", "last_end"];

const mean = (v) => v.length ?
	Math.round(v.reduce((a, b) => a + b, 0) / v.length) : 0;
// the smallest value that 90 % do not exceed, as qshare has it
const p90 = (v) => v.length ?
	v.sort((a, b) => a - b)[Math.ceil(v.length * 0.9) - 1] : 0;
const hours = (sec) => Math.round(sec / 3600);

// The jobs of the experiment, as a trace of its own.
function cut({ trace, from, count }, number) {
	const [head, ...lines] = fs.readFileSync(trace, "utf8").trim().split("\n");
	const path = `${work}/cut-${number}.csv`;

	fs.writeFileSync(path, [head, ...lines.slice(from, from + count)]
		.join("\n") + "\n");
	return path;
}

// Figures of a group of shares, from every run of every job.
function figures(runs, of) {
	const wait = [], turn = [], reclaim = [];
	const sum = { jobs: 0, preempted: 0, repeated: 0 };

	for (const job of runs) {
		if (!of(job[0].share))
			continue;
		const first = job[0], last = job.at(-1);

		if (last.ended !== "COMPLETED")
			continue;
		sum.jobs++;
		wait.push(first.start - first.wait_since);
		turn.push(last.end - first.wait_since);
		for (const run of job) {
			if (run.claimed !== "" && run.start !== "")
				reclaim.push(run.start - run.claimed);
			if (run.ended !== "PREEMPTED")
				continue;
			sum.preempted++;
			sum.repeated += run.repeat_sec * run.gpus;
		}
	}
	return { ...sum, wait, turn, reclaim };
}

function readRuns(path) {
	const [head, ...lines] = fs.readFileSync(path, "utf8").trim().split("\n");
	const names = head.split(",");
	const policies = new Map();

	for (const line of lines) {
		const cells = line.split(",");
		const run = Object.fromEntries(names.map((n, i) => [n, cells[i]]));
		const jobs = policies.get(run.policy) ??
			policies.set(run.policy, []).get(run.policy);

		if (jobs.at(-1)?.[0].line === run.line)
			jobs.at(-1).push(run);
		else
			jobs.push([run]);
	}
	return policies;
}

const run = promisify(execFile);

async function replay(experiment, number) {
	const to = `${work}/runs-${number}.csv`;
	const args = ["replay", cut(experiment, number), "-N", experiment.nodes,
		"-q", "--json", `--runs=${to}`, ...experiment.options];

	if (!experiment.baselines)
		args.push("--no-baselines");
	let n = 0;
	for (const [name, periods] of Object.entries(experiment.policies)) {
		for (const [i, [since, text]] of periods.entries()) {
			const path = `${work}/policy-${number}-${n++}.conf`;

			fs.writeFileSync(path, text);
			args.push(i ? `--policy-at=${since}:${path}` :
				`--policy=${name.replaceAll(",", ";")}=${path}`);
		}
	}
	const { stdout } = await run(qshare, args, { maxBuffer: 1 << 28 });
	const answer = JSON.parse(stdout);
	const runs = readRuns(to);

	fs.unlinkSync(to);

	return answer.policies.flatMap((policy) =>
		rowsOf(experiment, policy, answer, runs.get(
			policy.policy.replaceAll(",", ";"))));
}

// What a trace is, in the columns that there are: jobs, GPU hours that are
// wanted, and when the last job is submitted.
function factsOf({ name, facts }) {
	return { ...Object.fromEntries(columns.map((c) => [c, ""])),
		 experiment: name, policy: `${facts.gpus} GPUs`,
		 group: `${facts.shares} shares`, jobs: facts.jobs,
		 used_gpuh: hours(facts.wanted), last_end: facts.last };
}

function rowsOf(experiment, policy, answer, runs) {
	const groups = { all: () => true };
	const mine = answer.rows.filter((row) => row.policy === policy.policy &&
		row.share !== "(all)");

	if (experiment.owners.length) {
		groups.owners = (name) => experiment.owners.includes(name);
		groups.flexible = (name) => !experiment.owners.includes(name);
	}
	return Object.entries(groups).map(([group, of]) => {
		const f = figures(runs, of);
		const total = (key) => mine.filter((row) => of(row.share))
			.reduce((sum, row) => sum + row[key], 0);

		return {
			experiment: experiment.name,
			policy: policy.policy.replaceAll(";", ","),
			group, jobs: f.jobs, refused: total("refused"),
			wait_mean: mean(f.wait), wait_p90: p90(f.wait),
			turn_mean: mean(f.turn), turn_p90: p90(f.turn),
			used_gpuh: hours(total("used_gpu_sec")),
			borrowed_gpuh: hours(total("borrowed_gpu_sec")),
			preempted: f.preempted,
			repeated_gpuh: hours(f.repeated),
			restart_gpuh: group === "all" ?
				hours(policy.restart_gpu_sec) : "",
			reclaims: f.reclaim.length,
			reclaim_p90: p90(f.reclaim),
			last_end: policy.last_end,
		};
	});
}

const cell = (text) => /,/.test(text) ? `"${text}"` : `${text}`;

function csvOf(rows) {
	return [columns.join(","), ...rows.map((row) =>
		columns.map((c) => cell(row[c])).join(","))].join("\n") + "\n";
}

function fromCsv(path) {
	const [head, ...lines] = fs.readFileSync(path, "utf8").trim().split("\n");
	const names = head.split(",");

	return lines.map((line) => {
		const cells = [...line.matchAll(/("[^"]*"|[^,]*)(,|$)/g)]
			.map((m) => m[1].replaceAll('"', ""));

		return Object.fromEntries(names.map((n, i) => [n,
			/^-?\d+$/.test(cells[i]) ? +cells[i] : cells[i]]));
	});
}

// Some at a time, the rows in the order of the experiments.
async function replayAll(size) {
	const list = experiments(work, size), rows = [];
	let next = 0;

	const worker = async () => {
		while (next < list.length) {
			const at = next++, experiment = list[at];

			rows[at] = experiment.same ? [] :
				experiment.facts ? [factsOf(experiment)] :
					await replay(experiment, at);
			if (size !== "small")
				console.error(`study: ${experiment.name} ` +
					Object.keys(experiment.policies ?? {})
						.join("; "));
		}
	};
	await Promise.all(Array.from({ length: process.env.STUDY_JOBS ?? 2 },
		worker));
	for (const [at, { name, same }] of list.entries()) {
		if (same)
			rows[at] = rows.flat().filter((row) =>
				row.experiment === same[0] &&
				row.policy === same[1]).map((row) =>
				({ ...row, experiment: name, policy: same[2] }));
	}
	return rows.flat();
}

// The page with its tables as the rows give them.
function filled(text, rows) {
	for (const [name, block] of Object.entries(blocks(rows))) {
		const from = `<!-- BEGIN ${name} -->\n`, to = `<!-- END ${name} -->`;
		const a = text.indexOf(from), b = text.indexOf(to);

		if (a < 0 || b < a)
			throw new Error(`${page}: no place for ${name}`);
		text = text.slice(0, a + from.length) + block + text.slice(b);
	}
	return text;
}

function writePage() {
	const rows = fromCsv(here + "whole.csv");

	fs.writeFileSync(page, filled(fs.readFileSync(page, "utf8"), rows));
	fs.mkdirSync(plotDir, { recursive: true });
	for (const [name, svg] of Object.entries(plots(rows)))
		fs.writeFileSync(plotDir + name, svg);
}

let passed = 0, failed = 0;

function same(name, is, should) {
	if (is === should) {
		passed++;
		return;
	}
	failed++;
	const a = is.split("\n"), b = should.split("\n");
	const i = a.findIndex((line, at) => line !== b[at]);

	console.log(`study: ${name}, line ${i + 1}:\n  is        ${a[i]}\n` +
		`  should be ${b[i]}`);
}

async function check() {
	const rows = fromCsv(here + "whole.csv");
	const text = fs.readFileSync(page, "utf8");

	same("small.csv", csvOf(await replayAll("small")),
		fs.readFileSync(here + "small.csv", "utf8"));
	same("doc/evidence.md", text, filled(text, rows));
	for (const [name, svg] of Object.entries(plots(rows)))
		same(name, fs.readFileSync(plotDir + name, "utf8"), svg);
	console.log(`${passed} passed, ${failed} failed, 0 skipped`);
	process.exitCode = failed ? 1 : 0;
}

if (what === "make") {
	fs.writeFileSync(here + "small.csv", csvOf(await replayAll("small")));
	fs.writeFileSync(here + "whole.csv", csvOf(await replayAll("whole")));
	writePage();
} else if (what === "page") {
	writePage();
} else {
	await check();
}
