import { type ExtensionContext, window } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { registerAgents } from "./agents.js";
import { answer } from "./answers.js";
import { Server } from "./client.js";
import { registerCommands } from "./commands.js";
import { Diffs } from "./diffs.js";
import { lend } from "./models.js";
import { sentence } from "./notify.js";
import { RunsView } from "./runs.js";
import { Secrets } from "./secrets.js";
import { Status } from "./status.js";
import { watch } from "./triggers.js";
import { Work } from "./work.js";

let server: Server | undefined;

/** Called by VS Code once it is up. The server starts beside it, so that the window does not wait. */
export function activate(context: ExtensionContext): void {
  const secrets = new Secrets(context.secrets);
  const log = secrets.keptOutOf(window.createOutputChannel("Compile Loop", { log: true }));
  const status = new Status();
  const work = new Work();
  const diffs = new Diffs();
  const starting = (client: LanguageClient) => {
    answer(client, secrets, diffs);
    lend(client);
    for (const part of [status, work, runs]) {
      part.follow(client);
    }
  };
  const runs = new RunsView(() => server?.ready());
  server = new Server(context, log, status, starting, () => work.lost(log));
  context.subscriptions.push(log, status, runs, diffs, watch(server), registerCommands(context, server, log));
  context.subscriptions.push(registerAgents(server, context.extension.packageJSON.version));
  // Why it did not start stands in the log and the status bar; the first command says it aloud.
  server.ready().catch((error) => log.debug(sentence(error)));
}

/** Called by VS Code at the end; it waits for the server. */
export async function deactivate(): Promise<void> {
  await server?.stop();
}
