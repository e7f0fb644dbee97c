import { commands, type Disposable, StatusBarAlignment, window } from "vscode";

const NOTE_MS = 6_000;

/** The status bar item: what runs, else a result that waits, else why the server is down, else nothing. */
export class Status implements Disposable {
  private readonly item = window.createStatusBarItem("compileLoop.status", StatusBarAlignment.Left);
  private readonly running = new Map<symbol, string>();
  private waiting = 0;
  private down: string | undefined;
  private note: string | undefined;
  private fading: NodeJS.Timeout | undefined;

  constructor() {
    this.item.name = "Compile Loop";
  }

  /** A run's latest line. */
  run(id: symbol, text: string): void {
    this.note = undefined;
    this.running.set(id, text);
    this.render();
  }

  /** A run is over; `note` stays for a few seconds. */
  ended(id: symbol, note?: string): void {
    this.running.delete(id);
    this.note = note;
    clearTimeout(this.fading);
    this.fading = setTimeout(() => {
      this.note = undefined;
      this.render();
    }, NOTE_MS);
    this.render();
  }

  /** How many results wait to be applied or discarded. */
  results(waiting: number): void {
    this.waiting = waiting;
    void commands.executeCommand("setContext", "compileLoop.hasResult", waiting > 0);
    this.render();
  }

  /** Why the server is down; undefined when it is up. */
  server(down: string | undefined): void {
    this.down = down;
    this.render();
  }

  dispose(): void {
    clearTimeout(this.fading);
    this.item.dispose();
  }

  private render(): void {
    void commands.executeCommand("setContext", "compileLoop.running", this.running.size > 0);
    const [newest] = [...this.running.values()].reverse();
    if (newest !== undefined) {
      this.show(`$(loading~spin) ${newest}`, "Click to stop", "compileLoop.stop");
    } else if (this.note !== undefined) {
      this.show(this.note, "Click for the log", "compileLoop.showLog");
    } else if (this.waiting > 0) {
      this.show("$(diff-multiple) Compile Loop: result to review", "Click to see it", "compileLoop.showResult");
    } else if (this.down !== undefined) {
      this.show("$(warning) Compile Loop is off", `${this.down} Click to try again`, "compileLoop.restartServer");
    } else {
      this.item.hide();
    }
  }

  private show(text: string, tooltip: string, command: string): void {
    Object.assign(this.item, { text, tooltip, command });
    this.item.show();
  }
}
