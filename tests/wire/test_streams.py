"""Every habit of a streaming server, sent by a real server on loopback, whole and byte by byte (SPEC M3)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.asking import QUESTION, all_events, generator_for, reply_of, shown_in
from tests.support.model_server import Answer, ModelServer, sends

from compile_loop.contracts.protocols import ModelError, Retrying, Usage
from compile_loop.models.choose import Timeouts

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "wire" / "streams.jsonl").read_text("utf-8").splitlines()
]
QUICK = Timeouts(connect=2.0, first_byte=0.6, idle=0.6)


@pytest.mark.spec("M3")
@pytest.mark.parametrize("split", [None, 1, 7], ids=["whole", "bytes", "sevens"])
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
async def test_stream(case: dict[str, Any], split: int | None) -> None:
    answer = sends(case["body"], then=case.get("then", "end"), split=split)
    silent = case.get("then") == "hold_open"
    with ModelServer(answer) as server:
        generator = generator_for(server.base_url, **({"timeouts": QUICK} if silent else {}))
        if "error" in case:
            with pytest.raises(ModelError) as caught:
                await all_events(generator)
            assert caught.value.kind.value == case["error"]
            assert case["contains"] in caught.value.message
            assert len(server.requests) == case["requests"]
            return
        events = await all_events(generator)
        reply = reply_of(events)
        assert reply.text == case["text"]
        assert reply.finish == case.get("finish", "stop")
        assert reply.usage == (Usage(*case["usage"]) if "usage" in case else None)
        assert not [event for event in events if isinstance(event, Retrying)]
        if "shown" in case:
            assert shown_in(events) == case["shown"]


SMALL = {
    "lines that end in CRLF": "".join(
        f"data: {part}\r\n\r\n"
        for part in (
            '{"choices":[{"index":0,"delta":{"content":"a\\u00e9 😀"}}]}',
            '{"choices":[{"finish_reason":"stop"}]}',
        )
    ),
    "several data lines": 'data: {"choices":[{"index":0,\ndata: "delta":{"content":"aé 😀"},"finish_reason":"stop"}]}\n\n',
    "a keep-alive": 'data: : k\n\ndata: {"choices":[{"delta":{"content":"aé 😀"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
}


@pytest.mark.spec("M3")
@pytest.mark.parametrize("name", SMALL)
async def test_a_small_stream_cut_in_two_at_every_byte(name: str) -> None:
    body = SMALL[name].encode()
    answers = [Answer((body[:at], body[at:])) for at in range(1, len(body))]
    with ModelServer(*answers) as server:
        generator = generator_for(server.base_url)
        for _ in answers:
            events = [event async for event in generator.generate(QUESTION)]
            assert reply_of(events).text == shown_in(events) == "aé 😀"
        await generator.aclose()
        assert len(server.requests) == len(answers)
