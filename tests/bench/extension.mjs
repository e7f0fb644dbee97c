// The extension's bundle: its size, and how long Node.js takes to load it, beside how long it takes to start at all.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BUNDLE = join(ROOT, "dist", "extension.js");
const MOST_KB = 600;
const TIMES = 15;
/** Stands in for VS Code's API, of which loading uses only classes and enumerations. */
const STUB = `
const anything = new Proxy(class {}, { get: (it, name) => (name in it ? it[name] : anything) });
const load = require("node:module")._load;
require("node:module")._load = (name, ...rest) => (name === "vscode" ? anything : load(name, ...rest));
`;

/** The median of the milliseconds that a new Node.js takes for `script`. @param {string} script */
function median(script) {
  const times = Array.from({ length: TIMES }, () => {
    const began = performance.now();
    const done = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
    if (done.status !== 0) throw new Error(done.stderr);
    return performance.now() - began;
  });
  return times.sort((a, b) => a - b)[Math.floor(TIMES / 2)] ?? 0;
}

const kilobytes = statSync(BUNDLE).size / 1000;
const empty = median(STUB);
const loaded = median(`${STUB}\nrequire(${JSON.stringify(BUNDLE)});`);
console.log(`bundle            ${kilobytes.toFixed(0)} KB of at most ${MOST_KB}`);
console.log(`start and load    ${(loaded / empty).toFixed(2)} × starting Node.js alone (${loaded.toFixed(0)} and ${empty.toFixed(0)} ms)`);
process.exitCode = kilobytes <= MOST_KB ? 0 : 1;
