"""How a face hands requests to models that only it can reach, such as an editor's own (SPEC M1).

The seam holds plain data: roles `user` and `assistant` and their parts, as `vscode.lm` knows them. What comes back are
pieces, in the order in which they arrive.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from compile_loop.contracts.protocols import ToolSchema


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text of a message, or a piece of a reply's text."""

    text: str


@dataclass(frozen=True, slots=True)
class CallPart:
    """A tool call, whole. `input` is the object of its arguments."""

    call_id: str
    name: str
    input: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ResultPart:
    """The result of the call that `call_id` names."""

    call_id: str
    text: str


@dataclass(frozen=True, slots=True)
class RelayMessage:
    """One message; `role` is `user` or `assistant`. Results stand in a message of the user."""

    role: str
    parts: tuple[TextPart | CallPart | ResultPart, ...]


class RelayError(Exception):
    """The editor's model gave no reply. `code` is the editor's own: `NoPermissions`, `Blocked`, `NotFound` or empty."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Relay(Protocol):
    """Asks one of the editor's models."""

    def __call__(
        self, model: str, messages: tuple[RelayMessage, ...], tools: tuple[ToolSchema, ...], /
    ) -> AsyncIterator[TextPart | CallPart]:
        """Stream one reply; raises `RelayError`. Closing the iterator cancels the request in the editor."""
        ...
