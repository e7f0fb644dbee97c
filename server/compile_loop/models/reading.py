"""What the readers of all wire protocols share: text in pieces, why it ended, usage, and payloads nobody can read."""

from __future__ import annotations

import json
from collections.abc import Mapping

from compile_loop.contracts.protocols import ToolCall, ToolSchema, Usage
from compile_loop.models.failures import upstream_of
from compile_loop.models.tool_calls import CallAssembler
from compile_loop.models.wire import Upstream, UpstreamError

_decode = json.JSONDecoder().raw_decode
"""Reads the value at the head of a text: there are thousands of small ones in a reply."""

_JOINED_FROM = 256
_MOST_COUNTED = 10**12
"""What a whole number of a provider's may be; a larger one is none."""


class Reader:
    """Puts one reply together from JSON payloads; a protocol says in `take` what each of them means.

    `tools` are those that the reply may call.
    """

    def __init__(self, tools: tuple[ToolSchema, ...] = ()) -> None:
        self.calls = CallAssembler({tool.name for tool in tools})
        self.reason = ""
        self.done = False
        self.counted: Usage | None = None
        self._joined: list[str] = []
        self._pieces: list[str] = []
        self._stray = ""

    def feed(self, event: str, data: str) -> str:
        """Take one event: a payload, `[DONE]`, a keep-alive in disguise, an error, or something unreadable."""
        if not data.startswith("{"):
            data = data.strip()
            if not data or data.startswith(":"):
                return ""
            if data == "[DONE]":
                self.done = True
                return ""
        try:
            payload, end = _decode(data)
            if end != len(data) and data[end:].strip():
                raise ValueError("something follows")
        except (ValueError, RecursionError):
            if event == "error":
                raise UpstreamError(Upstream(None, data)) from None
            self._stray = self._stray or data
            return ""
        if event == "error" or (isinstance(payload, dict) and payload.get("error")):
            raise UpstreamError(upstream_of(None, payload))
        if not isinstance(payload, dict):
            self._stray = self._stray or data
            return ""
        return self.take(payload, event)

    def feed_whole(self, body: object) -> str:
        """Take a reply that came as one JSON value though a stream was asked for."""
        if not isinstance(body, dict) or body.get("error"):
            raise UpstreamError(upstream_of(None, body))
        text = self.take_whole(body)
        if not self.complete:
            self._stray = json.dumps(body, ensure_ascii=False)
        return text

    def take(self, payload: dict[str, object], event: str) -> str:
        """Take one payload of the stream and give the text that it adds."""
        raise NotImplementedError

    def take_whole(self, body: dict[str, object]) -> str:
        """Take a whole reply and give its text."""
        raise NotImplementedError

    def add(self, text: object) -> str:
        """Add text to the reply; anything else than text adds nothing."""
        if not text or not isinstance(text, str):
            return ""
        self._pieces.append(text)
        if len(self._pieces) >= _JOINED_FROM:
            self._join()
        return text

    def _join(self) -> None:
        """Make one text of many, each of which takes more memory than its few characters."""
        if self._pieces:
            self._joined.append("".join(self._pieces))
            self._pieces.clear()

    @property
    def ended(self) -> bool:
        """Whether nothing more can follow."""
        return self.done

    @property
    def complete(self) -> bool:
        """A reason ends a reply; an end mark alone does where there was anything (some servers send no reason)."""
        return bool(self.reason) or (self.done and bool(self._joined or self._pieces or self.calls))

    @property
    def text(self) -> str:
        """Everything the reply holds so far."""
        self._join()
        return "".join(self._joined)

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls that the reply makes so far."""
        return self.calls.calls

    @property
    def finish(self) -> str:
        """The provider's finish reason, `stop` where it gave none."""
        return self.reason or "stop"

    @property
    def usage(self) -> Usage | None:
        """Tokens, where the provider counted them."""
        return self.counted

    @property
    def stray(self) -> str:
        """The first payload that could not be read."""
        return self._stray


def number_in(counts: Mapping[str, object], *path: str) -> int | None:
    """A whole number at a path of keys; None where there is none."""
    value: object = counts
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_COUNTED else None


def mapping(value: object) -> dict[str, object]:
    """The value where it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def entries(value: object) -> list[dict[str, object]]:
    """The JSON objects of a list; none where it is no list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
