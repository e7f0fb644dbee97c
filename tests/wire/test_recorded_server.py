"""The demo's server: real Chat Completions over HTTP, and no blind playback."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import httpx
import pytest
from tests.support.asking import all_events, generator_for, reply_of, shown_in

from compile_loop.contracts.protocols import Message, ModelError, ModelErrorKind
from compile_loop.demo.server import RecordedServer

FIRST = (
    Message("system", "Repair it."),
    Message(
        "user",
        "main.c: too few arguments to function\ninventory.c: conflicting types for 'inventory_add'\n"
        "report.c: conflicting types for 'report_print'",
    ),
)


@pytest.fixture
async def recorded() -> AsyncIterator[RecordedServer]:
    async with RecordedServer(pace=0.0) as server:
        yield server


async def test_reply_is_streamed_when_the_request_shows_the_failure(recorded: RecordedServer) -> None:
    events = await all_events(generator_for(recorded.base_url), FIRST)
    reply = reply_of(events)
    assert reply.text == shown_in(events) == recorded.recording.replies[0].text
    assert reply.usage is not None
    assert reply.usage.completion_tokens > 100


@pytest.mark.parametrize(
    ("messages", "missing"),
    [
        ((Message("user", "please fix main.c"),), "inventory.c"),
        ((Message("user", "main.c inventory.c report.c"),), "too few arguments"),
        ((*FIRST, Message("assistant", "x"), Message("user", "thanks")), "too few arguments"),
    ],
)
async def test_request_without_the_failure_gets_409(
    recorded: RecordedServer, messages: tuple[Message, ...], missing: str
) -> None:
    with pytest.raises(ModelError) as caught:
        await all_events(generator_for(recorded.base_url), messages)
    assert caught.value.kind is ModelErrorKind.BAD_REQUEST
    assert "409" in caught.value.message
    assert missing in caught.value.message


async def test_replies_come_in_order_and_then_no_more(recorded: RecordedServer) -> None:
    generator = generator_for(recorded.base_url)
    first = reply_of(await all_events(generator, FIRST))
    again = reply_of(await all_events(generator, FIRST))
    assert again.text == first.text, "the same request sent again is no new turn"
    second = (
        *FIRST,
        Message("assistant", first.text),
        Message("user", "error: total of two items: expected 11085, got 2048"),
    )
    assert reply_of(await all_events(generator, second)).text == recorded.recording.replies[1].text
    with pytest.raises(ModelError, match="holds 2 replies"):
        await all_events(generator, (*second, Message("assistant", "y"), Message("user", "more")))


async def test_other_requests_are_refused(recorded: RecordedServer) -> None:
    async with httpx.AsyncClient(trust_env=False) as client:
        assert (await client.get(f"{recorded.base_url}/models")).status_code == 404
        assert (await client.post(f"{recorded.base_url}/chat/completions", content=b"{")).status_code == 400
        assert (await client.post(f"{recorded.base_url}/chat/completions", json={"messages": 1})).status_code == 400


def test_recording_says_where_it_comes_from() -> None:
    provenance = RecordedServer().recording.provenance
    assert "no live model" in provenance
    assert json.dumps(provenance)
