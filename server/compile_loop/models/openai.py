"""Chat Completions, as OpenAI, its many imitators and local servers speak it (SPEC M1, M3)."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

from compile_loop.contracts.protocols import Message, ToolCall, ToolSchema, Usage
from compile_loop.models.failures import upstream_of
from compile_loop.models.history import valid_messages
from compile_loop.models.model_settings import ModelSettings
from compile_loop.models.tool_calls import CallAssembler
from compile_loop.models.wire import Shape, Upstream, UpstreamError

DEFAULT_BASE_URL = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
_OWN_HOST = "api.openai.com"


class ChatCompletions:
    """The wire protocol: requests out of messages, replies out of streamed chunks."""

    path = "/chat/completions"

    def __init__(self, settings: ModelSettings, temperature: float) -> None:
        self._settings = settings
        self._temperature = temperature

    def headers(self, key: str | None) -> dict[str, str]:
        """The bearer token, where there is one."""
        return {"Authorization": f"Bearer {key}"} if key else {}

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
            body["tools"] = [_declared(tool) for tool in tools]
        if self._settings.max_tokens is not None:
            body["max_tokens"] = self._settings.max_tokens
        if self._settings.disable_thinking:
            body |= self._without_thinking()
        for name in shape.dropped:
            body.pop(name, None)
        if "stream" in shape.dropped:
            body.pop("stream_options", None)
        for old, new in shape.renamed.items():
            if old in body:
                body[new] = body.pop(old)
        return body | dict(self._settings.extra_body)

    def reader(self, tools: tuple[ToolSchema, ...]) -> ChunkReader:
        """A fresh reader for one reply."""
        return ChunkReader(tools)

    def _without_thinking(self) -> dict[str, object]:
        """OpenAI's own switch, or that of the servers which hand it to the model's chat template."""
        host = urlsplit(self._settings.base_url or DEFAULT_BASE_URL).hostname
        if host == _OWN_HOST:
            return {"reasoning_effort": "minimal"}
        return {"chat_template_kwargs": {"enable_thinking": False}}


class ChunkReader:
    """Puts one reply together from `chat.completion.chunk` events."""

    def __init__(self, tools: tuple[ToolSchema, ...] = ()) -> None:
        self._calls = CallAssembler({tool.name for tool in tools})
        self._pieces: list[str] = []
        self._finish = ""
        self._done = False
        self._usage: Usage | None = None
        self._stray = ""

    def feed(self, event: str, data: str) -> str:
        """Take one event: a chunk, `[DONE]`, a keep-alive in disguise, an error, or something unreadable."""
        data = data.strip()
        if not data or data.startswith(":"):
            return ""
        if data == "[DONE]":
            self._done = True
            return ""
        try:
            chunk = json.loads(data)
        except ValueError:
            if event == "error":
                raise UpstreamError(Upstream(None, data)) from None
            self._stray = self._stray or data
            return ""
        if event == "error" or (isinstance(chunk, dict) and chunk.get("error")):
            raise UpstreamError(upstream_of(None, chunk))
        if not isinstance(chunk, dict):
            self._stray = self._stray or data
            return ""
        return self._take(chunk)

    def feed_whole(self, body: object) -> str:
        """Take a whole `chat.completion`, from a server that does not stream."""
        if not isinstance(body, dict) or body.get("error"):
            raise UpstreamError(upstream_of(None, body))
        text = self._take(body)
        if isinstance(body.get("choices"), list) and body["choices"]:
            self._done = True
        else:
            self._stray = json.dumps(body, ensure_ascii=False)
        return text

    @property
    def ended(self) -> bool:
        """`[DONE]` is the last event of a stream."""
        return self._done

    @property
    def complete(self) -> bool:
        """A finish reason ends a reply; `[DONE]` alone does where there was anything (some servers send no reason)."""
        return bool(self._finish) or (self._done and bool(self._pieces or self._calls))

    @property
    def text(self) -> str:
        """Everything the reply holds so far."""
        return "".join(self._pieces)

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls that the reply makes so far."""
        return self._calls.calls

    @property
    def finish(self) -> str:
        """The provider's finish reason, `stop` where it gave none."""
        return self._finish or "stop"

    @property
    def usage(self) -> Usage | None:
        """Tokens, where the provider counted them."""
        return self._usage

    @property
    def stray(self) -> str:
        """The first payload that was no chunk."""
        return self._stray

    def _take(self, chunk: dict[str, object]) -> str:
        self._count(chunk.get("usage"))
        choices = chunk.get("choices")
        if not isinstance(choices, list):
            return ""
        added = ""
        for choice in choices:
            if not isinstance(choice, dict) or choice.get("index", 0) not in (0, None):
                continue
            delta = choice.get("delta") or choice.get("message")
            if isinstance(delta, dict):
                added += _text_of(delta.get("content"))
                self._take_calls(delta)
            reason = choice.get("finish_reason")
            if isinstance(reason, str) and reason:
                self._finish = reason
        if added:
            self._pieces.append(added)
        return added

    def _take_calls(self, delta: dict[str, object]) -> None:
        fragments = delta.get("tool_calls")
        if not isinstance(fragments, list):
            old = delta.get("function_call")
            fragments = [{"index": 0, "function": old}] if isinstance(old, dict) else []
        for fragment in fragments:
            if isinstance(fragment, dict):
                function = fragment.get("function")
                function = function if isinstance(function, dict) else {}
                self._calls.feed(
                    fragment.get("index"), fragment.get("id"), function.get("name"), function.get("arguments")
                )

    def _count(self, usage: object) -> None:
        if not isinstance(usage, dict):
            return
        prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if isinstance(prompt, int) or isinstance(completion, int):
            self._usage = Usage(
                prompt if isinstance(prompt, int) else 0, completion if isinstance(completion, int) else 0
            )


def _text_of(content: object) -> str:
    """A delta's text: a string, or a list of typed parts of which thinking is left out."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") for part in content if isinstance(part, dict) and part.get("type", "text") == "text")
    return "".join(text for text in texts if isinstance(text, str))


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


def _declared(tool: ToolSchema) -> dict[str, object]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}
