import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../harness/model.ts";
import { until } from "../harness/until.ts";
import { Workbench } from "../harness/workbench.ts";

const FILES = { "a.c": '#include "b.h"\nint a(void) { return count; }\n', "b.h": "extern int zebra;\n" };
const REPLY = "<<< path=b.h >>>\n<<<<<<< SEARCH\nextern int zebra;\n=======\nextern int count;\n>>>>>>> REPLACE\n";

test("the model wants a file that it may not edit: the user allows it, and the run goes on (Q4)", async () => {
  await Model.run([{ text: REPLY }], async (model) => {
    const settings = { ...model.settings, "compileLoop.check": "gcc -fsyntax-only a.c" };
    await Workbench.run("also-allow", { settings, files: FILES }, async (vscode) => {
      await vscode.openFile("b.h");
      await vscode.openFile("a.c");
      await vscode.command("Compile Loop: Fix This File Until It Compiles");
      const question = vscode.notification("The model wants to edit b.h too");
      await question.waitFor();
      await vscode.picture("also-allow");
      const asked = model.prompts.length;
      await vscode.press(question, "Allow b.h");
      await vscode.press(vscode.notification(/Apply 1 file\?/), "Apply");
      await until("the edit in b.h", () => vscode.text("b.h") === "extern int count;\n");
      assert.equal(vscode.text("a.c"), FILES["a.c"]);
      assert.equal(model.prompts.length, asked + 1);
    });
  });
});
