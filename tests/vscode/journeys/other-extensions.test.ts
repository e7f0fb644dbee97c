import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../harness/model.ts";
import { until } from "../harness/until.ts";
import { Workbench } from "../harness/workbench.ts";

const TEXT = "All is well.\nThis is teh end.\n";
/** Prints what no reader of ours takes; a wrong word that it does not know keeps it red. */
const CHECK = `grep -q "$1" main.txt || echo "<main.txt 1 1 W2> $1 is missing"
grep -q teh main.txt && echo "<main.txt 2 9 W1> “teh” is no word"
! grep -q teh main.txt && grep -q "$1" main.txt
`;
const TASKS = {
  version: "2.0.0",
  inputs: [{ id: "word", type: "promptString", description: "Which word must be there?", default: "well" }],
  tasks: [
    {
      label: "spell",
      type: "shell",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the task's own variable
      command: "sh check.sh ${input:word}",
      group: { kind: "build", isDefault: true },
      problemMatcher: "$speller",
    },
  ],
};
const FILES = { "main.txt": TEXT, "check.sh": CHECK, ".vscode/tasks.json": JSON.stringify(TASKS) };

test("another extension's problem matcher reads the task's output, its quick fix is tried before the model, and what the task asks is asked (D1, D2, D5)", async () => {
  await Model.run([{ text: "I have no idea." }], async (model) => {
    const options = { settings: model.settings, files: FILES, speller: true };
    await Workbench.run("other-extensions", options, async (vscode) => {
      const ours = () => vscode.state.diagnostics.filter(({ source }) => source === "speller");
      await vscode.openFile("main.txt");
      await until("the extension's own error", () => ours().length === 1);
      await vscode.command("Compile Loop: Run Check");
      await vscode.page.locator(".quick-input-widget", { hasText: "Which word must be there?" }).waitFor();
      await vscode.picture("other-extensions-1-input");
      await vscode.enter("nowhere", "Which word must be there?");
      await vscode.notification("The check fails: spell (exit code 1), 2 errors.").waitFor();
      await until("what the matcher read", () => ours().some(({ message }) => message === "nowhere is missing"));

      await vscode.command("Notifications: Clear All Notifications");
      await vscode.command("Compile Loop: Fix This File Until It Compiles");
      await vscode.enter("well", "Which word must be there?");
      const result = vscode.notification("an extension of the editor offered the fix");
      await result.waitFor();
      await vscode.picture("other-extensions-2-result");
      await vscode.press(result, "Apply");
      await until("the edit", () => vscode.text("main.txt") === TEXT.replace("teh", "the"));
      assert.equal(model.prompts.length, 0, "a model was asked");
    });
  });
});
