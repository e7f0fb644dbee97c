"""Chat Completions, as OpenAI, its many imitators and local servers speak it (SPEC M1, M3)."""

from __future__ import annotations

from urllib.parse import urlsplit

from compile_loop.contracts.protocols import Message, ToolSchema, Usage
from compile_loop.models.history import valid_messages
from compile_loop.models.model_settings import ModelSettings
from compile_loop.models.reading import Reader, entries, mapping, number_in
from compile_loop.models.wire import Shape, Wire

DEFAULT_BASE_URL = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
_OWN_HOST = "api.openai.com"
_AZURE = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")


class ChatCompletions(Wire):
    """The wire protocol: requests out of messages, replies out of streamed chunks."""

    path = "/chat/completions"

    def __init__(self, settings: ModelSettings, temperature: float) -> None:
        self._settings = settings
        self._temperature = temperature

    def headers(self, key: str | None) -> dict[str, str]:
        """The bearer token, where there is one, and Azure's own header for it."""
        return bearer_headers(key, self._settings.base_url)

    def body(self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...], shape: Shape) -> dict[str, object]:
        """The request; usage is asked for, since without it most servers count nothing when they stream."""
        body: dict[str, object] = {
            "model": self._settings.model,
            "messages": [_sent(each) for each in valid_messages(messages, shape)],
            "stream": True,
            "stream_options": {"include_usage": True},
            "temperature": self._temperature,
        }
        if tools:
            body["tools"] = [declared(tool) for tool in tools]
        if (limit := shape.limit(self._settings.max_tokens)) is not None:
            body["max_tokens"] = limit
        if self._settings.disable_thinking:
            body |= self._without_thinking()
        if "stream" in shape.dropped:
            body.pop("stream_options", None)
        return shape.applied(body) | dict(self._settings.extra_body)

    def reader(self, tools: tuple[ToolSchema, ...]) -> ChunkReader:
        """A fresh reader for one reply."""
        return ChunkReader(tools)

    def _without_thinking(self) -> dict[str, object]:
        """OpenAI's own switch, or that of the servers which hand it to the model's chat template."""
        host = urlsplit(self._settings.base_url or DEFAULT_BASE_URL).hostname
        if host == _OWN_HOST:
            return {"reasoning_effort": "minimal"}
        return {"chat_template_kwargs": {"enable_thinking": False}}


class ChunkReader(Reader):
    """Puts one reply together from `chat.completion.chunk` events."""

    def take(self, payload: dict[str, object], event: str) -> str:
        """Take one chunk; choices but the first are not ours, and reasoning fields are no text."""
        if isinstance(usage := payload.get("usage"), dict):
            self._count(usage)
        added = ""
        choices = payload.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if not isinstance(choice, dict) or choice.get("index"):
                continue
            delta = choice.get("delta") or choice.get("message")
            if isinstance(delta, dict):
                if content := delta.get("content"):
                    added += text_of(content)
                if "tool_calls" in delta or "function_call" in delta:
                    self._take_calls(delta)
            reason = choice.get("finish_reason")
            if reason and isinstance(reason, str):
                self.reason = reason
        return self.add(added)

    def take_whole(self, body: dict[str, object]) -> str:
        """Take a whole `chat.completion`, from a server that does not stream."""
        text = self.take(body, "")
        if body.get("choices") and isinstance(body["choices"], list):
            self.done = True
            self.reason = self.reason or "stop"
        return text

    def _take_calls(self, delta: dict[str, object]) -> None:
        fragments = delta.get("tool_calls")
        if fragments is None and isinstance(old := delta.get("function_call"), dict):
            fragments = [{"index": 0, "function": old}]
        for fragment in entries(fragments):
            function = mapping(fragment.get("function"))
            self.calls.feed(fragment.get("index"), fragment.get("id"), function.get("name"), function.get("arguments"))

    def _count(self, usage: dict[str, object]) -> None:
        prompt, completion = number_in(usage, "prompt_tokens"), number_in(usage, "completion_tokens")
        if prompt is None and completion is None:
            return
        cached = number_in(usage, "prompt_tokens_details", "cached_tokens")
        if cached is None:
            cached = number_in(usage, "prompt_cache_hit_tokens")
        self.counted = Usage(prompt or 0, completion or 0, min(cached or 0, prompt or 0))


def bearer_headers(key: str | None, base_url: str | None) -> dict[str, str]:
    """The headers that carry a key to endpoints of OpenAI's kind."""
    if not key:
        return {}
    headers = {"Authorization": f"Bearer {key}"}
    if (urlsplit(base_url or "").hostname or "").endswith(_AZURE):
        headers["api-key"] = key
    return headers


def text_of(content: object) -> str:
    """A delta's text: a string, or a list of typed parts of which thinking is left out."""
    if isinstance(content, str):
        return content
    texts = (part.get("text") for part in entries(content) if part.get("type", "text") == "text")
    return "".join(text for text in texts if isinstance(text, str))


def declared(tool: ToolSchema) -> dict[str, object]:
    """A tool as Chat Completions and its kin declare it."""
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _sent(message: Message) -> dict[str, object]:
    sent: dict[str, object] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        sent["content"] = message.content or None
        sent["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        sent["tool_call_id"] = message.tool_call_id
    return sent
