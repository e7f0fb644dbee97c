"""Fixed replies instead of a model, for tests, demonstrations and library use (SPEC M1)."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path

from compile_loop.contracts.json_text import value_in
from compile_loop.contracts.protocols import (
    Message,
    ModelError,
    ModelErrorKind,
    Reply,
    TextDelta,
    ToolCall,
    ToolSchema,
    TurnEvent,
)
from compile_loop.models.tool_calls import with_ids


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """One fixed reply; `finish` and `tool_calls` as in `Reply`. Calls with an empty id get one."""

    text: str
    finish: str = "stop"
    tool_calls: tuple[ToolCall, ...] = ()


class ScriptedGenerator:
    """Gives one reply a call, in their order. One call too many raises `ModelError`.

    `requests` holds the messages of every call so far, `tools` what each of them might call.
    """

    def __init__(self, replies: Sequence[str | ScriptedReply], name: str = "scripted:replies") -> None:
        self._replies = [ScriptedReply(each) if isinstance(each, str) else each for each in replies]
        self._name = name
        self.requests: list[tuple[Message, ...]] = []
        self.tools: list[tuple[ToolSchema, ...]] = []

    @property
    def name(self) -> str:
        """`scripted:` and where the replies come from."""
        return self._name

    async def generate(
        self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...] = ()
    ) -> AsyncGenerator[TurnEvent, None]:
        """Give the next reply, line by line and then whole."""
        self.requests.append(messages)
        self.tools.append(tools)
        asked, there = len(self.requests), len(self._replies)
        if asked > there:
            raise ModelError(
                ModelErrorKind.CONFIGURATION,
                f"The script holds {there} {'reply' if there == 1 else 'replies'}, and reply {asked} was asked for.",
            )
        reply = self._replies[asked - 1]
        for line in reply.text.splitlines(keepends=True):
            yield TextDelta(line)
        yield Reply(reply.text, reply.finish, tool_calls=with_ids(reply.tool_calls, messages))

    async def aclose(self) -> None:
        """Nothing to give back."""


def read_script(path: str) -> list[ScriptedReply]:
    """Read replies from a JSON file: a list, or an object whose `replies` is one, of strings or of objects.

    An object has `text`, `tool_calls` or both, and may have `finish`. A call is `{"name", "arguments"}`, where the
    arguments are an object, or text that is passed on as it stands; `id` is optional. Raises `ModelError` where the
    file cannot be read or holds anything else.
    """
    try:
        value = value_in(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise _bad(path, f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise _bad(path, f"is no JSON: {error}") from None
    if isinstance(value, dict):
        value = value.get("replies")
    if not isinstance(value, list):
        raise _bad(path, "holds no list of replies")
    return [_reply(path, number, each) for number, each in enumerate(value, 1)]


def _reply(path: str, number: int, value: object) -> ScriptedReply:
    if isinstance(value, str):
        return ScriptedReply(value)
    if isinstance(value, dict):
        calls = value.get("tool_calls", [])
        text, finish = value.get("text", "" if calls else None), value.get("finish", "stop")
        if isinstance(text, str) and isinstance(finish, str) and isinstance(calls, list):
            return ScriptedReply(text, finish, tuple(_call(path, number, each) for each in calls))
    raise _bad(path, f"has no text in reply {number}")


def _call(path: str, number: int, value: object) -> ToolCall:
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        arguments, key = value.get("arguments", {}), value.get("id", "")
        if isinstance(arguments, dict):
            arguments = json.dumps(arguments, ensure_ascii=False)
        if isinstance(arguments, str) and isinstance(key, str):
            return ToolCall(key, value["name"], arguments)
    raise _bad(path, f"has a tool call in reply {number} that is no object with a name and arguments")


def _bad(path: str, reason: str) -> ModelError:
    return ModelError(ModelErrorKind.CONFIGURATION, f"The script {path} {reason}.")
