import type { LogOutputChannel, SecretStorage } from "vscode";
import type { Entered, SecretParams } from "./protocol.js";

const WRITING = ["trace", "debug", "info", "warn", "error", "append", "appendLine", "replace"] as const;

/** Keys of models, in the editor's secret storage. The server gets one in memory when it needs it, and no log ever does. */
export class Secrets {
  private readonly known = new Set<string>();

  constructor(private readonly storage: SecretStorage) {}

  async handle({ name, value, forget }: SecretParams): Promise<Entered> {
    if (value !== undefined) {
      await this.storage.store(name, value);
    } else if (forget) {
      await this.storage.delete(name);
    }
    const kept = await this.storage.get(name);
    if (kept) {
      this.known.add(kept);
    }
    return { value: kept };
  }

  /** The same log, in which no secret that was handed out can be read: traces of the protocol go there too. */
  keptOutOf(log: LogOutputChannel): LogOutputChannel {
    const without = (text: string) =>
      [...this.known].reduce((left, secret) => left.replaceAll(secret, "[hidden]"), text);
    const write = (name: (typeof WRITING)[number]) => (words: string | Error) => log[name](without(String(words)));
    return Object.create(log, Object.fromEntries(WRITING.map((name) => [name, { value: write(name) }])));
  }
}
