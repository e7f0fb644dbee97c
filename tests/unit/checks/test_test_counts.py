"""How many tests ran, read from what real runners printed (SPEC K7, Q9)."""

from __future__ import annotations

from pathlib import Path

import pytest

from compile_loop.checks.test_counts import count_tests, fewer_tests

OUTPUT = Path(__file__).parents[2] / "data" / "test_output"


@pytest.mark.spec("K7")
@pytest.mark.parametrize(
    ("recorded", "ran"),
    [
        ("pytest", 6),  # 1 failed, 4 passed, 1 xfailed; one skipped did not run
        ("pytest_quiet", 6),
        ("pytest_colour", 6),
        ("pytest_none", 0),
        ("unittest", 2),
        ("cargo", 4),  # two of the library, one of tests/, one in the documentation
        ("go", None),  # without -v nobody knows
        ("go_verbose", 4),
        ("go_json", 4),
        ("node", 2),
        ("node_tap", 2),
        ("jest", 2),
        ("vitest", 2),
        ("mocha", 2),
        ("maven", 4),  # the total of the module, not its classes again
        ("ctest", 3),  # one is disabled
    ],
)
def test_the_tests_that_ran_are_counted(recorded: str, ran: int | None) -> None:
    assert count_tests((OUTPUT / f"{recorded}.txt").read_text(encoding="utf-8")) == ran


@pytest.mark.spec("K7")
@pytest.mark.parametrize(
    ("output", "ran"),
    [
        ("ℹ tests 5\nℹ suites 1\nℹ pass 3\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\nℹ duration_ms 9.1\n", 4),
        (
            "[==========] 5 tests from 2 test suites ran.\n[  PASSED  ] 4 tests.\n[  SKIPPED ] 1 test, listed below:\n",
            4,
        ),
        ("All tests passed (5 assertions in 2 test cases)\n", 2),
        ("test cases: 3 | 2 passed | 1 failed\n", 3),
        ("[doctest] test cases: 3 | 3 passed | 0 failed | 0 skipped\n", 3),
        ("5 tests completed, 1 failed, 1 skipped\n", None),  # a green run of Gradle tells no count
        ("[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0\n", None),  # nor does a quiet one of Maven
        ("Failed!  - Failed:     1, Passed:     4, Skipped:     1, Total:     6, Duration: 9 ms\n", 5),
        ("     Summary [   0.1s] 10 tests run: 9 passed, 1 failed, 2 skipped\n", 10),
        ("Tests run: 3, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.1 s -- in ATest\n", 2),
        ("No tests were found!!!\n", 0),
        ("============ no tests ran in 0.01s ============\n", 0),
        ("2 passed, 3 warnings in 61.20s (0:01:01)\n", 2),
        ("2 passed in 0.1s\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n", 5),
        ("main.c:3:1: error: expected ‘;’\n", None),
        ("I passed 3 tests in 2020\n", None),
        ("", None),
    ],
)
def test_other_runners_and_mixtures(output: str, ran: int | None) -> None:
    assert count_tests(output) == ran


@pytest.mark.spec("K7")
def test_a_count_over_a_shortened_output_is_not_believed() -> None:
    whole = (OUTPUT / "go_verbose.txt").read_text(encoding="utf-8")
    cut = whole.replace("=== RUN   TestA/two", "[… 412 lines left out …]")
    assert count_tests(whole) == 4
    assert count_tests(cut) is None


@pytest.mark.spec("K7")
def test_fewer_needs_two_counts() -> None:
    assert fewer_tests(3, 2)
    assert not fewer_tests(2, 3)
    assert not fewer_tests(None, 2)
    assert not fewer_tests(2, None)
