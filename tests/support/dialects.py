"""How the servers of each wire protocol say the same things, for tests that ask all of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.support.model_server import Answer, chunk, fails

Called = tuple[str, Mapping[str, Any]]
LINES = {"Content-Type": "application/x-ndjson"}
PROMPT, COMPLETION, CACHED, WRITTEN = 900, 40, 600, 200
"""What a server counts in every reply: tokens of prompt and completion, of the prompt read from and put into the cache."""


def sse(payload: Mapping[str, Any], event: str | None = None) -> bytes:
    """One server-sent event."""
    head = f"event: {event}\n" if event else ""
    return f"{head}data: {json.dumps(payload, ensure_ascii=False)}\n\n".encode()


def halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


class Dialect:
    """One protocol. `counts` are the usage figures that a client can know, in the order of `Usage`."""

    provider = ""
    counts: tuple[int, ...] = (PROMPT, COMPLETION)
    headers: Mapping[str, str] = {"Content-Type": "text/event-stream"}
    overflow = fails(400, {"error": {"message": "This model's maximum context length is 8192 tokens"}})
    """The provider's words for a prompt that is too long."""
    wrong_key = fails(401, {"error": {"message": "Incorrect API key provided: sk-abc", "code": "invalid_api_key"}})
    wrong_model = fails(404, {"error": {"message": "The model `x` does not exist", "code": "model_not_found"}})

    def text(self, text: str) -> list[bytes]:
        """The pieces of a reply's text, in two deltas."""
        raise NotImplementedError

    def thinking(self, text: str) -> list[bytes]:
        """Thinking in the protocol's own place."""
        raise NotImplementedError

    def calls(self, called: Sequence[Called]) -> list[bytes]:
        """Tool calls with the ids `k0`, `k1` and so on."""
        raise NotImplementedError

    def begin(self) -> list[bytes]:
        """What comes first."""
        return []

    def end(self, reason: str = "stop") -> list[bytes]:
        """The terminal marks, with usage; `reason` is `stop`, `tool_calls` or `length`."""
        raise NotImplementedError

    def error(self) -> bytes:
        """An overloaded server, told inside the stream."""
        raise NotImplementedError

    def conversation(self, request: Any) -> list[Any]:
        """The conversation in a request, without marks for caches."""
        messages: list[Any] = request["messages"]
        return messages

    def forget(self) -> None:
        """Begin to count the parts of a reply anew."""

    def answer(self, *pieces: bytes, **how: Any) -> Answer:
        """A whole answer out of pieces; the next one begins anew."""
        self.forget()
        return Answer((*self.begin(), *pieces), headers=self.headers, **how)

    def says(self, text: str, reason: str = "stop", thinking: str = "", **how: Any) -> Answer:
        thought = self.thinking(thinking) if thinking else []
        return self.answer(*thought, *self.text(text), *self.end(reason), **how)

    def makes(self, *called: Called, text: str = "", thinking: str = "", **how: Any) -> Answer:
        thought = self.thinking(thinking) if thinking else []
        said = self.text(text) if text else []
        return self.answer(*thought, *said, *self.calls(called), *self.end("tool_calls"), **how)


class ChatCompletions(Dialect):
    provider = "openai"
    counts = (PROMPT, COMPLETION, CACHED)

    def begin(self) -> list[bytes]:
        return [chunk({"role": "assistant", "content": None})]

    def text(self, text: str) -> list[bytes]:
        return [chunk({"content": part}) for part in halves(text)]

    def thinking(self, text: str) -> list[bytes]:
        return [chunk({"reasoning_content": text}), chunk({"reasoning": text, "content": None})]

    def calls(self, called: Sequence[Called]) -> list[bytes]:
        made = []
        for index, (name, arguments) in enumerate(called):
            function = {"name": name, "arguments": ""}
            made.append(chunk({"tool_calls": [{"index": index, "id": f"k{index}", "function": function}]}))
            for part in halves(json.dumps(arguments)):
                made.append(chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]}))
        return made

    def end(self, reason: str = "stop") -> list[bytes]:
        details = {"cached_tokens": CACHED}
        usage = {"prompt_tokens": PROMPT, "completion_tokens": COMPLETION, "prompt_tokens_details": details}
        return [chunk({}, reason), sse({"choices": [], "usage": usage}), b"data: [DONE]\n\n"]

    def error(self) -> bytes:
        return sse({"error": {"message": "upstream at capacity", "code": 502}})


class Responses(Dialect):
    """A server that stores nothing, so that every request holds the whole conversation."""

    provider = "responses"
    counts = (PROMPT, COMPLETION, CACHED)
    overflow = fails(
        400, {"error": {"code": "context_length_exceeded", "message": "Your input exceeds the context window"}}
    )

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []

    def forget(self) -> None:
        self.items = []

    def begin(self) -> list[bytes]:
        return [self.event("response.created", response={"id": "resp_1", "status": "in_progress", "store": False})]

    def event(self, kind: str, **more: Any) -> bytes:
        return sse({"type": kind, **more}, kind)

    def text(self, text: str) -> list[bytes]:
        at = len(self.items)
        item = {"type": "message", "id": f"msg_{at}", "role": "assistant", "content": []}
        done = {**item, "content": [{"type": "output_text", "text": text, "annotations": []}]}
        deltas = [
            self.event("response.output_text.delta", output_index=at, item_id=item["id"], delta=part)
            for part in halves(text)
        ]
        return self.item(at, item, deltas, done)

    def item(self, at: int, item: dict[str, Any], deltas: list[bytes], done: dict[str, Any]) -> list[bytes]:
        self.items.append(done)
        return [
            self.event("response.output_item.added", output_index=at, item=item),
            *deltas,
            self.event("response.output_item.done", output_index=at, item=done),
        ]

    def thinking(self, text: str) -> list[bytes]:
        at = len(self.items)
        item = {"type": "reasoning", "id": f"rs_{at}", "summary": []}
        delta = self.event("response.reasoning_summary_text.delta", output_index=at, item_id=item["id"], delta=text)
        return self.item(at, item, [delta], {**item, "summary": [{"type": "summary_text", "text": text}]})

    def calls(self, called: Sequence[Called]) -> list[bytes]:
        made: list[bytes] = []
        for n, (name, arguments) in enumerate(called):
            at, whole = len(self.items), json.dumps(arguments)
            item = {"type": "function_call", "id": f"fc_{at}", "call_id": f"k{n}", "name": name, "arguments": ""}
            kind = "response.function_call_arguments"
            deltas = [self.event(f"{kind}.delta", output_index=at, item_id=item["id"], delta=p) for p in halves(whole)]
            deltas.append(self.event(f"{kind}.done", output_index=at, item_id=item["id"], arguments=whole))
            made += self.item(at, item, deltas, {**item, "arguments": whole})
        return made

    def end(self, reason: str = "stop") -> list[bytes]:
        usage = {"input_tokens": PROMPT, "output_tokens": COMPLETION, "input_tokens_details": {"cached_tokens": CACHED}}
        status = "incomplete" if reason == "length" else "completed"
        why = {"incomplete_details": {"reason": "max_output_tokens"}} if reason == "length" else {}
        response = {"id": "resp_1", "status": status, "store": False, "output": self.items, "usage": usage, **why}
        return [self.event(f"response.{status}", response=response)]

    def error(self) -> bytes:
        failed = {"status": "failed", "error": {"code": "server_error", "message": "boom"}}
        return self.event("response.failed", response=failed)

    def conversation(self, request: Any) -> list[Any]:
        return [request["instructions"], *request["input"]]


class Messages(Dialect):
    provider = "anthropic"
    counts = (PROMPT, COMPLETION, CACHED, WRITTEN)
    overflow = fails(
        400,
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "prompt is too long: 210000 tokens > 200000 maximum",
            },
        },
    )
    wrong_key = fails(401, {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}})
    wrong_model = fails(404, {"type": "error", "error": {"type": "not_found_error", "message": "model: test-model"}})

    def event(self, kind: str, **more: Any) -> bytes:
        return sse({"type": kind, **more}, kind)

    def __init__(self) -> None:
        self.blocks = 0

    def forget(self) -> None:
        self.blocks = 0

    def begin(self) -> list[bytes]:
        usage = {
            "input_tokens": PROMPT - CACHED - WRITTEN,
            "cache_read_input_tokens": CACHED,
            "cache_creation_input_tokens": WRITTEN,
            "output_tokens": 1,
        }
        return [self.event("message_start", message={"id": "m", "usage": usage}), self.event("ping")]

    def block(self, block: dict[str, Any], *deltas: dict[str, Any]) -> list[bytes]:
        at, self.blocks = self.blocks, self.blocks + 1
        return [
            self.event("content_block_start", index=at, content_block=block),
            *(self.event("content_block_delta", index=at, delta=delta) for delta in deltas),
            self.event("content_block_stop", index=at),
        ]

    def text(self, text: str) -> list[bytes]:
        deltas = [{"type": "text_delta", "text": part} for part in halves(text)]
        return self.block({"type": "text", "text": ""}, *deltas)

    def thinking(self, text: str) -> list[bytes]:
        thought = {"type": "thinking_delta", "thinking": text}
        signed = {"type": "signature_delta", "signature": "signed"}
        return self.block({"type": "thinking", "thinking": "", "signature": ""}, thought, signed)

    def calls(self, called: Sequence[Called]) -> list[bytes]:
        made: list[bytes] = []
        for n, (name, arguments) in enumerate(called):
            block = {"type": "tool_use", "id": f"k{n}", "name": name, "input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": p} for p in ("", *halves(json.dumps(arguments)))]
            made += self.block(block, *deltas)
        return made

    def end(self, reason: str = "stop") -> list[bytes]:
        why = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}[reason]
        delta = self.event("message_delta", delta={"stop_reason": why}, usage={"output_tokens": COMPLETION})
        return [delta, self.event("message_stop")]

    def error(self) -> bytes:
        return self.event("error", error={"type": "overloaded_error", "message": "Overloaded"})

    def conversation(self, request: Any) -> list[Any]:
        unmarked = json.loads(json.dumps([request["system"], *request["messages"]]))

        def strip(value: Any) -> None:
            if isinstance(value, dict):
                value.pop("cache_control", None)
            for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
                strip(each)

        strip(unmarked)
        return list(unmarked)


class OllamaChat(Dialect):
    provider = "ollama"
    headers = LINES
    overflow = fails(400, {"error": "request (9000 tokens) exceeds the available context size (8192 tokens)"})
    wrong_key = fails(401, {"error": "unauthorized"})
    wrong_model = fails(404, {"error": "model 'test-model' not found"})

    def line(self, **more: Any) -> bytes:
        return json.dumps({"model": "m", "created_at": "now", "done": False, **more}).encode() + b"\n"

    def text(self, text: str) -> list[bytes]:
        return [self.line(message={"role": "assistant", "content": part}) for part in halves(text)]

    def thinking(self, text: str) -> list[bytes]:
        return [self.line(message={"role": "assistant", "content": "", "thinking": text})]

    def calls(self, called: Sequence[Called]) -> list[bytes]:
        return [
            self.line(
                message={"content": "", "tool_calls": [{"id": f"k{n}", "function": {"name": name, "arguments": a}}]}
            )
            for n, (name, a) in enumerate(called)
        ]

    def end(self, reason: str = "stop") -> list[bytes]:
        why = "length" if reason == "length" else "stop"
        counts = {"prompt_eval_count": PROMPT, "eval_count": COMPLETION}
        return [
            self.line(message={"content": ""}, done_reason=why, **counts).replace(b'"done": false', b'"done": true')
        ]

    def error(self) -> bytes:
        return b'{"error": "llama runner process is temporarily unavailable, try again"}\n'


DIALECTS: tuple[Dialect, ...] = (ChatCompletions(), Responses(), Messages(), OllamaChat())
