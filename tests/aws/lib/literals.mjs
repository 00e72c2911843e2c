// SPDX-License-Identifier: GPL-2.0-or-later
//
// literals.mjs OUT FILE...: each JSON document as a typed literal of the SDK's
// type for it, a .ts file in the folder OUT. The type follows from the name of
// the file, or from the keys. What is an imported .json file would be typed as
// loose strings, and an unknown key in a variable is no error: so literals.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const types = [
	["scheduling-policy", "CreateSchedulingPolicyCommandInput"],
	["service-environment", "CreateServiceEnvironmentCommandInput"],
	["job-queue", "CreateJobQueueCommandInput"],
	["quota-share", "CreateQuotaShareCommandInput"],
	["describe-jobs", "DescribeServiceJobResponse"],
	["snapshot", "GetJobQueueSnapshotResponse"],
];

const [out, ...files] = process.argv.slice(2);
for (const file of files) {
	const name = basename(file, ".json");
	const type = types.find(([prefix]) => name.startsWith(prefix))?.[1];
	if (!type) throw new Error(`${file}: of which type?`);
	// JSON is a literal of TypeScript as it stands.
	writeFileSync(
		join(out, `${name}.ts`),
		`import type { ${type} } from "@aws-sdk/client-batch";\n\n` +
			`export const document: ${type} = ` +
			`${readFileSync(file, "utf8").trim()};\n`,
	);
}
