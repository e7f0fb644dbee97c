// npm test: set up, then every test, ring by ring. `npm test -- quick` leaves out a real model and a real VS Code.
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { python, root, say, setUpNode, setUpPython } from "./setup.mjs";

const quick = process.argv.includes("quick");
setUpPython("dev");
setUpNode();

const npm = (script) => ["npm", ["run", "--silent", script]];
const module = (name, ...args) => [python, ["-m", name, ...args]];
const rings = [
  ["Python style", module("ruff", "check", ".")],
  ["Python format", module("ruff", "format", "--check", ".")],
  ["Python types", module("mypy")],
  ["imports point one way", [join(root, ".venv", "bin", "lint-imports"), []]],
  ["protocol.ts is fresh", [python, ["scripts/protocol_ts.py", "--check"]]],
  ["docs of the manifest are fresh", [python, ["scripts/manifest_docs.py", "--check"]]],
  ["TypeScript style", npm("lint")],
  ["TypeScript types", npm("typecheck")],
  ["tests without an editor", module("pytest", "tests", "-n", `${availableParallelism() + 1}`, "--dist", "loadgroup")],
  ...(quick
    ? []
    : [
        ["a real model", npm("test:model")],
        ["a real VS Code", npm("test:vscode")],
      ]),
];

// On CI all compilers that tests run, else only those that go into the project's own folder. A test names what is missing.
const tools = process.env.CI === "true" ? [] : ["local"];
say(`getting the compilers and checkers that tests run: python -m tests.programs.install ${tools.join("")}`);
spawnSync(python, ["-m", "tests.programs.install", ...tools], { cwd: root, stdio: "inherit" });

const failed = [];
for (const [name, [command, args]] of rings) {
  const began = Date.now();
  say(`${name}: ${command.replace(`${root}/`, "")} ${args.join(" ")}`);
  const result = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  if (result.error) console.error(`${command} could not be started: ${result.error.message}`);
  if (result.status !== 0) failed.push(name);
  say(`${name}: ${result.status === 0 ? "passed" : "FAILED"} in ${seconds} s`);
}
console.log(failed.length ? `\nFailed: ${failed.join(", ")}` : "\nAll rings passed.");
process.exit(failed.length ? 1 : 0);
