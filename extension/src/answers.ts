import { ConfigurationTarget, commands, QuickPickItemKind, type Tab, tasks, Uri, window, workspace } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { SHOW } from "./notify.js";
import {
  ConfigureRequest,
  type DiffParams,
  DiffRequest,
  ExecuteRequest,
  InputRequest,
  MatchersRequest,
  MessageRequest,
  PickRequest,
  SECTION,
  SecretRequest,
  TasksRequest,
} from "./protocol.js";
import type { Secrets } from "./secrets.js";
import { declaredMatchers, described } from "./tasks.js";

/** Has the server's wishes carried out: it decides, and this editor asks, shows and keeps (SPEC V10). */
export function answer(client: LanguageClient, secrets: Secrets): void {
  const diffs = new Map<string, Tab>();
  client.onRequest(MessageRequest, async ({ kind, text, choices, modal }) => ({
    choice: await SHOW[kind](text, { modal }, ...choices),
  }));
  client.onRequest(InputRequest, async ({ title, prompt, value, password }, token) => ({
    value: await window.showInputBox({ title, prompt, value, password, ignoreFocusOut: true }, token),
  }));
  client.onRequest(PickRequest, async ({ title, placeholder, many, items }, token) => {
    const options = { title, placeHolder: placeholder, matchOnDescription: true, ignoreFocusOut: true };
    const { Separator, Default } = QuickPickItemKind;
    const lines = items.map((item) => ({ ...item, kind: item.separator ? Separator : Default }));
    const picked = many
      ? await window.showQuickPick(lines, { ...options, canPickMany: true }, token)
      : await window.showQuickPick(lines, options, token);
    return { ids: picked && [picked].flat().map((item) => item.id) };
  });
  client.onRequest(SecretRequest, (params) => secrets.handle(params));
  client.onRequest(ExecuteRequest, async ({ command, arguments: given }) => {
    await commands.executeCommand(command, ...given.map(unwrapped));
    return {};
  });
  client.onRequest(ConfigureRequest, async ({ name, value, folder }) => {
    const { Global, WorkspaceFolder } = ConfigurationTarget;
    const target = folder ? WorkspaceFolder : Global;
    await workspace.getConfiguration(SECTION, folder ? Uri.parse(folder) : null).update(name, value, target);
    return {};
  });
  client.onRequest(DiffRequest, async (params) => {
    await (params.files.length > 0 ? open(params, diffs) : close(params.key, diffs));
    return {};
  });
  client.onRequest(TasksRequest, async () => ({ tasks: (await tasks.fetchTasks()).map(described) }));
  client.onRequest(MatchersRequest, declaredMatchers);
}

function unwrapped(value: unknown): unknown {
  const uri = value && typeof value === "object" ? (value as { $uri?: string }).$uri : undefined;
  return uri === undefined ? value : Uri.parse(uri);
}

async function open({ key, title, files }: DiffParams, diffs: Map<string, Tab>): Promise<void> {
  await commands.executeCommand(
    "vscode.changes",
    title,
    files.map(({ uri, left, right }) => [uri, left, right].map((address) => address && Uri.parse(address))),
  );
  // VS Code does not tell what a tab of several files shows, so the tab itself is kept.
  const tab = window.tabGroups.activeTabGroup.activeTab;
  if (tab) {
    diffs.set(key, tab);
  }
}

async function close(key: string, diffs: Map<string, Tab>): Promise<void> {
  const tab = diffs.get(key);
  diffs.delete(key);
  if (tab && window.tabGroups.all.some((group) => group.tabs.includes(tab))) {
    await window.tabGroups.close(tab);
  }
}
