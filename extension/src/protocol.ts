// Generated from server/compile_loop/lsp/protocol.py by scripts/protocol_ts.py: change the former and run the latter.

import type { NotificationType, RequestType } from "vscode-languageclient/node";

/** The settings' section in `workspace/configuration`. */
export const SECTION = "compileLoop";

/** Virtual documents: `compile-loop:/PATH?RUN/before` and `compile-loop:/PATH?RUN/after`. */
export const CONTENT_SCHEME = "compile-loop";

/** Kind of the server's code actions. */
export const CODE_ACTION_KIND = "quickfix.compileLoop";

/**
 * `fix` and `fixWorkspace` get the arguments (uri, DiagnosticRef) from a code action.
 *
 * The server's own are advertised only to clients that did not set `clientHandlesCommands`; each takes one object as its
 * argument.
 */
export const COMMANDS = {
  fix: "compileLoop.fix",
  fixWorkspace: "compileLoop.fixWorkspace",
  serverStartRun: "compileLoop.server.startRun",
  serverStop: "compileLoop.server.stop",
  serverCommand: "compileLoop.server.command",
} as const;

/** `initializationOptions` of `initialize`: what must be known before any setting can be asked for. */
export interface InitializationOptions {
  /** The client forwards its commands with `compileLoop/command` and carries out what the server asks of it. */
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

/** A task as the editor knows it. Variables in it are not replaced. */
export interface EditorTask {
  name: string;
  source?: string | undefined;
  definition?: Record<string, unknown> | undefined;
  group?: string | undefined;
  isDefault?: boolean | undefined;
  background?: boolean | undefined;
  /** URI of its workspace folder. */
  folder?: string | undefined;
  commandLine?: string | undefined;
  /** Command and arguments, where there is no command line. */
  words?: string[] | undefined;
  shell?: boolean | undefined;
  cwd?: string | undefined;
  env?: Record<string, string> | undefined;
  /** Names of its problem matchers. */
  matchers?: string[] | undefined;
}

/** `compileLoop/run`: fix until the check passes. Cancel with `$/cancelRequest`. */
export interface RunParams {
  scope?: "files" | "workspace" | undefined;
  /** Files that may be edited; needed where the scope is `files`. */
  uris?: string[] | undefined;
  diagnostic?: DiagnosticRef | undefined;
  /** A command line, or `task: LABEL`; none: the setting, else found from the tasks, the manifest or the language. */
  check?: string | undefined;
  /** A task that is the check, instead of `check`. */
  task?: EditorTask | undefined;
  /** URI of the file that a task's `${file}` means, where that is not the only one of `uris`. */
  file?: string | undefined;
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
  /** From 1000 on, and so of the next two: at least so many; further ones of known kinds are not counted. */
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

/** `compileLoop/tool`: an agent's call of the language-model tool. Cancel with `$/cancelRequest`. */
export interface ToolParams {
  /** As the model gave them; they are checked by the server. */
  arguments?: Record<string, unknown> | undefined;
  /** As in `RunParams`. */
  encodings?: Record<string, string> | undefined;
}

/** What the model gets to read; `failed` where the run could not even be tried. */
export interface ToolResult {
  text: string;
  failed: boolean;
}

/** `compileLoop/accept`: apply a result, or only `uris` of it, by a `workspace/applyEdit` that the server sends. */
export interface AcceptParams {
  runId: string;
  uris?: string[] | undefined;
  /** Only these hunks of each file, by its URI; numbers count from zero in `ChangedFile.hunks`. */
  hunks?: Record<string, number[]> | undefined;
  /** Have the editor show the edit and ask before it applies it (a refactor preview). */
  confirm?: boolean | undefined;
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
  /** URIs of files that the user left out, where the editor asked. */
  left: string[];
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
  /** From 1000 on: at least so many. */
  errors?: number;
  tokens?: number;
}

/** `compileLoop/status`, a notification: what the status item shows; hidden where there is no text. */
export interface ServerStatus {
  /** Runs under way. */
  running: string[];
  text: string;
  tooltip: string;
  /** What a click does. */
  command: string;
}

/** `compileLoop/progress`, a notification: a notification with Stop for work that the server began by itself. */
export interface Progress {
  id: string;
  title: string;
  message: string;
  done: boolean;
}

/** `compileLoop/stop`, a notification from the client: end the work of one `Progress`. */
export interface StopParams {
  id: string;
}

/** A file in which some extension shows errors. */
export interface FailingFile {
  uri: string;
  errors: number;
}

/** What the editor shows as a command is given. */
export interface Facts {
  /** URI of the document in front. */
  active?: string | undefined;
  open?: string[] | undefined;
  /** Unsaved files, and those that version control calls changed. */
  changed?: string[] | undefined;
  failing?: FailingFile[] | undefined;
  /** As in `RunParams`. */
  encodings?: Record<string, string> | undefined;
}

/**
 * `compileLoop/command`: one of the client's commands; answered at once, carried out after.
 *
 * In other editors the argument of the server command `compileLoop.server.command`.
 */
export interface CommandParams {
  /** Its name without `compileLoop.`. */
  command: string;
  args?: unknown[] | undefined;
  facts?: Facts | undefined;
}

/** No answer is needed. */
export interface Nothing {}

/** `compileLoop/tree`: the children of a node of the view of runs; none: its roots. */
export interface TreeParams {
  id?: string | undefined;
}

/** One node of the view. */
export interface TreeNode {
  id: string;
  label: string;
  description: string;
  tooltip: string;
  icon: string;
  /** For the `when` clauses of menus. */
  context: string;
  expandable: boolean;
  /** Run by a click, with the node's id as its argument. */
  command: string;
}

/** Children in their order. */
export interface TreeNodes {
  nodes: TreeNode[];
}

/** `compileLoop/message`, from the server: a message with buttons. */
export interface MessageParams {
  kind: "info" | "warning" | "error";
  text: string;
  choices: string[];
  modal: boolean;
}

/** The button that was pressed; none: dismissed. */
export interface Chosen {
  choice?: string | undefined;
}

/** A line to pick. */
export interface PickItem {
  id: string;
  label: string;
  description: string;
  detail: string;
  picked: boolean;
  /** A heading; its id is of no use. */
  separator: boolean;
}

/** `compileLoop/pick`, from the server: a quick pick. Cancelling the request takes it away. */
export interface PickParams {
  title: string;
  items: PickItem[];
  many: boolean;
  placeholder: string;
}

/** The ids that were picked; absent: dismissed. */
export interface Picked {
  ids?: string[] | undefined;
}

/** `compileLoop/input`, from the server: a line of text, hidden where it is a password. */
export interface InputParams {
  title: string;
  prompt: string;
  value: string;
  password: boolean;
}

/** A text; absent: dismissed, or not there. */
export interface Entered {
  value?: string | undefined;
}

/** `compileLoop/secret`, from the server: read a secret, or keep `value`, or `forget` it. */
export interface SecretParams {
  name: string;
  value?: string;
  forget: boolean;
}

/** `compileLoop/execute`, from the server: a command of the editor. An argument `{"$uri": TEXT}` stands for a URI. */
export interface ExecuteParams {
  command: string;
  arguments: unknown[];
}

/** `compileLoop/configure`, from the server: write a setting of `compileLoop`, the user's or that of a `folder`. */
export interface ConfigureParams {
  name: string;
  value: unknown;
  folder?: string;
}

/** One file of a diff. A side that is absent does not exist there. */
export interface DiffFile {
  uri: string;
  label: string;
  left?: string;
  right?: string;
}

/** `compileLoop/diff`, from the server: a diff of several files. With no files, the one with this key is closed. */
export interface DiffParams {
  key: string;
  title: string;
  files: DiffFile[];
  /** Whether it shows a result that waits: Apply, Apply Some and Discard are offered while it is in front. */
  result: boolean;
}

/** Answer to `compileLoop/tasks`, from the server: every task, contributed ones too. */
export interface TaskList {
  tasks: EditorTask[];
}

/**
 * Answer to `compileLoop/matchers`, from the server: what extensions declare as `problemMatchers`, `problemPatterns`.
 */
export interface Matchers {
  matchers?: (Record<string, unknown>)[] | undefined;
  patterns?: (Record<string, unknown>)[] | undefined;
}

/** A place in a document, as in the LSP. */
export interface Position {
  line: number;
  character: number;
}

/** From `start` up to, not including, `end`. */
export interface Span {
  start: Position;
  end: Position;
}

/** Where fixes are asked for. */
export interface FixPlace {
  uri: string;
  range: Span;
}

/** One change of a document's text. */
export interface FixEdit {
  uri: string;
  range: Span;
  text: string;
}

/** A quick fix that an extension offers, as far as it edits text. */
export interface QuickFix {
  title: string;
  preferred: boolean;
  edits: FixEdit[];
}

/** `compileLoop/quickFixes`, from the server: which quick fixes do other extensions offer there? */
export interface QuickFixesParams {
  places: FixPlace[];
}

/** Those of each place. */
export interface QuickFixes {
  offers: QuickFix[][];
}

/** `compileLoop/taskEnded`, a notification from the client. */
export interface TaskEnded {
  task: EditorTask;
  exitCode?: number | undefined;
  facts?: Facts | undefined;
}

/** Every error that extensions show in a file, ours left out. */
export interface FileProblems {
  uri: string;
  items: DiagnosticRef[];
}

/** `compileLoop/problems`, a notification from the client: the files whose errors changed. */
export interface ProblemsParams {
  files: FileProblems[];
  facts?: Facts | undefined;
}

/** A model that the editor offers. */
export interface LentModel {
  id: string;
  name: string;
  vendor: string;
}

/** Answer to `compileLoop/languageModels`, from the server. */
export interface LentModels {
  models: LentModel[];
}

/** A part of a message: text; or with a `call_id` a tool call (`name` and `input`), or that call's result (`text`). */
export interface ModelPart {
  text?: string | undefined;
  callId?: string | undefined;
  name?: string | undefined;
  input?: Record<string, unknown> | undefined;
}

/** A message to a model of the editor. */
export interface ModelMessage {
  role: "user" | "assistant";
  parts: ModelPart[];
}

/** A tool that the model may call; `input_schema` is a JSON Schema. */
export interface ModelTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

/** `compileLoop/askModel`, from the server: one reply of a model. Its pieces come before the answer, under `key`. */
export interface AskModelParams {
  key: string;
  model: string;
  messages: ModelMessage[];
  tools: ModelTool[];
}

/** Answer to `compileLoop/askModel`: the reply is whole, or why there is none, in the editor's code and words. */
export interface ModelEnded {
  code?: string | undefined;
  message?: string | undefined;
}

/** `compileLoop/modelPiece`, a notification from the client: text or a call of the reply that `key` names. */
export interface ModelPiece {
  key: string;
  part: ModelPart;
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

// Names of methods. Whoever sends or hears one may pass its name or its type; the name needs none of the library's code,
// which is most of the extension's and is loaded with the first server only.
export const RunRequest = "compileLoop/run" as unknown as RequestType<RunParams, RunResult, void>;
export const AcceptRequest = "compileLoop/accept" as unknown as RequestType<AcceptParams, AcceptResult, void>;
export const DiscardRequest = "compileLoop/discard" as unknown as RequestType<DiscardParams, DiscardResult, void>;
export const CommandRequest = "compileLoop/command" as unknown as RequestType<CommandParams, Nothing, void>;
export const TreeRequest = "compileLoop/tree" as unknown as RequestType<TreeParams, TreeNodes, void>;
export const ToolRequest = "compileLoop/tool" as unknown as RequestType<ToolParams, ToolResult, void>;
export const MessageRequest = "compileLoop/message" as unknown as RequestType<MessageParams, Chosen, void>;
export const PickRequest = "compileLoop/pick" as unknown as RequestType<PickParams, Picked, void>;
export const InputRequest = "compileLoop/input" as unknown as RequestType<InputParams, Entered, void>;
export const SecretRequest = "compileLoop/secret" as unknown as RequestType<SecretParams, Entered, void>;
export const ExecuteRequest = "compileLoop/execute" as unknown as RequestType<ExecuteParams, Nothing, void>;
export const ConfigureRequest = "compileLoop/configure" as unknown as RequestType<ConfigureParams, Nothing, void>;
export const DiffRequest = "compileLoop/diff" as unknown as RequestType<DiffParams, Nothing, void>;
export const TasksRequest = "compileLoop/tasks" as unknown as RequestType<Nothing, TaskList, void>;
export const MatchersRequest = "compileLoop/matchers" as unknown as RequestType<Nothing, Matchers, void>;
export const QuickFixesRequest = "compileLoop/quickFixes" as unknown as RequestType<QuickFixesParams, QuickFixes, void>;
export const LanguageModelsRequest = "compileLoop/languageModels" as unknown as RequestType<Nothing, LentModels, void>;
export const AskModelRequest = "compileLoop/askModel" as unknown as RequestType<AskModelParams, ModelEnded, void>;
export const RunEventNotification = "compileLoop/runEvent" as unknown as NotificationType<RunEvent>;
export const StatusNotification = "compileLoop/status" as unknown as NotificationType<ServerStatus>;
export const ProgressNotification = "compileLoop/progress" as unknown as NotificationType<Progress>;
export const TreeChangedNotification = "compileLoop/treeChanged" as unknown as NotificationType<Nothing>;
export const TrustNotification = "compileLoop/trust" as unknown as NotificationType<TrustParams>;
export const StopNotification = "compileLoop/stop" as unknown as NotificationType<StopParams>;
export const TaskEndedNotification = "compileLoop/taskEnded" as unknown as NotificationType<TaskEnded>;
export const ProblemsNotification = "compileLoop/problems" as unknown as NotificationType<ProblemsParams>;
export const ModelPieceNotification = "compileLoop/modelPiece" as unknown as NotificationType<ModelPiece>;
