"""The engine's named policies, each alone."""

from __future__ import annotations

import pytest

from compile_loop.contracts.checks import CheckResult, ContractResult
from compile_loop.contracts.diagnostics import Diagnostic, Phase, Range, Related, Severity
from compile_loop.contracts.edits import Edit, FileChange
from compile_loop.contracts.outcome import Ending, Failure, FailureKind, Outcome, Tally
from compile_loop.engine.fingerprint import fingerprint, normalise
from compile_loop.engine.request import RunRequest
from compile_loop.engine.stall import StallMonitor
from compile_loop.engine.targets import choose_targets
from compile_loop.engine.verdict import Score, judge, must_roll_back


def error(
    message: str, file: str | None = "a.c", line: int = 0, phase: Phase = Phase.TYPE, **more: object
) -> Diagnostic:
    return Diagnostic(message, file, Range.of(line, 0, line, 1), source="gcc", phase=phase, **more)  # type: ignore[arg-type]


def result(*errors: Diagnostic, ok: bool | None = None, exit_code: int | None = None) -> ContractResult:
    passed = not errors if ok is None else ok
    code = exit_code if exit_code is not None else 0 if passed else 1
    return ContractResult((CheckResult("make", passed, code, diagnostics=errors),))


@pytest.mark.spec("L7")
@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("line 12: bad token", "line 99: bad token", True),
        ("at 0x7ffe01 in /tmp/x1/a.c", "at 0x11 in /var/y/a.c", True),
        ("took 1.5s at 2026-01-02T03:04:05", "took 2.25s at 2026-11-12T13:14:15", True),
        ("\x1b[31mred\x1b[0m", "red", True),
        ("‘a1’ undeclared", "‘a2’ undeclared", False),
        ("expected 'x1'", "expected 'x2'", False),
        ("missing semicolon", "missing brace", False),
    ],
)
def test_a_fingerprint_keeps_symbols_and_drops_numbers_paths_addresses_and_times(a: str, b: str, same: bool) -> None:
    assert (normalise(a) == normalise(b)) == same


@pytest.mark.spec("K4")
def test_baseline_failures_are_matched_by_content_not_by_line() -> None:
    assert fingerprint(error("x", line=3)) == fingerprint(error("x", line=40))
    old = result(error("old", "b.c", 3), error("mine"))
    assert judge(result(error("old", "b.c", 90), ok=False), old, frozenset({"a.c"})).green
    assert not judge(result(error("new", "b.c", 3), ok=False), old, frozenset({"a.c"})).green
    twice = result(error("old", "b.c", 3), error("old", "b.c", 4))
    assert not judge(twice, old, frozenset({"a.c"})).green


@pytest.mark.spec("Q1")
def test_a_failure_that_no_earlier_error_explains_is_not_green() -> None:
    old = result(error("mine"), error("old", "b.c"))
    silent = ContractResult((CheckResult("make", False, 2),))
    assert not judge(silent, old, frozenset({"a.c"})).green
    timed_out = ContractResult((CheckResult("make", False, -1, diagnostics=(error("old", "b.c"),), timeout="slow"),))
    assert not judge(timed_out, old, frozenset({"a.c"})).green
    assert not judge(result(error("link failed", None), ok=False), old, frozenset({"a.c"})).green


@pytest.mark.spec("Q1")
def test_errors_printed_in_the_targets_block_also_where_the_exit_code_is_zero() -> None:
    piped = result(error("mine"), ok=True)
    assert not judge(piped, piped, frozenset({"a.c"})).green
    assert judge(piped, piped, None).green


@pytest.mark.spec("Q3")
def test_a_later_phase_is_progress_even_with_more_errors() -> None:
    base = result(error("syntax", phase=Phase.PARSE))
    now = result(error("t1"), error("t2"), error("t3"))
    before, after = judge(base, base, None), judge(now, base, None)
    assert Score.of(after).better_than(Score.of(before))
    assert not must_roll_back(before, after)
    worse = judge(result(error("syntax", phase=Phase.PARSE), error("more", phase=Phase.PARSE)), base, None)
    assert must_roll_back(before, worse)


@pytest.mark.spec("L7")
def test_stagnation_after_three_equal_states_and_not_when_something_moves() -> None:
    monitor = StallMonitor()
    assert monitor.verified(result(error("a", line=1))) is None
    assert monitor.verified(result(error("a", line=2))) is None
    assert monitor.verified(result(error("b"))) is None
    assert monitor.verified(result(error("b"))) is None
    stalled = monitor.verified(result(error("b")))
    assert stalled and stalled.kind is FailureKind.STAGNATION


@pytest.mark.spec("L7")
def test_oscillation_is_stagnation() -> None:
    monitor = StallMonitor()
    a, b = result(error("a")), result(error("b"))
    assert [monitor.verified(s) for s in (a, b, a)] == [None] * 3
    assert monitor.verified(b) is not None


@pytest.mark.spec("L8")
def test_any_applied_edit_resets_the_count_of_rounds_without_one() -> None:
    monitor = StallMonitor()
    assert monitor.no_edit() is None and monitor.no_edit() is None
    assert monitor.verified(result(error("a"))) is None
    assert monitor.no_edit() is None and monitor.no_edit() is None
    ended = monitor.no_edit()
    assert ended and ended.kind is FailureKind.NO_EDITS_APPLIED


def admit_all(_path: str, _has_error: bool) -> str | None:
    return None


@pytest.mark.spec("Q4")
def test_targets_are_the_files_asked_for_and_those_that_their_errors_name() -> None:
    baseline = result(
        error("bad call", "a.c", related=(Related("a.h", Range.of(0, 0, 0, 1), "declared here"),)),
        error("unrelated", "z.c"),
        error("outside", "/usr/include/stdio.h"),
    )
    chosen = choose_targets(RunRequest(targets=("a.c",)), baseline, admit_all)
    assert chosen.writable == ("a.c", "a.h") and chosen.focus == frozenset({"a.c"})
    whole = choose_targets(RunRequest(scope="workspace"), baseline, admit_all)
    assert whole.writable == ("a.c", "z.c", "a.h") and whole.focus is None


@pytest.mark.spec("Q4")
def test_where_no_error_names_a_file_the_warnings_do() -> None:
    """javac's -Werror: its only error, “warnings found and -Werror specified”, lies in no file."""
    warning = Diagnostic("found raw type: List", "A.java", severity=Severity.WARNING)
    failed = error("warnings found and -Werror specified", None)
    chosen = choose_targets(RunRequest(scope="workspace"), result(warning, failed), admit_all)
    assert chosen.writable == ("A.java",) and chosen.focus is None


@pytest.mark.spec("Q4")
def test_a_file_that_may_not_be_written_is_named_with_its_reason() -> None:
    def admit(path: str, _has_error: bool) -> str | None:
        return "it is a test" if path.startswith("tests/") else None

    chosen = choose_targets(RunRequest(scope="workspace"), result(error("x", "tests/t.c"), error("y")), admit)
    assert chosen.writable == ("a.c",) and chosen.refused == (("tests/t.c", "it is a test"),)


@pytest.mark.spec("L16")
def test_outcomes_cannot_contradict_themselves() -> None:
    edit = Edit((FileChange("a.c", b"a", b"b", ()),))
    assert Outcome.green(edit, Tally()).failure is None
    with pytest.raises(ValueError, match="green needs an edit"):
        Outcome.green(Edit(), Tally())
    with pytest.raises(TypeError):
        Outcome(object(), Ending.GREEN, None, edit, Tally())
    failed = Outcome.failed(Failure(FailureKind.BUDGET, "spent"), edit, Tally())
    assert failed.failure and not failed.ok
    assert Outcome.nothing_to_fix(Tally()).failure is None and Outcome.no_change_nominated(Tally()).failure is None
