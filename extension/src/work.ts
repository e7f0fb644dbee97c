import { type LogOutputChannel, ProgressLocation, window } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { tell } from "./notify.js";
import { type Progress, ProgressNotification, StopNotification } from "./protocol.js";

/** What the server works at: each with its notification and its Stop (SPEC V4). */
export class Work {
  private readonly shown = new Map<string, (now: Progress) => void>();

  follow(client: LanguageClient): void {
    client.onNotification(ProgressNotification, (now) => {
      const known = this.shown.get(now.id);
      if (known) {
        known(now);
      } else if (!now.done) {
        this.show(now, client);
      }
    });
  }

  /** The server ended, and with it all that it worked at. */
  lost(log: LogOutputChannel): void {
    if (this.shown.size > 0) {
      void tell("warning", "The server ended in the middle of the run. Nothing was changed.", {
        "Show Log": () => log.show(),
      });
    }
    this.shown.forEach((hear, id) => void hear({ id, title: "", message: "", done: true }));
  }

  private show({ id, title, message: first }: Progress, client: LanguageClient): void {
    const options = {
      location: ProgressLocation.Notification,
      title,
      // The type knows only true; VS Code takes a string as the button's words, and any other host sees a true value.
      cancellable: "Stop" as unknown as boolean,
    };
    // Heard from now on: the end may come before the editor has made the notification, which would stay for ever.
    let bar: { report(now: { message: string }): void } | undefined;
    const ended = new Promise<void>((end) => {
      this.shown.set(id, (now) => {
        bar?.report(now);
        now.done && this.shown.delete(id) && end();
      });
    });
    void window.withProgress(options, (made, token) => {
      bar = made;
      bar.report({ message: first });
      token.onCancellationRequested(() => client.sendNotification(StopNotification, { id }));
      return ended;
    });
  }
}
