import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../harness/until.ts";
import { Workbench } from "../harness/workbench.ts";

const BROKEN = "int main(void) {\n    return missing;\n}\n";
const FIXED = BROKEN.replace("missing", "0");
const EDIT = { path: "main.c", search: "    return missing;", replace: "    return 0;" };
const SETTINGS = {
  "compileLoop.model": "vscode:lent-1",
  "compileLoop.suggestions": false,
  "compileLoop.apply": "auto",
};

test("a model of the editor fixes a file by tool calls, with no key; cancelled, it is told to stop (M1, V7, L15)", async () => {
  const lent = [
    { text: "I read it first.", calls: [{ name: "read_file", input: { path: "main.c" } }] },
    { calls: [{ name: "apply_search_replace", input: EDIT }] },
    { text: "The name was never declared." },
    { text: "Let me think about this ", endless: true },
    { refuses: "NoPermissions" as const },
  ];
  await Workbench.run("lent-model", { settings: SETTINGS, files: { "main.c": BROKEN }, lent }, async (vscode) => {
    await until("the model to be offered", () => vscode.server.lent !== undefined, 60_000);
    await vscode.openFile("main.c");
    await vscode.command("Compile Loop: Fix This File Until It Compiles");
    await until("the edit", () => vscode.text("main.c") === FIXED, 60_000);
    await vscode.picture("lent-model");
    const [first, second, third] = vscode.server.lent?.requests ?? [];
    assert.ok(first?.tools.includes("apply_search_replace"), "the tools were offered to it");
    assert.match(JSON.stringify(first?.messages), /missing/);
    const read = second?.messages.flatMap(({ parts }) => parts).filter((part) => part.callId);
    assert.deepEqual(
      read?.map(({ name }) => name),
      ["read_file", undefined],
      "a call and its result",
    );
    assert.match(read?.[1]?.text ?? "", /return missing/);
    assert.match(JSON.stringify(third?.messages.at(-1)), /Applied in main.c/);

    // While it writes, the run is stopped: the editor's request is cancelled too.
    await vscode.command("Notifications: Clear All Notifications");
    await vscode.retypeLine(2, "    return missing;");
    await vscode.command("Compile Loop: Fix This File Until It Compiles");
    await until("the fourth request", () => vscode.server.lent?.requests.length === 4, 60_000);
    await vscode.command("Compile Loop: Stop");
    await until("the request to be cancelled", () => vscode.server.lent?.cancelled === 1);
    assert.equal(vscode.text("main.c"), BROKEN);

    // A refusal is told in words, and the run waits for a yes.
    await vscode.command("Notifications: Clear All Notifications");
    await vscode.command("Compile Loop: Fix This File Until It Compiles");
    const refused = vscode.notification(/was not allowed to use lent-1/);
    await refused.waitFor({ timeout: 60_000 });
    await vscode.press(refused, "Give Up");
  });
});
