import { commands, env, type LogOutputChannel, window } from "vscode";

/** Buttons of a message and what each does. */
export type Choices = Record<string, () => unknown>;

/** Why a command cannot do its work, in a sentence for the user, with what to do about it as buttons. */
export class Refusal extends Error {
  constructor(
    sentence: string,
    readonly choices: Choices = {},
  ) {
    super(sentence);
  }
}

export const SHOW = {
  info: window.showInformationMessage,
  warning: window.showWarningMessage,
  error: window.showErrorMessage,
} as const;

/** Shows a message and carries out the button that was pressed. Resolves when the message is gone. */
export async function tell(kind: keyof typeof SHOW, sentence: string, choices: Choices = {}): Promise<void> {
  const chosen = await SHOW[kind](sentence, ...Object.keys(choices));
  if (chosen !== undefined) {
    await choices[chosen]?.();
  }
}

/** Any error as a sentence. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Says why a command did not do its work. */
export function complain(error: unknown, log: LogOutputChannel): void {
  if (error instanceof Refusal) {
    void tell("warning", error.message, error.choices);
  } else {
    log.error(error instanceof Error ? error : String(error));
    void tell("error", sentence(error), { "Show Log": () => log.show() });
  }
}

/** Opens the settings at `query`; on a remote host those of the host, since only they hold what a machine decides. */
export function openSettings(query: string): Thenable<unknown> {
  return env.remoteName === undefined
    ? commands.executeCommand("workbench.action.openSettings", query)
    : commands.executeCommand("workbench.action.openRemoteSettings", { query });
}
