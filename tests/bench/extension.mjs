// The extension's bundles: their size, and how long a new Node.js takes to load what VS Code waits for, beside loading all of it.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const [ENTRY, LIBRARY] = ["extension.js", "library.js"].map((name) => join(ROOT, "dist", name));
const MOST_KB = 600;
const MOST_SHARE = 0.5;
const TIMES = 15;
/** Stands in for VS Code's API, of which loading uses only classes and enumerations. */
const STUB = `
const anything = new Proxy(class {}, { get: (it, name) => (name in it ? it[name] : anything) });
const load = require("node:module")._load;
require("node:module")._load = (name, ...rest) => (name === "vscode" ? anything : load(name, ...rest));
`;

/** The milliseconds that a new Node.js takes to load these. @param {(string | undefined)[]} files */
function milliseconds(...files) {
  const load = files.map((file) => `require(${JSON.stringify(file)});`).join("");
  const script = `${STUB}const began = performance.now();${load}console.log(performance.now() - began);`;
  const done = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
  if (done.status !== 0) throw new Error(done.stderr);
  return Number(done.stdout);
}

/** @param {number[]} times */
function median(times) {
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

const kilobytes = [ENTRY, LIBRARY].map((file) => statSync(file ?? "").size / 1000);
const total = kilobytes.reduce((sum, size) => sum + size, 0);
// By turns, so that whatever else the machine does falls on both.
const pairs = Array.from({ length: TIMES }, () => [milliseconds(ENTRY), milliseconds(ENTRY, LIBRARY)]);
const [entry = 0, all = 0] = [0, 1].map((at) => median(pairs.map((pair) => pair[at] ?? 0)));
const sizes = kilobytes.map((size) => size.toFixed(0)).join(" + ");
console.log(`bundles           ${sizes} = ${total.toFixed(0)} KB of at most ${MOST_KB}`);
console.log(
  `load to activate  ${(entry / all).toFixed(2)} × loading all of it, of at most ${MOST_SHARE} (${entry.toFixed(1)} and ${all.toFixed(1)} ms)`,
);
process.exitCode = total <= MOST_KB && entry / all <= MOST_SHARE ? 0 : 1;
