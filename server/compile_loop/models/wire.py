"""What a wire protocol gives to the shared generator, and what a failed call is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from compile_loop.contracts.protocols import Message, ModelErrorKind, Reply, ToolCall, ToolSchema, Usage


class CallFailedError(Exception):
    """One call gave no reply. `message` is a sentence for the user, with no key in it.

    `passing` says whether the same call may work later, `timed_out` that it failed by silence, `wait` is the server's
    own wish in seconds, and `lost` counts the characters of a reply that had begun.
    """

    def __init__(
        self,
        kind: ModelErrorKind,
        message: str,
        *,
        passing: bool = False,
        timed_out: bool = False,
        wait: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.passing = passing
        self.timed_out = timed_out
        self.wait = wait
        self.lost: int | None = None


@dataclass(frozen=True, slots=True)
class Upstream:
    """An error in the provider's own words; `status` is the HTTP status, or the code inside a 200 stream."""

    status: int | None
    message: str = ""
    code: str = ""
    param: str = ""
    wait: float | None = None
    page: bool = False
    """Whether a web page came instead of an answer."""


class UpstreamError(Exception):
    """An endpoint said that the call failed; not yet judged. `lost` as in `CallFailedError`."""

    def __init__(self, upstream: Upstream) -> None:
        super().__init__(upstream.message)
        self.upstream = upstream
        self.lost: int | None = None


@dataclass(slots=True)
class Shape:
    """How requests to one endpoint must differ from the usual, as learned from what it refused (SPEC M2).

    `dropped` are parameters never sent again, `renamed` those sent by another name. `system_as_user` puts the system
    prompt before the first user message, `alternating` merges neighbours of the same role. `most_tokens` is the
    endpoint's own bound on a reply's length, `longer` multiplies the length that is asked for; `own_limit` says that the
    user asked for none.
    """

    dropped: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)
    system_as_user: bool = False
    alternating: bool = False
    most_tokens: int | None = None
    longer: int = 1
    own_limit: bool = False

    def limit(self, asked: int | None) -> int | None:
        """The bound on a reply's tokens to send, where `asked` is what the settings say."""
        if asked is None:
            return None
        return min(asked * self.longer, self.most_tokens or asked * self.longer)

    def applied(self, body: dict[str, object]) -> dict[str, object]:
        """The request without what is dropped, and with what is renamed."""
        kept = {name: value for name, value in body.items() if name not in self.dropped}
        return {self.renamed.get(name, name): value for name, value in kept.items()}


class StreamReader(Protocol):
    """Puts one reply together from the events of its stream."""

    def feed(self, event: str, data: str) -> str:
        """Take one server-sent event and give the text it adds; raises `UpstreamError` for an error inside it."""
        ...

    def feed_whole(self, body: object) -> str:
        """Take a reply that came as one JSON value though a stream was asked for."""
        ...

    @property
    def ended(self) -> bool:
        """Whether nothing more can follow."""
        ...

    @property
    def complete(self) -> bool:
        """Whether a terminal mark was seen, so that what is there may be used."""
        ...

    @property
    def text(self) -> str:
        """Everything the reply holds so far."""
        ...

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls that the reply makes so far; one whose id the server did not give has an empty id."""
        ...

    @property
    def finish(self) -> str:
        """Why it ended: `stop`, `length`, `content_filter` or the provider's own word."""
        ...

    @property
    def usage(self) -> Usage | None:
        """Tokens, where the provider counted them."""
        ...

    @property
    def stray(self) -> str:
        """The first payload that could not be read, for the error message; empty where all could."""
        ...


class Wire(Protocol):
    """One wire protocol: how a conversation is sent and how its reply is read."""

    path: str
    """Appended to the base address."""
    lines: bool = False
    """Whether a stream is one JSON value a line, and not server-sent events."""

    def headers(self, key: str | None) -> dict[str, str]:
        """The headers that carry the key and the protocol's version."""
        ...

    def body(self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...], shape: Shape) -> dict[str, object]:
        """The request for one reply."""
        ...

    def reader(self, tools: tuple[ToolSchema, ...]) -> StreamReader:
        """A fresh reader for one reply, in which `tools` may be called."""
        ...

    def settle(self, messages: tuple[Message, ...], reply: Reply, reader: StreamReader) -> None:
        """Take notice of a whole reply to `messages` before it is used; raises `CallFailedError` where it may not be."""
        return
