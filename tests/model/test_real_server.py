"""The product's own generators on a real model behind a real server. It proves the wire, not the wit (SPEC M1, M3, M5).

The model has 135 million parameters and says what it likes; so nothing here depends on what it says.
"""

from __future__ import annotations

import asyncio
import json
import time
from itertools import pairwise
from typing import Any

import httpx
import pytest
from tests.support.asking import all_events, generator_for, reply_of, shown_in

from compile_loop.contracts.protocols import (
    Message,
    ModelError,
    ModelErrorKind,
    Reply,
    TextDelta,
    ToolCall,
    ToolSchema,
)
from compile_loop.models.choose import Timeouts
from compile_loop.models.http_turns import HttpTurnGenerator

pytestmark = [pytest.mark.xdist_group("llama"), pytest.mark.timeout(300)]

PROTOCOLS = ("openai", "responses", "anthropic")
ASKED = (Message("system", "You are brief."), Message("user", "Name the first three months of the year."))
LONG_TALK = (Message("user", "Count from 1 to 500, one number a line, and leave none out."),)
READ = ToolSchema(
    "read_file",
    "Read a file.",
    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)


def reading(name: str) -> tuple[Message, ...]:
    """A question answered with the tool; the model repeats what it has seen, and so calls when it is asked again."""
    call = ToolCall(f"call_{name}", "read_file", json.dumps({"path": f"{name}.c"}))
    return (
        Message("user", f"Read {name}.c"),
        Message("assistant", "", (call,)),
        Message("tool", f"int {name};", tool_call_id=call.id),
        Message("assistant", f"It holds {name}."),
    )


def generator(llama: str, protocol: str, **settings: Any) -> HttpTurnGenerator:
    settings.setdefault("max_tokens", 12)
    settings.setdefault("timeouts", Timeouts(connect=5.0, first_byte=60.0, idle=60.0))
    return generator_for(llama, provider=protocol, **settings)


@pytest.mark.spec("M3")
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_text_streams_and_is_counted(llama: str, protocol: str) -> None:
    events = await all_events(generator(llama, protocol), ASKED)
    reply = reply_of(events)
    assert len([event for event in events if isinstance(event, TextDelta)]) > 3
    assert reply.text.strip()
    assert shown_in(events) == reply.text
    assert reply.finish in ("stop", "length")
    assert reply.usage is not None
    assert 10 < reply.usage.prompt_tokens < 200
    assert 3 < reply.usage.completion_tokens <= 12


@pytest.mark.spec("M3")
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_tool_call_and_what_follows_its_result(llama: str, protocol: str) -> None:
    talk = (
        Message("system", "Use the tool."),
        *reading("a"),
        *reading("b"),
        *reading("c"),
        Message("user", "Read d.c"),
    )
    asked = generator(llama, protocol, max_tokens=60)
    reply = reply_of(await all_events(asked, talk, (READ,)))
    (call,) = reply.tool_calls
    assert (call.name, json.loads(call.arguments)) == ("read_file", {"path": "d.c"})
    assert call.id
    assert reply.text.strip() == ""
    said = Message("assistant", reply.text, reply.tool_calls)
    after = reply_of(await all_events(asked, (*talk, said, Message("tool", "int d;", tool_call_id=call.id)), (READ,)))
    assert "d" in after.text
    assert after.usage is not None
    assert reply.usage is not None
    assert after.usage.prompt_tokens > reply.usage.prompt_tokens


@pytest.mark.spec("M1")
async def test_responses_go_on_though_this_server_stores_nothing(llama: str) -> None:
    asked = generator(llama, "responses")
    first = reply_of(await all_events(asked, ASKED))
    more = (*ASKED, Message("assistant", first.text), Message("user", "And the next one?"))
    second = reply_of(await all_events(asked, more))
    assert first.usage is not None
    assert second.usage is not None
    assert second.usage.prompt_tokens > first.usage.prompt_tokens + 10, "it has seen the whole conversation"


@pytest.mark.spec("L15")
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_cancel_in_mid_stream_frees_the_server(llama: str, protocol: str) -> None:
    asked = generator(llama, protocol, max_tokens=1500)
    events = asked.generate(LONG_TALK)
    async for event in events:
        assert isinstance(event, TextDelta)
        break
    assert await busy(llama)
    started = time.monotonic()
    await events.aclose()
    assert time.monotonic() - started < 1.0
    for _ in range(60):
        if not await busy(llama):
            break
        await asyncio.sleep(0.05)
    assert not await busy(llama)
    await asked.aclose()
    assert reply_of(await all_events(generator(llama, protocol), (Message("user", "Say hello."),))).text


async def busy(llama: str) -> bool:
    """Whether the server still works on anything."""
    async with httpx.AsyncClient(trust_env=False) as client:
        slots = (await client.get(f"{llama}/slots")).json()
    return any(slot["is_processing"] for slot in slots)


@pytest.mark.spec("M5")
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_conversation_that_is_too_long(llama: str, protocol: str) -> None:
    with pytest.raises(ModelError, match="too long") as caught:
        await all_events(generator(llama, protocol), (Message("user", "error: expected ';'\n" * 1500),))
    assert caught.value.kind is ModelErrorKind.CONTEXT


@pytest.mark.spec("M5")
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_wrong_address_is_told(llama: str, protocol: str) -> None:
    with pytest.raises(ModelError) as caught:
        await all_events(generator(f"{llama}/nowhere", protocol), ASKED)
    assert caught.value.kind is ModelErrorKind.NOT_FOUND


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_any_model_name_is_this_model(llama: str, protocol: str) -> None:
    """The server has one model and answers for it by any name, so a wrong one is no error here."""
    assert reply_of(await all_events(generator(llama, protocol), ASKED)).text


@pytest.mark.spec("L18")
async def test_runs_at_once(llama: str) -> None:
    """Two replies stream side by side, over two protocols, and neither waits for the other's end."""
    order: list[str] = []

    async def run(protocol: str) -> Reply:
        asked = generator(llama, protocol, max_tokens=30)
        try:
            async for event in asked.generate(LONG_TALK):
                order.append(protocol)
                if isinstance(event, Reply):
                    return event
        finally:
            await asked.aclose()
        raise AssertionError("no reply")

    replies = await asyncio.gather(run("openai"), run("anthropic"))
    assert all(reply.text.strip() for reply in replies)
    changes = sum(a != b for a, b in pairwise(order))
    assert changes > 5
