// Generated from server/compile_loop/lsp/protocol.py by scripts/protocol_ts.py: change the former and run the latter.

import { NotificationType, RequestType } from "vscode-languageclient/node";

/** The settings' section in `workspace/configuration`. */
export const SECTION = "compileLoop";

/** Virtual documents: `compile-loop:/RUN/before/PATH` and `compile-loop:/RUN/after/PATH`. */
export const CONTENT_SCHEME = "compile-loop";

/** Kind of the server's code actions. */
export const CODE_ACTION_KIND = "quickfix.compileLoop";

/**
 * `fix` and `fixWorkspace` are the client's own and get the arguments (uri, DiagnosticRef) from a code action.
 *
 * The server's two are advertised only to clients that did not set `clientHandlesCommands`; each takes one object as its
 * argument.
 */
export const COMMANDS = {
  fix: "compileLoop.fix",
  fixWorkspace: "compileLoop.fixWorkspace",
  serverStartRun: "compileLoop.server.startRun",
  serverStop: "compileLoop.server.stop",
} as const;

/** `initializationOptions` of `initialize`: what must be known before any setting can be asked for. */
export interface InitializationOptions {
  /** The client registers `compileLoop.fix` and `compileLoop.fixWorkspace` itself. */
  clientHandlesCommands?: boolean | undefined;
  /** False: the server starts, but refuses to run anything (SPEC V8). */
  trusted?: boolean | undefined;
}

/** The diagnostic from which a run was asked for. */
export interface DiagnosticRef {
  uri: string;
  line: number;
  message: string;
  source?: string | undefined;
  code?: string | number | undefined;
}

/** `compileLoop/run`: fix until the check passes. Cancel with `$/cancelRequest`. */
export interface RunParams {
  scope?: "files" | "workspace" | undefined;
  /** Files that may be edited; needed where the scope is `files`. */
  uris?: string[] | undefined;
  diagnostic?: DiagnosticRef | undefined;
  /** A command line; none: the setting, else found from the manifest or the language. */
  check?: string | undefined;
  spec?: string | undefined;
  /** The editor's encoding of each open document by URI, such as `utf8bom` or `windows1252`; the rest is detected. */
  encodings?: Record<string, string> | undefined;
  workDoneToken?: string | number | undefined;
}

/**
 * The argument of the server command `compileLoop.server.startRun`, which returns a `StartRunResult` at once.
 *
 * A field that is null counts as left out: Emacs hands an empty object of a code action back as null.
 */
export interface StartRunArguments extends RunParams {}

/** A run that goes on in the background. */
export interface StartRunResult {
  runId: string;
}

/** The argument of the server command `compileLoop.server.stop`: one run, or all. */
export interface StopArguments {
  runId?: string | undefined;
}

/** The runs that were told to stop. */
export interface StopResult {
  stopped: string[];
}

/** Lines of one change, zero-based, half-open, for the view. */
export interface Hunk {
  beforeStart: number;
  beforeEnd: number;
  afterStart: number;
  afterEnd: number;
}

/** One file of a result. The two URIs open as read-only documents. */
export interface ChangedFile {
  uri: string;
  /** The path, relative to the workspace folder. */
  label: string;
  beforeUri: string;
  afterUri: string;
  kind: "change" | "create" | "delete";
  hunks: Hunk[];
}

/** What a run has used: model calls, tokens, seconds. */
export interface SpendingInfo {
  calls: number;
  promptTokens: number;
  completionTokens: number;
  estimated: boolean;
  wallSeconds: number;
  /** In the account's currency, where the model's price is known. */
  cost?: number;
}

/** How a run ended, for the preview. Nothing is applied yet (SPEC Q18). */
export interface RunResult {
  runId: string;
  ending: "green" | "nothing_to_fix" | "no_change_nominated" | "failed";
  /** The failure's typed word, such as `max_rounds`. */
  failure?: string;
  /** One sentence for a notification. */
  message: string;
  explanation: string;
  rounds: number;
  errorsBefore: number;
  errorsAfter: number;
  remaining: number;
  exitCode: number;
  /** The edit; for a failure the best partial result, possibly empty. */
  files: ChangedFile[];
  spending: SpendingInfo;
  suspicious: string[];
  /** What wants a person's look before this is believed (SPEC Q9). */
  suspect: string[];
  /** What to know before this is applied, such as line ends that the editor will change. */
  notes: string[];
}

/** `compileLoop/accept`: apply a result, or only `uris` of it, by a `workspace/applyEdit` that the server sends. */
export interface AcceptParams {
  runId: string;
  uris?: string[] | undefined;
}

/** Lines of a document, half-open from zero, that both the user and the run changed, with both texts. */
export interface ConflictPlace {
  uri: string;
  start: number;
  end: number;
  ours: string;
  theirs: string;
}

/** Whether the edit is in the editor, and a sentence. */
export interface AcceptResult {
  applied: boolean;
  message: string;
  /** URIs of files that changed since the run read them so that both changes cannot be had; nothing was written. */
  conflicts: string[];
  /** Where that is in the conflicting files, as far as it is a matter of lines. */
  places: ConflictPlace[];
  /** URIs of files where the edit was laid over the user's typing, verified again. */
  rebased: string[];
  /** URIs of files whose text, after applying, is not what was meant: something else changed them at the same time. */
  differs: string[];
}

/** `compileLoop/discard`: forget a result. */
export interface DiscardParams {
  runId: string;
}

/** Whether there was such a result. */
export interface DiscardResult {
  discarded: boolean;
}

/** `compileLoop/runEvent`, a notification: what a run does, as it does it. */
export interface RunEvent {
  runId: string;
  /** The event's name, such as `round_finished`. */
  kind: string;
  /** One line for the log, or a piece of the model's reply where `kind` is `model_text`. */
  text: string;
  round?: number;
  of?: number;
  errors?: number;
  tokens?: number;
}

/** `compileLoop/status`, a notification: runs under way now. */
export interface ServerStatus {
  running: string[];
}

/** `compileLoop/trust`, a notification from the client: the workspace is trusted now, or no longer. */
export interface TrustParams {
  trusted: boolean;
}

/** `data` of the diagnostics that the server publishes. */
export interface DiagnosticData {
  runId: string;
  /** The tool's own text. */
  rendered: string;
}

export const RunRequest = new RequestType<RunParams, RunResult, void>("compileLoop/run");
export const AcceptRequest = new RequestType<AcceptParams, AcceptResult, void>("compileLoop/accept");
export const DiscardRequest = new RequestType<DiscardParams, DiscardResult, void>("compileLoop/discard");
export const RunEventNotification = new NotificationType<RunEvent>("compileLoop/runEvent");
export const StatusNotification = new NotificationType<ServerStatus>("compileLoop/status");
export const TrustNotification = new NotificationType<TrustParams>("compileLoop/trust");
