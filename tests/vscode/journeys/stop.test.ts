import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../harness/model.ts";
import { running } from "../harness/processes.ts";
import { until } from "../harness/until.ts";
import { Workbench } from "../harness/workbench.ts";

const SAVED = "int main(void) {\n    return 0;\n}\n";
const TYPED = "    return missing;";
const UNSAVED = SAVED.replace("    return 0;", TYPED);
const REPLY = `The name is not declared.

<<<<<<< SEARCH
${TYPED}
=======
    return 0;
>>>>>>> REPLACE
`;
// A child, and a grandchild that has left it behind. The odd number is how the test knows its own processes.
const SLEEPS = "sh -c 'sleep 86413 & sleep 86413'";

test("Stop in the middle: at once, no process left, nothing changed (V2, V4, L15, K3)", async () => {
  await Model.run([{ text: REPLY, pause: 2_000 }, { text: REPLY }], async (model) => {
    const settings = model.settings;
    const sleepy = { ...settings, "compileLoop.check": SLEEPS };
    await Workbench.run("stop", { settings: sleepy, files: { "main.c": SAVED } }, async (vscode) => {
      await vscode.openFile("main.c");
      await vscode.retypeLine(2, TYPED);
      const untouched = () => {
        assert.equal(vscode.text("main.c"), UNSAVED);
        assert.equal(vscode.bytes("main.c"), SAVED);
      };
      const stopped = vscode.notification("Stopped fixing main.c. Nothing was changed.");

      // While the check runs, by the notification's button.
      await vscode.command("Compile Loop: Fix This File Until It Compiles");
      const progress = vscode.notification("Compile Loop: fixing main.c");
      await until("the check's processes", () => running("sleep 86413").length >= 2);
      const pressed = Date.now();
      await vscode.press(progress, "Stop");
      await stopped.waitFor({ timeout: 1_000 });
      await vscode.statusItem().getByText("stopped").waitFor({ timeout: 1_000 });
      await until("the check's processes to end", () => running("sleep 86413").length === 0, 3_000);
      assert.ok(Date.now() - pressed < 2_000, "a process outlived the stop by more than 2 s");
      await vscode.picture("stop");
      untouched();

      // While the model writes, by the command.
      await vscode.configure({ ...settings, "compileLoop.check": "" });
      await vscode.command("Notifications: Clear All Notifications");
      await vscode.command("Compile Loop: Fix This File Until It Compiles");
      await progress.getByText("the model writes").waitFor();
      await vscode.command("Compile Loop: Stop");
      await stopped.waitFor({ timeout: 2_000 }); // the palette itself takes its time
      await until("the request to the model to be given up", () => model.hungUp === 1, 2_000);
      untouched();

      // The next run is none the worse for it. Discarded, its result changes nothing.
      await vscode.command("Notifications: Clear All Notifications");
      await vscode.command("Compile Loop: Fix This File Until It Compiles");
      await vscode.press(vscode.notification(/Apply 1 file\?/), "Discard");
      await vscode.diffClosed();
      await vscode.command("Compile Loop: Apply Result");
      await vscode.notification("There is no result to apply").waitFor();
      untouched();
    });
  });
});
