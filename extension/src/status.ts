import { commands, type Disposable, StatusBarAlignment, window } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { type ServerStatus, StatusNotification } from "./protocol.js";

const NOTHING: ServerStatus = { running: [], results: 0, text: "", tooltip: "", command: "" };

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

  /** The server ended, and with it all that it knew. */
  forget(): void {
    this.said = NOTHING;
    this.render();
  }

  /** Why the server is down; undefined when it is up. */
  server(down: string | undefined): void {
    this.down = down;
    this.render();
  }

  dispose(): void {
    this.item.dispose();
  }

  private render(): void {
    const { running, results, text, tooltip, command } = this.said;
    void commands.executeCommand("setContext", "compileLoop.running", running.length > 0);
    void commands.executeCommand("setContext", "compileLoop.hasResult", results > 0);
    if (this.down !== undefined) {
      this.show("$(warning) Compile Loop is off", `${this.down} Click to try again`, "compileLoop.restartServer");
    } else if (text) {
      this.show(text, tooltip, command);
    } else {
      this.item.hide();
    }
  }

  private show(text: string, tooltip: string, command: string): void {
    Object.assign(this.item, { text, tooltip, command: command || undefined });
    this.item.show();
  }
}
