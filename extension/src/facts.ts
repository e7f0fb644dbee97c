import { DiagnosticSeverity, extensions, languages, TabInputText, type Uri, window, workspace } from "vscode";
import type { Facts } from "./protocol.js";

/** The part of the built-in Git extension's interface that is used here. */
interface Git {
  getAPI(version: 1): { repositories: { state: Record<"workingTreeChanges" | "indexChanges", { uri: Uri }[]> }[] };
}

/** What the editor shows now: for the server to decide by. */
export function facts(): Facts {
  const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
  const failing = languages.getDiagnostics().map(([uri, found]) => ({
    uri: uri.toString(),
    errors: found.filter((diagnostic) => diagnostic.severity === DiagnosticSeverity.Error).length,
  }));
  const documents = workspace.textDocuments.filter((document) => document.uri.scheme === "file");
  return {
    active: window.activeTextEditor?.document.uri.toString(),
    open: tabs.flatMap((tab) => (tab.input instanceof TabInputText ? tab.input.uri.toString() : [])),
    changed: changed(),
    failing: failing.filter(({ errors }) => errors > 0),
    encodings: Object.fromEntries(documents.map((document) => [document.uri.toString(), document.encoding])),
  };
}

/** Unsaved files, and what Git calls changed where it is there. */
function changed(): string[] {
  const unsaved = workspace.textDocuments.filter((document) => document.isDirty).map((document) => document.uri);
  const git = extensions.getExtension<Git>("vscode.git");
  const repositories = git?.isActive ? git.exports.getAPI(1).repositories : [];
  const states = repositories.flatMap(({ state }) => [...state.workingTreeChanges, ...state.indexChanges]);
  return [...new Set([...unsaved, ...states.map((state) => state.uri)].map(String))];
}
