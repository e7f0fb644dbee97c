// Sets up what the project needs, in its own folder: a Python environment with locked packages, and npm's packages.
// Every step says what it does; a missing piece is named, with how to get it.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const windows = process.platform === "win32";
const bin = join(root, ".venv", windows ? "Scripts" : "bin");
export const python = join(bin, windows ? "python.exe" : "python");

export function say(text) {
  console.log(`[setup] ${text}`);
}

export function fail(text) {
  console.error(`\n${text}`);
  process.exit(3);
}

/** Runs a command with its output shown; ends the process with its exit code if it fails. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options });
  if (result.error) fail(`${command} could not be started: ${result.error.message}`);
  if (result.signal) process.exit(130);
  if (result.status !== 0) process.exit(result.status ?? 1);
}

function quietly(command, args) {
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  return { ok: result.status === 0, output: `${result.stdout ?? ""}${result.stderr ?? ""}` };
}

function stamp(name, files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(join(root, file)));
  const path = join(root, ".cache", "stamps", name);
  const value = hash.digest("hex");
  return {
    fresh: existsSync(path) && readFileSync(path, "utf8") === value,
    write() {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, value);
    },
  };
}

function findPython() {
  const wanted = process.env.PYTHON
    ? [process.env.PYTHON]
    : ["python3", "python", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10"];
  const seen = [];
  for (const name of wanted) {
    const { ok, output } = quietly(name, ["-c", "import sys; print('%d.%d' % sys.version_info[:2])"]);
    if (!ok) continue;
    const [major, minor] = output.trim().split(".").map(Number);
    if (major === 3 && minor >= 10) return name;
    seen.push(`${name} is ${output.trim()}`);
  }
  return fail(
    `Python 3.10 or newer is needed${seen.length ? ` (${seen.join(", ")})` : ""}. Install it (Debian and Ubuntu: apt-get install python3 python3-venv), or name it in the variable PYTHON.`,
  );
}

/** The Python environment in .venv, with the packages of requirements/<which>.txt and the project itself. */
export function setUpPython(which) {
  if (Number(process.versions.node.split(".")[0]) < 20) fail(`Node 20 or newer is needed; this is ${process.version}.`);
  const lock = `requirements/${which}.txt`;
  const done = stamp(`python-${which}`, [lock, "pyproject.toml"]);
  const dev = stamp("python-dev", ["requirements/dev.txt", "pyproject.toml"]);
  const works = existsSync(python) && quietly(python, ["-c", "import compile_loop"]).ok;
  if (works && (done.fresh || dev.fresh)) return;
  if (!existsSync(python) || !quietly(python, ["-m", "pip", "--version"]).ok) {
    const found = findPython();
    say(`making a Python environment in .venv with ${found}`);
    const made = quietly(found, ["-m", "venv", "--clear", ".venv"]);
    if (!made.ok) {
      fail(
        `A Python environment could not be made; on Debian and Ubuntu its parts come with: apt-get install python3-venv\n${made.output}`,
      );
    }
  }
  say(`installing locked Python packages (${lock})`);
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"];
  run(python, [...pip, "--require-hashes", "-r", lock]);
  run(python, [...pip, "--no-deps", "--no-build-isolation", "-e", "."]);
  done.write();
}

/** npm's packages as locked, and the extension's bundle. */
export function setUpNode() {
  const done = stamp("node", ["package-lock.json"]);
  if (!done.fresh || !existsSync(join(root, "node_modules"))) {
    say("installing locked npm packages");
    run(windows ? "npm.cmd" : "npm", ["ci", "--no-audit", "--no-fund"], { shell: windows });
    done.write();
  }
}
