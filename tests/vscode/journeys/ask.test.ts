import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../harness/model.ts";
import { until } from "../harness/until.ts";
import { Workbench } from "../harness/workbench.ts";

const FILES = { "a.c": "int a(void) { return x; }\n", "b.c": "int b(void) { return y; }\n" };
const REPLY = Object.entries(FILES)
  .map(([name, text]) => `<<< path=${name} >>>\n<<<<<<< SEARCH\n${text}=======\n${fixed(text)}>>>>>>> REPLACE\n`)
  .join("");
const NOT_TICKED = "Nothing was applied: the preview was discarded, or nothing was ticked in it.";

test("asked by the editor's own Refactor Preview: discarded, unticked, and one file of two (V5)", async () => {
  await Model.run([{ text: REPLY }], async (model) => {
    const check = { "compileLoop.check": "gcc -c a.c b.c" };
    const settings = { ...model.settings, ...check, "compileLoop.apply": "ask" };
    await Workbench.run("ask", { settings, files: FILES }, async (vscode) => {
      const panel = vscode.page.locator(".bulk-edit-panel");
      const file = (name: string) => panel.locator(".monaco-list-row", { hasText: name }).first();
      const press = (name: string) => panel.getByRole("button", { name }).click();
      const again = async () => {
        await vscode.command("Notifications: Clear All Notifications");
        await vscode.command("Compile Loop: Fix Workspace");
        await file("b.c").waitFor();
      };
      const untouched = () => Object.entries(FILES).every(([name, text]) => vscode.text(name) === text);
      await vscode.openFile("a.c");
      await vscode.openFile("b.c");
      await vscode.command("Compile Loop: Fix Workspace");
      await vscode.notification("Tick in the preview what to apply, then press its Apply.").waitFor();
      await file("b.c").waitFor();
      await vscode.picture("ask-1-preview");
      await press("Discard");
      await vscode.notification(NOT_TICKED).waitFor();
      assert.ok(untouched());

      await again();
      await press("Apply");
      await vscode.notification(NOT_TICKED).waitFor();
      assert.ok(untouched());

      await again();
      for (const name of ["a.c", "b.c"]) {
        await file(name).getByRole("checkbox").click();
      }
      await file("b.c").getByRole("checkbox").click();
      await vscode.picture("ask-2-one-of-two");
      await press("Apply");
      await vscode.notification("Applied to 1 file. b.c was left as it is.").waitFor();
      await until("the edit in a.c", () => vscode.text("a.c") === fixed(FILES["a.c"]));
      assert.equal(vscode.text("b.c"), FILES["b.c"]);
      await vscode.picture("ask-3-applied");
    });
  });
});

function fixed(text: string): string {
  return text.replace(/[xy];/, "0;");
}
