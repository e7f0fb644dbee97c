// npm run bench: every figure is a ratio of two things measured side by side in the same run.
import { join } from "node:path";
import { python, root, run, setUpNode, setUpPython } from "./setup.mjs";

setUpPython("dev");
const all = [
  "startup",
  "editor",
  "rounds",
  "edits",
  "diagnostics",
  "models",
  "record",
  "honesty",
  "shadow",
  "extension",
];
for (const name of process.argv.length > 2 ? process.argv.slice(2) : all) {
  console.log(`\n## ${name}`);
  if (name === "extension") {
    setUpNode();
    run("npm", ["run", "--silent", "build"], { shell: process.platform === "win32" });
    run(process.execPath, [join(root, "tests", "bench", "extension.mjs")]);
  } else {
    run(python, ["-m", `tests.bench.${name}`], { cwd: root });
  }
}
