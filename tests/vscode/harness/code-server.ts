import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { descendants, running } from "./processes.ts";
import { until } from "./until.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
/** What keeps a fresh VS Code quiet: no welcome page, no assistant of its own, no outside address. */
const QUIET = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "chat.disableAIFeatures": true,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "window.commandCenter": false,
  "remote.autoForwardPorts": false,
  "git.openRepositoryInParentFolders": "never",
  "editor.autoClosingBrackets": "never",
  "editor.autoIndent": "none",
  "editor.acceptSuggestionOnEnter": "off",
  "editor.quickSuggestions": "off",
  "editor.wordBasedSuggestions": "off",
  "editor.minimap.enabled": false,
  "files.autoSave": "off",
};

export type Settings = Record<string, unknown>;

export interface Options {
  /** The user's settings. */
  readonly settings?: Settings;
  /** False: the folder opens in Restricted Mode. */
  readonly trusted?: boolean;
  readonly env?: Record<string, string>;
  /** A package to install, instead of the extension as it lies in this checkout. */
  readonly vsix?: string | undefined;
  /** What a model that another extension offers says, one reply a request; without it there is no such model. */
  readonly lent?: readonly LentReply[];
  /** Another extension has errors, quick fixes and a problem matcher for plain text. */
  readonly speller?: boolean;
}

export interface LentReply {
  readonly text?: string;
  readonly calls?: readonly { name: string; input: object }[];
  /** Nothing follows until the request is cancelled. */
  readonly endless?: boolean;
  /** The kind of the error that it throws. */
  readonly refuses?: "NoPermissions" | "Blocked" | "NotFound";
}

/** What the lent model was asked, and how often it was told to stop. */
export interface Lent {
  readonly requests: { messages: { role: number; parts: LentPart[] }[]; tools: string[] }[];
  readonly cancelled: number;
}

interface LentPart {
  readonly text?: string;
  readonly callId?: string;
  readonly name?: string;
  readonly input?: object;
}

/** A VS Code served on loopback, with the extension and its test companion in it, and all that belongs to it in one folder. */
export class CodeServer {
  readonly root = mkdtempSync(join(tmpdir(), "compile-loop-vscode-"));
  readonly state = join(this.root, "state.json");
  private readonly lentReplies = join(this.root, "lent-replies.json");
  private readonly lentState = join(this.root, "lent-state.json");
  private child: ChildProcess | undefined;
  private port = 0;

  async start({ settings = {}, trusted = true, env = {}, vsix, lent, speller }: Options): Promise<void> {
    this.configure(settings);
    this.addExtensions(vsix);
    if (lent) {
      this.addLender(lent);
    }
    if (speller) {
      const folder = join(this.root, "extensions", "compile-loop.speller-0.0.1");
      cpSync(join(ROOT, "tests/vscode/speller"), folder, { recursive: true });
    }
    this.port = await freePort();
    const log = openSync(this.logFile, "w");
    const words = [
      required("CODE_SERVER_ENTRY"),
      ...["--config", join(this.root, "config.yaml"), "--auth", "none", "--bind-addr", `127.0.0.1:${this.port}`],
      ...["--user-data-dir", join(this.root, "user-data"), "--extensions-dir", join(this.root, "extensions")],
      ...["--disable-telemetry", "--disable-update-check", ...(trusted ? ["--disable-workspace-trust"] : [])],
    ];
    const child = spawn(required("CODE_SERVER_NODE"), words, {
      env: { ...this.environment(), ...env },
      stdio: ["ignore", log, log],
      detached: true, // a process group of its own, so that stopping it ends all of it
    });
    this.child = child;
    // Whatever ends this process ends the server: it is in a group of its own, so nothing else would.
    process.once("exit", () => {
      signal(-(child.pid ?? Number.NaN), "SIGKILL");
      rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    });
    for (const name of ["SIGINT", "SIGTERM"] as const) {
      process.once(name, () => process.exit(1));
    }
    await until("code-server to answer", async () => {
      if (child.exitCode !== null) {
        throw new Error(`code-server ended with ${child.exitCode}:\n${readFileSync(this.logFile, "utf8")}`);
      }
      return await fetch(`http://127.0.0.1:${this.port}/healthz`)
        .then((answer) => answer.ok)
        .catch(() => false);
    });
  }

  /** The page that shows a folder or a workspace file, or an empty window. */
  address(place?: string): string {
    const kind = place?.endsWith(".code-workspace") ? "workspace" : "folder";
    return `http://127.0.0.1:${this.port}/${place ? `?${kind}=${encodeURIComponent(place)}` : "?ew=true"}`;
  }

  /** Processes that this server and its extensions started. */
  processes(): { pid: number; command: string }[] {
    return this.child?.pid === undefined ? [] : descendants(this.child.pid);
  }

  /** Writes the user's settings; VS Code takes them up while it runs. */
  configure(settings: Settings): void {
    // In a remote window settings of machine scope are read from the second file only.
    for (const folder of ["User", "Machine"]) {
      mkdirSync(join(this.root, "user-data", folder), { recursive: true });
      const text = JSON.stringify({ ...QUIET, ...settings }, null, 2);
      writeFileSync(join(this.root, "user-data", folder, "settings.json"), text);
    }
    writeFileSync(join(this.root, "config.yaml"), "auth: none\n");
  }

  /** The end of what the extension wrote to its log. */
  log(lines = 40): string {
    const logs = join(this.root, "user-data", "logs");
    const paths = existsSync(logs) ? readdirSync(logs, { recursive: true, encoding: "utf8" }) : [];
    const own = paths.filter((path) => path.endsWith("Compile Loop.log"));
    return own.map((path) => readFileSync(join(logs, path), "utf8").split("\n").slice(-lines).join("\n")).join("\n");
  }

  /** What the lent model was asked; undefined as long as it is not offered. */
  get lent(): Lent | undefined {
    return existsSync(this.lentState) ? JSON.parse(readFileSync(this.lentState, "utf8")) : undefined;
  }

  /** Ends every process and removes every file of it. */
  async stop(): Promise<void> {
    const child = this.child;
    if (child?.pid !== undefined) {
      const started = this.processes();
      signal(-child.pid, "SIGTERM");
      const ended = () => child.exitCode !== null || child.signalCode !== null;
      await until("code-server to end", ended, 8_000).catch(() => undefined);
      signal(-child.pid, "SIGKILL");
      for (const { pid, command } of running("")) {
        if (started.some((process) => process.pid === pid && process.command === command)) {
          signal(pid, "SIGKILL"); // it had left the group
        }
      }
    }
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  private get logFile(): string {
    return join(this.root, "code-server.log");
  }

  private addExtensions(vsix?: string): void {
    const extensions = join(this.root, "extensions");
    const companion = join(extensions, "compile-loop.companion-0.0.1");
    cpSync(join(ROOT, "tests/vscode/companion"), companion, { recursive: true });
    if (vsix) {
      const python = join(extensions, "ms-python.python-0.0.1");
      cpSync(join(ROOT, "tests/vscode/python-extension"), python, { recursive: true });
      const where = ["--extensions-dir", extensions, "--user-data-dir", join(this.root, "user-data")];
      const words = [required("CODE_SERVER_ENTRY"), ...where, "--install-extension", vsix];
      execFileSync(required("CODE_SERVER_NODE"), words, { env: this.environment(), stdio: "pipe" });
      return;
    }
    const extension = join(extensions, "compile-loop.compile-loop-0.1.0");
    for (const part of ["package.json", "dist/extension.js", "dist/library.js", "docs", "extension/python"]) {
      cpSync(join(ROOT, part), join(extension, part), { recursive: true });
    }
    symlinkSync(join(ROOT, ".venv"), join(extension, ".venv")); // as a developer's checkout has it
  }

  private environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      XDG_DATA_HOME: join(this.root, "data"),
      XDG_CONFIG_HOME: join(this.root, "config"),
      XDG_STATE_HOME: join(this.root, "state"),
      EXTENSIONS_GALLERY: '{"serviceUrl":""}',
      COMPANION_STATE: this.state,
      LENDER_REPLIES: this.lentReplies,
      LENDER_STATE: this.lentState,
    };
  }

  private addLender(replies: readonly LentReply[]): void {
    writeFileSync(this.lentReplies, JSON.stringify(replies));
    const lender = join(this.root, "extensions", "compile-loop.lender-0.0.1");
    cpSync(join(ROOT, "tests/vscode/lender"), lender, { recursive: true });
  }
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(`${name} is not set: run the journeys with npm run test:vscode.`);
  }
  return value;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended already.
  }
}

function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const server = createServer().on("error", failed);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => found(typeof address === "object" && address ? address.port : 0));
    });
  });
}
