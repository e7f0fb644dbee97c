import { commands, type Disposable, type LogOutputChannel, Uri, window, workspace } from "vscode";
import type { Server } from "./client.js";
import { count, Refusal, sentence, tell } from "./notify.js";
import { pickFiles } from "./pick.js";
import type { Results } from "./preview.js";
import type { DiagnosticRef } from "./protocol.js";
import type { Runs } from "./run.js";

interface Parts {
  readonly server: Server;
  readonly runs: Runs;
  readonly results: Results;
  readonly log: LogOutputChannel;
}

/** Every command. One that cannot do its work says why, whether the server is up or down (SPEC V2). */
export function registerCommands({ server, runs, results, log }: Parts): Disposable {
  const table: Record<string, (...args: never[]) => unknown> = {
    fix: (uri?: string, diagnostic?: DiagnosticRef | null) => fix([uri ? Uri.parse(uri) : activeFile()], diagnostic),
    fixFiles: async () => fix((await pickFiles()) ?? []),
    fixWorkspace: (uri = window.activeTextEditor?.document.uri.toString()) => {
      if (!workspace.workspaceFolders?.length) {
        throw new Refusal("There is no folder to fix: open one first.", {
          "Open Folder…": () => commands.executeCommand("workbench.action.files.openFolder"),
        });
      }
      return runs.start({ scope: "workspace", uris: uri?.startsWith("file:") ? [uri] : [] }, "fixing the workspace");
    },
    stop: () => runs.stop(),
    apply: () => results.apply(),
    discard: () => results.discard(),
    showResult: () => results.review(),
    showLog: () => log.show(),
    restartServer: async () => {
      await server.restart();
      window.setStatusBarMessage("$(check) Compile Loop: server restarted", 4_000);
    },
  };

  async function fix(files: Uri[], diagnostic?: DiagnosticRef | null): Promise<void> {
    const [first] = files;
    if (first) {
      const what = files.length === 1 ? workspace.asRelativePath(first) : count(files.length, "file");
      await runs.start({ uris: files.map(String), diagnostic: diagnostic ?? undefined }, `fixing ${what}`);
    }
  }

  const registered = Object.entries(table).map(([name, work]) =>
    commands.registerCommand(`compileLoop.${name}`, async (...args: never[]) => {
      try {
        await work(...args);
      } catch (error) {
        if (error instanceof Refusal) {
          void tell("warning", error.message, error.choices);
        } else {
          log.error(error instanceof Error ? error : String(error));
          void tell("error", sentence(error), { "Show Log": () => log.show() });
        }
      }
    }),
  );
  return { dispose: () => registered.forEach((command) => void command.dispose()) };
}

/** @throws Refusal where no file of a disk is in front. */
function activeFile(): Uri {
  const document = window.activeTextEditor?.document;
  if (document === undefined) {
    throw new Refusal("There is no file to fix: open one first.");
  }
  if (document.uri.scheme !== "file") {
    throw new Refusal("This document is no file on a disk, so no check can see it: save it first.");
  }
  return document.uri;
}
