// Builds the extension and runs the journeys in a real VS Code: `npm run test:vscode`, with names of journeys to run only those.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "./install.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(HERE, "../..");
/** Installs the package with the network cut off. */
const OFFLINE = "offline.test.ts";
/** Stand-ins for the machine's language servers (tests/support/tools.py): what a journey sees does not hang on those. */
const NO_SERVERS = join(ROOT, ".cache/tools/no-servers");

/** One waits for its windows while the other works. */
const AT_A_TIME = 2;

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
  if (files.includes(OFFLINE)) {
    execFileSync("npm", ["run", "--silent", "package"], { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
  }
  const path = [NO_SERVERS, process.env.PATH].join(delimiter);
  const environment = {
    ...process.env,
    PATH: path,
    CODE_SERVER_NODE: node,
    CODE_SERVER_ENTRY: codeServer,
    CHROMIUM: chromium,
  };
  const online = files.filter((name) => name !== OFFLINE);
  const code = online.length ? await journeys([node], online, environment) : 0;
  if (code || !files.includes(OFFLINE)) {
    return code;
  }
  // In a network of its own, in which there is nothing but loopback.
  const alone = ["unshare", ...(process.getuid?.() === 0 ? [] : ["-r"]), "-n", "python3", join(HERE, "loopback.py")];
  if (spawnSync(alone[0] ?? "", [...alone.slice(1), "true"]).status === 0) {
    return await journeys([...alone, node], [OFFLINE], { ...environment, OFFLINE: "namespace" });
  }
  console.log("No network of its own can be had here: proxies that lead nowhere stand in for the cut.");
  const nowhere = "http://127.0.0.1:9";
  const dead = { http_proxy: nowhere, https_proxy: nowhere, HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere };
  return await journeys([node], [OFFLINE], { ...environment, ...dead, no_proxy: "127.0.0.1", PIP_NO_INDEX: "1" });
}

/**
 * Two journeys at a time, each with a VS Code and a browser of its own; what one printed is shown whole when it ends. One that
 * fails is run once more with nothing beside it and must pass then, since a real browser on a busy machine may miss a beat; both
 * results are shown.
 * @param {string[]} command How to start Node.js.
 * @param {string[]} files
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>}
 */
async function journeys(command, files, env) {
  const waiting = [...files];
  /** @type {string[]} */
  const failed = [];
  async function lane() {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      if ((await journey(command, file, env)) !== 0) {
        failed.push(file);
      }
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
  let code = 0;
  for (const file of failed) {
    console.log(`\n${file} failed; it is run once more, alone, and must pass.`);
    code = (await journey(command, file, env)) || code;
  }
  return code;
}

/**
 * @param {string[]} command
 * @param {string} file
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>}
 */
async function journey([program = "", ...before], file, env) {
  // The Node.js of the installed VS Code runs TypeScript as it is.
  const words = ["--test", "--test-timeout=240000", "--test-force-exit", "--no-warnings"];
  const tests = spawn(program, [...before, ...words, join(HERE, "journeys", file)], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env,
  });
  running.add(tests);
  /** @type {Buffer[]} */
  const printed = [];
  for (const stream of [tests.stdout, tests.stderr]) {
    stream.on("data", (/** @type {Buffer} */ piece) => printed.push(piece));
  }
  const code = await new Promise((done) => tests.on("close", (code) => done(code ?? 1)));
  running.delete(tests);
  process.stdout.write(Buffer.concat(printed));
  return code;
}

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
  process.on(signal, () => {
    for (const tests of running) {
      tests.kill(signal);
    }
    process.exit(130);
  });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
