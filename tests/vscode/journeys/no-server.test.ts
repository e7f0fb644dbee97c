import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Workbench } from "../harness/workbench.ts";

const REASON = "/nowhere/python, which the setting compileLoop.server.python names, cannot be started";

test("with no server each command says why, and where to go (V2)", async () => {
  const settings = { "compileLoop.server.python": "/nowhere/python" };
  const files = { "main.c": "int main(void) { return x; }\n" };
  await Workbench.run("no-server", { settings, files }, async (vscode) => {
    await vscode.openFile("main.c");
    await vscode.statusItem().getByText("Compile Loop is off").waitFor();
    for (const command of [
      "Fix Workspace",
      "Restart Server",
      "Stop",
      "Apply Result",
      "Fix This File Until It Compiles",
    ]) {
      await vscode.command("Notifications: Clear All Notifications");
      await vscode.command(`Compile Loop: ${command}`);
      await vscode.notification(REASON).waitFor();
    }
    await vscode.command("Compile Loop: Show Log");
    await vscode.page.locator(".part.panel .view-lines", { hasText: "cannot be started" }).waitFor();
    await vscode.picture("no-server");
    await vscode.press(vscode.notification(REASON), "Choose Python…");
    await vscode.page.locator(".settings-editor", { hasText: "Server: Python" }).waitFor();
    await vscode.picture("no-server-setting");

    // Other Pythons that will not do. The setting takes effect as it changes.
    const other = join(vscode.server.root, "other");
    const serves =
      "import compile_loop.version as v; v.VERSION = '9.9.9'; from compile_loop.lsp.entry import serve; serve()";
    const real = join(vscode.server.root, "extensions/compile-loop.compile-loop-0.1.0/.venv/bin/python");
    writeFileSync(other, `#!/bin/sh\nexec '${real}' -c "${serves}"\n`);
    chmodSync(other, 0o755);
    for (const [answer, words] of [
      ['{"error": "Python 3.8 (/old/python) is too old: Compile Loop needs 3.10 or newer."}', /3\.8 .* is too old/],
      ["no word of JSON", /could not set up the server/],
      [`{"python": "${other}"}`, /has version 9\.9\.9, this extension 0\.1\.0/],
      ['{"python": "/bin/false"}', "The server of Compile Loop did not start"],
    ] as const) {
      const python = join(vscode.server.root, "python"); // its own words are proved without an editor
      writeFileSync(python, `#!/bin/sh\necho '${answer}'\n`);
      chmodSync(python, 0o755);
      vscode.server.configure({ "compileLoop.server.python": python });
      await vscode.command("Notifications: Clear All Notifications");
      await vscode.command("Compile Loop: Restart Server");
      await vscode.notification(words).waitFor();
    }
    assert.equal(await vscode.page.locator(".notifications-toasts .notification-list-item").count(), 1, "said twice");
    await vscode.picture("no-server-start");
  });
});
