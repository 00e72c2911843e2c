// SPDX-License-Identifier: GPL-2.0-or-later
//
// compare.mjs LOG FOLDER: are the recorded create-... requests exactly the
// documents of an export, each once, in an order in which AWS can take them?
// Says what differs, with its path; exit status 1 if anything does.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [log, folder] = process.argv.slice(2);
const order = ["createschedulingpolicy", "createserviceenvironment",
	"createjobqueue", "createquotashare"];
const files = {
	createschedulingpolicy: (body) => `scheduling-policy-${body.name}`,
	createserviceenvironment: (body) =>
		`service-environment-${body.serviceEnvironmentName}`,
	createjobqueue: (body) => `job-queue-${body.jobQueueName}`,
	createquotashare: (body) => `quota-share-${body.quotaShareName}`,
};
let wrong = 0;

function say(text) {
	console.error(`compare: ${text}`);
	wrong++;
}

function differ(path, a, b) {
	const isObject = (x) => x !== null && typeof x === "object";
	if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) {
		if (a !== b)
			say(`${path}: ${JSON.stringify(a)} was written, ` +
				`${JSON.stringify(b)} arrived`);
		return;
	}
	for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
		differ(`${path}.${key}`, a[key], b[key]);
}

const left = new Set(readdirSync(folder).filter(
	(name) => name.endsWith(".json") && name !== "bundle.json"));
let step = 0;
for (const line of readFileSync(log, "utf8").trim().split("\n")) {
	const { operation, body } = JSON.parse(line);
	if (!files[operation]) continue;
	const name = `${files[operation](body)}.json`;
	if (!left.delete(name)) {
		say(`${name} was sent, and is not there or was sent twice`);
		continue;
	}
	// With each queue the order begins anew.
	const at = order.indexOf(operation);
	if (at < step && at !== 0) say(`${name} was sent too late`);
	step = at;
	differ(name, JSON.parse(readFileSync(join(folder, name), "utf8")), body);
}
for (const name of left) say(`${name} was not sent`);
process.exit(wrong ? 1 : 0);
