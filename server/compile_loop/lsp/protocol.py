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
}
"""`fix` and `fixWorkspace` are the client's own and get the arguments (uri, DiagnosticRef) from a code action.

The server's two are advertised only to clients that did not set `clientHandlesCommands`; each takes one object as its
argument.
"""
CODE_ACTION_KIND = "quickfix.compileLoop"
"""Kind of the server's code actions."""
CONTENT_SCHEME = "compile-loop"
"""Virtual documents: `compile-loop:/RUN/before/PATH` and `compile-loop:/RUN/after/PATH`."""


class Model(BaseModel):
    """Base of all messages: camelCase on the wire, unknown fields refused."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


class InitializationOptions(Model):
    """`initializationOptions` of `initialize`: what must be known before any setting can be asked for."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore")

    client_handles_commands: bool = False
    """The client registers `compileLoop.fix` and `compileLoop.fixWorkspace` itself."""
    trusted: bool = True
    """False: the server starts, but refuses to run anything (SPEC V8)."""


class DiagnosticRef(Model):
    """The diagnostic from which a run was asked for."""

    uri: str
    line: int = Field(ge=0)
    message: str
    source: str | None = None
    code: str | int | None = None


class RunParams(Model):
    """`compileLoop/run`: fix until the check passes. Cancel with `$/cancelRequest`."""

    scope: Literal["files", "workspace"] = "files"
    uris: list[str] = Field(default_factory=list)
    """Files that may be edited; needed where the scope is `files`."""
    diagnostic: DiagnosticRef | None = None
    check: str | None = None
    """A command line; none: the setting, else found from the manifest or the language."""
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


class AcceptParams(Model):
    """`compileLoop/accept`: apply a result, or only `uris` of it, by a `workspace/applyEdit` that the server sends."""

    run_id: str
    uris: list[str] | None = None


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
    tokens: int | None = None


class ServerStatus(Model):
    """`compileLoop/status`, a notification: runs under way now."""

    running: list[str]


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
}
NOTIFICATIONS: dict[str, type[Model]] = {"runEvent": RunEvent, "status": ServerStatus}
"""From the server to the client."""
CLIENT_NOTIFICATIONS: dict[str, type[Model]] = {"trust": TrustParams}
"""From the client to the server."""


def dump(model: Model) -> dict[str, Any]:
    """A message as it goes over the wire: camelCase names, absent rather than null."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)
