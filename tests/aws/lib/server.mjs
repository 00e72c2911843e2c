// SPDX-License-Identifier: GPL-2.0-or-later
//
// server.mjs FILE: a stand-in for AWS Batch on loopback.
//
// Prints its port as the first line. Appends each request to FILE, a JSON
// object a line: {"operation": ..., "body": ...}. It keeps what is created, so
// that describe-... and list-... can be asked; like AWS it creates in the
// background (the first question about a thing is answered CREATING) and
// refuses to build on what is not VALID. It judges nothing else.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";

const log = process.argv[2];
const arn = "arn:aws:batch:us-east-1:123456789012:";
const policies = new Map();
const environments = new Map();
const queues = new Map();
const shares = new Map();

class Refused extends Error {}

const name = (text) => text.split("/").at(-1);

function need(map, key, what) {
	const found = map.get(name(key ?? ""));
	if (!found) throw new Refused(`${what} ${key} does not exist`);
	if (found.status && found.status !== "VALID")
		throw new Refused(`${what} ${key} is ${found.status}`);
	return found;
}

function add(map, key, value) {
	if (map.has(key)) throw new Refused(`Object already exists: ${key}`);
	map.set(key, value);
}

// What a describe-... call gives; it is VALID from the next time on.
function tell(map, names) {
	return [...map.values()]
		.filter((one) => !names || names.map(name).includes(one.key))
		.map((one) => {
			const { key, ...rest } = structuredClone(one);
			if (one.status === "CREATING") one.status = "VALID";
			return rest;
		});
}

const operations = {
	createschedulingpolicy(body) {
		const made = `${arn}scheduling-policy/${body.name}`;
		add(policies, body.name, { key: body.name, ...body, arn: made });
		return { name: body.name, arn: made };
	},
	createserviceenvironment(body) {
		const key = body.serviceEnvironmentName;
		const made = `${arn}service-environment/${key}`;
		add(environments, key, {
			key, state: "ENABLED", ...body,
			serviceEnvironmentArn: made, status: "CREATING",
		});
		return { serviceEnvironmentName: key, serviceEnvironmentArn: made };
	},
	createjobqueue(body) {
		const key = body.jobQueueName;
		const made = `${arn}job-queue/${key}`;
		need(policies, body.schedulingPolicyArn, "policy");
		for (const one of body.serviceEnvironmentOrder)
			need(environments, one.serviceEnvironment, "environment");
		add(queues, key, {
			key, state: "ENABLED", ...body, jobQueueArn: made,
			status: "CREATING", statusReason: "Creating",
		});
		return { jobQueueName: key, jobQueueArn: made };
	},
	createquotashare(body) {
		const key = body.quotaShareName;
		const queue = need(queues, body.jobQueue, "job queue");
		const made = `${queue.jobQueueArn}/quota-share/${key}`;
		const { jobQueue, ...rest } = body;
		add(shares, key, {
			key, state: "ENABLED", ...rest, quotaShareArn: made,
			jobQueueArn: queue.jobQueueArn, status: "VALID",
		});
		return { quotaShareName: key, quotaShareArn: made };
	},
	describeschedulingpolicies(body) {
		return { schedulingPolicies: tell(policies, body.arns) };
	},
	describeserviceenvironments(body) {
		return {
			serviceEnvironments: tell(environments, body.serviceEnvironments),
		};
	},
	describejobqueues(body) {
		return { jobQueues: tell(queues, body.jobQueues) };
	},
	describequotashare(body) {
		return tell(shares, [body.quotaShareArn])[0];
	},
	listquotashares(body) {
		return {
			quotaShares: tell(shares).filter(
				(one) => name(one.jobQueueArn) === name(body.jobQueue)),
		};
	},
};

const server = createServer((request, response) => {
	let text = "";
	request.on("data", (chunk) => (text += chunk));
	request.on("end", () => {
		const operation = request.url.replace("/v1/", "");
		let status = 200;
		let answer;
		try {
			const body = JSON.parse(text || "{}");
			if (!request.headers.authorization?.includes("/batch/aws4_request"))
				throw new Refused("not signed for batch");
			appendFileSync(log, JSON.stringify({ operation, body }) + "\n");
			if (!operations[operation])
				throw new Refused(`no operation ${operation}`);
			answer = operations[operation](body);
		} catch (error) {
			if (!(error instanceof Refused)) throw error;
			status = 400;
			answer = { message: error.message };
			response.setHeader("x-amzn-errortype", "ClientException");
		}
		response.statusCode = status;
		response.setHeader("content-type", "application/json");
		response.end(JSON.stringify(answer));
	});
});

server.listen(0, "127.0.0.1", () => console.log(server.address().port));
