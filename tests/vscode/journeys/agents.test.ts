import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { until } from "../harness/until.ts";
import { Workbench } from "../harness/workbench.ts";

const BROKEN = "struct box { int count; };\n\nint held(struct box *b)\n{\n    return b->cuont;\n}\n";

test("an agent calls the tool, the user agrees; the MCP server is offered with no configuration (P4)", async () => {
  const settings = { "chat.disableAIFeatures": false };
  await Workbench.run("agents", { settings, files: { "box.c": BROKEN } }, async (vscode) => {
    await vscode.openFile("box.c");
    const input = { files: ["box.c"], check: "gcc -fsyntax-only box.c", apply: true };
    writeFileSync(`${vscode.server.state}.call`, JSON.stringify({ name: "compile_loop_fix", input }));
    await vscode.command("Companion: Call the Tool");

    // VS Code asks with our words, since the tool runs a command.
    const question = vscode.page.locator(".monaco-dialog-box");
    await question.getByText("Fix box.c until it compiles?").waitFor();
    await question.getByText("Runs gcc -fsyntax-only box.c in an isolated copy and applies a green result.").waitFor();
    await vscode.picture("agents-question");
    assert.equal(vscode.text("box.c"), BROKEN);
    await question.getByRole("button", { name: /^(Allow|Continue|OK|Yes)/ }).click();

    await until("the tool's answer", () => existsSync(`${vscode.server.state}.answer`));
    const answer = readFileSync(`${vscode.server.state}.answer`, "utf8");
    assert.match(answer, /^Green: 1 → 0 errors/);
    assert.match(answer, /\+ {4}return b->count;/);
    assert.match(answer, /What this does not prove/);
    await until("the edit in the buffer", () => vscode.text("box.c") === BROKEN.replace("cuont", "count"));
    await vscode.picture("agents-answer");

    // The MCP server, for agents that speak that: VS Code lists it and starts it, with the server's own Python.
    await vscode.command("MCP: List Servers");
    const lines = vscode.page.locator(".quick-input-list .monaco-list-row");
    await lines.filter({ hasText: "Compile Loop" }).first().click();
    await vscode.picture("agents-mcp");
    await lines.filter({ hasText: "Start Server" }).first().click();
    const started = () =>
      vscode.server.processes().filter(({ command }) => command.includes("compile_loop mcp --root"));
    await until("the MCP server to run", () => started().length === 1);
    assert.ok(started()[0]?.command.includes(vscode.folder), started()[0]?.command);
  });
});
