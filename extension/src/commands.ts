import { commands, Disposable, type ExtensionContext, type LogOutputChannel, Uri, window } from "vscode";
import type { Server } from "./client.js";
import { facts } from "./facts.js";
import { complain, openSettings } from "./notify.js";
import { CommandRequest, SECTION } from "./protocol.js";

/** Every command that package.json declares. Two are the client's own; the server carries out all others (SPEC V2). */
export function registerCommands(context: ExtensionContext, server: Server, log: LogOutputChannel): Disposable {
  const own: Record<string, () => unknown> = {
    showLog: () => log.show(),
    openSettings: () => openSettings(`${SECTION}.`),
    restartServer: async () => {
      await server.restart();
      window.setStatusBarMessage("$(check) Compile Loop: server restarted", 4_000);
    },
  };
  const forward = async (command: string, args: unknown[]) => {
    const client = await server.ready();
    await client.sendRequest(CommandRequest, { command, args: args.map(plain), facts: facts() });
  };
  const declared: { command: string }[] = context.extension.packageJSON.contributes.commands;
  const registered = declared.map(({ command: id }) => {
    const name = id.slice(SECTION.length + 1);
    const work = own[name] ?? ((...args: unknown[]) => forward(name, args));
    return commands.registerCommand(id, async (...args: unknown[]) => {
      try {
        await work(...args);
      } catch (error) {
        complain(error, log);
      }
    });
  });
  return Disposable.from(...registered);
}

/** An argument as JSON: a node of the view by its id, a document by its address; whatever else menus pass is of no use. */
function plain(value: unknown): unknown {
  if (value instanceof Uri) {
    return value.toString();
  }
  const object = value !== null && typeof value === "object" ? (value as { id?: string; message?: string }) : undefined;
  return object === undefined || object.message ? value : (object.id ?? null);
}
