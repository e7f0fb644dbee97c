"""A recorded run instead of a model: each request must be the one that was recorded (SPEC M1, R2)."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path

from compile_loop.contracts.json_text import value_in
from compile_loop.contracts.protocols import (
    Message,
    ModelError,
    ModelErrorKind,
    TextDelta,
    ToolCall,
    ToolSchema,
    TurnEvent,
)
from compile_loop.engine.fingerprint import normalise
from compile_loop.models.turn_log import Turn, TurnLogFormatError, turns_in

_LONGEST_QUOTE = 80


class ReplayGenerator:
    """Gives one recorded reply a request, in their order.

    A request too many, or another than was recorded, raises `ModelError` that says where. Requests are compared as
    `normal` leaves their text: the usual one forgets numbers, times, addresses and paths of temporary folders.
    """

    def __init__(
        self, turns: Sequence[Turn], name: str = "replay:run", *, normal: Callable[[str], str] = normalise
    ) -> None:
        self._turns = turns
        self._name = name
        self._normal = normal
        self._asked = 0

    @property
    def name(self) -> str:
        """`replay:` and where the record is."""
        return self._name

    async def generate(
        self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...] = ()
    ) -> AsyncGenerator[TurnEvent, None]:
        """Give the recorded reply, line by line and then whole, or raise the recorded error."""
        self._asked += 1
        there = len(self._turns)
        if self._asked > there:
            replies = "1 reply" if there == 1 else f"{there} replies"
            raise _differs(f"The record holds {replies}, and reply {self._asked} was asked for")
        turn = self._turns[self._asked - 1]
        self._compare(turn, messages, tools)
        if turn.error is not None:
            raise ModelError(turn.error.kind, turn.error.message)
        assert turn.reply is not None
        for line in turn.reply.text.splitlines(keepends=True):
            yield TextDelta(line)
        yield turn.reply

    async def aclose(self) -> None:
        """Nothing to give back."""

    def _compare(self, turn: Turn, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> None:
        where = f"Request {self._asked} is not the recorded one"
        names = tuple(tool.name for tool in tools)
        if names != turn.tools:
            raise _differs(f"{where}: it offers the tools {_listed(names)}, recorded were {_listed(turn.tools)}")
        for number, (now, then) in enumerate(zip(messages, turn.messages, strict=False), 1):
            place = f"{where}: message {number} of {len(turn.messages)}"
            if now.role != then.role:
                raise _differs(f"{place} is of {now.role}, recorded was {then.role}")
            if now.tool_call_id != then.tool_call_id:
                raise _differs(f"{place} answers call {now.tool_call_id}, recorded was {then.tool_call_id}")
            if _called(now) != _called(then):
                raise _differs(f"{place} calls {_called(now)}, recorded was {_called(then)}")
            if (difference := self._difference(now.content, then.content)) is not None:
                raise _differs(f"{place} ({now.role}) {difference}")
        if len(messages) != len(turn.messages):
            raise _differs(f"{where}: it has {len(messages)} messages, recorded were {len(turn.messages)}")

    def _difference(self, now: str, then: str) -> str | None:
        """The first line that differs, with its number; None where none does."""
        ours, theirs = now.splitlines(), then.splitlines()
        for number in range(max(len(ours), len(theirs))):
            a = ours[number] if number < len(ours) else ""
            b = theirs[number] if number < len(theirs) else ""
            if a != b and self._normal(a) != self._normal(b):
                return f"differs in line {number + 1}: {_quote(a)}, recorded was {_quote(b)}"
        return None


def read_turns(path: str) -> list[Turn]:
    """Read a record's turns from a JSONL file. Raises `ModelError` where it cannot be read or is none."""
    try:
        return turns_in(Path(path).read_text("utf-8"))
    except OSError as error:
        raise _differs(f"The record {path} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, TurnLogFormatError) as error:
        raise _differs(f"The record {path} cannot be read: {error}") from None


def _called(message: Message) -> list[tuple[str, str, object]]:
    return [(call.id, call.name, _parsed(call)) for call in message.tool_calls]


def _parsed(call: ToolCall) -> object:
    try:
        return value_in(call.arguments)
    except (ValueError, RecursionError):
        return call.arguments


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def _quote(line: str) -> str:
    shown = line if len(line) <= _LONGEST_QUOTE else f"{line[:_LONGEST_QUOTE]}…"
    return json.dumps(shown, ensure_ascii=False)


def _differs(message: str) -> ModelError:
    return ModelError(ModelErrorKind.CONFIGURATION, f"{message}.")
