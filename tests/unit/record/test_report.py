"""The report says what was done, at what cost, how it was judged, and what that does not prove (SPEC R3, Q28)."""

from __future__ import annotations

from typing import Any

import pytest

from compile_loop.contracts.checks import Check, CheckResult
from compile_loop.contracts.edits import Edit
from compile_loop.contracts.events import (
    ChannelSwitched,
    CheckFinished,
    EditApplied,
    EditRefused,
    Event,
    HoldoutFinished,
    ModelReplied,
    Pass,
    RolledBack,
    RoundFinished,
    RoundStarted,
    RunStarted,
    TargetsChosen,
    ToolCalled,
    Warned,
)
from compile_loop.contracts.outcome import Failure, FailureKind, Outcome, Spending, Tally
from compile_loop.edits.hunks import file_change
from compile_loop.record.report import ReportBuilder, mode_of

pytestmark = pytest.mark.spec("R3", "Q28")

EDIT = Edit((file_change("a.c", b"x\n", b"y\n"), file_change("test_a.py", b"1\n", b"2\n")))
SPENT = Spending(
    calls=3, prompt_tokens=100, completion_tokens=20, model_seconds=1.5, check_seconds=0.5, wall_seconds=4.0, cost=0.25
)


def checked(in_pass: Pass, number: int, ok: bool, name: str = "make") -> CheckFinished:
    return CheckFinished(in_pass, number, CheckResult(name, ok, 0 if ok else 2, duration=0.1234567))


EVENTS: list[Event] = [
    RunStarted(
        "r1", ("a.c",), (Check("make", ("make", "-k")), Check("lint", "lint .")), "openai:m", "overlay", 5, 900.0
    ),
    checked(Pass.BASELINE, 0, False),
    TargetsChosen({"a.c": b"x\n"}),
    RoundStarted(1, 5, 2, Spending()),
    ToolCalled("read_file", "{}", True, "x"),
    ModelReplied("stop", SPENT),
    EditRefused("no match"),
    checked(Pass.ROUND, 1, False),
    RoundFinished(1, 5, 2, 4, SPENT),
    RolledBack(4, 2),
    RoundStarted(2, 5, 2, SPENT),
    ModelReplied("stop", SPENT),
    EditApplied(("a.c",), 2),
    EditApplied(("test_a.py",), 1),
    checked(Pass.ROUND, 2, True),
    RoundFinished(2, 5, 2, 0, SPENT),
    HoldoutFinished("limit", True, ""),
    Warned("slow"),
    ChannelSwitched("why not"),
    checked(Pass.FINAL, 2, True),
]


def built(outcome: Outcome, events: list[Event] = EVENTS, isolated: bool = True) -> dict[str, Any]:
    builder = ReportBuilder(
        engine="9.9", isolated=isolated, protected=lambda path: path.startswith("test_"), asked_for=("a.c",)
    )
    for event in events:
        builder.hear(event)
    return builder.document(outcome)


GREEN = Outcome.green(
    EDIT, Tally(rounds=2, errors_before=2, spending=SPENT, explanation="why", judged=(CheckResult("make", True, 0),))
)


def test_every_fact_of_a_green_run() -> None:
    report = built(GREEN)
    assert report["schema"] == "compile-loop/report/1"
    assert (report["run"], report["engine"], report["mode"], report["model"]) == ("r1", "9.9", "live", "openai:m")
    assert report["baseline"]["accepted"] is True and report["baseline"]["errors"] == 2
    assert report["rounds"] == {"allowed": 5, "done": 2}
    assert (report["calls"], report["steps"], report["price"]) == (3, 2, 0.25)
    assert report["tokens"] == {"prompt": 100, "completion": 20, "total": 120, "estimated": False}
    assert report["seconds"] == {"generation": 1.5, "checks": 0.5, "wall": 4.0}
    assert report["changedFiles"] == ["a.c", "test_a.py"]
    assert report["protectedFilesUnchanged"] is False and report["protectedFilesChanged"] == ["test_a.py"]
    assert report["isolation"] == "overlay" and report["evaluatorIsolated"] and report["hostOwnsPromotion"]
    assert report["hostOwnsOutcomes"] is True and report["generatorError"] is None
    assert report["holdouts"] == {"run": 1, "failing": []}
    assert report["warnings"] == ["slow"]
    make, lint = report["checks"]
    assert make["command"] == "make -k" and make["result"]["ok"] is True
    assert lint["command"] == "lint ." and lint["result"] is None


def test_each_round_has_its_edits_and_its_evaluation_and_its_record() -> None:
    first, second = built(GREEN)["perRound"]
    assert first["edits"] == {"blocks": 0, "refused": 1, "files": []}
    assert first["rolledBack"] and first["toolCalls"] == 1 and first["errorsAfter"] == 4
    assert first["evaluation"] == [{"check": "make", "ok": False, "exitCode": 2, "errors": 0, "seconds": 0.123}]
    assert second["edits"] == {"blocks": 3, "refused": 0, "files": ["a.c", "test_a.py"]}
    assert second["record"] == "rounds/2" and second["evaluation"][0]["ok"]


def test_a_run_that_ended_before_its_baseline_says_so() -> None:
    failure = Failure(FailureKind.ENVIRONMENT, "make was not found")
    report = built(Outcome.failed(failure, Edit(), Tally()), EVENTS[:2])
    assert report["baseline"]["accepted"] is False
    assert report["failure"] == {"kind": "environment", "message": "make was not found"}
    assert report["perRound"] == [] and "nothing is proven" in report["doesNotProve"]


def test_the_generators_error_is_named() -> None:
    failure = Failure(FailureKind.MODEL_UNAVAILABLE, "503 for good")
    assert built(Outcome.failed(failure, Edit(), Tally()))["generatorError"] == "503 for good"
    rounds = Failure(FailureKind.MAX_ROUNDS, "not green")
    assert built(Outcome.failed(rounds, Edit(), Tally()))["generatorError"] is None


def test_in_place_is_no_isolation() -> None:
    report = built(GREEN, isolated=False)
    assert not report["evaluatorIsolated"] and not report["hostOwnsPromotion"]
    assert "user's own folder" in report["doesNotProve"]


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (GREEN, ["That proves what they check, and no more"]),
        (Outcome.green(EDIT, Tally(suspicious=("no test ran",))), ["The check itself is doubtful: no test ran"]),
        (Outcome.green(EDIT, Tally(suspect=("a.c:1: x",))), ["1 line of the edit may silence the check"]),
        (Outcome.nothing_to_fix(Tally()), ["The checks passed as the files were"]),
        (Outcome.no_change_nominated(Tally()), ["a person has to judge it"]),
        (Outcome.failed(Failure(FailureKind.MAX_ROUNDS, "m"), EDIT, Tally()), ["nothing is proven", "not right yet"]),
    ],
)
def test_what_a_result_does_not_prove_is_said_plainly(outcome: Outcome, words: list[str]) -> None:
    said = built(outcome)["doesNotProve"]
    assert all(word in said for word in words), said


def test_without_hidden_checks_the_report_says_that_too() -> None:
    without = [event for event in EVENTS if not isinstance(event, HoldoutFinished)]
    assert "No hidden check confirmed it" in built(GREEN, without)["doesNotProve"]
    assert "No hidden check" not in built(GREEN)["doesNotProve"]


@pytest.mark.parametrize(
    ("model", "mode"), [(None, "none"), ("scripted:x", "scripted"), ("replay:x", "scripted"), ("ollama:x", "live")]
)
def test_the_mode_is_scripted_live_or_none(model: str | None, mode: str) -> None:
    assert mode_of(model) == mode
