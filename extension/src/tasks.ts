import { extensions, ProcessExecution, ShellExecution, type Task } from "vscode";
import type { EditorTask, Matchers } from "./protocol.js";

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

/** What extensions declare for lines of output; the server reads it. */
export function declaredMatchers(): Matchers {
  const declared = extensions.all.map(({ packageJSON }) => packageJSON.contributes);
  const of = (key: string) => declared.flatMap((each) => each?.[key] ?? []);
  return { matchers: of("problemMatchers"), patterns: of("problemPatterns") };
}
