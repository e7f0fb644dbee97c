import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type ExtensionContext, ProgressLocation, window } from "vscode";
import { Refusal } from "./notify.js";

type Step = { done: number; of: number };
/** What `bootstrap.py` says, a line each. */
type Line = Step | { python: string } | { error: string };
const TITLE = "Compile Loop sets up its Python";

/**
 * The interpreter for the server, as `python` says: of a packed extension that of its private environment, which is made,
 * repaired or brought up to date first, without the network and with its progress shown.
 * @throws Refusal with the reason, or another error where there is no such program.
 */
export function bootstrap({ extensionPath, globalStorageUri }: ExtensionContext, python: string): Promise<string> {
  const script = join(extensionPath, "extension", "python", "bootstrap.py");
  // Not in the workspace's folder, which need not be trusted.
  const child = spawn(python, [script, extensionPath, globalStorageUri.fsPath], { cwd: extensionPath });
  let complaint = "";
  child.stderr.on("data", (text) => {
    complaint = `${complaint}${text}`.slice(-500);
  });
  const ended = new Promise<string>((resolve, reject) => {
    let last: Line = { error: "" };
    let shown: ((step: Step) => void) | undefined;
    createInterface({ input: child.stdout }).on("line", (text) => {
      last = text.startsWith("{") ? JSON.parse(text) : last;
      if ("done" in last) {
        shown ??= show(() => ended);
        shown(last);
      }
    });
    child.on("error", reject);
    child.on("close", () => {
      const reason = ("error" in last && last.error) || `${python} could not set up the server: ${complaint.trim()}`;
      return "python" in last ? resolve(last.python) : reject(new Refusal(reason));
    });
  });
  return ended;
}

/** A progress bar until the work has ended, well or not; returns what moves it. */
function show(work: () => Promise<unknown>): (step: Step) => void {
  let move = (_: Step): void => undefined;
  void window.withProgress({ location: ProgressLocation.Notification, title: TITLE }, async (progress) => {
    move = ({ done, of }) => progress.report({ increment: done && 100 / of, message: `${done} of ${of} packages` });
    await work().catch(() => undefined);
  });
  return (step) => move(step);
}
