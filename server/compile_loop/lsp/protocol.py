"""Every message that Compile Loop adds to the Language Server Protocol, in one place (SPEC S2).

`extension/src/protocol.ts` is generated from this file. On the wire names are camelCase; positions and ranges are those of the LSP.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

PREFIX = "compileLoop/"
CONTENT_SCHEME = "compile-loop"
"""Virtual documents: `compile-loop:/RUN/before/PATH` and `compile-loop:/RUN/after/PATH`."""


class Model(BaseModel):
    """Base of all messages: camelCase on the wire, unknown fields refused."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


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
    work_done_token: str | int | None = None


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


class AcceptParams(Model):
    """`compileLoop/accept`: apply a result, by a `workspace/applyEdit` that the server sends; all its files, or only `uris`."""

    run_id: str
    uris: list[str] | None = None


class AcceptResult(Model):
    """Whether the edit is in the editor, and a sentence."""

    applied: bool
    message: str


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


REQUESTS: dict[str, tuple[type[Model], type[Model]]] = {
    "run": (RunParams, RunResult),
    "accept": (AcceptParams, AcceptResult),
    "discard": (DiscardParams, DiscardResult),
}
NOTIFICATIONS: dict[str, type[Model]] = {"runEvent": RunEvent, "status": ServerStatus}
