// SPDX-License-Identifier: GPL-2.0-or-later
//
// Opens a page in headless Chromium and looks at it as a reader would:
//
//	node page.mjs CHROMIUM PAGE.html FOLDER
//
// At phone and desktop width, light and dark: nothing in the console, no
// request but the page itself, nothing wider than the screen, plots that can be
// seen and have a title. Leaves screenshots and a PDF in FOLDER. Speaks
// DevTools' protocol through two pipes, so that nothing has to be installed
// beside node and chromium. One line a check: "ok WHAT" or "FAIL WHAT".
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [chromium, page, folder] = process.argv.slice(2);
const url = pathToFileURL(resolve(page)).href;
const profile = mkdtempSync(join(tmpdir(), "qs-page-"));
mkdirSync(folder, { recursive: true });

const browser = spawn(chromium, [
	"--headless=new", "--no-sandbox", "--disable-gpu",
	"--disable-dev-shm-usage", "--disable-background-networking",
	"--disable-component-update", "--no-first-run",
	"--remote-debugging-pipe", `--user-data-dir=${profile}`,
	"about:blank",
], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });

let failed = 0, last = 0, rest = "";
const waiting = new Map(), listeners = [];

function verdict(good, what) {
	console.log(`${good ? "ok  " : "FAIL"} ${what}`);
	if (!good)
		failed++;
}

browser.stdio[4].on("data", (data) => {
	rest += data;
	const parts = rest.split("\0");
	rest = parts.pop();
	for (const text of parts) {
		const message = JSON.parse(text);
		if (message.id) {
			const { good, bad } = waiting.get(message.id);
			waiting.delete(message.id);
			if (message.error)
				bad(new Error(message.error.message));
			else
				good(message.result);
		} else {
			listeners.forEach((listener) => listener(message));
		}
	}
});

function send(method, params = {}, sessionId) {
	const id = ++last;
	browser.stdio[3].write(
		JSON.stringify({ id, method, params, sessionId }) + "\0");
	return new Promise((good, bad) => waiting.set(id, { good, bad }));
}

function event(method, ms = 60000) {
	return new Promise((good, bad) => {
		const timer = setTimeout(
			() => bad(new Error(`no ${method}`)), ms);
		listeners.push((message) => {
			if (message.method === method) {
				clearTimeout(timer);
				good(message.params);
			}
		});
	});
}

const measure = `JSON.stringify({
	wide: document.documentElement.scrollWidth, room: innerWidth,
	out: [...document.querySelectorAll("main *")].filter((e) =>
		!e.closest(".scroll") && e.getClientRects().length &&
		e.getBoundingClientRect().right > innerWidth + 1)
		.map((e) => e.outerHTML.slice(0, 80)),
	plots: [...document.querySelectorAll("svg.plot")].map((e) => ({
		seen: e.getBoundingClientRect().height > 10,
		title: e.querySelector("title")?.textContent || "",
		desc: e.querySelector("desc")?.textContent || "",
		letters: Math.min(...[...e.querySelectorAll("text")]
			.map((t) => t.getBoundingClientRect().height), 99),
		cut: [...e.querySelectorAll("text")].filter((t) => {
			const a = t.getBoundingClientRect();
			const b = e.getBoundingClientRect();
			return a.width && (a.left < b.left - 1 ||
				a.right > b.right + 1);
		}).map((t) => t.textContent),
	})),
	scripts: document.scripts.length,
	title: document.title,
	bare: document.body.innerHTML.includes("<b>stranger"),
})`;

async function look(session, name, width, height, dark) {
	await send("Emulation.setDeviceMetricsOverride", {
		width, height, deviceScaleFactor: 1, mobile: width < 600,
	}, session);
	await send("Emulation.setEmulatedMedia", {
		features: [{ name: "prefers-color-scheme",
			value: dark ? "dark" : "light" }],
	}, session);
	const loaded = event("Page.loadEventFired");
	await send("Page.navigate", { url }, session);
	await loaded;
	const { result } = await send("Runtime.evaluate",
		{ expression: measure }, session);
	const seen = JSON.parse(result.value);
	const plots = seen.plots.filter((plot) => plot.seen);
	verdict(seen.wide <= seen.room && !seen.out.length,
		`${name}: nothing is wider than ${width} pixels` +
		(seen.out.length ? `, but ${seen.out[0]}` : ""));
	verdict(plots.length >= 3 && plots.length * 2 === seen.plots.length,
		`${name}: ${plots.length} plots are seen, each once`);
	verdict(plots.every((plot) => plot.title && plot.desc),
		`${name}: each plot has a title and a description`);
	verdict(plots.every((plot) => plot.letters >= 10),
		`${name}: letters in plots are at least 10 pixels high`);
	verdict(plots.every((plot) => !plot.cut.length),
		`${name}: no word in a plot is cut` +
		plots.map((plot) => plot.cut.join()).join(" "));
	verdict(!seen.scripts && !seen.bare && seen.title,
		`${name}: no script, texts are escaped, there is a title`);
	const shot = await send("Page.captureScreenshot",
		{ captureBeyondViewport: true }, session);
	writeFileSync(join(folder, `${name}.png`),
		Buffer.from(shot.data, "base64"));
}

try {
	const requests = [], said = [];
	const { targetId } = await send("Target.createTarget",
		{ url: "about:blank" });
	const { sessionId } = await send("Target.attachToTarget",
		{ targetId, flatten: true });
	listeners.push(({ method, params }) => {
		if (method === "Network.requestWillBeSent")
			requests.push(params.request.url);
		if (method === "Log.entryAdded")
			said.push(params.entry.text);
		if (method === "Runtime.consoleAPICalled" ||
			method === "Runtime.exceptionThrown")
			said.push(JSON.stringify(params).slice(0, 200));
	});
	for (const domain of ["Page", "Runtime", "Network", "Log"])
		await send(`${domain}.enable`, {}, sessionId);
	await look(sessionId, "desktop", 1200, 900, false);
	await look(sessionId, "phone", 375, 812, false);
	await look(sessionId, "phone-dark", 375, 812, true);
	const pdf = await send("Page.printToPDF",
		{ printBackground: true, paperWidth: 8.27, paperHeight: 11.69 },
		sessionId);
	const bytes = Buffer.from(pdf.data, "base64");
	writeFileSync(join(folder, "print.pdf"), bytes);
	verdict(bytes.subarray(0, 5).toString() === "%PDF-",
		"print: a PDF");
	const others = requests.filter((r) => r !== url &&
		!r.startsWith("data:"));
	verdict(requests.includes(url) && !others.length,
		`no request but the page itself ${others}`);
	verdict(!said.length, `nothing in the console ${said}`);
} catch (error) {
	verdict(false, `the browser: ${error.message}`);
}
// Its children write a little longer than itself: the folder may stay a while.
await new Promise((gone) => {
	browser.on("exit", gone);
	browser.kill();
});
try {
	rmSync(profile, { recursive: true, force: true, maxRetries: 30,
		retryDelay: 200 });
} catch (error) {
	console.log(`# ${profile} is left: ${error.code}`);
}
process.exit(failed ? 1 : 0);
