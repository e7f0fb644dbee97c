import { posix } from "node:path";
import { commands, type LogOutputChannel, type Tab, Uri, window, workspace } from "vscode";
import type { Server } from "./client.js";
import { type Choices, count, Refusal, tell } from "./notify.js";
import { AcceptRequest, type ChangedFile, DiscardRequest, type RunResult, SECTION } from "./protocol.js";
import type { Status } from "./status.js";

/** Results that wait for the user: shown as a diff, applied whole or in part, or discarded (SPEC V5). */
export class Results {
  private readonly waiting = new Map<string, RunResult>();
  /** The diff of each. VS Code does not tell what a tab of several files shows, so the tab itself is kept. */
  private readonly shown = new Map<string, Tab>();

  constructor(
    private readonly server: Server,
    private readonly log: LogOutputChannel,
    private readonly status: Status,
  ) {
    server.onGone(() => {
      this.waiting.clear(); // The server that ended was the one that knew them.
      this.changed();
    });
  }

  /** A run's result with an edit: applied at once where the settings say so and nothing speaks against it, else shown. */
  async offer(result: RunResult): Promise<void> {
    this.waiting.set(result.runId, result);
    this.changed();
    const at = Uri.parse(result.files[0]?.uri ?? "");
    const mode = workspace.getConfiguration(SECTION, at).get("apply");
    if (mode === "auto" && result.ending === "green" && result.suspicious.length === 0) {
      await this.accept(result, undefined, `${result.message} `);
      return;
    }
    await this.show(result);
    await this.ask(result);
  }

  /** The diff, and the question again. */
  async review(): Promise<void> {
    const result = await this.choose("show");
    await this.show(result);
    await this.ask(result);
  }

  async apply(): Promise<void> {
    await this.accept(await this.choose("apply"));
  }

  async discard(): Promise<void> {
    await this.drop(await this.choose("discard"));
  }

  private async show(result: RunResult): Promise<void> {
    const names = result.files.map((file) => posix.basename(file.label));
    await commands.executeCommand(
      "vscode.changes",
      `Compile Loop: ${names.slice(0, 2).join(", ")}${names.length > 2 ? ", …" : ""}`,
      result.files.map(({ uri, label, kind, beforeUri, afterUri }) => [
        Uri.parse(uri),
        kind === "create" ? undefined : side(label, beforeUri),
        kind === "delete" ? undefined : side(label, afterUri),
      ]),
    );
    const tab = window.tabGroups.activeTabGroup.activeTab;
    if (tab) {
      this.shown.set(result.runId, tab);
    }
  }

  private async ask(result: RunResult): Promise<void> {
    const green = result.ending === "green";
    const parts = [result.message, result.explanation, ...result.suspicious.map((line) => `Please look: ${line}`)];
    parts.push(...result.notes);
    parts.push(`${green ? "Apply" : "Apply what was reached, in"} ${count(result.files.length, "file")}?`);
    const sentence = parts.filter(Boolean).join(" ");
    await tell(green && result.suspicious.length === 0 ? "info" : "warning", sentence, {
      Apply: () => this.accept(result),
      ...(result.files.length > 1 ? { "Apply Some…": () => this.acceptSome(result) } : {}),
      Discard: () => this.drop(result),
    });
  }

  private async accept(result: RunResult, uris?: string[], unsaid = ""): Promise<void> {
    if (!this.waiting.has(result.runId)) {
      throw new Refusal("This result is no longer there: it was applied or discarded, or the server ended since.");
    }
    const client = await this.server.ready();
    const request = { runId: result.runId, uris };
    const { applied, message, differs } = await client.sendRequest(AcceptRequest, request);
    this.log.info(message);
    if (applied) {
      await this.forget(result);
      const files = result.files.filter((file) => uris?.includes(file.uri) ?? true);
      await tell(differs.length > 0 ? "warning" : "info", unsaid + message, await undoing(files));
    } else {
      await tell("warning", message, { "Show Diff": () => this.show(result) });
    }
  }

  private async acceptSome(result: RunResult): Promise<void> {
    const items = result.files.map(({ label, kind, uri }) => ({ label, description: kind, uri, picked: true }));
    const picked = await window.showQuickPick(items, { canPickMany: true, title: "Files of the result to apply" });
    const uris = picked?.map((item) => item.uri) ?? [];
    if (uris.length > 0) {
      await this.accept(result, uris);
    }
  }

  private async drop(result: RunResult): Promise<void> {
    if (!this.waiting.has(result.runId)) {
      return;
    }
    const client = await this.server.ready();
    await client.sendRequest(DiscardRequest, { runId: result.runId });
    await this.forget(result);
  }

  /** The one result that waits, or the user's choice among several. */
  private async choose(verb: string): Promise<RunResult> {
    const [only, ...others] = this.waiting.values();
    if (!only) {
      throw new Refusal(`There is no result to ${verb}.`);
    }
    if (others.length === 0) {
      return only;
    }
    const items = [only, ...others].map((result) => ({
      label: result.files.map((file) => file.label).join(", "),
      description: result.message,
      result,
    }));
    const picked = await window.showQuickPick(items, { title: `Result to ${verb}` });
    if (!picked) {
      throw new Refusal("No result was chosen.");
    }
    return picked.result;
  }

  private async forget(result: RunResult): Promise<void> {
    this.waiting.delete(result.runId);
    this.changed();
    const tab = this.shown.get(result.runId);
    this.shown.delete(result.runId);
    if (tab && window.tabGroups.all.some((group) => group.tabs.includes(tab))) {
      await window.tabGroups.close(tab);
    }
  }

  private changed(): void {
    this.status.results(this.waiting.size);
  }
}

/** The address under which one side is shown: two sides with one path are a change, not a renaming. `served` undoes it. */
function side(label: string, address: string): Uri {
  return Uri.parse(address).with({ path: posix.join("/", label), query: address });
}

/** The address that the server knows. */
export function served(shown: Uri): Uri {
  return Uri.parse(shown.query);
}

/** The button that takes back an edit that was just applied; none where files were made or removed. */
async function undoing(files: ChangedFile[]): Promise<Choices> {
  if (files.some((file) => file.kind !== "change")) {
    return {};
  }
  const documents = await Promise.all(files.map((file) => workspace.openTextDocument(Uri.parse(file.uri))));
  const applied = documents.map((document) => ({ document, text: document.getText() }));
  const undo = async () => {
    // Only where the edit is still the last thing that happened: else something else would be undone. And VS Code may ask
    // whether to undo it in all files at once, after which there is nothing more to do.
    for (const { document, text } of applied) {
      if (document.getText() === text) {
        await window.showTextDocument(document, { preview: false });
        await commands.executeCommand("undo");
      }
    }
  };
  return { Undo: undo };
}
