// npm run bench: every figure is a ratio of two things measured side by side in the same run.
import { python, root, run, setUpPython } from "./setup.mjs";

setUpPython("dev");
const all = ["startup", "rounds", "edits", "diagnostics", "models", "record"];
for (const name of process.argv.length > 2 ? process.argv.slice(2) : all) {
  console.log(`\n## ${name}`);
  run(python, ["-m", `tests.bench.${name}`], { cwd: root });
}
