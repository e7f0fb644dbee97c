"""The seams of the engine: what it asks of the parts that `assemble.py` puts together."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from compile_loop.contracts.checks import Check, ContractResult
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.edits import Edit
from compile_loop.contracts.events import Event, Pass
from compile_loop.contracts.protected import Marks


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool as a model sees it. `parameters` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that a model makes. `arguments` is the JSON text as it came, not yet parsed (SPEC M4)."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation.

    `role` is `system`, `user`, `assistant` or `tool`. An assistant's message may carry `tool_calls`; a tool's message
    answers the one that `tool_call_id` names.
    """

    role: str
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, as the provider counted them.

    `cached_tokens` of the prompt came out of the provider's cache, `cache_written_tokens` of it were put there; both
    are part of `prompt_tokens`.
    """

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0
    cache_written_tokens: int = 0


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the reply's text."""

    text: str


@dataclass(frozen=True, slots=True)
class Retrying:
    """The call failed in a way that may pass; what streamed so far is void, and it is made again after `seconds`.

    `lost` counts the characters of the void reply; None where none had begun, so that nothing is owed for it.
    """

    reason: str
    seconds: float
    lost: int | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know about the call, such as a parameter that the provider refused."""

    message: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole reply, the last thing that a turn generator yields.

    `finish` is `stop`, `length` (cut off at a token limit) or another word of the provider. A stream that ended with no
    terminal mark is no reply: it is retried, then raised as `ModelError`.
    """

    text: str
    finish: str = "stop"
    usage: Usage | None = None
    seconds: float = 0.0
    tool_calls: tuple[ToolCall, ...] = ()


TurnEvent = TextDelta | Retrying | Notice | Reply


class ModelErrorKind(str, Enum):
    """What kind of trouble a model endpoint gave, after retries."""

    AUTH = "auth"
    CONFIGURATION = "configuration"
    CONTEXT = "context"
    CONTENT_FILTER = "content_filter"
    QUOTA = "quota"
    NOT_FOUND = "not_found"
    UNAVAILABLE = "unavailable"
    BAD_REQUEST = "bad_request"


class ModelError(Exception):
    """A turn generator could not give a reply. The message is a sentence for the user and never holds a key.

    `lost` counts the characters, thinking and calls included, of a reply that had begun and is void; None where none had.
    """

    def __init__(self, kind: ModelErrorKind, message: str, lost: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.lost = lost


class TurnGenerator(Protocol):
    """Anything that yields one model reply."""

    @property
    def name(self) -> str:
        """How the model is shown to people, `provider:model`."""
        ...

    def generate(
        self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...] = ()
    ) -> AsyncGenerator[TurnEvent, None]:
        """Stream one reply to `messages`, in which the model may call `tools`.

        Ends with exactly one `Reply` or raises `ModelError`.

        Closing the generator or cancelling its task ends the call at once.
        """
        ...

    async def aclose(self) -> None:
        """Give back connections. Safe to call more than once."""
        ...


@dataclass(frozen=True, slots=True)
class Sight:
    """What lies at a path of the copy, with every link followed there, whoever made it.

    `place` is workspace-relative; None: outside. `data` is None where there is no regular file, it lies outside, or is
    larger than `LARGEST_SHOWN`; `size` in bytes. `another`: it is a further name (a hard link) of some other file, and not
    what the user has there.
    """

    place: str | None
    data: bytes | None = None
    size: int = 0
    another: bool = False


LARGEST_SHOWN = 64 << 20
"""Bytes; of a larger file nothing is shown to a model."""


class Shadow(Protocol):
    """The isolated copy in which a run tries its edits. Paths are workspace-relative with forward slashes.

    Every method that fails for want of disk, rights or room raises `ShadowError`.
    """

    @property
    def isolation(self) -> str:
        """How it is isolated, in a few words for people and the record."""
        ...

    @property
    def root(self) -> str:
        """The workspace's absolute path in the user's terms."""
        ...

    async def open(self) -> None:
        """Lay the copy out, unsaved buffers included."""
        ...

    async def read(self, path: str) -> bytes | None:
        """A file's bytes in the copy; None where there is no such file."""
        ...

    async def original(self, path: str) -> bytes | None:
        """A file's bytes as the copy was laid out, whatever a check has done to it since."""
        ...

    async def write(self, path: str, data: bytes | None) -> None:
        """Set a file's bytes in the copy; None deletes it."""
        ...

    async def renew(self, changes: dict[str, bytes | None]) -> None:
        """Start again from the user's tree as the run found it, and lay only `changes` over it (SPEC L2, Q13)."""
        ...

    async def set_caches_apart(self) -> None:
        """From now on, what checks write to the caches of their tools is thrown away with the copy, and at each `renew`.

        Where that can be: not in a copy in another place (SPEC Q13).
        """
        ...

    def aside(self) -> AbstractAsyncContextManager[None]:
        """A while in which all that is written, by the run or by a check, is thrown away in the end (SPEC K5).

        In the copy, and as far as can be in temporary folders, caches and shared memory, too. What was there before can
        be read all the while.
        """
        ...

    async def close(self) -> None:
        """Remove the copy. Safe to call more than once, and from any state."""
        ...

    def command(self, argv: Sequence[str], cwd: str) -> tuple[list[str], str]:
        """How to start `argv` so that it sees the copy: the vector to execute and the real working directory."""
        ...

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        """A command's variables as it needs them to see the copy, and nothing but the copy."""
        ...

    def changed_underneath(self) -> Sequence[str]:
        """Files that were read and that the user has since changed in the real tree (SPEC Q13)."""
        ...

    async def marks(self, concerns: Callable[[str], bool]) -> Marks:
        """The files that `concerns` holds for, at least those that a write has reached (SPEC K6)."""
        ...

    async def watch(self, paths: Sequence[str]) -> bool:
        """From now on, notice whether the bytes of these files are written; False where the system does not tell.

        A touch, a new mode and a further name are no such writing. `renew` ends it.
        """
        ...

    async def written(self) -> frozenset[str]:
        """Those of the watched files whose bytes were written since, or that were removed, replaced or renamed."""
        ...

    async def watch_arrivals(self) -> None:
        """From now on, notice which files come into the copy. `renew` ends it."""
        ...

    async def arrivals(self) -> frozenset[str]:
        """Files that came since, also where they are gone again; none where the system does not tell."""
        ...

    def user_text(self, text: str) -> str:
        """A tool's text with the copy's paths turned into the user's (SPEC D3)."""
        ...

    def peek(self, path: str) -> bytes | None:
        """The bytes that a tool in the copy sees at `path`, absolute in the user's terms; None where there is no file."""
        ...

    def look(self, path: str) -> Sight:
        """What lies at a workspace-relative path, and where its links lead: what may be shown hangs on that (SPEC E10)."""
        ...

    def find(self, name: str) -> list[str]:
        """Absolute paths, in the user's terms, of the copy's files whose path ends in `name`.

        For tools that print base names.
        """
        ...


class ShadowError(Exception):
    """The isolated copy could not be made or used; the message is a sentence for the user."""


class Contract(Protocol):
    """All checks of a run, ready to run in a shadow."""

    @property
    def checks(self) -> tuple[Check, ...]:
        """The checks in their order."""
        ...

    async def run(self, shadow: Shadow, in_pass: Pass, number: int, emit: Callable[[Event], None]) -> ContractResult:
        """Run every check, telling `emit` of starts, diagnostics and ends.

        Being cancelled ends every process before it raises.
        """
        ...


class Advisers(Protocol):
    """Tools that offer fixes only when they are asked: language services, linters that printed text (SPEC D5)."""

    async def advise(self, shadow: Shadow, diagnostics: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
        """The same diagnostics in the same order, with what the tools offer added.

        A tool that is missing, fails or takes too long adds nothing. Being cancelled ends every process before it raises.
        """
        ...


class AuthGate(Protocol):
    """Somebody who can make a credential usable while a run waits (SPEC L14)."""

    async def usable(self, reason: str | None) -> bool:
        """Whether a usable credential can be reached now; `reason` is what the model's endpoint said, if it was asked.

        May wait for a person. Being cancelled ends the wait.
        """
        ...


class AskUser(Protocol):
    """Somebody to ask (SPEC L12)."""

    async def ask(self, question: str, choices: Sequence[str]) -> str:
        """Their answer; empty where they dismissed the question. Being cancelled takes the question away."""
        ...


class RepairMemory(Protocol):
    """What has proved green before in this workspace, by the failures it repaired (SPEC T8)."""

    def recall(self, failures: frozenset[str]) -> Sequence[str]:
        """Texts that show edits which repaired some of these failures, best first."""
        ...

    def remember(self, failures: frozenset[str], edit: Edit, explanation: str) -> None:
        """Keep an edit that proved green."""
        ...


class FileHold(Protocol):
    """Keeps runs of other processes from the files of this one (SPEC L18)."""

    def claim(self, run_id: str, paths: Sequence[str]) -> str | None:
        """Hold further files; a sentence where somebody else's run holds one of them. Never waits."""
        ...

    def release(self) -> None:
        """Hold nothing any more."""
        ...


Clock = Callable[[], float]
"""Seconds on a monotonic clock."""
