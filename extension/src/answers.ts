import { ConfigurationTarget, commands, QuickPickItemKind, tasks, Uri, window, workspace } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { Diffs } from "./diffs.js";
import { quickFixes } from "./fixes.js";
import { SHOW } from "./notify.js";
import * as protocol from "./protocol.js";
import type { Secrets } from "./secrets.js";
import { declared, described } from "./tasks.js";

/** Has the server's wishes carried out: it decides, and this editor asks, shows and keeps (SPEC V10). */
export function answer(client: LanguageClient, secrets: Secrets, diffs: Diffs): void {
  client.onRequest(protocol.MessageRequest, async ({ kind, text, choices, modal }) => ({
    choice: await SHOW[kind](text, { modal }, ...choices),
  }));
  client.onRequest(protocol.InputRequest, async ({ title, prompt, value, password }, token) => ({
    value: await window.showInputBox({ title, prompt, value, password, ignoreFocusOut: true }, token),
  }));
  client.onRequest(protocol.PickRequest, async ({ title, placeholder, many, items }, token) => {
    const options = { title, placeHolder: placeholder, matchOnDescription: true, ignoreFocusOut: true };
    const { Separator, Default } = QuickPickItemKind;
    const lines = items.map((item) => ({ ...item, kind: item.separator ? Separator : Default }));
    const picked = many
      ? await window.showQuickPick(lines, { ...options, canPickMany: true }, token)
      : await window.showQuickPick(lines, options, token);
    return { ids: picked && [picked].flat().map((item) => item.id) };
  });
  client.onRequest(protocol.SecretRequest, (params) => secrets.handle(params));
  client.onRequest(protocol.ExecuteRequest, async ({ command, arguments: given }) => {
    await commands.executeCommand(command, ...given.map(unwrapped));
    return {};
  });
  client.onRequest(protocol.ConfigureRequest, async ({ name, value, folder }) => {
    const { Global, WorkspaceFolder } = ConfigurationTarget;
    const target = folder ? WorkspaceFolder : Global;
    await workspace.getConfiguration(protocol.SECTION, folder ? Uri.parse(folder) : null).update(name, value, target);
    return {};
  });
  client.onRequest(protocol.DiffRequest, (params) => diffs.handle(params));
  client.onRequest(protocol.TasksRequest, async () => ({ tasks: (await tasks.fetchTasks()).map(described) }));
  const matchers = () => ({ matchers: declared("problemMatchers"), patterns: declared("problemPatterns") });
  client.onRequest(protocol.MatchersRequest, matchers);
  client.onRequest(protocol.QuickFixesRequest, async ({ places }) => ({
    offers: await Promise.all(places.map(quickFixes)),
  }));
}

function unwrapped(value: unknown): unknown {
  const uri = value && typeof value === "object" ? (value as { $uri?: string }).$uri : undefined;
  return uri === undefined ? value : Uri.parse(uri);
}
