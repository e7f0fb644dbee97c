import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { workspace } from "vscode";
import { openSettings, Refusal } from "./notify.js";
import { SECTION } from "./protocol.js";

export const PYTHON_SETTING = "server.python";

/** Runs in any Python, old ones too. */
const PROBE = `
import json, sys
try:
    import importlib.util
    found = importlib.util.find_spec("compile_loop") is not None
except Exception:
    found = False
print(json.dumps({"version": sys.version_info[:3], "found": found}))
`;
const OLDEST: readonly [number, number] = [3, 10];

/** A Python that can run the server, and why it was chosen. */
export interface Python {
  readonly path: string;
  readonly why: string;
}

/**
 * The setting if there is one (and then nothing else), else the extension's own environment, else the path.
 * @throws Refusal with the reason and a button to the setting.
 */
export async function findPython(extensionPath: string): Promise<Python> {
  const setting = workspace.getConfiguration(SECTION).get<string>(PYTHON_SETTING, "").trim();
  const own = process.platform === "win32" ? join(".venv", "Scripts", "python.exe") : join(".venv", "bin", "python");
  const candidates: Python[] = setting
    ? [{ path: expand(setting), why: `the setting ${SECTION}.${PYTHON_SETTING}` }]
    : [
        { path: join(extensionPath, own), why: "the extension's own environment" },
        { path: "python3", why: "found on the path" },
        { path: "python", why: "found on the path" },
      ];
  const reasons: string[] = [];
  for (const candidate of candidates) {
    const reason = await unfit(candidate.path, extensionPath);
    if (reason === undefined) {
      return candidate;
    }
    if (reason || setting) {
      reasons.push(reason || `${candidate.path}, which ${candidate.why} names, cannot be started.`);
    }
  }
  const newest = `${OLDEST.join(".")} or newer`;
  throw new Refusal(reasons[0] ?? `No Python was found: Compile Loop needs ${newest} with the package compile-loop.`, {
    "Choose Python…": () => openSettings(`${SECTION}.${PYTHON_SETTING}`),
  });
}

/** Why this Python will not do; empty where there is no such program; undefined where it is fit. */
async function unfit(path: string, cwd: string): Promise<string | undefined> {
  let answer: { version: [number, number, number]; found: boolean };
  try {
    // Not in the workspace's folder: `-c` imports from the current folder, which need not be trusted.
    answer = JSON.parse((await promisify(execFile)(path, ["-c", PROBE], { cwd, timeout: 20_000 })).stdout);
  } catch {
    return "";
  }
  const [major, minor] = answer.version;
  const name = `Python ${major}.${minor} (${path})`;
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    return `${name} is too old: Compile Loop needs ${OLDEST.join(".")} or newer.`;
  }
  return answer.found ? undefined : `${name} has no package compile-loop: install it there, or choose another Python.`;
}

function expand(path: string): string {
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  return path.replace(/^~(?=[/\\])/, () => homedir()).replace(/\$\{workspaceFolder\}/g, () => folder);
}
