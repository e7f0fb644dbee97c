"""Every way in which an endpoint refuses, told apart and worded (SPEC M5)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.asking import Waits, all_events, generator_for
from tests.support.model_server import ModelServer, fails

from compile_loop.contracts.protocols import ModelError, Retrying

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "wire" / "errors.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.spec("M5")
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
async def test_error(case: dict[str, Any]) -> None:
    waits = Waits()
    with ModelServer(fails(case["status"], case["body"], case.get("headers"))) as server:
        with pytest.raises(ModelError) as caught:
            await all_events(generator_for(server.base_url, waits, api_key="a-key-of-the-test"))
        assert caught.value.kind.value == case["error"]
        assert case["contains"] in caught.value.message
        assert len(server.requests) == case["requests"]
        assert len(waits.seconds) == case["requests"] - 1
        assert "sk-abcd" not in caught.value.message


@pytest.mark.spec("M5")
async def test_a_server_here_that_wants_a_key_is_told_apart_from_one_that_refused_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The usual key is never sent to this machine, so the advice is to name one, not to check it."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-usual-0123456789")
    with ModelServer(fails(401, {"error": {"message": "Unauthorized"}})) as server:
        with pytest.raises(ModelError) as caught:
            await all_events(generator_for(server.base_url))
        assert "authorization" not in server.requests[0].headers
        assert caught.value.message == (
            f"{server.base_url} refused a request without a key (401: Unauthorized). Name the variable that holds one "
            "(apiKeyEnv, --api-key-env); the usual ones are never sent to a server on this machine."
        )


@pytest.mark.spec("L6")
async def test_every_wait_is_an_event() -> None:
    """A retry is seen before it is made, and says why and for how long."""
    with ModelServer(fails(503, "boom")) as server:
        generator = generator_for(server.base_url)
        seen = []
        with pytest.raises(ModelError, match="tried 4 times"):
            async for event in generator.generate(()):
                assert isinstance(event, Retrying)
                seen.append(event)
        await generator.aclose()
    assert [event.seconds for event in seen] == [0.5, 1.0, 2.0]
    assert all("boom" in event.reason for event in seen)
