"""What is written aside: in its order, waited for at the end, its trouble told (SPEC R1, W4)."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from compile_loop.contracts.checks import Check, CheckResult
from compile_loop.contracts.events import CheckFinished, Pass, RunFinished, RunStarted, Warned
from compile_loop.contracts.outcome import Outcome, Tally
from compile_loop.record.asked import Asked
from compile_loop.record.folder import RecordError
from compile_loop.record.later import Later
from compile_loop.record.recorder import Recorder
from compile_loop.record.redact import Redactor
from compile_loop.record.report import ReportBuilder

SECRET = "a-secret-value-of-mine"


def recorder(runs: Path) -> Recorder:
    report = ReportBuilder(engine="test", isolated=True, protected=lambda _path: False, asked_for=("a.c",))
    made = Recorder(runs, Asked("/ws", ("a.c",)), {}, Redactor([SECRET]), report, {"engine": "test"})
    made(RunStarted("r1", ("a.c",), (Check("make", "make"),), "openai:m", "overlay", 5, 900.0))
    return made


def check(text: str) -> CheckFinished:
    return CheckFinished(Pass.ROUND, 1, CheckResult("make", False, 2, stderr=text))


@pytest.mark.spec("R1")
def test_work_is_done_in_its_order_and_waited_for() -> None:
    later, done, go_on = Later(), [], threading.Event()
    later.add(lambda: done.append(0) if go_on.wait(60) else None)
    for number in range(1, 50):
        later.add(lambda number=number: done.append(number))  # type: ignore[misc]
    assert done == []
    go_on.set()
    later.settle()
    assert done == list(range(50))
    later.close()
    later.close()


@pytest.mark.spec("R1", "W4")
def test_outputs_are_whole_in_their_order_and_without_secrets_once_the_run_has_ended(tmp_path: Path) -> None:
    made = recorder(tmp_path)
    for number in range(20):
        made(check(f"output {number} {SECRET} " + "x" * 100_000))
    made(RunFinished(Outcome.nothing_to_fix(Tally())))
    assert made.folder is not None
    kept = (made.folder / "rounds/1/check.txt").read_text()
    assert [line.split()[1] for line in kept.splitlines() if line.startswith("output")] == [str(n) for n in range(20)]
    assert SECRET not in kept and kept.count("x" * 100_000) == 20


@pytest.mark.spec("R1")
def test_an_output_that_cannot_be_written_is_told_and_ends_the_record(tmp_path: Path) -> None:
    made = recorder(tmp_path)
    assert made.folder is not None
    (made.folder / "rounds").write_text("no folder")
    made(check("x"))
    with pytest.raises(RecordError, match="rounds"):
        made.settle()
    made(check("y"))
    for _ in range(2):
        with pytest.raises(RecordError, match="written down no further"):
            for _ in range(1000):  # told with the next event once it is known
                made(check("z"))
                threading.Event().wait(0.01)
    assert (made.folder / "cut-off").exists()
    with pytest.raises(RecordError):
        made(Warned("later"))
