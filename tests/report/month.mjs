// SPDX-License-Identifier: GPL-2.0-or-later
//
// A made-up month of five teams as sacct --parsable2 would print it, the same
// at each call: borrowing, interruptions of all kinds, a long name, a clock that
// was set back, an account that must be escaped. For month.conf.
const shares = ["vision", "speech", "robotics", "climate",
	"a-team-with-a-rather-long-name"];
const accounts = ["vision", "speech", "robotics", "climate", "ateam"];
const causes = ["QUOTA", "QUOTA", "PLACEMENT", "PRIORITY"];
const day = 86400, begin = 1793491200;
let seed = 12345, records = 0, jobs = 0;

// Park and Miller's minimal standard generator.
function random() {
	seed = seed * 48271 % 2147483647;
	return seed / 2147483647;
}

function pick(list) {
	return list[Math.floor(random() * list.length)];
}

function exponential(mean) {
	return Math.floor(-Math.log(1 - random()) * mean);
}

function record(fields) {
	const { job, user, account, state, submit, start, end, type, gpus,
		comment = "" } = fields;
	const tres = `cpu=1,gres/gpu:${type}=${gpus},gres/gpu=${gpus}`;
	console.log([job, job, ++records, user, account, "gpu", state, submit,
		submit, start, end, "n1", tres, tres, comment].join("|"));
}

function life(share, submitted) {
	const job = ++jobs, type = pick(["h100", "h100", "a10g"]);
	const gpus = pick([1, 1, 2, 4, 8, 8]);
	const fixed = { job, type, gpus, user: `user${share}`,
		account: accounts[share] };
	let submit = submitted;
	let start = submit + exponential(random() < 0.7 ? 600 : 9000);
	for (;;) {
		const seconds = exponential(15000) + 60, dice = random();
		if (dice < 0.12) {
			const end = start + Math.floor(seconds * random());
			const by = Math.max(1, job - Math.ceil(random() * 40));
			record({ ...fixed, state: "REQUEUED", submit, start, end,
				comment: `QuotaShare: share=${shares[share]} ` +
				`queue=train own=0 borrowed=${type}:${gpus} ` +
				`start=${start} preempted=1 for=${by} ` +
				`how=RECLAIM code=${pick(causes)}; words` });
			submit = end;
			start = end + 120 + exponential(2000);
			continue;
		}
		const state = dice < 0.9 ? "COMPLETED" :
			pick(["FAILED", "TIMEOUT", "CANCELLED by 7", "NODE_FAIL"]);
		const end = start + seconds;
		record({ ...fixed, state, submit, start, end });
		if (state !== "NODE_FAIL")
			return;
		submit = end;
		start = end + 300;
	}
}

console.log("JobID|JobIDRaw|DBIndex|User|Account|Partition|State|Submit|" +
	"Eligible|Start|End|NodeList|AllocTRES|ReqTRES|AdminComment");
for (let d = 0; d < 28; d++)
	for (let share = 0; share < shares.length; share++)
		for (let n = 4 + Math.floor(random() * 10); n > 0; n--)
			life(share, begin + d * day + Math.floor(random() * day));
const odd = { type: "h100", gpus: 2, user: "x", state: "COMPLETED",
	submit: begin + 5000, start: begin + 9000 };
record({ ...odd, job: 9999, account: "", end: begin + 8000 });
record({ ...odd, job: 10000, account: "<b>stranger&co", end: begin + 99000 });
