"""Stopping ends the call at once; the server sees it (SPEC L15, M5)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from tests.support.asking import QUESTION, generator_for
from tests.support.model_server import Answer, ModelServer, fails, says

from compile_loop.contracts.protocols import Retrying, TextDelta

ENDLESS = Answer(says("one two three").pieces[:3], then="hold_open")
SOON = 1.0


async def until(done: Callable[[], bool]) -> None:
    """Wait a second at most."""
    for _ in range(int(SOON / 0.01)):
        if done():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen within a second")


@pytest.mark.spec("L15")
async def test_closing_the_iterator_hangs_up() -> None:
    with ModelServer(ENDLESS) as server:
        generator = generator_for(server.base_url)
        events = generator.generate(QUESTION)
        assert isinstance(await anext(events), TextDelta)
        assert not server.requests[0].hung_up.is_set()
        await events.aclose()
        await until(server.requests[0].hung_up.is_set)
        await generator.aclose()


@pytest.mark.spec("L15")
@pytest.mark.parametrize("answer", [ENDLESS, Answer(before=30.0)], ids=["in mid-stream", "before the first byte"])
async def test_cancelling_the_task_hangs_up(answer: Answer) -> None:
    with ModelServer(answer) as server:
        generator = generator_for(server.base_url)

        async def consume() -> None:
            async for _ in generator.generate(QUESTION):
                pass

        task = asyncio.create_task(consume())
        await until(lambda: bool(server.requests))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(server.requests[0].hung_up.is_set)
        await generator.aclose()
        assert len(server.requests) == 1


@pytest.mark.spec("L15")
async def test_cancelling_while_it_waits_for_a_retry() -> None:
    with ModelServer(fails(503, "busy", {"Retry-After": "50"})) as server:
        generator = generator_for(server.base_url)
        generator._timing = type(generator._timing)()
        seen = asyncio.Event()

        async def consume() -> None:
            async for event in generator.generate(QUESTION):
                assert isinstance(event, Retrying)
                seen.set()

        task = asyncio.create_task(consume())
        await asyncio.wait_for(seen.wait(), SOON)
        await asyncio.sleep(0)
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=SOON)
        assert done
        await generator.aclose()
        assert len(server.requests) == 1


@pytest.mark.spec("L15")
async def test_the_generator_serves_again_after_a_cancelled_turn() -> None:
    with ModelServer(ENDLESS, says("ok")) as server:
        generator = generator_for(server.base_url)
        events = generator.generate(QUESTION)
        await anext(events)
        await events.aclose()
        texts = [event.text async for event in generator.generate(QUESTION) if isinstance(event, TextDelta)]
        assert "".join(texts) == "ok"
        await generator.aclose()
        await generator.aclose()
