"""Every protocol against every behaviour (SPEC M1-M7); the page docs/models.md shows the same table."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.support.asking import QUESTION, READ, TOOLS, Waits, all_events, generator_for, reply_of, shown_in
from tests.support.conformance import BEHAVIOURS, HTTP_PROTOCOLS, PROTOCOLS, WITHOUT, table
from tests.support.dialects import Dialect
from tests.support.model_server import Answer, ModelServer, Pause, fails
from tests.support.subjects import HTTP, Said, command, program, relayed, saying

from compile_loop.contracts.protocols import (
    Message,
    ModelError,
    ModelErrorKind,
    Retrying,
    TextDelta,
    ToolCall,
    ToolSchema,
    Usage,
)
from compile_loop.models.relay import CallPart, RelayError, RelayMessage, TextPart

PROVED: set[tuple[str, str]] = set()
SECRET = "sk-conformance-0123456789"
PAGE = Path(__file__).parents[2] / "docs" / "models.md"


def proves(behaviour: str, *protocols: str) -> Callable[[Any], Any]:
    """The test is run for each of these protocols and fills their cells of the table."""
    PROVED.update((behaviour, protocol) for protocol in protocols)
    return pytest.mark.parametrize("protocol", protocols)


@pytest.fixture
def http(protocol: str) -> Dialect:
    return HTTP[protocol]


@pytest.mark.spec("M1")
@proves("text", *PROTOCOLS)
async def test_text(protocol: str, tmp_path: Path) -> None:
    text = "<<<<<<< SEARCH\nnaïve 日本 😀\n=======\n\n>>>>>>> REPLACE\n"
    async with saying(protocol, Said(text), tmp_path) as generator:
        reply = reply_of(await all_events(generator, QUESTION, TOOLS))
    assert (reply.text, reply.finish, reply.tool_calls) == (text, "stop", ())


@pytest.mark.spec("M3")
@proves("tool calls", *PROTOCOLS)
async def test_tool_call(protocol: str, tmp_path: Path) -> None:
    async with saying(protocol, Said("", (("read", {"p": "日.c"}),)), tmp_path) as generator:
        (call,) = reply_of(await all_events(generator, QUESTION, TOOLS)).tool_calls
    assert (call.name, json.loads(call.arguments)) == ("read", {"p": "日.c"})
    assert call.id == ("call_synth_0" if protocol == "command" else "k0")


@pytest.mark.spec("M3")
@proves("parallel calls", *PROTOCOLS)
async def test_parallel_calls(protocol: str, tmp_path: Path) -> None:
    called = (("read", {"p": "a.c"}), ("put", {"p": "b.c", "text": "x"}), ("read", {"p": "c.c"}))
    async with saying(protocol, Said("", called), tmp_path) as generator:
        calls = reply_of(await all_events(generator, QUESTION, TOOLS)).tool_calls
    assert [(call.name, json.loads(call.arguments)) for call in calls] == list(called)
    assert len({call.id for call in calls}) == 3


@pytest.mark.spec("M3")
@proves("streaming", *HTTP_PROTOCOLS)
async def test_streaming(http: Dialect) -> None:
    first, *rest = http.text("first piece, second piece")
    while b"first" not in first:
        first, rest = first + rest[0], rest[1:]
    answer = Answer((*http.begin(), first, Pause(30.0), *rest, *http.end()), headers=http.headers)
    with ModelServer(answer) as server:
        events = generator_for(server.base_url, provider=http.provider).generate(QUESTION)
        started = time.monotonic()
        async for event in events:
            assert isinstance(event, TextDelta)
            break
        assert time.monotonic() - started < 5.0, "shown while the server still writes"
        await events.aclose()


@pytest.mark.spec("M3")
@proves("streaming", "vscode", "command", "scripted", "replay")
async def test_streaming_elsewhere(protocol: str, tmp_path: Path) -> None:
    if protocol == "command":
        source = "import sys, time; print('first', end='', flush=True); time.sleep(30)"
        events = command(program(tmp_path / "slow.py", source)).generate(QUESTION)
        assert await asyncio.wait_for(anext(events), 8.0) == TextDelta("first")
        await events.aclose()
        return
    async with saying(protocol, Said("first\nsecond\n"), tmp_path) as generator:
        pieces = [e.text for e in await all_events(generator, QUESTION, TOOLS) if isinstance(e, TextDelta)]
    assert len(pieces) == 2
    assert "".join(pieces) == "first\nsecond\n"


@pytest.mark.spec("L15")
@proves("cancel", *HTTP_PROTOCOLS)
async def test_cancel(http: Dialect) -> None:
    with ModelServer(http.answer(*http.text("one two three four"), then="hold_open")) as server:
        generator = generator_for(server.base_url, provider=http.provider)
        events = generator.generate(QUESTION)
        assert isinstance(await asyncio.wait_for(anext(events), 5.0), TextDelta)
        await events.aclose()
        assert await asyncio.to_thread(server.requests[0].hung_up.wait, 2.0)
        await generator.aclose()


@pytest.mark.spec("L15")
@proves("cancel", "vscode")
async def test_cancel_in_the_editor(protocol: str) -> None:
    cancelled = asyncio.Event()

    async def relay(*_asked: Any) -> AsyncIterator[TextPart | CallPart]:
        try:
            yield TextPart("one")
            await asyncio.sleep(60)
        finally:
            cancelled.set()

    events = relayed(relay).generate(QUESTION)
    assert await anext(events) == TextDelta("one")
    await events.aclose()
    assert cancelled.is_set()


@pytest.mark.spec("L15")
@proves("cancel", "command")
async def test_cancel_kills_the_program_and_its_children(protocol: str, tmp_path: Path) -> None:
    marks = [tmp_path / "child", tmp_path / "parent"]
    source = (
        "import os, subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], start_new_session=True)\n"
        f"open({str(marks[0])!r}, 'w').write(str(child.pid)); open({str(marks[1])!r}, 'w').write(str(os.getpid()))\n"
        "print('one', flush=True); time.sleep(60)\n"
    )
    events = command(program(tmp_path / "slow.py", source)).generate(QUESTION)
    await asyncio.wait_for(anext(events), 8.0)
    started = time.monotonic()
    await events.aclose()
    assert time.monotonic() - started < 1.0
    for mark in marks:
        pid = int(mark.read_text())
        for _ in range(100):
            if not _alive(pid):
                break
            await asyncio.sleep(0.01)
        assert not _alive(pid), mark.name


def _alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


@pytest.mark.spec("M7")
@proves("usage", *HTTP_PROTOCOLS)
async def test_usage(http: Dialect, tmp_path: Path) -> None:
    async with saying(http.provider, Said("ok"), tmp_path) as generator:
        assert reply_of(await all_events(generator)).usage == Usage(*http.counts)


@pytest.mark.spec("M7")
@proves("usage", "replay")
async def test_recorded_usage(protocol: str) -> None:
    from compile_loop.contracts.protocols import Reply
    from compile_loop.models.replay import ReplayGenerator
    from compile_loop.models.turn_log import Turn, TurnLogWriter, turns_in

    turn = Turn(QUESTION, (), Reply("ok", usage=Usage(9, 2, 3, 1)))
    generator = ReplayGenerator(turns_in(TurnLogWriter().line(turn)))
    assert reply_of(await all_events(generator)).usage == Usage(9, 2, 3, 1)


TALK = (
    *QUESTION,
    Message("assistant", "", (ToolCall("k0", "read", '{"p": "a.c"}'),)),
    Message("tool", "int a;", tool_call_id="k0"),
)


@pytest.mark.spec("C2")
@pytest.mark.spec("M7")
@proves("caching", *HTTP_PROTOCOLS)
async def test_each_request_begins_with_the_one_before(http: Dialect) -> None:
    """Providers that cache by themselves cache prefixes; Anthropic is told where they end."""
    with ModelServer(http.makes(("read", {"p": "a.c"})), http.says("Reading."), http.says("ok")) as server:
        generator = generator_for(server.base_url, provider=http.provider)
        await all_events(generator, QUESTION, (READ,))
        await all_events(generator, TALK, (READ,))
        await all_events(generator, (*TALK, Message("assistant", "Reading."), Message("user", "go on")), (READ,))
        sent = [http.conversation(request.json) for request in server.requests]
        bodies = [request.json for request in server.requests]
    for before, after in pairwise(sent):
        assert after[: len(before)] == before
        assert len(after) > len(before)
    if http.provider == "anthropic":
        assert bodies[0]["system"][-1]["cache_control"] == {"type": "ephemeral"}
        marked = [
            [n for n, turn in enumerate(body["messages"]) if "cache_control" in turn["content"][-1]] for body in bodies
        ]
        assert marked == [[0], [0, 2], [2, 4]], "what the last request wrote, and what the next one will read"


@pytest.mark.spec("M3")
@proves("reasoning", *HTTP_PROTOCOLS, "vscode", "command")
async def test_reasoning_is_no_text(protocol: str, tmp_path: Path) -> None:
    drafted = "maybe\n<<<<<<< SEARCH\nx\n=======\nBAD\n>>>>>>> REPLACE\n"
    async with saying(protocol, Said("GOOD", thinking=drafted), tmp_path) as generator:
        events = await all_events(generator)
    assert reply_of(events).text.strip() == "GOOD"
    assert "BAD" not in shown_in(events)


@pytest.mark.spec("M7")
@pytest.mark.parametrize("protocol", HTTP_PROTOCOLS)
async def test_thinking_is_switched_off(http: Dialect) -> None:
    with ModelServer(http.says("ok")) as server:
        await all_events(generator_for(server.base_url, provider=http.provider, disable_thinking=True))
        sent = server.requests[0].json
    switches = {
        "openai": ("chat_template_kwargs", {"enable_thinking": False}),
        "responses": ("reasoning", {"effort": "minimal"}),
        "anthropic": ("thinking", {"type": "disabled"}),
        "ollama": ("think", False),
    }
    name, value = switches[http.provider]
    assert sent[name] == value


@pytest.mark.spec("M5")
@proves("errors", *HTTP_PROTOCOLS)
async def test_errors(http: Dialect) -> None:
    refusals = {ModelErrorKind.AUTH: http.wrong_key, ModelErrorKind.NOT_FOUND: http.wrong_model}
    for kind, answer in refusals.items():
        with ModelServer(answer) as server:
            with pytest.raises(ModelError) as caught:
                await all_events(generator_for(server.base_url, provider=http.provider, api_key=SECRET))
            assert caught.value.kind is kind
            assert len(server.requests) == 1
            assert SECRET not in caught.value.message
    html = fails(200, "<!doctype html><title>Log in</title>", {"Content-Type": "text/html"})
    with ModelServer(html) as server, pytest.raises(ModelError, match="a web page instead of a reply"):
        await all_events(generator_for(server.base_url, provider=http.provider))


@pytest.mark.spec("M5")
@proves("errors", "vscode")
async def test_errors_of_the_editor(protocol: str) -> None:
    for code, kind in {
        "NoPermissions": ModelErrorKind.AUTH,
        "Blocked": ModelErrorKind.QUOTA,
        "NotFound": ModelErrorKind.NOT_FOUND,
    }.items():
        with pytest.raises(ModelError, match="gpt-x") as caught:
            await all_events(relayed(_refusing(RelayError(code, "no"))))
        assert caught.value.kind is kind


def _refusing(error: RelayError, then: str = "") -> Any:
    errors = [error]

    async def relay(*_asked: Any) -> AsyncIterator[TextPart | CallPart]:
        if errors or not then:
            yield TextPart("half")
            raise error if not errors else errors.pop()
        yield TextPart(then)

    return relay


@pytest.mark.spec("M5")
@proves("errors", "command")
async def test_errors_of_a_program(protocol: str, tmp_path: Path) -> None:
    wrong = {
        "/no/such/program x": "was not found",
        program(tmp_path / "a.py", f"import sys; print('x'); sys.exit('bad key {SECRET}')"): "exit code 1: bad key",
        program(tmp_path / "b.py", "print('  ')"): "wrote no reply",
        "'unclosed": "cannot be read",
    }
    for line, words in wrong.items():
        with pytest.raises(ModelError, match=words) as caught:
            await all_events(command(line))
        assert SECRET not in caught.value.message
    slow = program(tmp_path / "c.py", "import time; time.sleep(60)")
    from compile_loop.models.choose import Timeouts

    with pytest.raises(ModelError, match=r"wrote nothing for 0.5 seconds"):
        await all_events(command(slow, timeouts=Timeouts(first_byte=0.5)))


@pytest.mark.spec("M1")
@proves("errors", "scripted", "replay")
async def test_a_reply_too_many(protocol: str, tmp_path: Path) -> None:
    async with saying(protocol, Said("ok"), tmp_path) as generator:
        await all_events(generator, QUESTION, TOOLS)
        with pytest.raises(ModelError, match=r"1 reply, and reply 2 was asked for"):
            await all_events(generator, QUESTION, TOOLS)


@pytest.mark.spec("L6")
@proves("retries", *HTTP_PROTOCOLS)
async def test_retries(http: Dialect) -> None:
    half = http.text("<<<<<<< SEARCH half a block")
    broken = {
        "told in the stream": http.answer(*half, http.error()),
        "no end mark": http.answer(*half),
        "dropped": http.answer(*half, then="drop"),
        "too many requests": fails(429, {"error": {"message": "slow down"}}),
        "overloaded": fails(529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    }
    for name, answer in broken.items():
        waits = Waits()
        with ModelServer(answer, http.says("whole")) as server:
            events = await all_events(generator_for(server.base_url, waits, http.provider))
            assert len(server.requests) == 2, name
        assert reply_of(events).text == "whole", name
        assert [event.seconds for event in events if isinstance(event, Retrying)] == waits.seconds != [], name


@pytest.mark.spec("L6")
@proves("retries", "vscode")
async def test_retries_in_the_editor(protocol: str) -> None:
    waits = Waits()
    events = await all_events(relayed(_refusing(RelayError("", "Server error: 502, try again"), "whole"), waits))
    assert reply_of(events).text == "whole"
    assert len(waits.seconds) == 1


@pytest.mark.spec("M5")
@proves("context overflow", *HTTP_PROTOCOLS)
async def test_context_overflow(http: Dialect) -> None:
    with ModelServer(http.overflow) as server:
        with pytest.raises(ModelError, match="too long") as caught:
            await all_events(generator_for(server.base_url, provider=http.provider))
        assert caught.value.kind is ModelErrorKind.CONTEXT
        assert len(server.requests) == 1


@pytest.mark.spec("M5")
@proves("context overflow", "vscode")
async def test_context_overflow_in_the_editor(protocol: str) -> None:
    with pytest.raises(ModelError) as caught:
        await all_events(relayed(_refusing(RelayError("", "Message exceeds token limit: prompt is too long"))))
    assert caught.value.kind is ModelErrorKind.CONTEXT


@pytest.mark.spec("M6")
async def test_what_the_editor_is_asked() -> None:
    asked: list[tuple[str, tuple[RelayMessage, ...], tuple[ToolSchema, ...]]] = []

    async def relay(
        model: str, messages: tuple[RelayMessage, ...], tools: tuple[ToolSchema, ...]
    ) -> AsyncIterator[TextPart | CallPart]:
        asked.append((model, messages, tools))
        yield TextPart("ok")

    await all_events(relayed(relay), TALK, (READ,))
    model, messages, tools = asked[0]
    assert (model, tools) == ("gpt-x", (READ,))
    assert [message.role for message in messages] == ["user", "assistant", "user"]
    assert messages[0].parts == (TextPart("Fix it.\n\nmain.c:1: error"),)


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_the_table_is_full(behaviour: str) -> None:
    for protocol in PROTOCOLS:
        assert ((behaviour, protocol) in PROVED) != ((behaviour, protocol) in WITHOUT), (behaviour, protocol)


def test_the_page_shows_the_table() -> None:
    """`python -m tests.support.conformance` writes it."""
    assert table() in PAGE.read_text("utf-8")


@pytest.mark.spec("M2")
async def test_a_model_of_the_editor_that_takes_no_tools_is_asked_without() -> None:
    offered: list[tuple[ToolSchema, ...]] = []

    async def relay(
        _model: str, messages: tuple[RelayMessage, ...], tools: tuple[ToolSchema, ...]
    ) -> AsyncIterator[TextPart | CallPart]:
        offered.append(tools)
        if tools:
            raise RelayError("", "This model does not support tools")
        assert all(isinstance(part, TextPart) for message in messages for part in message.parts)
        yield TextPart("ok")

    generator = relayed(relay)
    for _ in range(2):
        assert reply_of([event async for event in generator.generate(TALK, (READ,))]).text == "ok"
    assert offered == [(READ,), (), ()], "remembered"
