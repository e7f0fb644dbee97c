import {
  DiagnosticSeverity,
  extensions,
  languages,
  type QuickPickItem,
  QuickPickItemKind,
  TabInputText,
  Uri,
  window,
  workspace,
} from "vscode";
import { count, Refusal } from "./notify.js";

/** The part of the built-in Git extension's interface that is used here. */
interface Git {
  getAPI(version: 1): { repositories: { state: Record<"workingTreeChanges" | "indexChanges", { uri: Uri }[]> }[] };
}

/** The files that the user picks among the failing, changed and open ones; undefined where the pick was dismissed. */
export async function pickFiles(): Promise<Uri[] | undefined> {
  const active = window.activeTextEditor?.document.uri.toString();
  const failing = new Map<string, number>();
  for (const [uri, found] of languages.getDiagnostics()) {
    const errors = found.filter((diagnostic) => diagnostic.severity === DiagnosticSeverity.Error).length;
    if (errors > 0) {
      failing.set(uri.toString(), errors);
    }
  }
  const seen = new Set<string>();
  const items: (QuickPickItem & { uri?: Uri })[] = [];
  for (const [group, uris] of [
    ["failing", [...failing.keys()]],
    ["changed", changed()],
    ["open", open()],
  ] as const) {
    const files = uris.filter((uri) => uri.startsWith("file:") && !seen.has(uri));
    if (files.length > 0) {
      items.push({ label: group, kind: QuickPickItemKind.Separator });
    }
    for (const text of files) {
      seen.add(text);
      const uri = Uri.parse(text);
      const errors = failing.get(text);
      const description = errors ? count(errors, "error") : "";
      items.push({
        label: workspace.asRelativePath(uri),
        description,
        uri,
        picked: errors !== undefined || text === active,
      });
    }
  }
  if (items.length === 0) {
    throw new Refusal("There is no file to choose: none is open, changed or failing.");
  }
  const picked = await window.showQuickPick(items, {
    canPickMany: true,
    matchOnDescription: true,
    title: "Files that may be edited until the check passes",
  });
  return picked?.flatMap((item) => item.uri ?? []);
}

function open(): string[] {
  const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.flatMap((tab) => (tab.input instanceof TabInputText ? tab.input.uri.toString() : []));
}

/** Unsaved files, and what Git calls changed where it is there. */
function changed(): string[] {
  const unsaved = workspace.textDocuments.filter((document) => document.isDirty).map((document) => document.uri);
  const git = extensions.getExtension<Git>("vscode.git");
  const repositories = git?.isActive ? git.exports.getAPI(1).repositories : [];
  const states = repositories.flatMap(({ state }) => [...state.workingTreeChanges, ...state.indexChanges]);
  return [...new Set([...unsaved, ...states.map((state) => state.uri)].map(String))];
}
