"""Trouble that may pass is waited out, within bounds, and never half used (SPEC L6, M3, M5)."""

from __future__ import annotations

import time

import pytest
from tests.support.asking import Waits, all_events, generator_for, reply_of, shown_in
from tests.support.model_server import Answer, ModelServer, Pause, fails, says, sends

from compile_loop.contracts.protocols import ModelError, ModelErrorKind, Retrying, TextDelta, Usage
from compile_loop.models.choose import Timeouts
from compile_loop.models.retry import RetryPolicy, wished_wait

HALF = 'data: {"choices": [{"index": 0, "delta": {"content": "<<<<<<< SEARCH"}}]}\n\n'
WALL = 1_700_000_000.0


@pytest.mark.spec("M5")
@pytest.mark.parametrize(
    ("headers", "waited"),
    [
        ({"Retry-After": "2"}, 2.0),
        ({"Retry-After": "0.25"}, 0.25),
        ({"Retry-After": "Tue, 14 Nov 2023 22:13:30 GMT"}, 10.0),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.5),
        ({"Retry-After": "0"}, 0.5),
        ({"Retry-After": "soon"}, 0.5),
        ({"Retry-After": "-3"}, 0.5),
        ({"Retry-After": "nan"}, 0.5),
        ({"Retry-After": "5", "Retry-After-Ms": "120"}, 0.12),
        ({}, 0.5),
    ],
)
async def test_the_server_says_how_long(headers: dict[str, str], waited: float) -> None:
    """A past date, 0 and what cannot be read fall back to the usual backoff."""
    waits = Waits()
    with ModelServer(fails(429, {"error": {"message": "slow down"}}, headers), says("ok")) as server:
        events = await all_events(generator_for(server.base_url, waits))
    assert reply_of(events).text == "ok"
    assert waits.seconds == [pytest.approx(waited)]
    assert [event.seconds for event in events if isinstance(event, Retrying)] == waits.seconds


@pytest.mark.spec("M5")
@pytest.mark.parametrize(
    ("value", "shown"),
    [("90", "90 seconds"), ("7200", "120 minutes"), ("Wed, 21 Oct 2037 07:28:00 GMT", "5089 days"), ("1e300", "years")],
)
async def test_a_wish_beyond_the_cap_ends_it(value: str, shown: str) -> None:
    """Nobody hangs for hours; the message says how long the server asked for."""
    waits = Waits()
    with ModelServer(fails(429, "busy", {"Retry-After": value})) as server:
        with pytest.raises(ModelError) as caught:
            await all_events(generator_for(server.base_url, waits))
        assert len(server.requests) == 1
    assert waits.seconds == []
    assert shown in caught.value.message


@pytest.mark.spec("M5")
async def test_the_wait_that_google_puts_into_the_body() -> None:
    waits = Waits()
    body = [{"error": {"code": 429, "message": "slow", "details": [{"@type": "RetryInfo", "retryDelay": "7.5s"}]}}]
    with ModelServer(fails(429, body), says("ok")) as server:
        await all_events(generator_for(server.base_url, waits))
    assert waits.seconds == [7.5]


@pytest.mark.spec("M3")
@pytest.mark.parametrize(
    "broken",
    [
        sends(HALF),
        sends(HALF, then="drop"),
        sends(HALF, framing="close"),
        sends(HALF, framing="length", headers={"Content-Type": "text/event-stream", "Content-Length": "9999"}),
        sends(HALF + HALF, framing="length", headers={"Content-Type": "text/event-stream", "Content-Length": "90"}),
        sends(HALF + 'data: {"error": {"message": "overloaded", "code": 529}}\n\n'),
        Answer((), then="drop"),
    ],
    ids=[
        "no end mark",
        "dropped in a chunk",
        "closed",
        "shorter than promised",
        "longer than promised",
        "error in the stream",
        "nothing",
    ],
)
async def test_half_a_reply_is_void_and_asked_again(broken: Answer) -> None:
    with ModelServer(broken, says("whole")) as server:
        events = await all_events(generator_for(server.base_url))
        assert server.requests[0].body == server.requests[1].body
    assert reply_of(events).text == "whole"
    retry = next(i for i, event in enumerate(events) if isinstance(event, Retrying))
    assert shown_in(events[retry:]) == "whole"
    assert "SEARCH" not in reply_of(events).text


@pytest.mark.spec("M3")
@pytest.mark.parametrize("then", ["drop", "hold_open", "end"])
async def test_a_finished_reply_survives_what_comes_after(then: str) -> None:
    """The finish reason is the terminal mark: a break, a stall or a plain end after it loses nothing."""
    body = (
        HALF.replace("<<<<<<< SEARCH", "ok")
        + 'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
    )
    with ModelServer(sends(body, then=then)) as server:
        quick = Timeouts(connect=2.0, first_byte=5.0, idle=0.3)
        events = await all_events(generator_for(server.base_url, timeouts=quick))
        assert len(server.requests) == 1
    assert reply_of(events).text == "ok"


@pytest.mark.spec("M3")
async def test_a_finished_reply_waits_only_a_moment_for_its_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no end mark comes, the reply is given long before the idle time is over; late usage is still counted."""
    monkeypatch.setattr("compile_loop.models.http_turns._GRACE_AFTER_FINISH", 0.3)
    finished = HALF.encode() + b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
    usage = b'data: {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}\n\n'
    with ModelServer(Answer((finished, Pause(0.1), usage), then="hold_open")) as server:
        started = time.monotonic()
        reply = reply_of(await all_events(generator_for(server.base_url)))
        assert time.monotonic() - started < 3.0
    assert reply.usage == Usage(7, 3)


@pytest.mark.spec("M5")
async def test_first_byte_and_idle_are_apart() -> None:
    """A cold start may take long where a gap in the reply may not, and the other way round."""
    slow_start = says("ok", before=0.5)
    with ModelServer(slow_start) as server:
        patient = Timeouts(connect=2.0, first_byte=3.0, idle=0.2)
        assert reply_of(await all_events(generator_for(server.base_url, timeouts=patient))).text == "ok"
    head_first = Answer((Pause(0.5), *says("ok").pieces))
    with ModelServer(head_first) as server:
        assert reply_of(await all_events(generator_for(server.base_url, timeouts=patient))).text == "ok"
    gap = Answer((HALF.encode(), Pause(0.5), *says("ok").pieces))
    with ModelServer(gap, says("again")) as server:
        generator = generator_for(server.base_url, timeouts=patient)
        events = await all_events(generator)
        assert reply_of(events).text == "again"
        assert "in the middle of the reply" in next(e.reason for e in events if isinstance(e, Retrying))
        hurried = Timeouts(connect=2.0, first_byte=0.2, idle=3.0)
    with ModelServer(slow_start, slow_start) as server:
        with pytest.raises(ModelError, match=r"fell silent.*after the request was sent"):
            await all_events(generator_for(server.base_url, timeouts=hurried))
        assert len(server.requests) == 2, "a time-out was a long wait already: it is tried once more, not thrice"


@pytest.mark.spec("M5")
async def test_keep_alives_count_as_life() -> None:
    pieces = [part for _ in range(5) for part in (b": still here\n\n", Pause(0.15))]
    with ModelServer(Answer((*pieces, *says("ok").pieces))) as server:
        quick = Timeouts(connect=2.0, first_byte=0.4, idle=0.4)
        assert reply_of(await all_events(generator_for(server.base_url, timeouts=quick))).text == "ok"


@pytest.mark.spec("L6")
async def test_no_retries_when_none_are_allowed() -> None:
    with ModelServer(fails(500, "boom")) as server:
        with pytest.raises(ModelError) as caught:
            await all_events(generator_for(server.base_url, retries=0))
        assert len(server.requests) == 1
    assert "tried" not in caught.value.message


@pytest.mark.spec("M5")
async def test_nobody_listens() -> None:
    """A wrong address costs no retries: one sentence, at once."""
    with ModelServer(says("ok")) as server:
        address = server.base_url
    with pytest.raises(ModelError, match=r"Nothing answers at http://127.0.0.1.*Is the server running") as caught:
        await all_events(generator_for(address))
    assert caught.value.kind is ModelErrorKind.UNAVAILABLE


@pytest.mark.spec("M3")
async def test_gzip_is_unpacked_as_it_streams() -> None:
    import zlib

    packer = zlib.compressobj(wbits=31)
    pieces: list[bytes | Pause] = []
    for event in says("zipped reply").pieces:
        assert isinstance(event, bytes)
        pieces.append(packer.compress(event) + packer.flush(zlib.Z_SYNC_FLUSH))
    pieces.insert(3, Pause(0.05))
    headers = {"Content-Type": "text/event-stream", "Content-Encoding": "gzip"}
    with ModelServer(Answer((*pieces, packer.flush()), headers=headers)) as server:
        events = await all_events(generator_for(server.base_url))
    assert reply_of(events).text == "zipped reply"
    assert len([event for event in events if isinstance(event, TextDelta)]) == 2


def test_backoff_doubles_to_a_bound_with_jitter() -> None:
    policy = RetryPolicy(first_wait=0.5, longest_wait=4.0)
    assert [policy.backoff(n, 1.0) for n in range(1, 7)] == [0.5, 1.0, 2.0, 4.0, 4.0, 4.0]
    assert policy.backoff(3, 0.0) == 1.0


def test_unreadable_wishes_are_no_wishes() -> None:
    for value in ("", "soon", "-1", "inf", "nan", "Wed, 99 Foo"):
        assert wished_wait({"retry-after": value}, WALL) is None
