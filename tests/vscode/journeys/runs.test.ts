import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../harness/model.ts";
import { until } from "../harness/until.ts";
import { Workbench } from "../harness/workbench.ts";

const BROKEN = "int twice(int x) {\n    return x + y;\n}\n";
const FIXED = BROKEN.replace("x + y", "x + x");
const edit = (before: string, after: string) =>
  `<<<<<<< SEARCH\n    return ${before};\n=======\n    return ${after};\n>>>>>>> REPLACE\n`;
const REPLIES = [
  { text: edit("x + y", "x + x") },
  { text: edit("x + x", "2 * x") },
  { text: "Wait.", pause: 600_000 },
  { text: edit("x + y", "x + x") },
];

test("the view of runs by the keyboard: rounds, a diff, a note; resumed after a reload (V6, L19, W4, V2)", async () => {
  await Model.run(REPLIES, async (model) => {
    await Workbench.run("runs", { settings: model.settings, files: { "a.c": BROKEN } }, async (vscode) => {
      const { page } = vscode;
      await vscode.openFile("a.c");
      await vscode.command("Compile Loop: Fix This File Until It Compiles");
      await vscode.press(vscode.notification(/Apply 1 file\?/), "Apply");
      await until("the edit", () => vscode.text("a.c") === FIXED);
      await vscode.diffClosed();

      // Run → round → file, with nothing but keys.
      await vscode.command("Compile Loop: Show Runs");
      await vscode.node("a.c").waitFor();
      const focused = page.locator(".part.sidebar .monaco-list-row.focused", { hasText: "a.c" });
      await until("the keys to be the view's", async () => {
        await vscode.command("Compile Loop: Show Runs");
        await page.keyboard.press("Home");
        return (await focused.count()) > 0;
      });
      // A view that is just being brought up to date takes no key; a person presses it again.
      const unfold = (words: string, ...keys: string[]) =>
        until(`${words} in the view`, async () => {
          for (const key of ["Home", ...keys]) {
            await page.keyboard.press(key);
          }
          const shown = vscode.node(words).waitFor({ timeout: 2_000 });
          return await shown.then(() => true).catch(() => false);
        });
      await unfold("Round 1", "ArrowRight");
      await unfold("undeclared", "ArrowDown", "ArrowRight");
      await vscode.node("Round 1").click();
      await page.locator(".tab.active", { hasText: "Round 1 of a.c" }).waitFor();
      await page.locator(".multiDiffEntry .editor.modified .view-lines", { hasText: "x + x" }).waitFor();
      await vscode.picture("runs-1-view");

      // A note, in the same conversation.
      await vscode.openFile("a.c");
      await vscode.command("Notifications: Clear All Notifications");
      await vscode.command("Compile Loop: Continue with a Note…");
      await vscode.enter("Multiply instead.", "What else is wanted?");
      const question = vscode.notification(/Apply 1 file\?/);
      await question.waitFor();
      const accept = page.locator(".editor-actions").getByRole("button", { name: "Apply Result" });
      await accept.waitFor();
      await vscode.node("Round 1").first().click();
      await page.locator(".tab.active", { hasText: "Round 1 of a.c" }).waitFor();
      await accept.waitFor({ state: "detached" }); // what is in front is not what it would accept
      await vscode.press(question, "Apply");
      await until("the second edit", () => vscode.text("a.c") === BROKEN.replace("x + y", "2 * x"));
      assert.match(model.prompts[1] ?? "", /Multiply instead\./);
      await until("the second run in the view", async () => {
        return (await page.locator(".part.sidebar .monaco-list-row", { hasText: "green · 1 round" }).count()) === 2;
      });

      // Broken off by a reload of the window while the model writes; then resumed.
      await vscode.openFile("a.c");
      await vscode.retypeLine(2, "    return x + y;");
      await page.keyboard.press("Control+S");
      await until("the broken text on the disk", () => vscode.bytes("a.c") === BROKEN);
      await vscode.command("Compile Loop: Fix This File Until It Compiles");
      await until("the third request", () => model.prompts.length === 3);
      await vscode.reload();
      await vscode.command("Compile Loop: Show Runs");
      await vscode.node(/interrupted|cancelled/).waitFor({ timeout: 60_000 });
      await vscode.picture("runs-2-interrupted");
      await vscode.command("Compile Loop: Resume Run");
      await vscode.line("a.c").click();
      await vscode.press(vscode.notification(/Apply 1 file\?/), "Apply");
      await until("the edit of the resumed run", () => vscode.text("a.c") === FIXED);
      await vscode.picture("runs-3-resumed");
    });
  });
});
