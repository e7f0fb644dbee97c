import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../harness/model.ts";
import { until } from "../harness/until.ts";
import { Workbench } from "../harness/workbench.ts";

const KEY = "sk-test-ABCDEFGHIJKLMNOP";
const BROKEN = "int main(void) { return x; }\n";
const QUESTION = { name: "ask_user", arguments: { question: "Zero or one?", choices: ["zero", "one"] } };
const REPLIES = [
  { text: "", status: 401 },
  { text: "", call: QUESTION },
  { text: `<<< path=main.c >>>\n<<<<<<< SEARCH\n${BROKEN}=======\n${BROKEN.replace("x;", "1;")}>>>>>>> REPLACE\n` },
];

test("a key that is refused and a question of the model wait for the user (L12, L14, V7, Z1)", async () => {
  await Model.run(REPLIES, async (model) => {
    await Workbench.run("dialogs", { settings: model.settings, files: { "main.c": BROKEN } }, async (vscode) => {
      await vscode.openFile("main.c");
      await vscode.command("Compile Loop: Fix This File Until It Compiles");
      const gate = vscode.notification("The run waits.");
      await gate.waitFor();
      await vscode.picture("dialogs-1-key");
      await vscode.press(gate, "Set API Key…");
      await vscode.enter(KEY, "secret storage");
      const question = vscode.notification("The model asks: Zero or one?");
      await question.waitFor();
      await vscode.picture("dialogs-2-question");
      await vscode.press(question, "one");
      await vscode.press(vscode.notification(/Apply 1 file\?/), "Apply");
      await until("the edit", () => vscode.text("main.c") === BROKEN.replace("x;", "1;"));
      assert.equal(model.keys[1], `Bearer ${KEY}`);
      assert.match(model.prompts[2] ?? "", /one/);
      assert.ok(!vscode.server.log().includes(KEY), "the key is in the log");
      assert.ok(!JSON.stringify(vscode.state.settings).includes(KEY), "the key is in a setting");

      // It is kept: the next run asks for nothing.
      await vscode.command("Notifications: Clear All Notifications");
      await vscode.focusEditor();
      await vscode.page.keyboard.press("Control+Z");
      await until("the broken text", () => vscode.text("main.c") === BROKEN);
      await vscode.command("Compile Loop: Fix This File Until It Compiles");
      await vscode.notification(/Apply 1 file\?/).waitFor();
      assert.equal(model.keys.at(-1), `Bearer ${KEY}`);
    });
  });
});
