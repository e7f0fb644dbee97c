"""What was asked of a model and what it replied, one JSON object a line: written by a log, read by a replay (SPEC R1, R2).

    {"kept": 2, "messages": [...], "tools": ["read_file"], "reply": {"text": ..., "finish": ..., "tool_calls": [...], ...}}

`kept` messages of the request before begin this one as well, and `messages` are those that follow them. A turn that
ended in an error has `error` instead of `reply`: `{"kind": ..., "message": ...}`.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from compile_loop.contracts.protocols import (
    Message,
    ModelError,
    ModelErrorKind,
    Reply,
    ToolCall,
    ToolSchema,
    TurnEvent,
    TurnGenerator,
    Usage,
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One request and what came of it: `reply`, or else `error`. `tools` are the names of those that were offered."""

    messages: tuple[Message, ...]
    tools: tuple[str, ...]
    reply: Reply | None = None
    error: ModelError | None = None


class TurnLogFormatError(ValueError):
    """A line that is no turn; the message says which and why."""


class TurnLogWriter:
    """Turns as lines, each without what the one before has said already."""

    def __init__(self) -> None:
        self._before: tuple[Message, ...] = ()

    def line(self, turn: Turn) -> str:
        """The turn as one line of JSON, with its line end."""
        kept = 0
        for old, new in zip(self._before, turn.messages, strict=False):
            if old != new:
                break
            kept += 1
        self._before = turn.messages
        value: dict[str, object] = {
            "kept": kept,
            "messages": [_message_out(each) for each in turn.messages[kept:]],
            "tools": list(turn.tools),
        }
        if turn.reply is not None:
            value["reply"] = _reply_out(turn.reply)
        if turn.error is not None:
            value["error"] = {"kind": turn.error.kind.value, "message": turn.error.message}
        return json.dumps(value, ensure_ascii=False) + "\n"


def turns_in(text: str) -> list[Turn]:
    """Read a log. Raises `TurnLogFormatError`; a last line that was cut off in the writing is left out."""
    turns: list[Turn] = []
    before: tuple[Message, ...] = ()
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            messages = (*before[: value["kept"]], *(_message_in(each) for each in value["messages"]))
            reply = _reply_in(value["reply"]) if "reply" in value else None
            error = None
            if "error" in value:
                error = ModelError(ModelErrorKind(value["error"]["kind"]), str(value["error"]["message"]))
            if (reply is None) == (error is None):
                raise ValueError("it holds neither a reply nor an error")
            turns.append(Turn(messages, tuple(map(str, value["tools"])), reply, error))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as wrong:
            if number == len(lines) and isinstance(wrong, json.JSONDecodeError):
                break
            raise TurnLogFormatError(f"line {number} is no turn: {wrong!r}") from None
        before = messages
    return turns


class LoggedGenerator:
    """Another generator, with every turn told to `write` as one line once it is over."""

    def __init__(self, inner: TurnGenerator, write: Callable[[str], None]) -> None:
        self._inner = inner
        self._write = write
        self._lines = TurnLogWriter()

    @property
    def name(self) -> str:
        """The inner generator's name."""
        return self._inner.name

    async def generate(
        self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...] = ()
    ) -> AsyncGenerator[TurnEvent, None]:
        """The inner generator's events; a turn that was cancelled is no turn."""
        names = tuple(tool.name for tool in tools)
        try:
            async with aclosing(self._inner.generate(messages, tools)) as events:
                async for event in events:
                    if isinstance(event, Reply):
                        self._write(self._lines.line(Turn(messages, names, event)))
                    yield event
        except ModelError as error:
            self._write(self._lines.line(Turn(messages, names, error=error)))
            raise

    async def aclose(self) -> None:
        """Close the inner generator."""
        await self._inner.aclose()


def _message_out(message: Message) -> dict[str, object]:
    value: dict[str, object] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        value["tool_calls"] = [_call_out(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        value["tool_call_id"] = message.tool_call_id
    return value


def _call_out(call: ToolCall) -> dict[str, str]:
    return {"id": call.id, "name": call.name, "arguments": call.arguments}


def _reply_out(reply: Reply) -> dict[str, object]:
    value: dict[str, object] = {"text": reply.text, "finish": reply.finish, "seconds": round(reply.seconds, 3)}
    if reply.tool_calls:
        value["tool_calls"] = [_call_out(call) for call in reply.tool_calls]
    if (usage := reply.usage) is not None:
        value["usage"] = [
            usage.prompt_tokens,
            usage.completion_tokens,
            usage.cached_tokens,
            usage.cache_written_tokens,
        ]
    return value


def _message_in(value: dict[str, Any]) -> Message:
    calls = tuple(_call_in(each) for each in value.get("tool_calls", ()))
    answers = value.get("tool_call_id")
    return Message(str(value["role"]), str(value["content"]), calls, answers if answers is None else str(answers))


def _call_in(value: dict[str, Any]) -> ToolCall:
    return ToolCall(str(value["id"]), str(value["name"]), str(value["arguments"]))


def _reply_in(value: dict[str, Any]) -> Reply:
    usage = Usage(*map(int, value["usage"])) if "usage" in value else None
    calls = tuple(_call_in(each) for each in value.get("tool_calls", ()))
    return Reply(str(value["text"]), str(value["finish"]), usage, float(value["seconds"]), calls)
