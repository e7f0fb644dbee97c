"""Reads a streamed answer under two patiences: one until its first byte, one between its pieces (SPEC M3, M5)."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import httpx
from httpx_sse import EventSource, ServerSentEvent

from compile_loop.models.model_settings import Timeouts

_LARGEST_ERROR = 64 * 1024
_LARGEST_WHOLE = 32 * 1024 * 1024


class SilenceError(Exception):
    """Nothing came for `seconds`; `since` says since when."""

    def __init__(self, seconds: float, since: str) -> None:
        super().__init__(f"nothing came for {seconds:g} seconds {since}")
        self.seconds = seconds
        self.since = since


@dataclass(slots=True)
class Patience:
    """How long the next piece may take, in seconds; changes as the stream goes on."""

    seconds: float
    since: str
    idle: float

    def shorten(self, seconds: float) -> None:
        """Wait at most this long from now on, since what matters has arrived."""
        self.idle = self.seconds = min(self.idle, seconds)


def patience_for(timeouts: Timeouts) -> Patience:
    """The patience that an answer begins with."""
    return Patience(timeouts.first_byte, "after the request was sent", timeouts.idle)


@asynccontextmanager
async def answer(
    client: httpx.AsyncClient, request: httpx.Request, timeouts: Timeouts
) -> AsyncIterator[httpx.Response]:
    """Send a request and give the answer once its head is there; leaving ends the connection at once.

    The time to connect is bounded by the request itself, and only from its last sent byte on by `first_byte`.
    """
    with anyio.CancelScope() as scope:

        async def on_trace(name: str, _info: dict[str, Any]) -> None:
            if name.endswith("send_request_body.complete"):
                scope.deadline = anyio.current_time() + timeouts.first_byte

        request.extensions["trace"] = on_trace
        response = await client.send(request, stream=True)
    if scope.cancelled_caught:
        raise SilenceError(timeouts.first_byte, "after the request was sent")
    try:
        yield response
    finally:
        await response.aclose()


class ServerSentEvents:
    """The events of an answer, whatever content type it declares.

    The last one is given also where the blank line after it is missing: only a whole payload can be read, so half of
    one does no harm. There are very many, so nothing of our own stands between them and who reads them.
    """

    def __init__(self, response: httpx.Response, patience: Patience) -> None:
        self._pieces = _event_pieces(response, patience)
        headers = {"content-type": "text/event-stream; charset=utf-8"}
        self._events = EventSource(httpx.Response(200, headers=headers, content=self._pieces)).aiter_sse()

    def __aiter__(self) -> AsyncIterator[ServerSentEvent]:
        return self._events

    async def aclose(self) -> None:
        """End the reading, from the events down to the bytes."""
        await self._events.aclose()
        await self._pieces.aclose()


async def json_lines(response: httpx.Response, patience: Patience) -> AsyncGenerator[ServerSentEvent, None]:
    """The lines of an answer that is one JSON value a line, as events without a name."""
    rest: list[bytes] = []
    async with aclosing(_pieces(response, patience)) as pieces:
        async for piece in pieces:
            head, *lines = piece.split(b"\n")
            rest.append(head)
            for line in lines:
                yield ServerSentEvent(data=b"".join(rest).decode("utf-8", "replace"))
                rest = [line]
    yield ServerSentEvent(data=b"".join(rest).decode("utf-8", "replace"))


async def whole_body(response: httpx.Response, patience: Patience) -> bytes:
    """The body of an answer that is no stream; an error's is cut at 64 KiB, a reply's at 32 MiB."""
    limit = _LARGEST_WHOLE if response.is_success else _LARGEST_ERROR
    body = bytearray()
    async with aclosing(_pieces(response, patience)) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) >= limit:
                break
    return bytes(body[:limit])


async def _event_pieces(response: httpx.Response, patience: Patience) -> AsyncGenerator[bytes, None]:
    """A stream's bytes without a byte order mark, and with the blank line that ends its last event."""
    head: bytes | None = b""
    async with aclosing(_pieces(response, patience)) as pieces:
        async for piece in pieces:
            if head is None:
                yield piece
                continue
            head += piece
            if head == BOM_UTF8[: len(head)]:
                continue
            yield head.removeprefix(BOM_UTF8)
            head = None
    yield (head or b"").removeprefix(BOM_UTF8) + b"\n\n"


async def _pieces(response: httpx.Response, patience: Patience) -> AsyncGenerator[bytes, None]:
    pieces = response.aiter_bytes()
    while True:
        with anyio.move_on_after(patience.seconds) as scope:
            try:
                piece = await anext(pieces)
            except StopAsyncIteration:
                break
        if scope.cancelled_caught:
            raise SilenceError(patience.seconds, patience.since)
        patience.seconds, patience.since = patience.idle, "in the middle of the reply"
        yield piece
