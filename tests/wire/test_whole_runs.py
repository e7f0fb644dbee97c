"""Whole runs, with the real compiler, through each protocol: read, edit by a tool, be done; or edit by text (SPEC M1, T2)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.support.asking import generator_for
from tests.support.dialects import DIALECTS, Dialect
from tests.support.model_server import ModelServer
from tests.support.subjects import program

from compile_loop.assemble import Job, start
from compile_loop.contracts.events import RunFinished
from compile_loop.contracts.outcome import Outcome
from compile_loop.contracts.protocols import TurnGenerator
from compile_loop.settings import Settings

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc: apt-get install gcc")

BROKEN = "int twice(int n) { return n * two; }\n"
FIXED = "int twice(int n) { return n * 2; }\n"
BLOCK = f"<<<<<<< SEARCH\n{BROKEN}=======\n{FIXED}>>>>>>> REPLACE\n"
CHECK = "gcc -Wall -fsyntax-only a.c"


async def run(root: Path, *, model: str = "", base_url: str = "", generator: TurnGenerator | None = None) -> Outcome:
    """Fix a.c and tell how it ended."""
    (root / "a.c").write_text(BROKEN, "utf-8")
    settings = Settings(model=model, base_url=base_url, suggestions=False, repair_memory=False, record=False)
    stream = start(Job(root, (root / "a.c",), settings, checks=(CHECK,), generator=generator))
    last = [event async for event in stream][-1]
    assert isinstance(last, RunFinished)
    return last.outcome


@pytest.mark.spec("T2")
@pytest.mark.parametrize("http", DIALECTS, ids=[each.provider for each in DIALECTS])
async def test_a_model_that_reads_edits_and_is_done(http: Dialect, tmp_path: Path) -> None:
    edit = {"path": "a.c", "search": "two", "replace": "2"}
    answers = (
        http.makes(("read_file", {"path": "a.c"}), text="I read it first."),
        http.makes(("apply_search_replace", edit)),
        http.says("DONE"),
    )
    with ModelServer(*answers) as server:
        base = server.origin if http.provider == "ollama" else server.base_url
        outcome = await run(tmp_path, model=f"{http.provider}:test-model", base_url=base)
        sent = [request.body.decode() for request in server.requests]
    assert outcome.ok, outcome
    assert outcome.edit is not None
    assert len(sent) == 3
    assert "n * two" in sent[1], "what it read"
    assert "Applied in a.c at line 1" in sent[2]


@pytest.mark.spec("M1")
@pytest.mark.parametrize("http", DIALECTS, ids=[each.provider for each in DIALECTS])
async def test_a_model_that_answers_with_a_block(http: Dialect, tmp_path: Path) -> None:
    with ModelServer(http.says(BLOCK, thinking="Perhaps <<<<<<< SEARCH\n")) as server:
        generator = generator_for(server.base_url, provider=http.provider)
        outcome = await run(tmp_path, generator=generator)
    assert outcome.ok, outcome


@pytest.mark.spec("M1")
async def test_a_program_that_answers_with_a_block(tmp_path: Path) -> None:
    source = f"import sys; prompt = sys.stdin.read(); print({BLOCK!r} if 'two' in prompt else 'what?')"
    outcome = await run(tmp_path, model=f"command:{program(tmp_path / 'model.py', source)}")
    assert outcome.ok, outcome


@pytest.mark.spec("L13")
async def test_a_stronger_model_that_is_set_is_asked_and_priced_apart(tmp_path: Path) -> None:
    """Each has an endpoint of its own; neither gets the other's headers."""
    (tmp_path / "a.c").write_text(BROKEN, "utf-8")
    small, strong = DIALECTS[0], DIALECTS[2]
    asks = small.makes(("consult", {"question": "What is two?"}))
    with ModelServer(asks, small.says(BLOCK)) as first, ModelServer(strong.says("It is 2.")) as second:
        settings = Settings(
            model="openai:small",
            base_url=first.base_url,
            headers={"X-Small": "1"},
            consult_model="anthropic:strong",
            consult_base_url=second.base_url,
            prices={"anthropic:strong": {"input": 1000.0, "output": 0.0, "cached": 0.0, "written": 0.0}},
            max_cost=10.0,
            suggestions=False,
            repair_memory=False,
            record=False,
        )
        events = [event async for event in start(Job(tmp_path, (tmp_path / "a.c",), settings, checks=(CHECK,)))]
        assert "It is 2." in first.requests[1].body.decode()
        assert second.requests[0].json["model"] == "strong" and "x-small" not in second.requests[0].headers
    last = events[-1]
    assert isinstance(last, RunFinished) and last.outcome.ok
    spending = last.outcome.tally.spending
    assert (spending.calls, spending.consults) == (3, 1)
    assert spending.cost == pytest.approx(0.1), "100 tokens of the stronger model's prompt are not from its cache"
