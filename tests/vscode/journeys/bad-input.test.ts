import assert from "node:assert/strict";
import { test } from "node:test";
import { Workbench } from "../harness/workbench.ts";

const BROKEN = "int main(void) { return x; }\n";

test("what cannot work is said in a sentence, and nothing is lost (L3, L16, V2)", async () => {
  await Workbench.run("bad-input", { files: { "main.c": BROKEN } }, async (vscode) => {
    await vscode.openFile("main.c");
    let pictures = 0;
    const fix = async (settings: Record<string, unknown>, words: RegExp) => {
      await vscode.configure(settings);
      await vscode.command("Notifications: Clear All Notifications");
      await vscode.command("Compile Loop: Fix This File Until It Compiles");
      await vscode.notification(words).waitFor();
      pictures += 1;
      await vscode.picture(`bad-input-${pictures}`);
      assert.equal(vscode.text("main.c"), BROKEN);
    };
    await fix({}, /no model/i);
    await fix({ "compileLoop.model": "openai:x", "compileLoop.baseUrl": "http://127.0.0.1:9/v1" }, /127\.0\.0\.1:9/);
    await fix({ "compileLoop.model": "openai" }, /names no provider/);
    await fix({ "compileLoop.check": "no-such-compiler main.c" }, /no-such-compiler/);
  });
});

test("an empty window: no folder and no file, each with what to do about it (V2)", async () => {
  await Workbench.run("empty-window", {}, async (vscode) => {
    for (const [command, words] of [
      ["Fix Workspace", "There is no folder to fix: open one first."],
      ["Fix This File Until It Compiles", "There is no file to fix: open one first."],
      ["Fix Files…", "There is no file to choose: none is open, changed or failing."],
    ] as const) {
      await vscode.command(`Compile Loop: ${command}`);
      await vscode.notification(words).waitFor();
    }
    await vscode.picture("empty-window");
  });
});
