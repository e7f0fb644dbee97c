import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../harness/model.ts";
import { until } from "../harness/until.ts";
import { Workbench } from "../harness/workbench.ts";

const BROKEN = "int main(void) {\n    return x;\n}\n";
const REPLY = "<<<<<<< SEARCH\n    return x;\n=======\n    return 0;\n>>>>>>> REPLACE\n";
const TYPED = "    return y + 1;";

test("typed into the same lines before Apply: a choice, nothing overwritten; the diff's own button works once that is undone (W3)", async () => {
  await Model.run([{ text: REPLY }], async (model) => {
    const settings = model.settings;
    await Workbench.run("typed-meanwhile", { settings, files: { "main.c": BROKEN } }, async (vscode) => {
      await vscode.openFile("main.c");
      await vscode.command("Compile Loop: Fix This File Until It Compiles");
      const question = vscode.notification(/Apply 1 file\?/);
      await question.waitFor();
      await vscode.openFile("main.c");
      await vscode.retypeLine(2, TYPED);
      const typed = BROKEN.replace("    return x;", TYPED);
      await until("the typed text", () => vscode.text("main.c") === typed);
      await vscode.press(question, "Apply");
      const choice = vscode.notification("main.c was changed after the run had read it. Which text is to stay?");
      await vscode.press(choice, "Compare");
      await vscode.page.locator(".tab.active", { hasText: "Mine ↔ Fix: main.c" }).waitFor();
      await choice.waitFor();
      await vscode.picture("typed-meanwhile");
      assert.equal(vscode.text("main.c"), typed);
      await vscode.command("Notifications: Clear All Notifications");
      await vscode.page.locator(".tab", { hasText: "Mine ↔ Fix" }).waitFor({ state: "detached" });
      await vscode.openFile("main.c");

      await vscode.focusEditor();
      await until("the typing undone", async () => {
        await vscode.page.keyboard.press("Control+Z");
        return vscode.text("main.c") === BROKEN;
      });
      await vscode.command("Compile Loop: Show Result");
      await vscode.page.locator(".tab.active", { hasText: "Compile Loop: main.c" }).waitFor();
      await vscode.page.locator(".editor-actions").getByRole("button", { name: "Apply Result" }).click();
      await until("the edit", () => vscode.text("main.c") === BROKEN.replace("x", "0"));
      await vscode.diffClosed();

      // The other way out: the fix in place of what was typed, which one undo brings back.
      await vscode.focusEditor();
      await vscode.page.keyboard.press("Control+Z");
      await until("the broken text", () => vscode.text("main.c") === BROKEN);
      await vscode.command("Notifications: Clear All Notifications");
      await vscode.command("Compile Loop: Fix This File Until It Compiles");
      await question.waitFor();
      await vscode.openFile("main.c");
      await vscode.retypeLine(2, TYPED);
      await until("the typed text", () => vscode.text("main.c") === typed);
      await vscode.press(question, "Apply");
      await vscode.press(choice, "Use the Fix");
      await until("the fix", () => vscode.text("main.c") === BROKEN.replace("x", "0"));
      await vscode.diffClosed();
      await vscode.focusEditor();
      await vscode.page.keyboard.press("Control+Z");
      await until("what was typed", () => vscode.text("main.c") === typed);
    });
  });
});
