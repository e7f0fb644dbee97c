import { homedir } from "node:os";
import { join } from "node:path";
import { type ExtensionContext, extensions, workspace } from "vscode";
import { bootstrap } from "./bootstrap.js";
import { openSettings, Refusal } from "./notify.js";
import { SECTION } from "./protocol.js";

export const PYTHON_SETTING = "server.python";

/** A Python that can run the server, and why it was chosen. */
export interface Python {
  readonly path: string;
  readonly why: string;
}

/**
 * By the setting if there is one (and then nothing else), else by a checkout's `.venv`, the Python extension's choice, the path.
 * @throws Refusal with the reason and a button to the setting.
 */
export async function findPython(context: ExtensionContext): Promise<Python> {
  const setting = workspace.getConfiguration(SECTION).get<string>(PYTHON_SETTING, "").trim();
  const reasons: string[] = [];
  for await (const { path, why } of setting ? [chosen(setting)] : candidates(context.extensionPath)) {
    try {
      return { path: await bootstrap(context, path), why };
    } catch (error) {
      if (error instanceof Refusal) {
        reasons.push(error.message);
      } else if (setting) {
        reasons.push(`${path}, which ${why} names, cannot be started.`);
      }
    }
  }
  throw new Refusal(reasons[0] ?? "No Python was found: Compile Loop needs 3.10 or newer. Install it, or choose one.", {
    "Choose Python…": () => openSettings(`${SECTION}.${PYTHON_SETTING}`),
  });
}

function chosen(path: string): Python {
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const expanded = path.replace(/^~(?=[/\\])/, () => homedir()).replace(/\$\{workspaceFolder\}/g, () => folder);
  return { path: expanded, why: `the setting ${SECTION}.${PYTHON_SETTING}` };
}

async function* candidates(extensionPath: string): AsyncGenerator<Python> {
  const windows = process.platform === "win32";
  const own = windows ? join(".venv", "Scripts", "python.exe") : join(".venv", "bin", "python");
  yield { path: join(extensionPath, own), why: "the extension's own environment" };
  // The Python extension's choice may lie in the folder, which need not be trusted.
  const path = workspace.isTrusted ? await activePython().catch(() => undefined) : undefined;
  yield* path ? [{ path, why: "the Python extension's choice" }] : [];
  yield* ["python3", "python", ...(windows ? ["py"] : [])].map((path) => ({ path, why: "found on the path" }));
}

async function activePython(): Promise<string | undefined> {
  const python = await extensions.getExtension("ms-python.python")?.activate();
  const active = python?.environments.getActiveEnvironmentPath();
  return active && (await python.environments.resolveEnvironment(active))?.executable.uri?.fsPath;
}
