import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../harness/model.ts";
import { until } from "../harness/until.ts";
import { Workbench } from "../harness/workbench.ts";

const BROKEN = "int f(void) { return x; }\n";
const FIXED = BROKEN.replace("x;", "0;");
const REPLY = { text: `<<<<<<< SEARCH\n${BROKEN}=======\n${FIXED}>>>>>>> REPLACE\n`, pause: 2_500 };
const FOLDERS = ["back end", "frönt"] as const;

test("two folders at once, with the same file name in both: each run in its own, each with its own check (V8, L18)", async () => {
  await Model.run([REPLY], async (model) => {
    const files = Object.fromEntries(
      FOLDERS.flatMap((folder, number) => [
        [`${folder}/src/a.c`, BROKEN],
        [`${folder}/.vscode/settings.json`, JSON.stringify({ "compileLoop.check": `gcc -DN=${number} -c src/a.c` })],
      ]),
    );
    await Workbench.run("two-folders", { settings: model.settings, files, folders: FOLDERS }, async (vscode) => {
      for (const folder of FOLDERS) {
        await vscode.openFile("a.c", `${folder}/src/a.c`, `${folder} a.c`);
        await vscode.command("Compile Loop: Fix This File Until It Compiles");
      }
      // Two questions at once say which is which.
      for (const folder of FOLDERS) {
        await vscode.notification(`${folder}/src/a.c: Found a fix in 1 round`).waitFor();
      }
      await vscode.picture("two-folders");
      for (const folder of FOLDERS) {
        await vscode.press(vscode.notification(`${folder}/src/a.c: Found a fix in 1 round`), "Apply");
        await until(`the edit in ${folder}`, () => vscode.text(`${folder}/src/a.c`) === FIXED);
      }
      const log = vscode.server.log(400);
      assert.ok(log.includes("-DN=0") && log.includes("-DN=1"), "a folder's check ran in the other one");
    });
  });
});
