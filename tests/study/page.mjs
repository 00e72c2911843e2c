// SPDX-License-Identifier: GPL-2.0-or-later
//
// page.mjs - tables, sentences and plots of doc/evidence.md from the rows of
// whole.csv. Pure. Every number of the page that comes of a replay is here.

const h = (sec) => (sec / 3600).toFixed(1);
const n = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
const percent = (part, whole) => whole ? (100 * part / whole).toFixed(2) : "-";
const change = (is, was) =>
	`${Math.abs(100 * (is - was) / was).toFixed(0)} % ` +
	(is < was ? "less" : "more");

const titles = { philly: "Philly", itp: "ITP" };

function pick(rows, experiment, policy, group) {
	return rows.find((row) => row.experiment === experiment &&
		row.policy === policy && row.group === group);
}

function policiesOf(rows, experiment) {
	return [...new Set(rows.filter((row) => row.experiment === experiment)
		.map((row) => row.policy))];
}

function table(head, lines) {
	return ["", `| ${head.join(" | ")} |`,
		`|${head.map((_, i) => i ? "---:" : "---").join("|")}|`,
		...lines.map((line) => `| ${line.join(" | ")} |`), ""].join("\n") +
		"\n";
}

// How much there is to do, and on how many GPUs.
function tracesTable(rows) {
	return table(["trace", "jobs", "submitted in days", "shares", "GPUs",
		"wanted, GPU h", "of what the GPUs give in these days, %"],
	Object.keys(titles).map((key) => {
		const t = rows.find((row) => row.experiment === `${key} trace`);
		const gpus = parseInt(t.policy), days = t.last_end / 86400;

		return [titles[key], n(t.jobs), days.toFixed(0),
			parseInt(t.group), n(gpus), n(t.used_gpuh),
			percent(t.used_gpuh, gpus * days * 24)];
	}));
}

function mixesTable(rows, experiment) {
	return table(["policy", "flexible: wait, mean", "until done, mean",
		"until done, 90 %", "owners: wait, mean", "wait, 90 %",
		"until done, mean", "had theirs back in, 90 %"],
	policiesOf(rows, experiment).map((policy) => {
		const f = pick(rows, experiment, policy, "flexible");
		const o = pick(rows, experiment, policy, "owners");

		return [policy, h(f.wait_mean), h(f.turn_mean), h(f.turn_p90),
			h(o.wait_mean), h(o.wait_p90), h(o.turn_mean),
			o.reclaims ? `${o.reclaim_p90} s` : "-"];
	}));
}

function costTable(rows, experiment) {
	return table(["policy", "borrowed, GPU h", "of all, %", "preempted",
		"repeated, GPU h", "of all, %", "refused", "last job ends, day"],
	policiesOf(rows, experiment).map((policy) => {
		const a = pick(rows, experiment, policy, "all");

		return [policy, n(a.borrowed_gpuh),
			percent(a.borrowed_gpuh, a.used_gpuh), n(a.preempted),
			n(a.repeated_gpuh), percent(a.repeated_gpuh, a.used_gpuh),
			n(a.refused), (a.last_end / 86400).toFixed(1)];
	}));
}

function savedTable(rows, experiment) {
	return table(["saved", "preempted", "repeated, GPU h", "of all, %",
		"starting again, GPU h", "of all, %",
		"flexible: until done, mean"],
	policiesOf(rows, experiment).map((policy) => {
		const a = pick(rows, experiment, policy, "all");
		const f = pick(rows, experiment, policy, "flexible");

		return [policy, n(a.preempted), n(a.repeated_gpuh),
			percent(a.repeated_gpuh, a.used_gpuh),
			n(a.restart_gpuh), percent(a.restart_gpuh, a.used_gpuh),
			h(f.turn_mean)];
	}));
}

function venusTable(rows) {
	return table(["policy", "jobs done", "refused", "wait, mean",
		"wait, 90 %", "until done, mean", "borrowed, GPU h", "preempted",
		"repeated, GPU h", "last job ends, day"],
	policiesOf(rows, "venus").map((policy) => {
		const a = pick(rows, "venus", policy, "all");

		return [policy, n(a.jobs), n(a.refused), h(a.wait_mean),
			h(a.wait_p90), h(a.turn_mean), n(a.borrowed_gpuh),
			n(a.preempted), n(a.repeated_gpuh),
			(a.last_end / 86400).toFixed(1)];
	}));
}

function findings(rows) {
	const lines = [];

	for (const key of Object.keys(titles)) {
		const of = (policy, group) =>
			pick(rows, `${key} mixes`, policy, group);
		const lend = of("owners LEND", "flexible");
		const rigid = of("(rigid)", "flexible");
		const every = of("all borrow", "flexible");
		const owners = of("owners LEND", "owners");
		const alone = of("(rigid)", "owners");
		const both = of("all borrow", "owners");
		const all = of("owners LEND", "all");
		const pool = of("(pool fifo)", "flexible");

		lines.push(`**${titles[key]}.** With owners that lend, flexible ` +
			`work is done after ${h(lend.turn_mean)} h on average, ` +
			`in rigid partitions after ${h(rigid.turn_mean)} h ` +
			`(${change(lend.turn_mean, rigid.turn_mean)}), in one ` +
			`pool, first come first served, after ` +
			`${h(pool.turn_mean)} h. If everybody borrows it is ` +
			`${h(every.turn_mean)} h.`,
		`The owners' own jobs waited ${h(owners.wait_mean)} h on ` +
			`average while they lent, ${h(alone.wait_mean)} h if they ` +
			`did not, and ${h(both.wait_mean)} h where they borrow ` +
			`themselves. ` + (owners.reclaims ?
			`${n(owners.reclaims)} of their jobs had to take GPUs ` +
			`back; nine in ten of these started within ` +
			`${owners.reclaim_p90} s of asking (the grace time is ` +
			`120 s).` : "They never had to take one back."),
		`For that ${n(all.preempted)} runs were stopped; with a ` +
			`checkpoint each hour ${n(all.repeated_gpuh)} GPU hours ` +
			`(${percent(all.repeated_gpuh, all.used_gpuh)} % of all) ` +
			`were worked twice.`, "");
	}
	return "\n" + lines.join("\n") + "\n";
}

export function blocks(rows) {
	const out = { findings: findings(rows), traces: tracesTable(rows),
		      venus: venusTable(rows) };

	for (const key of Object.keys(titles)) {
		out[`${key} mixes`] = mixesTable(rows, `${key} mixes`);
		out[`${key} cost`] = costTable(rows, `${key} mixes`);
		out[`${key} saved`] = savedTable(rows, `${key} saved`);
	}
	return out;
}

// Colours that people who see few colours can tell apart, on white; each bar
// has its number beside it, each line its own mark.
const INK = "#1a1a1a", FAINT = "#767676", GRID = "#dddddd";
const BLUE = "#0072b2", ORANGE = "#b35900";

const escape = (text) => String(text).replaceAll("&", "&amp;")
	.replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function text(x, y, words, more = "") {
	return `<text x="${x}" y="${y}" ${more}>${escape(words)}</text>\n`;
}

function svg(width, height, title, body) {
	return `<svg xmlns="http://www.w3.org/2000/svg" role="img" ` +
		`viewBox="0 0 ${width} ${height}" width="${width}" ` +
		`height="${height}" font-family="sans-serif" font-size="13" ` +
		`fill="${INK}">\n<title>${escape(title)}</title>\n` +
		`<rect width="${width}" height="${height}" fill="#ffffff"/>\n` +
		body + "</svg>\n";
}

// Two columns of bars, a row for each policy.
function barsPlot(rows, key) {
	const experiment = `${key} mixes`;
	const policies = policiesOf(rows, experiment);
	const panels = [
		{ x: 190, title: "flexible work: until done, mean h", fill: BLUE,
		  of: (p) => pick(rows, experiment, p, "flexible").turn_mean },
		{ x: 530, title: "owners: wait, mean h", fill: ORANGE,
		  of: (p) => pick(rows, experiment, p, "owners").wait_mean },
	];
	const width = 860, wide = 240, line = 26, top = 62;
	const title = `${titles[key]}: flexible work and owners, by policy`;
	let body = text(10, 24, title, 'font-size="16" font-weight="bold"');

	policies.forEach((policy, i) => {
		body += text(178, top + i * line + 15, policy, 'text-anchor="end"');
	});
	for (const panel of panels) {
		const most = Math.max(...policies.map(panel.of));

		body += text(panel.x, 50, panel.title, `fill="${FAINT}"`);
		policies.forEach((policy, i) => {
			const w = Math.max(1, Math.round(wide * panel.of(policy) /
				most));
			const y = top + i * line;

			body += `<rect x="${panel.x}" y="${y}" width="${w}" ` +
				`height="20" fill="${panel.fill}"/>\n`;
			body += text(panel.x + w + 6, y + 15,
				h(panel.of(policy)));
		});
	}
	return svg(width, top + policies.length * line + 12, title, body);
}

// Work that is done twice, by what is saved: one line a trace.
function savedPlot(rows) {
	const names = policiesOf(rows, "philly saved");
	const share = (key, name) => {
		const a = pick(rows, `${key} saved`, name, "all");

		return 100 * (a.repeated_gpuh + a.restart_gpuh) / a.used_gpuh;
	};
	const most = Math.ceil(10 * Math.max(...Object.keys(titles).flatMap(
		(key) => names.map((name) => share(key, name))))) / 10;
	const width = 860, height = 330, left = 60, top = 60, tall = 200;
	const step = (width - left - 110) / (names.length - 1);
	const x = (i) => Math.round(left + 20 + i * step);
	const y = (value) => Math.round(top + tall * (1 - value / most));
	const title = "Work that is repeated, and starting again: % of all GPU " +
		"time, by what is saved";
	let body = text(10, 24, title, 'font-size="16" font-weight="bold"');

	for (let tick = 0; tick <= 4; tick++) {
		const value = most * tick / 4;

		body += `<line x1="${left}" x2="${width - 90}" y1="${y(value)}" ` +
			`y2="${y(value)}" stroke="${GRID}"/>\n`;
		body += text(left - 8, y(value) + 4, `${value.toFixed(2)} %`,
			`text-anchor="end" fill="${FAINT}"`);
	}
	names.forEach((name, i) => {
		body += text(x(i), top + tall + 24, name, 'text-anchor="middle"');
	});
	body += text(left, top + tall + 50, "checkpoints; every start after a " +
		"preemption costs 5 minutes", `fill="${FAINT}"`);
	Object.entries({ philly: [BLUE, ""], itp: [ORANGE, "6 4"] })
		.forEach(([key, [colour, dash]]) => {
			const points = names.map((name, i) =>
				[x(i), y(share(key, name))]);

			body += `<polyline fill="none" stroke="${colour}" ` +
				`stroke-width="2.5" stroke-dasharray="${dash}" ` +
				`points="${points.map((p) => p.join(",")).join(" ")}` +
				`"/>\n`;
			for (const [px, py] of points)
				body += key === "itp" ?
					`<rect x="${px - 4}" y="${py - 4}" ` +
					`width="8" height="8" fill="${colour}"/>\n` :
					`<circle cx="${px}" cy="${py}" r="4.5" ` +
					`fill="${colour}"/>\n`;
			// Named where the lines are apart.
			body += text(points[0][0] + 8, points[0][1] - 10,
				titles[key],
				`fill="${colour}" font-weight="bold"`);
		});
	return svg(width, height, title, body);
}

export function plots(rows) {
	return { "philly.svg": barsPlot(rows, "philly"),
		 "itp.svg": barsPlot(rows, "itp"),
		 "saved.svg": savedPlot(rows) };
}
