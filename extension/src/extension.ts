import { type ExtensionContext, window } from "vscode";
import { Server } from "./client.js";
import { registerCommands } from "./commands.js";
import { follow } from "./log.js";
import { sentence } from "./notify.js";
import { Results } from "./preview.js";
import { Runs } from "./run.js";
import { Status } from "./status.js";

let server: Server | undefined;

/** Called by VS Code once it is up. The server starts beside it, so that the window does not wait. */
export function activate(context: ExtensionContext): void {
  const log = window.createOutputChannel("Compile Loop", { log: true });
  const status = new Status();
  server = new Server(context, log, status);
  server.onStarting((client) => follow(client, log));
  const results = new Results(server, log, status);
  const runs = new Runs(server, results, log, status);
  context.subscriptions.push(log, status, registerCommands({ server, runs, results, log }));
  // Why it did not start stands in the log and the status bar; the first command says it aloud.
  server.ready().catch((error) => log.debug(sentence(error)));
}

/** Called by VS Code at the end; it waits for the server. */
export async function deactivate(): Promise<void> {
  await server?.stop();
}
