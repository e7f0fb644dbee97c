import { extensions, ProcessExecution, ShellExecution, type Task } from "vscode";
import type { EditorTask } from "./protocol.js";

/** A task as plain data; nothing of it is interpreted here. */
export function described(task: Task): EditorTask {
  const { execution, scope } = task;
  const word = (part: string | { value: string }) => (typeof part === "string" ? part : part.value);
  const shell = execution instanceof ShellExecution ? execution : undefined;
  const process = execution instanceof ProcessExecution ? execution : undefined;
  const command = shell ? shell.command : process?.process;
  return {
    name: task.name,
    source: task.source,
    definition: { ...task.definition },
    group: task.group?.id,
    isDefault: task.group?.isDefault ?? false,
    background: task.isBackground,
    folder: typeof scope === "object" ? scope.uri.toString() : undefined,
    commandLine: shell?.commandLine,
    words: command ? [command, ...((shell ?? process)?.args ?? [])].map(word) : [],
    shell: shell !== undefined,
    cwd: (shell ?? process)?.options?.cwd,
    env: (shell ?? process)?.options?.env ?? {},
    matchers: task.problemMatchers,
  };
}

/** What extensions declare in their manifests under `key`. */
export function declared(key: string): Record<string, unknown>[] {
  return extensions.all.flatMap(({ packageJSON }) => packageJSON.contributes?.[key] ?? []);
}
