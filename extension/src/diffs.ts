import { commands, type Tab, Uri, window } from "vscode";
import type { DiffParams, Nothing } from "./protocol.js";

/** Diffs of several files. VS Code does not tell what such a tab shows, so the tabs themselves are kept. */
export class Diffs {
  private readonly shown = new Map<string, { tab: Tab | undefined; result: boolean }>();
  /** Apply is offered for the result that is in front, and at no other diff. */
  private readonly look = () => {
    const front = window.tabGroups.activeTabGroup.activeTab;
    const inFront = front && [...this.shown.values()].some(({ tab, result }) => result && tab === front);
    void commands.executeCommand("setContext", "compileLoop.resultInFront", inFront);
  };
  private readonly tabs = window.tabGroups.onDidChangeTabs(this.look);
  private readonly groups = window.tabGroups.onDidChangeTabGroups(this.look);

  async handle({ key, title, files, result }: DiffParams): Promise<Nothing> {
    const before = this.shown.get(key)?.tab;
    this.shown.delete(key);
    if (files.length > 0) {
      const sides = files.map(({ uri, left, right }) => [uri, left, right].map((side) => side && Uri.parse(side)));
      await commands.executeCommand("vscode.changes", title, sides);
      this.shown.set(key, { tab: window.tabGroups.activeTabGroup.activeTab, result });
    } else if (before && window.tabGroups.all.some((group) => group.tabs.includes(before))) {
      await window.tabGroups.close(before);
    }
    this.look();
    return {};
  }

  dispose(): void {
    this.tabs.dispose();
    this.groups.dispose();
  }
}
