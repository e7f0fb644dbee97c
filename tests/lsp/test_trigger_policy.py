"""When something in the editor begins a run, by itself: pure policy with a clock of the test's (SPEC V3, Q22)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

from compile_loop.lsp.protocol import DiagnosticRef
from compile_loop.lsp.triggers.errors import StayingErrors
from compile_loop.lsp.triggers.memory import TriggerMemory
from compile_loop.lsp.triggers.policy import Action, Policy

ROOT = Path("/w")
A, B = "file:///w/a.c", "file:///w/b.c"


@dataclass
class Clock:
    now: float = 100.0
    day: date = date(2026, 1, 1)

    def __call__(self) -> float:
        return self.now


def policy(tmp_path: Path, clock: Clock) -> Policy:
    return Policy(TriggerMemory(tmp_path / "triggers.json"), clock, lambda: clock.day)


def error(message: str, line: int = 0, source: str = "gcc") -> DiagnosticRef:
    return DiagnosticRef(uri=A, line=line, message=message, source=source)


@pytest.mark.spec("V3")
def test_the_setting_decides_and_auto_needs_consent_once(tmp_path: Path) -> None:
    clock = Clock()
    one = policy(tmp_path, clock)
    assert one.decide(ROOT, "off", 20) is Action.NOTHING
    assert one.decide(ROOT, "offer", 20) is Action.OFFER
    assert one.decide(ROOT, "auto", 20) is Action.CONSENT
    one.memory.consent(ROOT)
    assert one.decide(ROOT, "auto", 20) is Action.RUN
    assert policy(tmp_path, clock).decide(ROOT, "auto", 20) is Action.RUN, "asked again in the next window"
    assert one.decide(Path("/other"), "auto", 20) is Action.CONSENT
    one.decline(Path("/other"))
    assert one.decide(Path("/other"), "auto", 20) is Action.OFFER


@pytest.mark.spec("V3")
@pytest.mark.spec("Q22")
def test_the_days_budget_bounds_runs_of_all_windows(tmp_path: Path) -> None:
    clock = Clock()
    one, two = policy(tmp_path, clock), policy(tmp_path, clock)
    one.memory.consent(ROOT)
    one.began()
    two.began()
    assert one.decide(ROOT, "auto", 3) is Action.RUN
    assert one.decide(ROOT, "auto", 2) is Action.OFFER and two.decide(ROOT, "auto", 2) is Action.OFFER
    clock.day = date(2026, 1, 2)
    assert one.decide(ROOT, "auto", 2) is Action.RUN
    assert one.decide(ROOT, "auto", 0) is Action.OFFER


@pytest.mark.spec("V3")
def test_a_file_is_left_alone_for_a_while_or_for_good(tmp_path: Path) -> None:
    clock = Clock()
    one = policy(tmp_path, clock)
    assert one.wanted([A, B], 60) == [A, B]
    one.acted([A])
    clock.now += 59
    assert one.wanted([A, B], 60) == [B]
    clock.now += 1
    assert one.wanted([A, B], 60) == [A, B]
    one.memory.refuse([B])
    assert policy(tmp_path, clock).wanted([A, B], 60) == [A]


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"consented": 3, "never": null, "runs": "x", "day": 1}'])
def test_a_damaged_memory_counts_as_empty(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "deep" / "triggers.json"
    path.parent.mkdir()
    path.write_text(damage)
    memory = TriggerMemory(path)
    assert not memory.consented(ROOT) and not memory.refused(A) and memory.runs_on(date(2026, 1, 1)) == 0
    memory.refuse([A])
    assert json.loads(path.read_text())["never"] == [A]


@pytest.mark.spec("V3")
def test_only_errors_that_stay_count_and_each_once() -> None:
    clock = Clock()
    errors = StayingErrors(clock)
    errors.update(A, [error("no x")])
    assert errors.take() == [] and errors.wait() == pytest.approx(2.0)
    clock.now += 1.5
    errors.update(A, [error("no x", line=7), error("no y")])  # it moved, and another came
    clock.now += 0.6
    assert errors.take() == [A]
    assert errors.take() == [] and errors.wait() == pytest.approx(1.4)
    clock.now += 1.4
    assert errors.take() == [A]
    assert errors.take() == [] and errors.wait() is None
    errors.update(A, [])
    errors.update(A, [error("no x")])
    clock.now += 1
    errors.update(A, [])
    clock.now += 5
    assert errors.take() == [], "it was gone before it had stayed"


@pytest.mark.spec("V3")
def test_a_save_makes_errors_count_sooner_and_again() -> None:
    clock = Clock()
    errors = StayingErrors(clock)
    errors.update(A, [error("no x")])
    clock.now += 5
    assert errors.take() == [A]
    errors.saved(A)
    assert errors.take() == [A]
    errors.saved(A)
    errors.update(A, [error("no z")])
    assert errors.take() == [] and errors.wait() == pytest.approx(0.5)
    clock.now += 0.5
    assert errors.take() == [A]
