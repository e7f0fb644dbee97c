// Installs what the VS Code tests need into .cache/vscode: a real VS Code (served by code-server) with the Node.js that it
// wants, and Chromium. Does nothing where all is there already. `node tests/vscode/install.mjs`
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const VERSIONS = { "code-server": "4.139.1", [`node-${process.platform}-${process.arch}`]: "24.21.0" };
const HOME = resolve(HERE, "../../.cache/vscode");
const STAMP = join(HOME, "installed.json");
const MODULES = join(HOME, "node_modules");
const VSCODE = join(MODULES, "code-server/lib/vscode");
/** Parts that no test here uses: more than half of the whole. */
const SURPLUS = [
  "node_modules/@github",
  "node_modules/@microsoft/mxc-sdk",
  "extensions/copilot",
  "extensions/mermaid-markdown-features",
  "extensions/microsoft-authentication",
  "extensions/ms-vscode.js-debug",
  "extensions/ms-vscode.js-debug-companion",
  "extensions/ms-vscode.vscode-js-profile-table",
];
const BROWSERS = ["chromium", "chromium-browser", "google-chrome"];

/** @typedef {{ node: string, codeServer: string, chromium: string }} Installation Paths of the three programs. */

/**
 * @param {(line: string) => void} say
 * @returns {Installation}
 */
export function install(say = console.log) {
  const started = Date.now();
  const chromium = browser(say);
  const wanted = JSON.stringify(VERSIONS);
  if (!existsSync(STAMP) || readFileSync(STAMP, "utf8") !== wanted) {
    say("Installing VS Code for the tests into .cache/vscode (some 300 MB, once; about half a minute)");
    rmSync(HOME, { recursive: true, force: true });
    mkdirSync(HOME, { recursive: true });
    writeFileSync(join(HOME, "package.json"), '{ "private": true }\n');
    say("  1 of 3: code-server and its Node.js");
    npm(HOME, ...Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`));
    say("  2 of 3: the libraries of VS Code");
    npm(VSCODE);
    say("  3 of 3: the libraries of its own extensions");
    npm(join(VSCODE, "extensions"));
    trim();
    writeFileSync(STAMP, wanted);
    say(`  done in ${Math.round((Date.now() - started) / 1000)} s`);
  }
  cpSync(join(HERE, "harness/spdlog.cjs"), join(VSCODE, "node_modules/@vscode/spdlog/index.js"));
  const node = Object.keys(VERSIONS).find((name) => name.startsWith("node-")) ?? "";
  return {
    node: join(MODULES, node, "bin/node"),
    codeServer: join(MODULES, "code-server/out/node/entry.js"),
    chromium,
  };
}

/** @param {(line: string) => void} say */
function browser(say) {
  const found = process.env.CHROMIUM ?? BROWSERS.map(which).find(Boolean);
  if (found) {
    return found;
  }
  if (process.getuid?.() === 0 && which("apt-get")) {
    say("Installing Chromium with apt-get (once)");
    const quiet = {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    };
    for (const words of [["update"], ["install", "-y", "--no-install-recommends", "chromium"]]) {
      spawnSync("apt-get", ["-qq", ...words], /** @type {import("node:child_process").SpawnSyncOptions} */ (quiet));
    }
  }
  const installed = BROWSERS.map(which).find(Boolean);
  if (!installed) {
    throw new Error(
      "The VS Code tests need Chromium. Install it (Debian, Ubuntu: apt-get install chromium) or set CHROMIUM to its path.",
    );
  }
  return installed;
}

/** @param {string} program */
function which(program) {
  const folders = (process.env.PATH ?? "").split(":");
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

/**
 * Without any install script: every native part that is needed comes built inside its package. `npm ci` will not do, since
 * the locks inside code-server are not complete.
 * @param {string} folder
 * @param {string[]} packages
 */
function npm(folder, ...packages) {
  const words = [
    "install",
    "--ignore-scripts",
    "--omit=dev",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    ...packages,
  ];
  try {
    execFileSync("npm", words, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  } catch {
    throw new Error(`npm could not install into ${folder}: is the registry within reach? (npm ${words.join(" ")})`);
  }
}

function trim() {
  for (const part of SURPLUS) {
    rmSync(join(VSCODE, part), { recursive: true, force: true });
  }
  const searchers = join(VSCODE, "node_modules/@vscode/ripgrep-universal/bin");
  const own = `${process.platform}-${process.arch}`;
  for (const other of existsSync(searchers) ? readdirSync(searchers).filter((name) => name !== own) : []) {
    rmSync(join(searchers, other), { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    install();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
