import { EventEmitter, ThemeIcon, type TreeDataProvider, TreeItem, TreeItemCollapsibleState, window } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { sentence } from "./notify.js";
import { TreeChangedNotification, type TreeNode, TreeRequest } from "./protocol.js";

/** The view of runs; the server says what is in it (SPEC V6). */
export class RunsView implements TreeDataProvider<TreeNode> {
  private readonly changed = new EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event; // before the view, which looks for it as it is made
  private readonly view = window.createTreeView("compileLoop.runs", { treeDataProvider: this, showCollapseAll: true });

  constructor(private readonly ready: () => Promise<LanguageClient> | undefined) {}

  follow(client: LanguageClient): void {
    client.onNotification(TreeChangedNotification, () => this.changed.fire());
  }

  getTreeItem(node: TreeNode): TreeItem {
    const { None, Collapsed } = TreeItemCollapsibleState;
    const { id, description, tooltip, command } = node;
    const item = new TreeItem(node.label, node.expandable ? Collapsed : None);
    Object.assign(item, { id, description, tooltip, contextValue: node.context });
    if (node.icon) {
      item.iconPath = new ThemeIcon(node.icon);
    }
    if (command) {
      item.command = { command, title: node.label, arguments: [node] };
    }
    return item;
  }

  async getChildren(node?: TreeNode): Promise<TreeNode[]> {
    try {
      const client = await this.ready();
      return (await client?.sendRequest(TreeRequest, { id: node?.id }))?.nodes ?? [];
    } catch (error) {
      const [label, icon, command] = [sentence(error), "warning", "compileLoop.restartServer"];
      return [{ id: "down", label, icon, command, description: "", tooltip: label, context: "", expandable: false }];
    }
  }

  dispose(): void {
    this.view.dispose();
    this.changed.dispose();
  }
}
