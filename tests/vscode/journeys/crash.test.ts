import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../harness/model.ts";
import { until } from "../harness/until.ts";
import { Workbench } from "../harness/workbench.ts";

const BROKEN = "int main(void) { return x; }\n";
const REPLY = `<<<<<<< SEARCH\n${BROKEN}=======\n${BROKEN.replace("x", "0")}>>>>>>> REPLACE\n`;

test("a server killed in the middle: said, started again, the next run works (V2, S3)", async () => {
  await Model.run([{ text: REPLY, pause: 2_000 }, { text: REPLY }], async (model) => {
    const settings = model.settings;
    await Workbench.run("crash", { settings, files: { "main.c": BROKEN } }, async (vscode) => {
      const server = () => vscode.server.processes().find((process) => process.command.includes("compile_loop.lsp"));
      await vscode.openFile("main.c");
      await vscode.command("Compile Loop: Fix This File Until It Compiles");
      await vscode.notification("the model writes").waitFor();
      const first = await until("the server's process", server);
      process.kill(first.pid, "SIGKILL");
      await vscode.notification("The server ended in the middle of the run. Nothing was changed.").waitFor();
      await vscode.picture("crash");
      const second = await until("another server", server);
      assert.notEqual(second.pid, first.pid);
      assert.equal(vscode.text("main.c"), BROKEN);

      await vscode.command("Notifications: Clear All Notifications");
      await vscode.command("Compile Loop: Restart Server");
      await until("a third server", () => ![undefined, first.pid, second.pid].includes(server()?.pid));
      await vscode.command("Compile Loop: Fix This File Until It Compiles");
      await vscode.notification(/Apply 1 file\?/).waitFor();
    });
  });
});

test("what a killed server had put into Problems goes with it (D05)", async () => {
  await Model.run([{ text: REPLY, pause: 2_000 }], async (model) => {
    const settings = { ...model.settings, "compileLoop.check": "g++ -fsyntax-only main.cpp" };
    await Workbench.run("crash-problems", { settings, files: { "main.cpp": BROKEN } }, async (vscode) => {
      const server = () => vscode.server.processes().find((process) => process.command.includes("compile_loop.lsp"));
      const shown = () => vscode.state.diagnostics.map(({ message }) => message);
      await vscode.openFile("main.cpp");
      await vscode.command("Compile Loop: Fix This File Until It Compiles");
      await vscode.notification("the model writes").waitFor();
      await until("the check's error", () => shown().length === 1);
      assert.match(shown().join(), /‘x’ was not declared in this scope/);
      const first = await until("the server's process", server);
      process.kill(first.pid, "SIGKILL");
      await until("another server", () => ![undefined, first.pid].includes(server()?.pid));
      await until("no error of the dead server", () => shown().length === 0);
    });
  });
});
