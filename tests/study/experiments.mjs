// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the study asks: traces, clusters, policies; pure but for the traces
// that are read. Everything that doc/evidence.md says about the set-up is here.

import fs from "node:fs";

const DAY = 86400;

// How the jobs of a trace are laid on a cluster. owners: shares that do not
// borrow, the largest ones; the others are the flexible ones.
const traces = {
	philly: { file: "philly_2017_vc", nodes: 64, owners: 3, from: 20000 },
	itp: { file: "ms_itp_2021_cluster", nodes: 160, owners: 3, from: 10000 },
};
const NODE_GPUS = 8;

function readJobs(path) {
	const [head, ...lines] = fs.readFileSync(path, "utf8").trim().split("\n");
	const at = Object.fromEntries(head.split(",").map((n, i) => [n, i]));

	return lines.map((line) => {
		const cells = line.split(",");

		return { share: cells[at.share], gpus: +cells[at.gpus],
			 sec: +cells[at.duration_s], at: +cells[at.submit_s] };
	});
}

// GPU seconds by share, the largest first.
function demand(jobs) {
	const sums = new Map();

	for (const job of jobs)
		sums.set(job.share,
			 (sums.get(job.share) ?? 0) + job.gpus * job.sec);
	return [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

// The cluster divided by what the shares used, in steps of 4 GPUs, at least 4;
// the largest share takes what is left over.
function capacities(shares, total) {
	const all = shares.reduce((sum, [, used]) => sum + used, 0);
	const own = new Map(shares.map(([name, used]) =>
		[name, Math.max(4, Math.round(total * used / all / 4) * 4)]));
	const given = [...own.values()].reduce((a, b) => a + b, 0);
	const [first] = shares[0];

	own.set(first, own.get(first) + total - given);
	return own;
}

const queue = "GpuType=gpu\nQueue=q Partitions=gpu GraceTime=120";

function share(name, gpus, keys) {
	// What owns nothing has to be allowed a number to borrow.
	const capacity = gpus > 0 ? `gpu:${gpus}` :
		"gpu:0" + (/BORROW/.test(keys) ? " BorrowGpus=gpu:512" : "");

	return `Share=${name} Queue=q Accounts=${name} Capacity=${capacity} ` +
		`InSharePreemption=NO ${keys}`;
}

const BORROWS = "Strategy=LEND_AND_BORROW";

// Strategy of the owners and of the flexible shares.
const mixes = {
	"owners RESERVE": ["Strategy=RESERVE", BORROWS],
	"owners LEND": ["Strategy=LEND", BORROWS],
	"owners LEND, limit 50 %": ["Strategy=LEND", BORROWS + " BorrowLimit=50"],
	"all borrow": [BORROWS, BORROWS],
};

function mixPolicy(mix, shares, own, owners) {
	const [ofOwners, ofOthers] = mixes[mix];

	return [queue, ...shares.map(([name], i) =>
		share(name, own.get(name), i < owners ? ofOwners : ofOthers)),
	].join("\n") + "\n";
}

// Each experiment: jobs, cluster, policies { name: [[since, text], ...] },
// further options, and which shares are the owners.
// size: "small" for a quick check, "whole" for the page.
const JOBS = { small: 2000, whole: Infinity };

export function experiments(work, size) {
	const list = [], count = JOBS[size];

	for (const [key, trace] of Object.entries(traces)) {
		const jobs = readJobs(`${work}/${trace.file}.csv`);
		const shares = demand(jobs);
		// Few jobs, a quarter of the nodes.
		const nodes = size === "small" ? trace.nodes / 4 : trace.nodes;
		const own = capacities(shares, nodes * NODE_GPUS);
		const base = {
			trace: `${work}/${trace.file}.csv`,
			from: size === "whole" ? 0 : trace.from, count,
			nodes: `gpu:${nodes}x${NODE_GPUS}`,
			owners: shares.slice(0, trace.owners).map(([n]) => n),
		};
		const mine = jobs.slice(base.from, base.from + count);

		list.push({ name: `${key} trace`, facts: {
			jobs: mine.length, gpus: nodes * NODE_GPUS,
			shares: new Set(mine.map((job) => job.share)).size,
			wanted: mine.reduce((sum, job) =>
				sum + job.gpus * job.sec, 0),
			last: mine.at(-1).at - mine[0].at,
		} });
		const policies = Object.fromEntries(Object.keys(mixes).map((mix) =>
			[mix, [[0, mixPolicy(mix, shares, own, trace.owners)]]]));

		// One replay each, so that they can run side by side.
		Object.keys(mixes).forEach((mix, i) => list.push({
			...base, name: `${key} mixes`,
			policies: { [mix]: policies[mix] },
			baselines: i === Object.keys(mixes).length - 1,
			options: ["-c", "1h", "-r", "5m"],
		}));
		for (const [name, saved] of [["nothing", "none"], ["4 h", "4h"],
			["1 h", null], ["10 min", "10m"],
			["at the signal", "signal"]])
			list.push({ ...base, name: `${key} saved`,
				    policies: { [name]: policies["owners LEND"] },
				    baselines: false,
				    // the mixes have it already
				    same: saved ? null :
					    [`${key} mixes`, "owners LEND", name],
				    options: ["-c", saved, "-r", "5m"] });
	}
	list.push(...venus(work, size, count));
	return list;
}

// Quotas of Helios' Venus over 181 days. Its jobs are not published with them:
// Philly's VCs take the places of the Venus VCs of the same rank by size, the
// quotas are halved and the calendar is shortened to the time in which the jobs
// are submitted, so that load and size fit.
function venus(work, size, count) {
	const file = new URL("../../data/traces/" +
		"helios_venus_2020_vc_quota_changes.csv", import.meta.url);
	const jobs = readJobs(`${work}/${traces.philly.file}.csv`);
	const shares = demand(jobs).map(([name]) => name);
	const history = new Map();
	const from = size === "whole" ? 600 : traces.philly.from, end = 181;
	const mine = jobs.slice(from, from + count);
	const first = mine[0].at, days = (mine.at(-1).at - first) / DAY / end;

	for (const line of fs.readFileSync(file, "utf8").trim().split("\n")
		.slice(1)) {
		const [date, vc, gpus] = line.split(",");
		const day = (Date.parse(date) - Date.parse("2020-04-01")) /
			(DAY * 1000);

		history.set(vc, [...history.get(vc) ?? [], [day, +gpus]]);
	}
	const sizeOf = ([, changes]) => changes.reduce((sum, [day, gpus], i) =>
		sum + gpus * ((changes[i + 1]?.[0] ?? end) - day), 0);
	const chosen = [...history].sort((a, b) => sizeOf(b) - sizeOf(a) ||
		(a[0] < b[0] ? -1 : 1)).slice(0, shares.length);
	const dates = [...new Set(chosen.flatMap(([, c]) =>
		c.map(([day]) => day)))].sort((a, b) => a - b);
	const quota = (changes, day) =>
		Math.round(changes.filter(([d]) => d <= day).at(-1)[1] / 8) * 4;
	const policy = (keys, day) => [queue + " NeverFits=WAIT",
		...chosen.map(([, changes], i) =>
			share(shares[i], quota(changes, day), keys)),
	].join("\n") + "\n";
	const periods = (keys, of = dates) => of.map((day) =>
		[day ? Math.round(first + day * days * DAY) : 0,
		 policy(keys, day)]);
	const most = Math.max(...dates.map((day) => chosen.reduce(
		(sum, [, changes]) => sum + quota(changes, day), 0)));

	const base = {
		name: "venus", trace: `${work}/${traces.philly.file}.csv`,
		from: size === "whole" ? 0 : from, count,
		nodes: `gpu:${Math.ceil(most / NODE_GPUS)}x${NODE_GPUS}`,
		owners: [], options: ["-c", "1h", "-r", "5m"],
	};

	return [
		{ ...base, baselines: false, policies: {
			"quotas of the first day": periods(BORROWS, [0]) } },
		{ ...base, baselines: true, policies: {
			"quotas change, all borrow": periods(BORROWS) } },
	];
}
