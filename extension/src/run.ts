import { randomUUID } from "node:crypto";
import { CancellationTokenSource, commands, type LogOutputChannel, ProgressLocation, window, workspace } from "vscode";
import {
  ErrorCodes,
  type LanguageClient,
  LSPErrorCodes,
  ResponseError,
  WorkDoneProgress,
} from "vscode-languageclient/node";
import type { Server } from "./client.js";
import { type Choices, openSettings, Refusal, tell } from "./notify.js";
import type { Results } from "./preview.js";
import { type RunParams, RunRequest, type RunResult, SECTION } from "./protocol.js";
import type { Status } from "./status.js";

/** A server that does not confirm a stop for this long is taken to hang. */
const STOP_MS = 10_000;

/** Runs under way: each with its notification, its Stop and its end. */
export class Runs {
  private readonly stops = new Set<CancellationTokenSource>();

  constructor(
    private readonly server: Server,
    private readonly results: Results,
    private readonly log: LogOutputChannel,
    private readonly status: Status,
  ) {}

  /** One run from start to end; `what` names it for people. */
  async start(params: RunParams, what: string): Promise<void> {
    if (!workspace.isTrusted) {
      throw new Refusal("Compile Loop runs nothing in Restricted Mode: a check is a program of this folder.", {
        "Manage Trust": () => commands.executeCommand("workbench.trust.manage"),
      });
    }
    const client = await this.server.ready();
    const result = await this.carryOut(client, params, what);
    if (result === undefined) {
      await tell("info", `Stopped ${what}. Nothing was changed.`);
    } else if (result.files.length > 0) {
      await this.results.offer(result);
    } else {
      await this.tellEnd(result);
    }
  }

  stop(): void {
    if (this.stops.size === 0) {
      throw new Refusal("There is no run to stop.");
    }
    for (const stop of this.stops) {
      stop.cancel();
    }
  }

  /** The run's result; undefined where it was stopped. */
  private async carryOut(client: LanguageClient, params: RunParams, what: string): Promise<RunResult | undefined> {
    const stop = new CancellationTokenSource();
    const id = Symbol(what);
    let note: string | undefined;
    this.stops.add(stop);
    this.status.run(id, `Compile Loop: ${what}`);
    const options = {
      location: ProgressLocation.Notification,
      title: `Compile Loop: ${what}`,
      // The type knows only true; VS Code takes a string as the button's words, and any other host sees a true value.
      cancellable: "Stop" as unknown as boolean,
    };
    try {
      return await window.withProgress(options, async (progress, token) => {
        token.onCancellationRequested(() => stop.cancel());
        const workDoneToken = `compile-loop-${randomUUID()}`;
        const heard = client.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
          if (value.kind !== "end" && value.message && !stop.token.isCancellationRequested) {
            progress.report({ message: value.message });
            this.status.run(id, `Compile Loop: ${value.message}`);
          }
        });
        try {
          const request = { ...params, encodings: encodings(client), workDoneToken };
          const answer = client.sendRequest(RunRequest, request, stop.token);
          const result = await Promise.race([answer, this.refusesToStop(stop, id)]);
          note = result.ending === "failed" ? "$(error) Compile Loop: not fixed" : `$(check) ${result.message}`;
          return result.failure === "cancelled" ? undefined : result;
        } finally {
          heard.dispose();
        }
      });
    } catch (error) {
      if (stop.token.isCancellationRequested && !(error instanceof Refusal)) {
        return undefined;
      }
      throw this.explained(error);
    } finally {
      this.stops.delete(stop);
      this.status.ended(id, stop.token.isCancellationRequested ? "$(circle-slash) Compile Loop: stopped" : note);
      stop.dispose();
    }
  }

  /** Rejects only where a stop was asked for and no answer came. */
  private refusesToStop(stop: CancellationTokenSource, id: symbol): Promise<never> {
    return new Promise((_resolve, reject) => {
      stop.token.onCancellationRequested(() => {
        this.status.run(id, "Compile Loop: stopping");
        setTimeout(() => {
          reject(
            new Refusal(`The server has not confirmed the stop for ${STOP_MS / 1000} seconds.`, {
              "Restart Server": () => commands.executeCommand("compileLoop.restartServer"),
            }),
          );
        }, STOP_MS);
      });
    });
  }

  private explained(error: unknown): unknown {
    if (!(error instanceof ResponseError)) {
      return error;
    }
    const { code, message } = error;
    let words = `The run ended early and nothing was changed: ${message}`;
    if (code === LSPErrorCodes.RequestFailed || code === LSPErrorCodes.ServerCancelled) {
      words = message; // the server's own reason not to run
    } else if (code === ErrorCodes.PendingResponseRejected) {
      words = "The server ended in the middle of the run. Nothing was changed.";
    }
    return new Refusal(words, { "Show Log": () => this.log.show() });
  }

  /** A result without any edit. */
  private async tellEnd(result: RunResult): Promise<void> {
    const words = [result.message, result.explanation, ...result.suspicious].filter(Boolean).join(" ");
    const log: Choices = { "Show Log": () => this.log.show() };
    const settings: Choices = { "Open Settings": () => openSettings(`${SECTION}.`) };
    const settable = ["configuration", "environment", "needs_auth", "model_unavailable"].includes(result.failure ?? "");
    await tell(result.ending === "failed" ? "error" : "info", words, settable ? { ...settings, ...log } : log);
  }
}

/** How the editor would write each open file. */
function encodings(client: LanguageClient): Record<string, string> {
  const files = workspace.textDocuments.filter((document) => document.uri.scheme === "file");
  return Object.fromEntries(files.map((file) => [client.code2ProtocolConverter.asUri(file.uri), file.encoding]));
}
