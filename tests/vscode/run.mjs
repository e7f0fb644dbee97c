// Builds the extension and runs the journeys in a real VS Code: `npm run test:vscode`, with names of journeys to run only those.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "./install.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(HERE, "../..");

/** @param {string[]} chosen */
async function main(chosen) {
  const { node, codeServer, chromium } = install();
  execFileSync("npm", ["run", "--silent", "build"], { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
  mkdirSync(join(ROOT, "test-artifacts/vscode"), { recursive: true });
  const all = readdirSync(join(HERE, "journeys")).filter((name) => name.endsWith(".test.ts"));
  const files = all.filter((name) => chosen.length === 0 || chosen.some((word) => name.startsWith(word)));
  if (files.length === 0) {
    throw new Error(`No journey is called ${chosen.join(" or ")}. There are: ${all.join(", ")}`);
  }
  // The Node.js of the installed VS Code runs TypeScript as it is. One journey at a time: each has a browser of its own.
  const words = ["--test", "--test-concurrency=1", "--test-timeout=240000", "--test-force-exit", "--no-warnings"];
  const tests = spawn(node, [...words, ...files.map((name) => join(HERE, "journeys", name))], {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, CODE_SERVER_NODE: node, CODE_SERVER_ENTRY: codeServer, CHROMIUM: chromium },
  });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
    process.on(signal, () => tests.kill(signal));
  }
  return await new Promise((done) => tests.on("close", (code) => done(code ?? 1)));
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
