"""Every habit of a streaming server, sent by a real server on loopback, whole and byte by byte (SPEC M3)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.asking import all_events, generator_for, reply_of, shown_in
from tests.support.model_server import ModelServer, sends

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
