"""OpenAI's Responses, continued on the server where it stores them, else with the full history (SPEC M1, M3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from compile_loop.contracts.protocols import Message, Reply, ToolCall, ToolSchema
from compile_loop.models.history import valid_messages
from compile_loop.models.model_settings import ModelSettings
from compile_loop.models.openai import DEFAULT_BASE_URL, KEY_VARIABLE, bearer_headers
from compile_loop.models.response_reader import Item, ResponseReader
from compile_loop.models.wire import Shape, StreamReader, Wire

__all__ = ["DEFAULT_BASE_URL", "KEY_VARIABLE", "Responses"]
_OWN_HOST = "api.openai.com"
_CONTINUED = "previous_response_id"
_SECRET_REASONING = "encrypted_content"


@dataclass(frozen=True, slots=True)
class _Stored:
    """A response on the server, and the conversation up to and with it."""

    id: str
    messages: tuple[Message, ...]


class Responses(Wire):
    """The wire protocol.

    Each request goes on from the response before it. Where the conversation is no longer what the server stores (it was
    compacted), or the server stores nothing, all of it is sent, each reply as the items that it came in: a reasoning
    item without what followed it is refused, and so is a call without its reasoning.
    """

    path = "/responses"

    def __init__(self, settings: ModelSettings, temperature: float) -> None:
        self._settings = settings
        self._temperature = temperature
        self._stored: _Stored | None = None
        self._stores = settings.extra_body.get("store") is not False
        self._items: dict[tuple[str, tuple[ToolCall, ...]], list[Item]] = {}
        self._continuing = False

    def headers(self, key: str | None) -> dict[str, str]:
        """The bearer token, where there is one."""
        return bearer_headers(key, self._settings.base_url)

    def body(self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...], shape: Shape) -> dict[str, object]:
        """The request: what is new since the stored response, or everything."""
        if _CONTINUED in shape.dropped:
            self._stores = False
        stored = self._stored if self._stores else None
        known = len(stored.messages) if stored else 0
        if stored and not (known < len(messages) and messages[:known] == stored.messages):
            known = 0
        self._continuing = bool(known)
        valid = valid_messages(messages, shape)
        system = [each.content for each in valid[:1] if each.role == "system"]
        new = valid_messages(messages[known - 1 :], shape)[1:] if known else valid[len(system) :]
        body: dict[str, object] = {
            "model": self._settings.model,
            "input": [item for each in new for item in self._input(each)],
            "stream": True,
            "store": self._stores,
            "temperature": self._temperature,
        }
        if system:
            body["instructions"] = system[0]
        if known and stored is not None:
            body[_CONTINUED] = stored.id
        if not self._stores and urlsplit(self._settings.base_url or DEFAULT_BASE_URL).hostname == _OWN_HOST:
            body["include"] = [f"reasoning.{_SECRET_REASONING}"]
        if tools:
            body["tools"] = [_declared(tool) for tool in tools]
        if (limit := shape.limit(self._settings.max_tokens)) is not None:
            body["max_output_tokens"] = limit
        if self._settings.disable_thinking:
            body["reasoning"] = {"effort": "minimal"}
        return shape.applied(body) | dict(self._settings.extra_body)

    def reader(self, tools: tuple[ToolSchema, ...]) -> ResponseReader:
        """A fresh reader for one reply."""
        return ResponseReader(tools, continuing=self._continuing)

    def settle(self, messages: tuple[Message, ...], reply: Reply, reader: StreamReader) -> None:
        """Remember the response to go on from, and the items of the reply."""
        if not isinstance(reader, ResponseReader):
            return
        if reader.stored is False:
            self._stores = False
        said = Message("assistant", reply.text, reply.tool_calls)
        self._stored = _Stored(reader.id, (*messages, said)) if reader.id else None
        if reader.items:
            self._items[reply.text, reply.tool_calls] = reader.items

    def _input(self, message: Message) -> Sequence[Item]:
        if message.role == "tool":
            return [{"type": "function_call_output", "call_id": message.tool_call_id, "output": message.content}]
        kept = self._items.get((message.content, message.tool_calls)) if message.role == "assistant" else None
        if kept and self._stores:
            return kept
        items: list[Item] = [each for each in kept or [] if _may_be_sent_again(each)]
        if message.content:
            role = "developer" if message.role == "system" else message.role
            items.append({"type": "message", "role": role, "content": message.content})
        items += [
            {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}
            for call in message.tool_calls
        ]
        return items


def _may_be_sent_again(item: Item) -> bool:
    """Whether a server that stores nothing can take a reasoning item back."""
    return item.get("type") == "reasoning" and bool(item.get(_SECRET_REASONING))


def _declared(tool: ToolSchema) -> Item:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", **function, "strict": False}
