import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../harness/model.ts";
import { until } from "../harness/until.ts";
import { Workbench } from "../harness/workbench.ts";

const BROKEN = "int main(void) { return x; }\n";
const FIXED = BROKEN.replace("x;", "0;");
const REPLY = { text: `<<< path=main.c >>>\n<<<<<<< SEARCH\n${BROKEN}=======\n${FIXED}>>>>>>> REPLACE\n` };
const TASK = {
  label: "compile",
  type: "shell",
  command: "gcc -c main.c -o /dev/null",
  group: { kind: "build", isDefault: true },
};
const FILES = {
  "main.c": BROKEN,
  ".vscode/tasks.json": JSON.stringify({ version: "2.0.0", tasks: [{ ...TASK, problemMatcher: [] }] }),
};

test("a failed build task is offered; auto asks once and keeps to its budget (V3, V2, Q22)", async () => {
  await Model.run([REPLY], async (model) => {
    const settings = { ...model.settings, "compileLoop.triggerCooldownSeconds": 0 };
    const offering = { ...settings, "compileLoop.trigger": "offer", "compileLoop.apply": "preview" };
    await Workbench.run("triggers", { settings, files: FILES }, async (vscode) => {
      // The task is the check, although the setting names none.
      await vscode.configure(offering);
      await vscode.command("Tasks: Run Build Task");
      const failed = vscode.notification("The task “compile” failed. Fix it?");
      await failed.waitFor();
      await vscode.picture("triggers-1-task");
      await vscode.press(failed, "Fix");
      await vscode.press(vscode.notification(/Apply 1 file\?/), "Apply");
      await until("the edit", () => vscode.text("main.c") === FIXED);

      // By itself, after consent; the second time the day's budget is used up, so it is offered.
      await vscode.configure({ ...settings, "compileLoop.trigger": "off", "compileLoop.apply": "auto" });
      await vscode.openFile("main.c");
      await vscode.command("Notifications: Clear All Notifications");
      await vscode.configure({
        ...settings,
        "compileLoop.trigger": "auto",
        "compileLoop.apply": "auto",
        "compileLoop.autoRunsPerDay": 1,
      });
      await vscode.retypeLine(1, BROKEN.trimEnd());
      const consent = vscode.notification("May Compile Loop start runs by itself");
      await consent.waitFor();
      await vscode.picture("triggers-2-consent");
      await vscode.press(consent, "Allow");
      await vscode.notification(/Fixed in 1 round.*Applied to 1 file/).waitFor();
      await until("the edit", () => vscode.text("main.c") === FIXED);
      await vscode.picture("triggers-3-auto");
      const asked = model.prompts.length;
      await vscode.command("Notifications: Clear All Notifications");
      await vscode.focusEditor();
      await vscode.retypeLine(1, BROKEN.trimEnd());
      const offer = vscode.notification("main.c does not compile. Fix it?");
      await offer.waitFor();
      await vscode.picture("triggers-4-offer");
      // Fixed by hand: the offer is in the way no longer.
      await vscode.focusEditor();
      await vscode.retypeLine(1, FIXED.trimEnd());
      await offer.waitFor({ state: "hidden" });
      await vscode.retypeLine(1, BROKEN.trimEnd());
      await offer.waitFor();
      assert.equal(model.prompts.length, asked, "a run began past the day's budget");
      await vscode.press(offer, "Never for This File");
    });
  });
});
