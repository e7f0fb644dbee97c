import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../harness/model.ts";
import { until } from "../harness/until.ts";
import { Workbench } from "../harness/workbench.ts";

const BROKEN = "int twice(int x) {\n    return x + y;\n}\n";
const FIXED = BROKEN.replace("x + y", "x + x");
const REPLY = `y is declared nowhere; x was meant.

<<<<<<< SEARCH
    return x + y;
=======
    return x + x;
>>>>>>> REPLACE
`;

test("a whole fix with the keyboard alone: error, lightbulb, diff, Apply, undo (V1, V5)", async () => {
  await Model.run([{ text: REPLY }], async (model) => {
    await Workbench.run("keyboard", { settings: model.settings, files: { "a.c": BROKEN } }, async (vscode) => {
      const { page } = vscode;
      await page.evaluate(() => {
        const count = () => document.body.setAttribute("data-clicks", "some");
        window.addEventListener("pointerdown", count, true);
      });
      const focused = (list: string, words: string) =>
        page.locator(`${list} .monaco-list-row.focused`, { hasText: words }).waitFor();

      // The file, and its error.
      await page.keyboard.press("Control+P");
      await page.keyboard.type("a.c");
      await focused(".quick-input-list", "a.c");
      await page.keyboard.press("Enter");
      await until("gcc's error", () => vscode.state.diagnostics.some(({ source }) => source === "gcc"));
      await page.locator(".editor-instance .monaco-editor.focused").waitFor();
      const problem = page.locator(".marker-widget", { hasText: "undeclared" });
      await until("the error in words", async () => {
        await page.keyboard.press("F8"); // before the squiggle is there it goes nowhere, and a person presses it again
        return await problem
          .waitFor({ timeout: 2_000 })
          .then(() => true)
          .catch(() => false);
      });
      await vscode.picture("keyboard-1-error");
      await page.keyboard.press("Escape");

      // The lightbulb.
      await page.keyboard.press("Control+.");
      await page.locator(".action-widget .monaco-list-row", { hasText: "Fix until it compiles" }).first().waitFor();
      await vscode.picture("keyboard-2-lightbulb");
      await focused(".action-widget", "Fix until it compiles");
      await page.keyboard.press("Enter");

      // The diff has the keys, and one of its own to accept it; the question goes with that.
      await vscode.notification(/Apply 1 file\?/).waitFor();
      await page.locator(".multiDiffEntry .editor.modified .view-lines", { hasText: "x + x" }).waitFor();
      await vscode.picture("keyboard-3-diff");
      assert.equal(vscode.text("a.c"), BROKEN);
      await page.keyboard.press("Control+Enter");
      await until("the edit", () => vscode.text("a.c") === FIXED);
      await vscode.diffClosed();
      await vscode.notification("Applied to 1 file.").waitFor();
      assert.equal(await vscode.notification(/Apply 1 file\?/).count(), 0, "the question is still there");
      await vscode.picture("keyboard-4-applied");

      // The keys are the file's again.
      await page.keyboard.press("Control+Z");
      await until("the text from before", () => vscode.text("a.c") === BROKEN);
      assert.equal(await page.locator("body").getAttribute("data-clicks"), null, "something was clicked");
    });
  });
});
