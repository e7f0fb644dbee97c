"""Ollama's own `/api/chat`, whose prompt it cuts in silence unless told how long it may be (SPEC M1, C3)."""

from __future__ import annotations

import json
from collections.abc import Mapping

from compile_loop.contracts.protocols import Message, ModelErrorKind, Reply, ToolSchema, Usage
from compile_loop.models.history import object_arguments, valid_messages
from compile_loop.models.model_settings import ModelSettings
from compile_loop.models.openai import bearer_headers, declared
from compile_loop.models.reading import Reader, entries, mapping, number_in
from compile_loop.models.wire import CallFailedError, Shape, StreamReader, Wire

DEFAULT_BASE_URL = "http://127.0.0.1:11434"
KEY_VARIABLE = "OLLAMA_API_KEY"
HOST_VARIABLE = "OLLAMA_HOST"
_SMALLEST_CONTEXT = 16_384
_ROOM_FOR_REPLY = 4_096
_CHARACTERS_PER_TOKEN = 3
"""Fewer than text usually has, so that the window is rather too large than too small."""
_CUT_BELOW = 0.5
_JUDGED_FROM = 1_000
"""Tokens of the estimate below which a low count says nothing."""
_ENDS = {"load": "stop", "unload": "stop"}


class OllamaChat(Wire):
    """The wire protocol. `num_ctx` grows by doubling, since every change makes the server load the model again."""

    path = "/api/chat"
    lines = True

    def __init__(self, settings: ModelSettings, temperature: float) -> None:
        self._settings = settings
        self._temperature = temperature
        self._context = _SMALLEST_CONTEXT
        self._characters = 0

    def headers(self, key: str | None) -> dict[str, str]:
        """The bearer token, where there is one."""
        return bearer_headers(key, None)

    def body(self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...], shape: Shape) -> dict[str, object]:
        """The request; the server is told to refuse a prompt that is too long (older ones cut it all the same)."""
        names: dict[str, str] = {}
        sent = [_sent(each, names) for each in valid_messages(messages, shape)]
        declared_tools = [declared(tool) for tool in tools]
        self._characters = sum(len(str(each["content"])) for each in sent) + len(json.dumps(declared_tools))
        needed = self._characters // _CHARACTERS_PER_TOKEN + (self._settings.max_tokens or _ROOM_FOR_REPLY)
        while self._context < needed:
            self._context *= 2
        options: dict[str, object] = {"temperature": self._temperature, "num_ctx": self._context}
        if (limit := shape.limit(self._settings.max_tokens)) is not None:
            options["num_predict"] = limit
        extra = dict(self._settings.extra_body)
        if isinstance(own := extra.pop("options", None), Mapping):
            options |= own
        body: dict[str, object] = {
            "model": self._settings.model,
            "messages": sent,
            "stream": True,
            "truncate": False,
            "shift": False,
            "options": options,
        }
        if tools:
            body["tools"] = declared_tools
        if self._settings.disable_thinking:
            body["think"] = False
        return shape.applied(body) | extra

    def reader(self, tools: tuple[ToolSchema, ...]) -> ChatReader:
        """A fresh reader for one reply."""
        return ChatReader(tools)

    def settle(self, messages: tuple[Message, ...], reply: Reply, reader: StreamReader) -> None:
        """Refuse a reply to a prompt that the server cut: the model has never seen what it was to do."""
        counted = reply.usage.prompt_tokens if reply.usage else 0
        expected = self._characters // 4
        if counted and expected > _JUDGED_FROM and counted < expected * _CUT_BELOW:
            raise CallFailedError(
                ModelErrorKind.CONTEXT,
                f"The prompt was truncated by the server: it counted {counted} tokens of about {expected}. "
                "Raise its context length (OLLAMA_CONTEXT_LENGTH, or num_ctx of the model), or choose fewer files.",
            )


class ChatReader(Reader):
    """Puts one reply together from the lines of a chat."""

    def __init__(self, tools: tuple[ToolSchema, ...] = ()) -> None:
        super().__init__(tools)
        self._count = 0

    def take(self, payload: dict[str, object], event: str) -> str:
        """Take one line; thinking has a field of its own, and calls come whole and without an id."""
        message = mapping(payload.get("message"))
        for call in entries(message.get("tool_calls")):
            function = mapping(call.get("function"))
            self.calls.feed(self._count, call.get("id"), function.get("name"), function.get("arguments") or {})
            self._count += 1
        if payload.get("done") is True:
            reason = payload.get("done_reason")
            self.reason = _ENDS.get(reason, reason) if isinstance(reason, str) and reason else "stop"
            self.done = True
            prompt, completion = number_in(payload, "prompt_eval_count"), number_in(payload, "eval_count")
            if prompt is not None or completion is not None:
                self.counted = Usage(prompt or 0, completion or 0)
        return self.add(message.get("content"))

    def take_whole(self, body: dict[str, object]) -> str:
        """Take a whole reply, from a server that does not stream."""
        return self.take(body, "")


def _sent(message: Message, names: dict[str, str]) -> dict[str, object]:
    """A message; `names` remembers which tool each call was of, since a result must say it."""
    sent: dict[str, object] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        names.update({call.id: call.name for call in message.tool_calls})
        sent["tool_calls"] = [
            {"id": call.id, "function": {"name": call.name, "arguments": object_arguments(call)}}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        sent |= {"tool_name": names.get(message.tool_call_id, ""), "tool_call_id": message.tool_call_id}
    return sent


def base_url_in(environ: Mapping[str, str]) -> str:
    """The address that `OLLAMA_HOST` gives, which may lack its scheme or port, or be the one that a server listens on."""
    host = environ.get(HOST_VARIABLE, "").strip()
    if not host:
        return DEFAULT_BASE_URL
    scheme, _, rest = host.rpartition("://")
    name = rest.rstrip("/")
    if ":" not in name.rpartition("]")[2] and not scheme:
        name += ":11434"
    name = name.replace("0.0.0.0", "127.0.0.1", 1) if name.startswith("0.0.0.0") else name
    return f"{scheme or 'http'}://{name}"
