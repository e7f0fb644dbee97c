import { type ExtensionContext, type LogOutputChannel, workspace } from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { Refusal, sentence, tell } from "./notify.js";
import { type InitializationOptions, SECTION, TrustNotification } from "./protocol.js";
import { findPython } from "./python.js";
import type { Status } from "./status.js";

/** The server may die this often in this time and is started again. */
const CRASHES = 3;
const CRASH_WINDOW_MS = 300_000;

/** The language server: found, started, watched, restarted; one of these at a time, in order. */
export class Server {
  /** The client while it is up. */
  client: LanguageClient | undefined;
  /** What runs the server, once it was found. */
  python = "";
  private turn: Promise<unknown> = Promise.resolve();
  private crashes: number[] = [];

  constructor(
    private readonly context: ExtensionContext,
    private readonly log: LogOutputChannel,
    private readonly status: Status,
    /** A new client, about to start: the time to add handlers to it. */
    private readonly starting: (client: LanguageClient) => void,
    /** The server ended. */
    private readonly gone: () => void,
  ) {
    context.subscriptions.push(
      workspace.onDidGrantWorkspaceTrust(() => this.client?.sendNotification(TrustNotification, { trusted: true })),
      workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration(`${SECTION}.server`)) {
          this.restart().catch((error) => this.log.error(sentence(error)));
        }
      }),
    );
  }

  /** The running client; started first where it is down. @throws Refusal with the reason. */
  ready(): Promise<LanguageClient> {
    return this.inTurn(async () => this.client ?? (await this.start()));
  }

  /** A new server in place of the old one. @throws Refusal with the reason. */
  restart(): Promise<LanguageClient> {
    return this.inTurn(async () => {
      await this.end();
      return await this.start();
    });
  }

  stop(): Promise<void> {
    return this.inTurn(() => this.end());
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.turn.then(work);
    this.turn = result.catch(() => undefined);
    return result;
  }

  private async start(): Promise<LanguageClient> {
    try {
      const python = await findPython(this.context);
      this.log.info(`Server: ${python.path} (${python.why})`);
      this.python = python.path;
      const client = await this.create(python.path);
      this.starting(client);
      await client.start().catch(async (error) => {
        await client.dispose().catch(() => undefined);
        this.log.error(sentence(error));
        const words = "The server of Compile Loop did not start; the log has its own words.";
        throw new Refusal(words, { "Show Log": () => this.log.show() });
      });
      const found = client.initializeResult?.serverInfo?.version;
      const own = this.context.extension.packageJSON.version;
      if (found !== own) {
        await client.dispose().catch(() => undefined);
        throw new Refusal(`The server in ${python.path} has version ${found}, this extension ${own}.`);
      }
      this.client = client;
      this.status.server();
      return client;
    } catch (error) {
      this.log.error(sentence(error));
      this.status.server(sentence(error));
      throw error;
    }
  }

  private async create(python: string): Promise<LanguageClient> {
    const { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn } = await import("./library.js");
    const known: InitializationOptions = { clientHandlesCommands: true, trusted: workspace.isTrusted };
    // Apart (`-I`): neither the current folder nor the user's own packages come before the server's.
    const options = { cwd: this.context.extensionPath };
    const client: LanguageClient = new LanguageClient(
      SECTION,
      "Compile Loop",
      { command: python, args: ["-I", "-m", "compile_loop.lsp"], options },
      {
        documentSelector: [{ scheme: "file" }],
        diagnosticCollectionName: "compile-loop",
        initializationOptions: known,
        initializationFailedHandler: () => false,
        outputChannel: this.log,
        traceOutputChannel: this.log,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        errorHandler: {
          error: () => ({ action: ErrorAction.Continue, handled: true }),
          closed: () => {
            this.crashed(client);
            return { action: CloseAction.DoNotRestart, handled: true };
          },
        },
      },
    );
    // It is for us to tell the user, in one message with something to do about it; everything is in the log.
    const write = client.error.bind(client);
    client.error = (message, data) => write(message, data, false);
    return client;
  }

  /** The server died by itself. A new client is made for a new server: the library's own restart keeps the old handlers. */
  private crashed(client: LanguageClient): void {
    if (client !== this.client) {
      return; // It never came up, or was told to end.
    }
    this.client = undefined;
    this.status.server();
    this.gone();
    const now = Date.now();
    this.crashes = [...this.crashes.filter((then) => now - then < CRASH_WINDOW_MS), now];
    this.log.error("The server ended unexpectedly.");
    if (this.crashes.length <= CRASHES) {
      this.ready().catch((error) => this.log.error(sentence(error)));
      return;
    }
    const reason = `The server of Compile Loop ended unexpectedly ${this.crashes.length} times; it stays off now.`;
    this.status.server(reason); // a click there starts it
    void tell("error", reason, { "Show Log": () => this.log.show() });
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client) {
      this.status.server();
      this.gone();
      // A server that does not answer `shutdown` is ended by the library; that it had to is no news to the user.
      await client.dispose().catch((error) => this.log.warn(sentence(error)));
    }
  }
}
