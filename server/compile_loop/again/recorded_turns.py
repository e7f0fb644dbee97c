"""A record's turns as a turn generator, whatever machine and folder it is replayed on (SPEC R2, Q23)."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from compile_loop.contracts.inline_secrets import MARK
from compile_loop.contracts.protocols import (
    Message,
    ModelError,
    ModelErrorKind,
    Reply,
    ToolSchema,
    TurnEvent,
)
from compile_loop.models.replay import ReplayGenerator
from compile_loop.models.turn_log import Turn

_EDITS = re.compile(r"^[ \t]*(?:<{3,}|`{3,}|~{3,})[\s\S]*", re.MULTILINE)


class RecordedTurns:
    """Replies from a record.

    Today's requests are brought into the record's words by `as_recorded` before they are compared: without secrets, and
    with the root that the run had. `left` counts replies that were not asked for.
    """

    def __init__(self, turns: Sequence[Turn], name: str, as_recorded: Callable[[str], str]) -> None:
        self.left = len(turns)
        self._inner = ReplayGenerator([_usable(number, turn) for number, turn in enumerate(turns, 1)], name)
        self._as_recorded = as_recorded

    @property
    def name(self) -> str:
        """`replay:` and the run."""
        return self._inner.name

    async def generate(
        self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...] = ()
    ) -> AsyncGenerator[TurnEvent, None]:
        """The next recorded reply. Raises `ModelError` that says where a request differs or none is left."""
        request = tuple(self._message(each) for each in messages)
        async with aclosing(self._inner.generate(request, tools)) as events:
            async for event in events:
                if isinstance(event, Reply):
                    self.left -= 1
                yield event

    async def aclose(self) -> None:
        """Nothing to give back."""

    def _message(self, message: Message) -> Message:
        calls = tuple(replace(call, arguments=self._as_recorded(call.arguments)) for call in message.tool_calls)
        return replace(message, content=self._as_recorded(message.content), tool_calls=calls)


def holds_secret(turn: Turn) -> bool:
    """Whether the reply's edits or calls had a secret in them, which the record does not keep; prose may have had one."""
    reply = turn.reply
    if reply is None:
        return False
    edits = _EDITS.search(reply.text)
    return (edits is not None and MARK in edits.group()) or any(MARK in call.arguments for call in reply.tool_calls)


def _usable(number: int, turn: Turn) -> Turn:
    """A reply without its secret is another reply: using it would write the mark into a file."""
    if not holds_secret(turn):
        return turn
    error = ModelError(
        ModelErrorKind.CONFIGURATION,
        f"Reply {number} of the record held a secret, which is not kept, so the run cannot be replayed beyond it.",
    )
    return replace(turn, reply=None, error=error)
