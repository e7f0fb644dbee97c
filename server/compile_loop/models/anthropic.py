"""Messages, as Anthropic and servers that imitate it speak it (SPEC M1, M3, M7)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compile_loop.contracts.protocols import Message, Reply, ToolCall, ToolSchema, Usage
from compile_loop.models.history import object_arguments, valid_messages
from compile_loop.models.model_settings import ModelSettings
from compile_loop.models.reading import Reader, entries, mapping, number_in
from compile_loop.models.wire import Shape, StreamReader, Wire

DEFAULT_BASE_URL = "https://api.anthropic.com/v1"
KEY_VARIABLE = "ANTHROPIC_API_KEY"
VERSION = "2023-06-01"
USUAL_MAX_TOKENS = 16_384
"""Sent where the settings bound nothing, since the protocol demands a bound; lowered to the model's own if that is less."""
_CACHE_MARK = {"type": "ephemeral"}
_MARKED_TURNS = 2
_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}
_NO_ID = re.compile(r"[^A-Za-z0-9_-]")

Block = dict[str, object]


class Messages(Wire):
    """The wire protocol.

    Thinking must come back exactly as it was sent, with its signature, before the calls that followed it; so the blocks
    of replies with thinking are kept and sent again as they are.
    """

    path = "/messages"

    def __init__(self, settings: ModelSettings, temperature: float) -> None:
        self._settings = settings
        self._temperature = temperature
        self._blocks: dict[tuple[str, tuple[ToolCall, ...]], list[Block]] = {}

    def headers(self, key: str | None) -> dict[str, str]:
        """The key, where there is one, and the protocol's version."""
        return {"anthropic-version": VERSION, **({"x-api-key": key} if key else {})}

    def body(self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...], shape: Shape) -> dict[str, object]:
        """The request, with marks for the provider's cache on what the next request will begin with."""
        valid = valid_messages(messages, shape)
        head = next((n for n, each in enumerate(valid) if each.role != "system"), len(valid))
        turns = self._turns(valid[head:])
        system: list[Block] = [{"type": "text", "text": each.content} for each in valid[:head]]
        if "cache_control" not in shape.dropped:
            _mark(system, turns)
        body: dict[str, object] = {
            "model": self._settings.model,
            "max_tokens": shape.limit(self._settings.max_tokens or USUAL_MAX_TOKENS),
            "system": system,
            "messages": turns,
            "tools": [
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters} for tool in tools
            ],
            "temperature": self._temperature,
            "stream": True,
        }
        if self._settings.disable_thinking:
            body["thinking"] = {"type": "disabled"}
        for name in ("system", "tools"):
            if not body[name]:
                del body[name]
        return shape.applied(body) | dict(self._settings.extra_body)

    def reader(self, tools: tuple[ToolSchema, ...]) -> MessageReader:
        """A fresh reader for one reply."""
        return MessageReader(tools)

    def settle(self, messages: tuple[Message, ...], reply: Reply, reader: StreamReader) -> None:
        """Keep the blocks of a reply with thinking."""
        if isinstance(reader, MessageReader) and reader.thought:
            self._blocks[reply.text, reply.tool_calls] = reader.blocks

    def _turns(self, messages: Sequence[Message]) -> list[Block]:
        """The conversation in turns of user and assistant; results and what is said after them are one turn."""
        turns: list[tuple[str, list[Block]]] = []
        for message in messages:
            role = "assistant" if message.role == "assistant" else "user"
            if not turns and role == "assistant":
                turns.append(("user", [{"type": "text", "text": "(go on)"}]))
            if not turns or turns[-1][0] != role:
                turns.append((role, []))
            turns[-1][1].extend(self._blocks.get((message.content, message.tool_calls)) or _blocks_of(message))
        return [{"role": role, "content": [dict(block) for block in blocks]} for role, blocks in turns]


class MessageReader(Reader):
    """Puts one reply together from the events of a message, and keeps its blocks."""

    def __init__(self, tools: tuple[ToolSchema, ...] = ()) -> None:
        super().__init__(tools)
        self.blocks: list[Block] = []
        self._by_index: dict[object, Block] = {}
        self._inputs: dict[object, list[str]] = {}
        self._read: dict[str, int] = {}

    @property
    def thought(self) -> bool:
        """Whether the reply holds thinking that must be sent back."""
        return any(block.get("type") in ("thinking", "redacted_thinking") for block in self.blocks)

    def take(self, payload: dict[str, object], event: str) -> str:
        """Take one event by its type, which payload and event name both give."""
        kind, index = payload.get("type", event), payload.get("index")
        if kind == "message_start":
            self._count(mapping(mapping(payload.get("message")).get("usage")))
        elif kind == "content_block_start":
            return self._start(index, dict(mapping(payload.get("content_block"))))
        elif kind == "content_block_delta":
            return self._delta(index, mapping(payload.get("delta")))
        elif kind == "message_delta":
            self._count(mapping(payload.get("usage")))
            self._end_with(mapping(payload.get("delta")).get("stop_reason"))
        elif kind == "message_stop":
            self._close()
            self.done = True
        return ""

    def take_whole(self, body: dict[str, object]) -> str:
        """Take a whole message, from a server that does not stream."""
        text = ""
        for index, block in enumerate(entries(body.get("content"))):
            text += self._start(index, dict(block))
        self._count(mapping(body.get("usage")))
        self._end_with(body.get("stop_reason"))
        self._close()
        self.done = True
        return text

    def _start(self, index: object, block: Block) -> str:
        self.blocks.append(block)
        self._by_index[index] = block
        if block.get("type") == "tool_use":
            self.calls.feed(index, block.get("id"), block.get("name"), block.get("input") or "")
        return self.add(block.get("text")) if block.get("type") == "text" else ""

    def _delta(self, index: object, delta: dict[str, object]) -> str:
        block = self._by_index.get(index) or {}
        if "partial_json" in delta:
            self.calls.feed(index, None, None, delta["partial_json"])
            return ""
        for name in ("text", "thinking", "signature", "data"):
            if isinstance(piece := delta.get(name), str):
                self._inputs.setdefault((index, name), [str(block.get(name) or "")]).append(piece)
        return self.add(delta.get("text"))

    def _close(self) -> None:
        """Make the kept blocks whole."""
        for key, pieces in self._inputs.items():
            index, name = key if isinstance(key, tuple) else (None, "")
            if (block := self._by_index.get(index)) is not None:
                block[name] = "".join(pieces)
        self._inputs.clear()
        calls = iter(self.tool_calls)
        for block in self.blocks:
            if block.get("type") == "tool_use" and (call := next(calls, None)) is not None:
                block["input"] = object_arguments(call)
        self.blocks = [block for block in self.blocks if block.get("type") != "text" or block.get("text")]

    def _end_with(self, reason: object) -> None:
        if isinstance(reason, str) and reason:
            self.reason = _REASONS.get(reason, reason)

    def _count(self, usage: dict[str, object]) -> None:
        for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"):
            if (number := number_in(usage, name)) is not None:
                self._read[name] = number
        if self._read:
            fresh, cached, written, output = (
                self._read.get(name, 0)
                for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
            )
            self.counted = Usage(fresh + cached + written, output, cached, written)


def _blocks_of(message: Message) -> list[Block]:
    if message.role == "tool":
        key = _NO_ID.sub("_", message.tool_call_id or "")
        return [{"type": "tool_result", "tool_use_id": key, "content": message.content}]
    blocks: list[Block] = [{"type": "text", "text": message.content}] if message.content.strip() else []
    for call in message.tool_calls:
        key = _NO_ID.sub("_", call.id)
        blocks.append({"type": "tool_use", "id": key, "name": call.name, "input": object_arguments(call)})
    return blocks


def _mark(system: list[Block], turns: list[Block]) -> None:
    """Mark the end of the system prompt (which takes the tools in) and of the newest turns of the user.

    The last mark writes what the next request reads, the one before reads what the last request wrote.
    """
    for block in system[-1:]:
        block["cache_control"] = _CACHE_MARK
    asked = [turn for turn in turns if turn["role"] == "user"]
    for turn in asked[-_MARKED_TURNS:]:
        blocks = turn["content"]
        assert isinstance(blocks, list)
        blocks[-1]["cache_control"] = _CACHE_MARK
