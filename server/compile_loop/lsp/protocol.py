"""Every message that Compile Loop adds to the Language Server Protocol, in one place (SPEC S2).

`extension/src/protocol.ts` is generated from this file. On the wire names are camelCase; positions and ranges are those
of the LSP.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

PREFIX = "compileLoop/"
SECTION = "compileLoop"
"""The settings' section in `workspace/configuration`."""
COMMANDS = {
    "fix": "compileLoop.fix",
    "fixWorkspace": "compileLoop.fixWorkspace",
    "serverStartRun": "compileLoop.server.startRun",
    "serverStop": "compileLoop.server.stop",
    "serverCommand": "compileLoop.server.command",
}
"""`fix` and `fixWorkspace` get the arguments (uri, DiagnosticRef) from a code action.

The server's own are advertised only to clients that did not set `clientHandlesCommands`; each takes one object as its
argument.
"""
CODE_ACTION_KIND = "quickfix.compileLoop"
"""Kind of the server's code actions."""
CONTENT_SCHEME = "compile-loop"
"""Virtual documents: `compile-loop:/PATH?RUN/before` and `compile-loop:/PATH?RUN/after`."""


class Model(BaseModel):
    """Base of all messages: camelCase on the wire, unknown fields refused."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


class InitializationOptions(Model):
    """`initializationOptions` of `initialize`: what must be known before any setting can be asked for."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore")

    client_handles_commands: bool = False
    """The client forwards its commands with `compileLoop/command` and carries out what the server asks of it."""
    trusted: bool = True
    """False: the server starts, but refuses to run anything (SPEC V8)."""


class DiagnosticRef(Model):
    """The diagnostic from which a run was asked for."""

    uri: str
    line: int = Field(ge=0)
    message: str
    source: str | None = None
    code: str | int | None = None


class EditorTask(Model):
    """A task as the editor knows it. Variables in it are not replaced."""

    name: str
    source: str = ""
    definition: dict[str, Any] = Field(default_factory=dict)
    group: str | None = None
    is_default: bool = False
    background: bool = False
    folder: str | None = None
    """URI of its workspace folder."""
    command_line: str | None = None
    words: list[str] = Field(default_factory=list)
    """Command and arguments, where there is no command line."""
    shell: bool = False
    cwd: str | None = None
    env: dict[str, str] = Field(default_factory=dict)
    matchers: list[str] = Field(default_factory=list)
    """Names of its problem matchers."""


class RunParams(Model):
    """`compileLoop/run`: fix until the check passes. Cancel with `$/cancelRequest`."""

    scope: Literal["files", "workspace"] = "files"
    uris: list[str] = Field(default_factory=list)
    """Files that may be edited; needed where the scope is `files`."""
    diagnostic: DiagnosticRef | None = None
    check: str | None = None
    """A command line, or `task: LABEL`; none: the setting, else found from the tasks, the manifest or the language."""
    task: EditorTask | None = None
    """A task that is the check, instead of `check`."""
    file: str | None = None
    """URI of the file that a task's `${file}` means, where that is not the only one of `uris`."""
    spec: str = ""
    encodings: dict[str, str] = Field(default_factory=dict)
    """The editor's encoding of each open document by URI, such as `utf8bom` or `windows1252`; the rest is detected."""
    work_done_token: str | int | None = None


class StartRunArguments(RunParams):
    """The argument of the server command `compileLoop.server.startRun`, which returns a `StartRunResult` at once.

    A field that is null counts as left out: Emacs hands an empty object of a code action back as null.
    """

    @model_validator(mode="before")
    @classmethod
    def _left_out(cls, given: Any) -> Any:
        return {name: value for name, value in given.items() if value is not None} if isinstance(given, dict) else given


class StartRunResult(Model):
    """A run that goes on in the background."""

    run_id: str


class StopArguments(Model):
    """The argument of the server command `compileLoop.server.stop`: one run, or all."""

    run_id: str | None = None


class StopResult(Model):
    """The runs that were told to stop."""

    stopped: list[str]


class Hunk(Model):
    """Lines of one change, zero-based, half-open, for the view."""

    before_start: int
    before_end: int
    after_start: int
    after_end: int


class ChangedFile(Model):
    """One file of a result. The two URIs open as read-only documents."""

    uri: str
    label: str
    """The path, relative to the workspace folder."""
    before_uri: str
    after_uri: str
    kind: Literal["change", "create", "delete"]
    hunks: list[Hunk]


class SpendingInfo(Model):
    """What a run has used: model calls, tokens, seconds."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    estimated: bool
    wall_seconds: float
    cost: float | None = None
    """In the account's currency, where the model's price is known."""


class RunResult(Model):
    """How a run ended, for the preview. Nothing is applied yet (SPEC Q18)."""

    run_id: str
    ending: Literal["green", "nothing_to_fix", "no_change_nominated", "failed"]
    failure: str | None = None
    """The failure's typed word, such as `max_rounds`."""
    message: str
    """One sentence for a notification."""
    explanation: str = ""
    rounds: int
    errors_before: int
    """From 1000 on, and so of the next two: at least so many; further ones of known kinds are not counted."""
    errors_after: int
    remaining: int
    exit_code: int
    files: list[ChangedFile]
    """The edit; for a failure the best partial result, possibly empty."""
    spending: SpendingInfo
    suspicious: list[str] = Field(default_factory=list)
    suspect: list[str] = Field(default_factory=list)
    """What wants a person's look before this is believed (SPEC Q9)."""
    notes: list[str] = Field(default_factory=list)
    """What to know before this is applied, such as line ends that the editor will change."""


class ToolParams(Model):
    """`compileLoop/tool`: an agent's call of the language-model tool. Cancel with `$/cancelRequest`."""

    arguments: dict[str, Any] = Field(default_factory=dict)
    """As the model gave them; they are checked by the server."""
    encodings: dict[str, str] = Field(default_factory=dict)
    """As in `RunParams`."""


class ToolResult(Model):
    """What the model gets to read; `failed` where the run could not even be tried."""

    text: str
    failed: bool


class AcceptParams(Model):
    """`compileLoop/accept`: apply a result, or only `uris` of it, by a `workspace/applyEdit` that the server sends."""

    run_id: str
    uris: list[str] | None = None
    hunks: dict[str, list[int]] | None = None
    """Only these hunks of each file, by its URI; numbers count from zero in `ChangedFile.hunks`."""
    confirm: bool = False
    """Have the editor show the edit and ask before it applies it (a refactor preview)."""


class ConflictPlace(Model):
    """Lines of a document, half-open from zero, that both the user and the run changed, with both texts."""

    uri: str
    start: int
    end: int
    ours: str
    theirs: str


class AcceptResult(Model):
    """Whether the edit is in the editor, and a sentence."""

    applied: bool
    message: str
    conflicts: list[str] = Field(default_factory=list)
    """URIs of files that changed since the run read them so that both changes cannot be had; nothing was written."""
    places: list[ConflictPlace] = Field(default_factory=list)
    """Where that is in the conflicting files, as far as it is a matter of lines."""
    rebased: list[str] = Field(default_factory=list)
    """URIs of files where the edit was laid over the user's typing, verified again."""
    differs: list[str] = Field(default_factory=list)
    """URIs of files whose text, after applying, is not what was meant: something else changed them at the same time."""
    left: list[str] = Field(default_factory=list)
    """URIs of files that the user left out, where the editor asked."""


class DiscardParams(Model):
    """`compileLoop/discard`: forget a result."""

    run_id: str


class DiscardResult(Model):
    """Whether there was such a result."""

    discarded: bool


class RunEvent(Model):
    """`compileLoop/runEvent`, a notification: what a run does, as it does it."""

    run_id: str
    kind: str
    """The event's name, such as `round_finished`."""
    text: str
    """One line for the log, or a piece of the model's reply where `kind` is `model_text`."""
    round: int | None = None
    of: int | None = None
    errors: int | None = None
    """From 1000 on: at least so many."""
    tokens: int | None = None


class ServerStatus(Model):
    """`compileLoop/status`, a notification: what the status item shows; hidden where there is no text."""

    running: list[str]
    """Runs under way."""
    text: str = ""
    tooltip: str = ""
    command: str = ""
    """What a click does."""


class Progress(Model):
    """`compileLoop/progress`, a notification: a notification with Stop for work that the server began by itself."""

    id: str
    title: str
    message: str = ""
    done: bool = False


class StopParams(Model):
    """`compileLoop/stop`, a notification from the client: end the work of one `Progress`."""

    id: str


class FailingFile(Model):
    """A file in which some extension shows errors."""

    uri: str
    errors: int


class Facts(Model):
    """What the editor shows as a command is given."""

    active: str | None = None
    """URI of the document in front."""
    open: list[str] = Field(default_factory=list)
    changed: list[str] = Field(default_factory=list)
    """Unsaved files, and those that version control calls changed."""
    failing: list[FailingFile] = Field(default_factory=list)
    encodings: dict[str, str] = Field(default_factory=dict)
    """As in `RunParams`."""


class CommandParams(Model):
    """`compileLoop/command`: one of the client's commands; answered at once, carried out after.

    In other editors the argument of the server command `compileLoop.server.command`.
    """

    command: str
    """Its name without `compileLoop.`."""
    args: list[Any] = Field(default_factory=list)
    facts: Facts = Field(default_factory=Facts)


class Nothing(Model):
    """No answer is needed."""


class TreeParams(Model):
    """`compileLoop/tree`: the children of a node of the view of runs; none: its roots."""

    id: str | None = None


class TreeNode(Model):
    """One node of the view."""

    id: str
    label: str
    description: str = ""
    tooltip: str = ""
    icon: str = ""
    context: str = ""
    """For the `when` clauses of menus."""
    expandable: bool = False
    command: str = ""
    """Run by a click, with the node's id as its argument."""


class TreeNodes(Model):
    """Children in their order."""

    nodes: list[TreeNode]


class MessageParams(Model):
    """`compileLoop/message`, from the server: a message with buttons."""

    kind: Literal["info", "warning", "error"]
    text: str
    choices: list[str] = Field(default_factory=list)
    modal: bool = False


class Chosen(Model):
    """The button that was pressed; none: dismissed."""

    choice: str | None = None


class PickItem(Model):
    """A line to pick."""

    id: str
    label: str
    description: str = ""
    detail: str = ""
    picked: bool = False
    separator: bool = False
    """A heading; its id is of no use."""


class PickParams(Model):
    """`compileLoop/pick`, from the server: a quick pick. Cancelling the request takes it away."""

    title: str
    items: list[PickItem]
    many: bool = False
    placeholder: str = ""


class Picked(Model):
    """The ids that were picked; absent: dismissed."""

    ids: list[str] | None = None


class InputParams(Model):
    """`compileLoop/input`, from the server: a line of text, hidden where it is a password."""

    title: str
    prompt: str = ""
    value: str = ""
    password: bool = False


class Entered(Model):
    """A text; absent: dismissed, or not there."""

    value: str | None = None


class SecretParams(Model):
    """`compileLoop/secret`, from the server: read a secret, or keep `value`, or `forget` it."""

    name: str
    value: str | None = None
    forget: bool = False


class ExecuteParams(Model):
    """`compileLoop/execute`, from the server: a command of the editor. An argument `{"$uri": TEXT}` stands for a URI."""

    command: str
    arguments: list[Any] = Field(default_factory=list)


class ConfigureParams(Model):
    """`compileLoop/configure`, from the server: write a setting of `compileLoop`, the user's or that of a `folder`."""

    name: str
    value: Any
    folder: str | None = None


class DiffFile(Model):
    """One file of a diff. A side that is absent does not exist there."""

    uri: str
    label: str
    left: str | None = None
    right: str | None = None


class DiffParams(Model):
    """`compileLoop/diff`, from the server: a diff of several files. With no files, the one with this key is closed."""

    key: str
    title: str = ""
    files: list[DiffFile] = Field(default_factory=list)
    result: bool = False
    """Whether it shows a result that waits: Apply, Apply Some and Discard are offered while it is in front."""


class TaskList(Model):
    """Answer to `compileLoop/tasks`, from the server: every task, contributed ones too."""

    tasks: list[EditorTask]


class Matchers(Model):
    """Answer to `compileLoop/matchers`, from the server: what extensions declare as `problemMatchers`, `problemPatterns`."""

    matchers: list[dict[str, Any]] = Field(default_factory=list)
    patterns: list[dict[str, Any]] = Field(default_factory=list)


class Position(Model):
    """A place in a document, as in the LSP."""

    line: int = Field(ge=0)
    character: int = Field(ge=0)


class Span(Model):
    """From `start` up to, not including, `end`."""

    start: Position
    end: Position


class FixPlace(Model):
    """Where fixes are asked for."""

    uri: str
    range: Span


class FixEdit(Model):
    """One change of a document's text."""

    uri: str
    range: Span
    text: str


class QuickFix(Model):
    """A quick fix that an extension offers, as far as it edits text."""

    title: str
    preferred: bool
    edits: list[FixEdit]


class QuickFixesParams(Model):
    """`compileLoop/quickFixes`, from the server: which quick fixes do other extensions offer there?"""

    places: list[FixPlace]


class QuickFixes(Model):
    """Those of each place."""

    offers: list[list[QuickFix]]


class TaskEnded(Model):
    """`compileLoop/taskEnded`, a notification from the client."""

    task: EditorTask
    exit_code: int | None = None
    facts: Facts = Field(default_factory=Facts)


class FileProblems(Model):
    """Every error that extensions show in a file, ours left out."""

    uri: str
    items: list[DiagnosticRef]


class ProblemsParams(Model):
    """`compileLoop/problems`, a notification from the client: the files whose errors changed."""

    files: list[FileProblems]
    facts: Facts = Field(default_factory=Facts)


class LentModel(Model):
    """A model that the editor offers."""

    id: str
    name: str
    vendor: str


class LentModels(Model):
    """Answer to `compileLoop/languageModels`, from the server."""

    models: list[LentModel]


class ModelPart(Model):
    """A part of a message: text; or with a `call_id` a tool call (`name` and `input`), or that call's result (`text`)."""

    text: str | None = None
    call_id: str | None = None
    name: str | None = None
    input: dict[str, Any] | None = None


class ModelMessage(Model):
    """A message to a model of the editor."""

    role: Literal["user", "assistant"]
    parts: list[ModelPart]


class ModelTool(Model):
    """A tool that the model may call; `input_schema` is a JSON Schema."""

    name: str
    description: str
    input_schema: dict[str, Any]


class AskModelParams(Model):
    """`compileLoop/askModel`, from the server: one reply of a model. Its pieces come before the answer, under `key`."""

    key: str
    model: str
    messages: list[ModelMessage]
    tools: list[ModelTool]


class ModelEnded(Model):
    """Answer to `compileLoop/askModel`: the reply is whole, or why there is none, in the editor's code and words."""

    code: str | None = None
    message: str = ""


class ModelPiece(Model):
    """`compileLoop/modelPiece`, a notification from the client: text or a call of the reply that `key` names."""

    key: str
    part: ModelPart


class TrustParams(Model):
    """`compileLoop/trust`, a notification from the client: the workspace is trusted now, or no longer."""

    trusted: bool


class DiagnosticData(Model):
    """`data` of the diagnostics that the server publishes."""

    run_id: str
    rendered: str = ""
    """The tool's own text."""


REQUESTS: dict[str, tuple[type[Model], type[Model]]] = {
    "run": (RunParams, RunResult),
    "accept": (AcceptParams, AcceptResult),
    "discard": (DiscardParams, DiscardResult),
    "command": (CommandParams, Nothing),
    "tree": (TreeParams, TreeNodes),
    "tool": (ToolParams, ToolResult),
}
"""From the client to the server."""
SERVER_REQUESTS: dict[str, tuple[type[Model], type[Model]]] = {
    "message": (MessageParams, Chosen),
    "pick": (PickParams, Picked),
    "input": (InputParams, Entered),
    "secret": (SecretParams, Entered),
    "execute": (ExecuteParams, Nothing),
    "configure": (ConfigureParams, Nothing),
    "diff": (DiffParams, Nothing),
    "tasks": (Nothing, TaskList),
    "matchers": (Nothing, Matchers),
    "quickFixes": (QuickFixesParams, QuickFixes),
    "languageModels": (Nothing, LentModels),
    "askModel": (AskModelParams, ModelEnded),
}
"""From the server to a client that set `clientHandlesCommands`."""
NOTIFICATIONS: dict[str, type[Model]] = {
    "runEvent": RunEvent,
    "status": ServerStatus,
    "progress": Progress,
    "treeChanged": Nothing,
}
"""From the server to the client."""
CLIENT_NOTIFICATIONS: dict[str, type[Model]] = {
    "trust": TrustParams,
    "stop": StopParams,
    "taskEnded": TaskEnded,
    "problems": ProblemsParams,
    "modelPiece": ModelPiece,
}
"""From the client to the server."""


def dump(model: Model) -> dict[str, Any]:
    """A message as it goes over the wire: camelCase names, absent rather than null."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)
