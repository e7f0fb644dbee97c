import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { Workbench } from "../harness/workbench.ts";

const FILES = {
  "main.c": "int main(void) { return 0; }\n",
  ".vscode/settings.json": '{ "compileLoop.check": "touch ran && gcc -c main.c" }\n',
};

test("Restricted Mode: nothing of the folder runs until it is trusted (V8)", async () => {
  const settings = { "security.workspace.trust.banner": "never" };
  await Workbench.run("trust", { settings, trusted: false, files: FILES }, async (vscode) => {
    await vscode.openFile("main.c");
    await vscode.command("Compile Loop: Fix This File Until It Compiles");
    const refusal = vscode.notification("Compile Loop runs nothing in Restricted Mode");
    await refusal.waitFor();
    await vscode.picture("trust-restricted");
    assert.equal(vscode.state.settings.check, "", "a folder that is not trusted set the check");
    await vscode.press(refusal, "Manage Trust");
    await vscode.page.locator(".workspace-trust-editor").getByRole("button", { name: "Trust", exact: true }).click();
    await vscode.closeModalEditor();
    await vscode.openFile("main.c");
    await vscode.command("Compile Loop: Fix This File Until It Compiles");
    await vscode.notification(/nothing to fix|already passes/i).waitFor();
    await vscode.picture("trust-granted");
    assert.match(String(vscode.state.settings.check), /gcc/);
    assert.ok(!existsSync(vscode.path("ran")), "the check ran in the user's own tree");
  });
});
