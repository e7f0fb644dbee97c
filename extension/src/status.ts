import { commands, type Disposable, StatusBarAlignment, window } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { type ServerStatus, StatusNotification } from "./protocol.js";

const NOTHING: ServerStatus = { running: [], text: "", tooltip: "", command: "" };

/** The status bar item: what the server says, or why it is down. */
export class Status implements Disposable {
  private readonly item = window.createStatusBarItem("compileLoop.status", StatusBarAlignment.Left);
  private said = NOTHING;
  private down: string | undefined;

  constructor() {
    this.item.name = "Compile Loop";
  }

  follow(client: LanguageClient): void {
    client.onNotification(StatusNotification, (said) => {
      this.said = said;
      this.render();
    });
  }

  /** The server ended, and with it all that it knew; `down` says why it is not up again. */
  server(down?: string): void {
    this.said = NOTHING;
    this.down = down;
    this.render();
  }

  dispose(): void {
    this.item.dispose();
  }

  private render(): void {
    const { running, text, tooltip, command } = this.said;
    void commands.executeCommand("setContext", "compileLoop.running", running.length > 0);
    if (this.down !== undefined) {
      const tooltip = `${this.down} Click to try again`;
      Object.assign(this.item, {
        text: "$(warning) Compile Loop is off",
        tooltip,
        command: "compileLoop.restartServer",
      });
    } else {
      Object.assign(this.item, { text, tooltip, command: command || undefined });
    }
    this.down || text ? this.item.show() : this.item.hide();
  }
}
