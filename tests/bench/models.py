"""How fast a stream of small deltas is read, how soon its end is told, and what memory it takes, beside a bare loop.

A server on loopback sends 1 MB of Chat Completions chunks. The bare loop is httpx-sse and json and nothing else, in the
same run over the same connection. Run as `python -m tests.bench.models`.
"""

from __future__ import annotations

import asyncio
import gc
import json
import statistics
import time
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable

import httpx
from httpx_sse import EventSource
from tests.support.asking import QUESTION, generator_for
from tests.support.model_server import Answer, ModelServer, Pause, Request

from compile_loop.contracts.protocols import Reply
from compile_loop.models.model_settings import Timeouts
from compile_loop.models.openai import ChunkReader
from compile_loop.models.streaming import ServerSentEvents, patience_for
from compile_loop.models.thinking import ThinkingFilter

MEGABYTE = 1_000_000
LEAST_SPEED = 20.0
"""Megabytes a second."""
LONGEST_END = 0.005
"""Seconds from the last byte to the reply."""
ROUNDS = 9
PIECE = 16_384


def chunk(text: str) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    value = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}
    return f"data: {json.dumps(value)}\n\n".encode()


END = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
COUNT = MEGABYTE // len(chunk("word "))
BODY = chunk("word ") * COUNT


def response(body: bytes) -> httpx.Response:
    async def pieces() -> AsyncIterator[bytes]:
        for at in range(0, len(body), PIECE):
            yield body[at : at + PIECE]

    return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=pieces())


async def bare() -> None:
    """What the libraries alone need."""
    count = 0
    async for event in EventSource(response(BODY + END)).aiter_sse():
        if event.data != "[DONE]":
            count += bool(json.loads(event.data)["choices"])
    assert count == COUNT + 1


async def ours() -> None:
    """The product's own reading, up to the text that is shown."""
    reader, shown = ChunkReader(), ThinkingFilter()
    length = 0
    async for event in ServerSentEvents(response(BODY + END), patience_for(Timeouts())):
        if text := reader.feed(event.event, event.data):
            length += len(shown.feed(text))
    assert length == 5 * COUNT
    assert reader.complete


def best(*runs: Callable[[], Awaitable[None]]) -> list[float]:
    """The least seconds of processor time that each takes, measured by turns so that a busy machine slows all alike."""
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(ROUNDS):
        for run, taken in zip(runs, times, strict=True):
            gc.collect()
            began = time.process_time()
            asyncio.run(_awaited(run))
            taken.append(time.process_time() - began)
    return [min(taken) for taken in times]


async def _awaited(run: Callable[[], Awaitable[None]]) -> None:
    await run()


def time_to_end() -> float:
    """Median seconds from the sending of a stream's last bytes until the reply is there, over real HTTP."""
    sent: list[float] = []

    def answer(_request: Request) -> Answer:
        return Answer((*(BODY[at : at + PIECE] for at in range(0, len(BODY), PIECE)), Pause(0.2), Last()))

    class Last(bytes):
        """Notes when it is sent: a piece is asked for its length just before."""

        def __new__(cls) -> Last:
            return super().__new__(cls, END)

        def __len__(self) -> int:
            sent.append(time.perf_counter())
            return len(END)

    async def ask(base_url: str) -> float:
        generator = generator_for(base_url)
        try:
            async for event in generator.generate(QUESTION):
                if isinstance(event, Reply):
                    return time.perf_counter()
        finally:
            await generator.aclose()
        raise AssertionError("no reply")

    times = []
    with ModelServer(answer) as server:
        for _ in range(ROUNDS):
            sent.clear()
            arrived = asyncio.run(ask(server.base_url))
            times.append(arrived - sent[-1])
    return statistics.median(times)


def memory_beyond_text(megabytes: int) -> float:
    """Megabytes held at most while a stream of this length is read, without the text itself."""
    body = BODY * megabytes + END

    async def read() -> int:
        reader = ChunkReader()
        async for event in ServerSentEvents(response(body), patience_for(Timeouts())):
            reader.feed(event.event, event.data)
        return len(reader.text)

    tracemalloc.start()
    length = asyncio.run(read())
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (most - length) / MEGABYTE


def main() -> None:
    seconds, least = best(ours, bare)
    megabytes = len(BODY + END) / MEGABYTE
    end = time_to_end()
    print(f"a stream of {COUNT} deltas, {megabytes:.2f} MB")
    print(f"  bare httpx-sse and json   {megabytes / least:6.1f} MB/s")
    print(
        f"  read by the product       {megabytes / seconds:6.1f} MB/s, {seconds / least:.2f} times the bare loop's time"
    )
    print(f"  last byte to the reply    {end * 1000:6.2f} ms")
    small, large = memory_beyond_text(1), memory_beyond_text(8)
    print(f"  memory beyond the text    {small:6.2f} MB for 1 MB of stream, {large:.2f} MB for 8 MB")
    fast = megabytes / seconds >= LEAST_SPEED
    print(f"{'met' if fast else 'NOT MET'}: at least {LEAST_SPEED:.0f} MB/s")
    print(
        f"{'met' if end <= LONGEST_END else 'NOT MET'}: at most {LONGEST_END * 1000:.0f} ms from the last byte to the reply"
    )


if __name__ == "__main__":
    main()
