import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Browser, chromium, type Locator, type Page } from "playwright-core";
import { CodeServer, type Options } from "./code-server.ts";
import { until } from "./until.ts";

const SHOTS = resolve(import.meta.dirname, "../../../test-artifacts/vscode");
const BROWSER_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

interface State {
  readonly documents: Record<string, { text: string; dirty: boolean; version: number }>;
  readonly diagnostics: { file: string; source: string; message: string; line: number }[];
  /** The settings of Compile Loop by their names. */
  readonly settings: Record<string, unknown>;
}

interface Content {
  /** What is in the folder; undefined for a window with no folder. */
  readonly files?: Record<string, string> | undefined;
  /** Folders inside it that are opened as one workspace, each by itself. */
  readonly folders?: readonly string[] | undefined;
  /** The folder's name. By default it has a space and a letter outside ASCII, as many a real path has. */
  readonly folder?: string | undefined;
}

/** A real VS Code in a headless browser, driven as a person would: keys, menus, buttons. Every wait has a deadline. */
export class Workbench {
  readonly server: CodeServer;
  readonly page: Page;
  readonly folder: string;
  private readonly browser: Browser;

  private constructor(server: CodeServer, browser: Browser, page: Page, folder: string) {
    this.server = server;
    this.browser = browser;
    this.page = page;
    this.folder = folder;
  }

  /** Opens a window on a new folder with these files, does the work, and ends all of it; a failure leaves a picture. */
  static async run(
    name: string,
    { files, folder, folders, ...options }: Options & Content,
    work: (workbench: Workbench) => Promise<void>,
  ): Promise<void> {
    const server = new CodeServer();
    let workbench: Workbench | undefined;
    try {
      await server.start(options);
      workbench = await Workbench.open(server, { files, folder, folders });
      await work(workbench);
    } catch (error) {
      await workbench?.picture(`${name}-failed`).catch(() => undefined);
      const picture = workbench ? `The picture is test-artifacts/vscode/${name}-failed.png. ` : "";
      console.error(`${picture}The log of Compile Loop:
${server.log()}`);
      throw error;
    } finally {
      await workbench?.browser.close();
      await server.stop();
    }
  }

  private static async open(
    server: CodeServer,
    { files, folder: name = "my projekt ü", folders }: Content,
  ): Promise<Workbench> {
    const folder = join(server.root, name);
    mkdirSync(folder);
    for (const [path, text] of Object.entries(files ?? {})) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const executablePath = process.env.CHROMIUM ?? "chromium";
    const browser = await chromium.launch({ executablePath, headless: true, args: BROWSER_FLAGS });
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(30_000);
    let place = files && folder;
    if (folders) {
      place = join(server.root, "both.code-workspace");
      writeFileSync(place, JSON.stringify({ folders: folders.map((path) => ({ path: join(folder, path) })) }));
    }
    await page.goto(server.address(place));
    const workbench = new Workbench(server, browser, page, folder);
    await workbench.up();
    return workbench;
  }

  /** Loads the window again, as a person would with "Reload Window". */
  async reload(): Promise<void> {
    rmSync(this.server.state, { force: true });
    await this.page.reload();
    await this.up();
  }

  private async up(): Promise<void> {
    await this.page.locator(".monaco-workbench .part.statusbar").waitFor({ timeout: 60_000 });
    await until("the extension host to be up", () => this.stateOrNothing(), 60_000);
  }

  /** What the editor holds, as an extension sees it. */
  get state(): State {
    return this.stateOrNothing() ?? { documents: {}, diagnostics: [], settings: {} };
  }

  /** Changes the user's settings, and waits until they are in force. */
  async configure(settings: Record<string, unknown>): Promise<void> {
    this.server.configure(settings);
    for (const [name, value] of Object.entries(settings)) {
      await until(`the setting ${name}`, () => this.state.settings[name.replace("compileLoop.", "")] === value);
    }
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** The text of an open file, as an extension sees it. */
  text(name: string): string | undefined {
    return this.state.documents[this.path(name)]?.text;
  }

  bytes(name: string): string {
    return readFileSync(this.path(name)).toString("latin1");
  }

  /** A file of the folder in an editor, its caret in front. */
  async openFile(name: string, path = name, query = name): Promise<void> {
    const begins = new RegExp(`^\\s*${name.replaceAll(".", "\\.")}`); // no diff of it, whose name has more before
    const tab = this.page.locator(".tab", { hasText: begins }).first();
    if (this.text(path) !== undefined && (await tab.count()) > 0) {
      await tab.click();
    } else {
      // Before the search is through, files that were open lately stand first, whatever is asked for.
      const folder = query.replace(name, "").trim();
      await this.quickPick("Control+P", query, folder ? new RegExp(`${begins.source}.*${folder}`, "s") : begins);
    }
    await this.page.locator(".tab.active", { hasText: begins }).waitFor();
    await until(`${name} to be open`, () => this.text(path) !== undefined);
    await this.focusEditor();
  }

  async focusEditor(): Promise<void> {
    await this.command("View: Focus Active Editor Group");
  }

  /** A command by its name in the palette. */
  async command(title: string): Promise<void> {
    await this.quickPick("F1", `>${title}`, title);
  }

  /** Opens the quick input by a key, types `words` and takes the first line that shows `shown`. */
  private async quickPick(key: string, words: string, shown: string | RegExp = words): Promise<void> {
    const line = this.page.locator(".quick-input-list .monaco-list-row", { hasText: shown }).first();
    await this.quickInput(key, words, () => line.click({ timeout: 5_000 }));
  }

  /** Opens the quick input, types into it and takes it; one that something else closed, by taking the focus, is opened again. */
  private async quickInput(key: string, words: string, take: (box: Locator) => Promise<unknown>): Promise<void> {
    const box = this.page.locator(".quick-input-widget input.input");
    for (let attempts = 4; ; attempts--) {
      try {
        await this.page.keyboard.press(key);
        await box.fill(words, { timeout: 3_000 });
        await take(box);
        return;
      } catch (error) {
        if (attempts === 1) {
          throw error;
        }
        await this.page.keyboard.press("Escape");
      }
    }
  }

  async goToLine(line: number): Promise<void> {
    await this.quickInput("Control+G", `:${line}`, async (box) => {
      await box.press("Enter", { timeout: 3_000 });
      await box.waitFor({ state: "hidden", timeout: 5_000 });
    });
  }

  /** A line replaced by typing. */
  async retypeLine(line: number, text: string): Promise<void> {
    await this.goToLine(line);
    await this.page.keyboard.press("Shift+End");
    await this.page.keyboard.type(text);
  }

  /** A notification whose words include `words`. */
  notification(words: string | RegExp): Locator {
    return this.page.locator(".notifications-toasts .notification-list-item", { hasText: words }).first();
  }

  /** An editor that VS Code lays over the rest, if it does, is closed. */
  async closeModalEditor(): Promise<void> {
    const close = this.page.locator(".monaco-modal-editor-block .codicon-close").first();
    if (await close.isVisible()) {
      await close.click();
      await close.waitFor({ state: "hidden" });
    }
  }

  async press(notification: Locator, button: string): Promise<void> {
    await notification.getByRole("button", { name: button, exact: true }).click();
  }

  /** The diff of a result is closed and the editor has the keys again. */
  async diffClosed(): Promise<void> {
    await this.page.locator(".tab", { hasText: "Compile Loop:" }).waitFor({ state: "detached" });
    await this.page.locator(".editor-instance .monaco-editor.focused").waitFor();
  }

  /** A line of the view of runs. */
  node(words: string | RegExp): Locator {
    return this.page.locator(".part.sidebar .monaco-list-row", { hasText: words }).first();
  }

  /** A line of the quick pick that is open. */
  line(words: string | RegExp): Locator {
    return this.page.locator(".quick-input-list .monaco-list-row", { hasText: words }).first();
  }

  /** Types into the input box that is open, and accepts it. */
  async enter(text: string, prompt: string | RegExp): Promise<void> {
    await this.page.locator(".quick-input-widget", { hasText: prompt }).waitFor();
    const box = this.page.locator(".quick-input-widget input.input");
    await box.fill(text);
    await box.press("Enter");
  }

  statusItem(): Locator {
    return this.page.locator(".part.statusbar .statusbar-item", { hasText: "Compile Loop" }).first();
  }

  async picture(name: string): Promise<void> {
    mkdirSync(SHOTS, { recursive: true });
    await this.page.mouse.move(200, 600); // nothing is there that would show a tip
    await this.page.screenshot({ path: join(SHOTS, `${name}.png`), animations: "disabled" });
  }

  private stateOrNothing(): State | undefined {
    try {
      return JSON.parse(readFileSync(this.server.state, "utf8"));
    } catch {
      return undefined; // not written yet
    }
  }
}
