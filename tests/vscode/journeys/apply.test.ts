import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../harness/model.ts";
import { until } from "../harness/until.ts";
import { Workbench } from "../harness/workbench.ts";

const FILES = { "a.c": "int a(void) { return x; }\n", "b.c": "int b(void) { return y; }\n" };
const REPLY = Object.entries(FILES)
  .map(([name, text]) => `<<< path=${name} >>>\n<<<<<<< SEARCH\n${text}=======\n${fixed(text)}>>>>>>> REPLACE\n`)
  .join("");

test("applied at once and taken back by Undo; applied in part (V5)", async () => {
  await Model.run([{ text: REPLY }], async (model) => {
    const check = { "compileLoop.check": "gcc -c a.c b.c" };
    const settings = { ...model.settings, ...check };
    const auto = { ...settings, "compileLoop.apply": "auto" };
    await Workbench.run("apply", { settings: auto, files: FILES }, async (vscode) => {
      await vscode.openFile("a.c");
      await vscode.openFile("b.c");
      await vscode.command("Compile Loop: Fix Workspace");
      const applied = vscode.notification(/2 errors gone.*Applied to 2 files/);
      await applied.waitFor();
      for (const [name, text] of Object.entries(FILES)) {
        await until(`the edit in ${name}`, () => vscode.text(name) === fixed(text));
      }
      await vscode.picture("apply-auto");
      await vscode.press(applied, "Undo");
      for (const [name, text] of Object.entries(FILES)) {
        await until(`the old text in ${name}`, () => vscode.text(name) === text);
      }

      await vscode.configure({ ...settings, "compileLoop.apply": "preview" });
      await vscode.command("Compile Loop: Fix Workspace");
      // Escape decides nothing: the question returns.
      await vscode.press(vscode.notification(/Found a fix in 1 round.*Apply 2 files\?/), "Apply Some…");
      await vscode.line("b.c").waitFor();
      await vscode.page.keyboard.press("Escape");
      await vscode.press(vscode.notification(/Apply 2 files\?/), "Apply Some…");
      await vscode.page.locator(".quick-input-list .monaco-list-row", { hasText: "b.c" }).getByRole("checkbox").click();
      await vscode.picture("apply-some");
      await vscode.page.locator(".quick-input-widget").getByRole("button", { name: "OK" }).click();
      await until("the edit in a.c", () => vscode.text("a.c") === fixed(FILES["a.c"]));
      assert.equal(vscode.text("b.c"), FILES["b.c"]);
    });
  });
});

function fixed(text: string): string {
  return text.replace(/[xy];/, "0;");
}
