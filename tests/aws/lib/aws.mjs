// SPDX-License-Identifier: GPL-2.0-or-later
//
// aws.mjs batch COMMAND [OPTION...]: as much of the AWS CLI as the scripts of
// qshare export call, and the describe-... and list-... whose output qshare
// import reads. The requests are made by AWS's SDK for JavaScript, the answers
// are what it makes of them. Stands in for the real CLI, which Debian has in a
// version that is older than quota shares.
//
// QSHARE_TEST_MODULES: the folder with node_modules; QSHARE_TEST_PORT: where
// the stand-in for AWS Batch listens.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.QSHARE_TEST_MODULES, "x.js"));
const batch = require("@aws-sdk/client-batch");

function fail(text) {
	console.error(`aws: ${text}`);
	process.exit(2);
}

const [service, command, ...rest] = process.argv.slice(2);
if (service !== "batch") fail(`no service ${service} here`);

const input = {};
const lists = ["serviceEnvironments", "jobQueues", "arns"];
let query;
while (rest.length) {
	const option = rest.shift();
	const value = rest.shift();
	if (!option.startsWith("--") || value === undefined)
		fail(`cannot read ${option}`);
	const key = option.slice(2).replace(/-(.)/g, (_, c) => c.toUpperCase());
	if (key === "cliInputJson") {
		if (!value.startsWith("file://")) fail("expected file://");
		// options stand above the document
		Object.assign(input, {
			...JSON.parse(readFileSync(value.slice(7), "utf8")),
			...input,
		});
	} else if (key === "query") {
		query = value;
	} else if (key !== "output") {
		input[key] = lists.includes(key) ? [value] : value;
	}
}

const kind = command.replace(/(^|-)(.)/g, (_, dash, c) => c.toUpperCase());
const Command = batch[`${kind}Command`];
if (!Command) fail(`no command ${command}`);
const client = new batch.BatchClient({
	endpoint: `http://127.0.0.1:${process.env.QSHARE_TEST_PORT}`,
	region: "us-east-1",
	credentials: { accessKeyId: "x", secretAccessKey: "y" },
	maxAttempts: 1,
});

let answer;
try {
	answer = await client.send(new Command(input));
} catch (error) {
	console.error(`aws: ${error.name}: ${error.message}`);
	process.exit(254);
}

if (query === undefined) {
	console.log(JSON.stringify(answer, null, 2));
} else {
	const steps = query.match(/[A-Za-z]+|\d+/g);
	console.log(steps.reduce((at, step) => at?.[step], answer) ?? "None");
}
