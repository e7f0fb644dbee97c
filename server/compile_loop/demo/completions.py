"""Writes Chat Completions as a server streams them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_PIECE = re.compile(r"\s*\S+|\s+$", re.DOTALL)


def completion_events(text: str, *, model: str, finish: str = "stop", prompt_characters: int = 0) -> Iterator[bytes]:
    """The server-sent events of one streamed reply, word by word; tokens are estimated as a quarter of the characters."""

    def event(choices: list[dict[str, object]], **more: object) -> bytes:
        chunk = {"id": "chatcmpl-local", "object": "chat.completion.chunk", "created": 0, "model": model}
        return f"data: {json.dumps({**chunk, 'choices': choices, **more}, ensure_ascii=False)}\n\n".encode()

    def choice(delta: dict[str, object], reason: str | None = None) -> list[dict[str, object]]:
        return [{"index": 0, "delta": delta, "finish_reason": reason}]

    yield event(choice({"role": "assistant", "content": None}))
    for piece in _PIECE.findall(text):
        yield event(choice({"content": piece}))
    yield event(choice({}, finish))
    prompt, completion = prompt_characters // 4, len(text) // 4
    usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    yield event([], usage=usage)
    yield b"data: [DONE]\n\n"
