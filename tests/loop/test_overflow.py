"""A conversation that outgrows the model's window, told by a real server in each provider's words (SPEC C2, M5)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.loop.running import workspace
from tests.support.dialects import DIALECTS, Dialect
from tests.support.model_server import Answer, ModelServer, Request

from compile_loop.assemble import Job, start
from compile_loop.contracts.events import Compacted, Event, RunFinished, Warned
from compile_loop.contracts.outcome import FailureKind, Outcome
from compile_loop.settings import Settings

BROKEN = "int twice(int n) { return n * two; }\n"
BLOCK = f"<<<<<<< SEARCH\n{BROKEN}=======\n{BROKEN.replace('two', '2')}>>>>>>> REPLACE\n"
LONG = "".join(f"/* a line of text, number {n} */\n" for n in range(1, 400))
WINDOW = 24_000
"""Bytes of a request that the test's model takes."""

every_dialect = pytest.mark.parametrize("http", DIALECTS, ids=[each.provider for each in DIALECTS])


async def run(root: Path, http: Dialect, server: ModelServer, **settings: Any) -> tuple[list[Event], Outcome]:
    base = server.origin if http.provider == "ollama" else server.base_url
    chosen = Settings(
        model=f"{http.provider}:test-model",
        base_url=base,
        guardrails=False,
        repair_memory=False,
        record=False,
        **settings,
    )
    job = Job(root, (root / "a.c",), chosen, checks=("gcc -Wall -fsyntax-only a.c",))
    events = [event async for event in start(job)]
    last = events[-1]
    assert isinstance(last, RunFinished)
    return events, last.outcome


def counting(answer: Answer) -> Answer:
    """The answer with as many tokens of the prompt as it might really have had, so that none seems to be cut."""
    pieces = [p.replace(b'_eval_count": 900', b'_eval_count": 6000') for p in answer.pieces if isinstance(p, bytes)]
    return replace(answer, pieces=pieces)


@pytest.mark.spec("C2")
@pytest.mark.spec("M5")
@every_dialect
async def test_a_conversation_that_is_too_long_is_shortened_and_sent_again(http: Dialect, tmp_path: Path) -> None:
    """Old turns go first; no round is used up, and from then on the window is known."""
    root = workspace(tmp_path, a_c=BROKEN, long_h=LONG)
    replies = [http.makes(("read_file_range", {"path": "long.h", "start": n, "end": n + 150})) for n in (1, 2, 3, 4, 5)]
    replies = [counting(answer) for answer in (*replies, http.says(BLOCK))]

    def answer(request: Request) -> Answer:
        return http.overflow if len(request.body) > WINDOW else replies.pop(0)

    with ModelServer(answer) as server:
        events, outcome = await run(root, http, server)
        sizes = [len(request.body) for request in server.requests]
    assert outcome.ok and outcome.tally.rounds == 1 and not replies
    refused = [size for size in sizes if size > WINDOW]
    assert len(refused) == 1, "learnt once, it is not run into again"
    assert [e for e in events if isinstance(e, Compacted)]
    assert any("too long for" in e.message and "sent again" in e.message for e in events if isinstance(e, Warned))


@pytest.mark.spec("C2")
async def test_one_long_text_is_cut_in_its_middle(tmp_path: Path) -> None:
    """Where no turn can go, the longest texts lose their middle; the system prompt and the failures stay."""
    root = workspace(tmp_path, a_c=BROKEN + LONG)
    http = DIALECTS[0]

    def answer(request: Request) -> Answer:
        return http.overflow if len(request.body) > 14_000 else http.says(BLOCK)

    with ModelServer(answer) as server:
        _, outcome = await run(root, http, server)
        first, *_, last = (request.json["messages"] for request in server.requests)
    assert outcome.ok
    assert last[0] == first[0]
    assert "middle of this text was left out" in last[1]["content"]
    assert BROKEN in last[1]["content"] and "undeclared" in last[1]["content"]


@pytest.mark.spec("M5")
@every_dialect
async def test_what_cannot_be_shortened_ends_in_one_sentence(http: Dialect, tmp_path: Path) -> None:
    root = workspace(tmp_path, a_c=BROKEN + LONG)
    with ModelServer(http.overflow) as server:
        _, outcome = await run(root, http, server)
        assert 2 <= len(server.requests) <= 4
    assert outcome.failure is not None and outcome.failure.kind is FailureKind.MODEL_UNAVAILABLE
    message = outcome.failure.message
    assert "too long for test-model" in message and "larger context" in message
    assert message.endswith("was shortened as far as it can be.")
