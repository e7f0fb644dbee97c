"""How a run must end with each character of model, in every tool mode, over real HTTP."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.loop import personas
from tests.loop.personas import CHECK, SOURCE, Persona
from tests.loop.running import snapshot, workspace
from tests.support.model_server import ModelServer, Request

from compile_loop.assemble import Job, start
from compile_loop.contracts.events import ChannelSwitched, Event, Regrounded, RunFinished, Warned
from compile_loop.contracts.outcome import Outcome
from compile_loop.settings import Settings

MODES = ("auto", "read_only", "none", "adaptive")


@dataclass(frozen=True)
class Ends:
    """`how` is the ending or the failure's kind; `told` stands in some message to the model; `warned` in one to the user."""

    how: str
    rounds: int
    told: str = ""
    warned: str = ""


LOOPS = Ends("tool_loop", 1, "repeating it cannot help")
TABLE: dict[str, dict[str, Ends]] = {
    "good": dict.fromkeys(MODES, Ends("green", 1)),
    "stubborn": dict.fromkeys(MODES, Ends("stagnation", 3, "Your edit is applied. The check is not green yet.")),
    "no_edit": {
        **dict.fromkeys(MODES, Ends("no_edits_applied", 3, "held no edit block")),
        "adaptive": Ends("no_edits_applied", 5, "held no edit block"),
    },
    "malformed": {
        **dict.fromkeys(MODES, Ends("no_edits_applied", 3, "=======")),
        "adaptive": Ends("no_edits_applied", 5, "======="),
    },
    "reads_forever": {
        **dict.fromkeys(MODES, LOOPS),
        "none": Ends("tool_loop", 1, "`read_file` exists, but not in this run"),
    },
    "oscillating": dict.fromkeys(MODES, Ends("stagnation", 4)),
    "cheating": {
        **dict.fromkeys(MODES, Ends("no_edits_applied", 3, "Makefile", "also allow")),
        "adaptive": Ends("no_edits_applied", 5, "Makefile", "also allow"),
    },
    "confabulating": {
        **dict.fromkeys(MODES, Ends("tool_loop", 1, "There is no file src/imagined_1.c")),
        "none": Ends("tool_loop", 1, "`read_file` exists, but not in this run"),
    },
    "slow": dict.fromkeys(MODES, Ends("deadline", 1)),
    "dying": dict.fromkeys(MODES, Ends("model_unavailable", 1)),
    "wrong_file": {
        **dict.fromkeys(MODES, Ends("no_edits_applied", 3, "b.c", "The model wants to edit b.c")),
        "adaptive": Ends("no_edits_applied", 5, "b.c", "The model wants to edit b.c"),
    },
}


NEEDS_TWO_TARGETS = (personas.cheating, personas.wrong_file)
"""With one target a path header is allowed and ignored (E1)."""


@dataclass
class Met:
    events: list[Event]
    requests: list[Request]

    @property
    def outcome(self) -> Outcome:
        last = self.events[-1]
        assert isinstance(last, RunFinished)
        return last.outcome

    @property
    def how(self) -> str:
        failure = self.outcome.failure
        return failure.kind.value if failure else self.outcome.ending.value

    def said_to_model(self) -> str:
        messages = (m for r in self.requests for m in r.json["messages"] if m["role"] in ("user", "tool"))
        return "\n".join(str(m["content"]) for m in messages)


async def meet(root: Path, persona: Persona, mode: str, **settings: Any) -> Met:
    """Run over HTTP with one persona."""
    count = 0

    def answer(request: Request) -> Any:
        nonlocal count
        count += 1
        return persona(request, count)

    with ModelServer(answer) as server:
        chosen = Settings(
            model="openai:persona", base_url=server.base_url, tool_mode=mode, suggestions=False, **settings
        )  # type: ignore[arg-type]
        names = ("a.c", "c.c") if persona in NEEDS_TWO_TARGETS else ("a.c",)
        run = start(Job(root, tuple(root / name for name in names), chosen, checks=(CHECK,)))
        events = [event async for event in run]
        return Met(events, list(server.requests))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "ws"
    folder.mkdir()
    workspace(folder, a_c=SOURCE, b_c="int y;\n", c_c="int z;\n")
    (folder / "Makefile").write_text("check:\n\tgcc -fsyntax-only a.c\n")
    return folder


@pytest.mark.spec("L5", "L7", "L8", "L10", "L16", "T1", "T2")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", TABLE)
async def test_every_persona_ends_as_it_must(root: Path, name: str, mode: str) -> None:
    before = snapshot(root)
    expected = TABLE[name][mode]
    more = {"deadline_seconds": 2.0} if name == "slow" else {}
    met = await meet(root, getattr(personas, name), mode, **more)
    assert (met.how, met.outcome.tally.rounds) == (expected.how, expected.rounds), met.outcome.failure
    assert expected.told in met.said_to_model()
    assert not expected.warned or any(expected.warned in e.message for e in met.events if isinstance(e, Warned))
    assert snapshot(root) == before
    assert bool(met.outcome.edit) == (
        name in ("good",) or bool(met.outcome.edit and met.outcome.tally.errors_after < 2)
    )


@pytest.mark.spec("T1")
async def test_each_mode_declares_its_tools(root: Path) -> None:
    declared = {mode: personas.declared((await meet(root, personas.good, mode)).requests[0]) for mode in MODES}
    assert {"read_file", "read_file_range", "apply_search_replace"} <= declared["auto"] == declared["adaptive"]
    assert {"read_file", "read_file_range"} <= declared["read_only"]
    assert "apply_search_replace" not in declared["read_only"]
    assert declared["none"] == set()


@pytest.mark.spec("T1")
async def test_the_rescue_drops_all_tools_embeds_the_current_text_and_is_one_way(root: Path) -> None:
    met = await meet(root, personas.no_edit, "adaptive")
    assert len([e for e in met.events if isinstance(e, ChannelSwitched)]) == 1
    offers = [bool(personas.declared(request)) for request in met.requests]
    assert offers == [True, True, False, False, False]
    after = met.requests[2].json["messages"]
    assert SOURCE in after[1]["content"] and "You have tools" not in after[0]["content"]


@pytest.mark.spec("T1")
async def test_a_reply_past_the_step_cap_also_drops_the_tools(root: Path) -> None:
    def wanders(request: Request, number: int) -> Any:
        if not personas.declared(request):
            return personas.good(request, number)
        return personas.calls(("read_file_range", {"path": "a.c", "start": 1, "end": 1 + number % 2}))

    met = await meet(root, wanders, "adaptive", max_steps=3, guardrails=False)
    assert [type(e) for e in met.events if isinstance(e, ChannelSwitched)] == [ChannelSwitched]
    assert met.how == "green"


@pytest.mark.spec("L10")
async def test_the_wire_stays_valid_every_call_has_its_result_before_anything_else_is_said(root: Path) -> None:
    for persona in (personas.reads_forever, personas.confabulating, personas.good):
        for request in (await meet(root, persona, "auto")).requests:
            waiting: list[str] = []
            for message in request.json["messages"]:
                if message["role"] == "tool":
                    assert message["tool_call_id"] == waiting.pop(0)
                    continue
                assert not waiting
                waiting = [call["id"] for call in message.get("tool_calls") or ()]
            assert not waiting


@pytest.mark.spec("L10")
async def test_regrounding_comes_before_the_stop_and_names_what_to_do(root: Path) -> None:
    met = await meet(root, personas.reads_forever, "auto")
    assert len([e for e in met.events if isinstance(e, Regrounded)]) == 1
    assert "brought nothing new" in met.said_to_model()


@pytest.mark.spec("L10")
async def test_guardrails_can_be_switched_off(root: Path) -> None:
    met = await meet(root, personas.reads_forever, "auto", guardrails=False, max_steps=12, max_rounds=1)
    assert met.how == "max_rounds" and len(met.requests) == 12
    assert "cannot help" not in met.said_to_model()


@pytest.mark.spec("C2", "Q23")
async def test_request_n_is_a_prefix_of_request_n_plus_one(root: Path) -> None:
    for persona, mode in ((personas.stubborn, "auto"), (personas.reads_forever, "auto"), (personas.no_edit, "none")):
        sent = [r.json["messages"] for r in (await meet(root, persona, mode)).requests]
        assert len(sent) > 2
        assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(sent))


@pytest.mark.spec("L5")
async def test_the_token_budget_is_held_before_a_request(root: Path) -> None:
    met = await meet(root, personas.stubborn, "none", max_tokens_per_run=1500)
    assert met.how == "budget" and "1500 tokens" in (met.outcome.failure.message if met.outcome.failure else "")
    assert met.outcome.tally.spending.tokens <= 1500 + 1000
    nothing = await meet(root, personas.stubborn, "none", max_tokens_per_run=100)
    assert nothing.how == "budget" and nothing.requests == []
