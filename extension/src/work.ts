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
    void window.withProgress(options, (bar, token) => {
      return new Promise<void>((ended) => {
        this.shown.set(id, ({ message, done }) => {
          bar.report({ message });
          if (done) {
            this.shown.delete(id);
            ended();
          }
        });
        bar.report({ message: first });
        token.onCancellationRequested(() => client.sendNotification(StopNotification, { id }));
      });
    });
  }
}
