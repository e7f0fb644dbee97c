import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../harness/model.ts";
import { until } from "../harness/until.ts";
import { Workbench } from "../harness/workbench.ts";

// What is on the disk compiles. What the user has typed since does not: the sum has a new name, but only where it is made.
const SAVED = [
  "// Summe über alle Werte \u{1F9EE}",
  "#include <stdio.h>",
  "",
  "int main(void) {",
  "    int values[] = {1, 2, 3};",
  "    int sum = 0;",
  "    for (int i = 0; i < 3; i++) {",
  "        sum += values[i];",
  "    }",
  '    printf("%d\\n", sum);',
  "    return 0;",
  "}",
].join("\r\n"); // Windows line ends and no end of line at the end: neither may change
const TYPED = "    int grand_total = 0;";
const UNSAVED = SAVED.replace("    int sum = 0;", TYPED);
const FIXED = UNSAVED.replace("sum += values", "grand_total += values").replace(", sum);", ", grand_total);");

const REPLY = `The variable was renamed where it is declared, not where it is used.

<<<<<<< SEARCH
        sum += values[i];
=======
        grand_total += values[i];
>>>>>>> REPLACE
<<<<<<< SEARCH
    printf("%d\\n", sum);
=======
    printf("%d\\n", grand_total);
>>>>>>> REPLACE
`;

test("an unsaved file: lightbulb, progress, diff, Apply, one undo (V1, V2, V4, V5, W3, E8)", async () => {
  await Model.run([{ text: REPLY, pause: 60 }], async (model) => {
    const settings = model.settings;
    await Workbench.run("fix-file", { settings, files: { "sum.c": SAVED } }, async (vscode) => {
      await vscode.openFile("sum.c");
      await vscode.retypeLine(6, TYPED);
      await until("the buffer to hold what was typed", () => vscode.text("sum.c") === UNSAVED);
      await until("gcc's error of the other extension", () =>
        vscode.state.diagnostics.some(({ source, message }) => source === "gcc" && message.includes("undeclared")),
      );

      // From the lightbulb of the error.
      await vscode.goToLine(8);
      await vscode.page.keyboard.press("Home"); // from the start of the line to the error
      await vscode.page.keyboard.press("Control+.");
      const action = vscode.page
        .locator(".action-widget .monaco-list-row", { hasText: "Fix until it compiles" })
        .first();
      await action.waitFor();
      await vscode.picture("fix-file-1-lightbulb");
      await action.click();

      // Progress, with a way to stop it.
      const progress = vscode.notification("Compile Loop: fixing sum.c");
      await progress.getByText(/round 1 of 5/).waitFor();
      await progress.getByRole("button", { name: "Stop" }).waitFor();
      await vscode
        .statusItem()
        .getByText(/round 1 of 5/)
        .waitFor();
      await vscode.picture("fix-file-2-progress");

      // The diff, with nothing changed yet.
      const question = vscode.notification(/Apply 1 file\?/);
      await question.waitFor();
      await vscode.page
        .locator(".multiDiffEntry .editor.modified .view-lines", { hasText: "grand_total +=" })
        .waitFor();
      await vscode.picture("fix-file-3-diff");
      assert.equal(vscode.text("sum.c"), UNSAVED);
      assert.match(model.prompts[0] ?? "", /int grand_total = 0;/, "the model saw what was on the disk");

      await vscode.press(question, "Apply");
      await until("the edit in the buffer", () => vscode.text("sum.c") === FIXED);
      await vscode.diffClosed();
      assert.equal(vscode.bytes("sum.c"), latin1(SAVED), "applying wrote to the disk");
      await vscode.picture("fix-file-4-applied");

      // One undo takes back the edit and nothing else; redo and save write exactly the fixed bytes.
      await vscode.focusEditor();
      await vscode.page.keyboard.press("Control+Z");
      await until("the text from before", () => vscode.text("sum.c") === UNSAVED);
      await vscode.page.keyboard.press("Control+Y");
      await until("the edit again", () => vscode.text("sum.c") === FIXED);
      await vscode.page.keyboard.press("Control+S");
      await until("the file to be saved", () => vscode.state.documents[vscode.path("sum.c")]?.dirty === false);
      assert.equal(vscode.bytes("sum.c"), latin1(FIXED));
    });
  });
});

function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}
