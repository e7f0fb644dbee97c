// npm start: set up, then the main job on a bundled broken program. Arguments go to `compile-loop demo`:
//   npm start -- --model openai:NAME --base-url http://127.0.0.1:11434/v1
import { python, root, run, say, setUpPython } from "./setup.mjs";

setUpPython("runtime");
say("ready; now: compile-loop demo");
run(python, ["-m", "compile_loop", "demo", ...process.argv.slice(2)], { cwd: root });
