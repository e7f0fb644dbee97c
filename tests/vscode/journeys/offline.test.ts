import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { until } from "../harness/until.ts";
import { Workbench } from "../harness/workbench.ts";

const DIST = resolve(import.meta.dirname, "../../../dist");
const BROKEN = "struct box { int count; };\n\nint held(struct box *b)\n{\n    return b->cuont;\n}\n";

test("installed from its package with no network: its own Python, a fix, a repair (V9, Q20, D5)", async (context) => {
  if (process.env.OFFLINE === "namespace") {
    await assert.rejects(reach("192.0.2.1"), "there is a network after all");
  }
  const vsix = found(DIST, new RegExp(`^compile-loop-${process.platform}-${process.arch}-.*\\.vsix$`))[0];
  // The Python extension's choice; it comes before the path.
  const CHOSEN_PYTHON = execFileSync("python3", ["-c", "import sys; print(sys.executable)"], {
    encoding: "utf8",
  }).trim();
  // What else lies about on the machine: another pygls, which cannot even be imported (report H01).
  const PYTHONPATH = mkdtempSync(join(tmpdir(), "compile-loop-poison-"));
  mkdirSync(join(PYTHONPATH, "pygls"));
  writeFileSync(join(PYTHONPATH, "pygls/__init__.py"), "raise ImportError('an old one')\n");
  context.after(() => rmSync(PYTHONPATH, { recursive: true }));
  await Workbench.run(
    "offline",
    { vsix, env: { CHOSEN_PYTHON, PYTHONPATH }, files: { "box.c": BROKEN } },
    async (vscode) => {
      const storage = join(vscode.server.root, "user-data/User/globalStorage/compile-loop.compile-loop");
      const environments = () => found(storage, /^python-/);
      await until("the server to be up", () => servers(vscode).length > 0, 60_000);
      const [home = "", ...others] = environments();
      assert.deepEqual(others, []);
      assert.ok(servers(vscode).every((command) => command.startsWith(home)));
      const site = join(found(join(home, "lib"), /^python/)[0] ?? "", "site-packages");
      assert.ok(existsSync(join(site, "pydantic")) && !existsSync(join(site, "pip")));

      assert.match(vscode.server.log(), /\(the Python extension's choice\)/);

      await vscode.openFile("box.c");
      await vscode.command("Compile Loop: Fix This File Until It Compiles");
      const question = vscode.notification(/Apply 1 file\?/);
      await question.waitFor();
      await vscode.press(question, "Apply");
      await until("the edit in the buffer", () => vscode.text("box.c") === BROKEN.replace("cuont", "count"));
      await vscode.picture("offline-applied");

      // A file of it is damaged: the next start makes it again, with its progress shown.
      const victim = join(site, "compile_loop/lsp/server.py");
      execFileSync("truncate", ["-s", "100", victim]);
      await vscode.command("Compile Loop: Restart Server");
      await vscode.notification("Compile Loop sets up its Python").waitFor();
      await vscode.picture("offline-repair");
      const whole = () => environments().join() === home && statSync(victim).size > 100;
      await until("the server to be up again", () => whole() && servers(vscode).length > 0, 60_000);
      await vscode.statusItem().getByText("Compile Loop is off").waitFor({ state: "detached" });
    },
  );
});

/** What is in a folder by its name, with the folder before it. */
function found(folder: string, name: RegExp): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((each) => name.test(each)).map((each) => join(folder, each));
}

function servers(vscode: Workbench): string[] {
  return vscode.server
    .processes()
    .map(({ command }) => command)
    .filter((command) => command.includes("compile_loop.lsp"));
}

function reach(host: string): Promise<void> {
  return new Promise((reached, failed) => {
    const socket = connect({ host, port: 80, timeout: 3_000 });
    socket
      .on("connect", reached)
      .on("error", failed)
      .on("timeout", () => failed(new Error("timeout")));
  });
}
