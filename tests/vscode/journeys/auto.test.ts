import { test } from "node:test";
import { PYTHON } from "../harness/code-server.ts";
import { Model } from "../harness/model.ts";
import { until } from "../harness/until.ts";
import { Workbench } from "../harness/workbench.ts";

const FILES = { "a.c": "int a(void) { return x; }\n", "b.c": "int b(void) { return y; }\n" };
const REPLY = Object.entries(FILES)
  .map(([name, text]) => `<<< path=${name} >>>\n<<<<<<< SEARCH\n${text}=======\n${fixed(text)}>>>>>>> REPLACE\n`)
  .join("");

test("apply = auto: applied at once, taken back by Undo in the notification (V5)", async () => {
  await Model.run([{ text: REPLY }], async (model) => {
    const check = { "compileLoop.check": "gcc -c a.c b.c", "compileLoop.apply": "auto" };
    const settings = { ...model.settings, ...check, "compileLoop.server.python": PYTHON };
    await Workbench.run("auto", { settings, files: FILES }, async (vscode) => {
      await vscode.openFile("a.c");
      await vscode.openFile("b.c");
      await vscode.command("Compile Loop: Fix Workspace");
      const applied = vscode.notification(/2 errors gone.*Applied to 2 files/);
      await applied.waitFor();
      for (const [name, text] of Object.entries(FILES)) {
        await until(`the edit in ${name}`, () => vscode.text(name) === fixed(text));
      }
      await vscode.picture("auto");
      await vscode.press(applied, "Undo");
      await vscode.picture("auto-undo");
      for (const [name, text] of Object.entries(FILES)) {
        await until(`the old text in ${name}`, () => vscode.text(name) === text);
      }
    });
  });
});

function fixed(text: string): string {
  return text.replace(/[xy];/, "0;");
}
