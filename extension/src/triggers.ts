import { DiagnosticSeverity, Disposable, languages, tasks, type Uri } from "vscode";
import type { Server } from "./client.js";
import { facts } from "./facts.js";
import { type DiagnosticRef, ProblemsNotification, TaskEndedNotification } from "./protocol.js";
import { described } from "./tasks.js";

const QUIET_MS = 250;

/** Tells the server of ended tasks and of other extensions' errors; what to do about them is its business (SPEC V3). */
export function watch(server: Server): Disposable {
  const changed = new Map<string, Uri>();
  let due: NodeJS.Timeout | undefined;
  const send = () => {
    due = undefined;
    const files = [...changed].map(([text, uri]) => ({ uri: text, items: errors(uri) }));
    changed.clear();
    void server.client?.sendNotification(ProblemsNotification, { files, facts: facts() });
  };
  return Disposable.from(
    languages.onDidChangeDiagnostics(({ uris }) => {
      for (const uri of uris.filter(({ scheme }) => scheme === "file")) {
        changed.set(uri.toString(), uri);
      }
      due ??= changed.size > 0 ? setTimeout(send, QUIET_MS) : undefined;
    }),
    tasks.onDidEndTaskProcess(({ execution, exitCode }) => {
      const task = described(execution.task);
      void server.client?.sendNotification(TaskEndedNotification, { task, exitCode, facts: facts() });
    }),
    new Disposable(() => clearTimeout(due)),
  );
}

function errors(uri: Uri): DiagnosticRef[] {
  const found = languages.getDiagnostics(uri).filter(({ severity }) => severity === DiagnosticSeverity.Error);
  return found.map(({ message, source, range, code }) => {
    return {
      uri: uri.toString(),
      line: range.start.line,
      message,
      source,
      code: typeof code === "object" ? code.value : code,
    };
  });
}
