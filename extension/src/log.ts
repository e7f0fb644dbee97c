import type { LogOutputChannel } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { RunEventNotification } from "./protocol.js";

/** Writes what runs do to the log as it happens; a model's reply line by line. */
export function follow(client: LanguageClient, log: LogOutputChannel): void {
  const unfinished = new Map<string, string>();
  client.onNotification(RunEventNotification, ({ runId, kind, text }) => {
    const begun = unfinished.get(runId) ?? "";
    if (kind === "model_text") {
      const lines = (begun + text).split("\n");
      unfinished.set(runId, lines.pop() ?? "");
      for (const line of lines) {
        log.info(`  │ ${line}`);
      }
      return;
    }
    if (begun) {
      log.info(`  │ ${begun}`);
    }
    unfinished.delete(runId);
    log.info(text);
  });
}
