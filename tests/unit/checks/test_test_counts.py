"""How many tests ran, read from what real runners printed (SPEC K7, Q9)."""

from __future__ import annotations

from pathlib import Path

import pytest

from compile_loop.checks.test_counts import count_tests, fewer_tests, silent_test_binary

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


@pytest.mark.spec("K7", "Q9")
@pytest.mark.parametrize(
    ("runner", "green", "red", "ran"),
    [
        ("rspec", "3 examples, 0 failures, 1 pending\n", "3 examples, 1 failure, 1 pending\n", 2),
        ("jasmine", "3 specs, 0 failures\n", "3 specs, 1 failure\n", 3),
        (
            "minitest",
            "3 runs, 4 assertions, 0 failures, 0 errors, 1 skips\n",
            "3 runs, 3 assertions, 1 failures, 0 errors, 1 skips\n",
            2,
        ),
        (
            "test-unit",
            "3 tests, 4 assertions, 0 failures, 0 errors, 0 pendings, 0 omissions, 0 notifications\n",
            "3 tests, 4 assertions, 1 failures, 0 errors, 0 pendings, 0 omissions, 0 notifications\n",
            3,
        ),
        ("phpunit", "OK (3 tests, 5 assertions)\n", "FAILURES!\nTests: 3, Assertions: 5, Failures: 1.\n", 3),
        ("junit 4", "OK (3 tests)\n", "FAILURES!!!\nTests run: 3,  Failures: 1\n", 3),
        (
            "CppUTest",
            "OK (4 tests, 3 ran, 5 checks, 1 ignored, 0 filtered out, 1 ms)\n",
            "Errors (1 failures, 4 tests, 3 ran, 5 checks, 1 ignored, 0 filtered out, 1 ms)\n",
            3,
        ),
        ("pest", "  Tests:    3 passed (5 assertions)\n", "  Tests:    1 failed, 2 passed (5 assertions)\n", 3),
        ("exunit", "3 tests, 0 failures\n", "3 tests, 1 failure\n", 3),
        ("bats", "3 tests, 0 failures, 1 skipped\n", "3 tests, 1 failure, 1 skipped\n", 2),
        ("deno", "ok | 3 passed | 0 failed (5ms)\n", "FAILED | 2 passed | 1 failed (5ms)\n", 3),
        ("bun", "Ran 3 tests across 1 file. [5.00ms]\n", "Ran 3 tests across 1 file. [5.00ms]\n", 3),
        ("playwright", "  3 passed (1.2s)\n", "  1 failed\n  2 passed (1.2s)\n", 3),
        (
            "testng",
            "Total tests run: 3, Passes: 3, Failures: 0, Skips: 0\n",
            "Total tests run: 3, Passes: 2, Failures: 1, Skips: 0\n",
            3,
        ),
        ("junit console", "[         3 tests started    ]\n", "[         3 tests started    ]\n", 3),
        (
            "sbt",
            "[info] Passed: Total 3, Failed 0, Errors 0, Passed 3\n",
            "[error] Failed: Total 3, Failed 1, Errors 0, Passed 2\n",
            3,
        ),
        (
            "xctest",
            "\t Executed 3 tests, with 0 failures (0 unexpected) in 0.1 seconds\n" * 3,
            "\t Executed 3 tests, with 1 failure (0 unexpected) in 0.1 seconds\n" * 3,
            3,
        ),
        ("zig", "All 3 tests passed.\n", "2 passed; 0 skipped; 1 failed.\n", 3),
        ("tasty", "All 3 tests passed (0.00s)\n", "1 out of 3 tests failed (0.00s)\n", 3),
        ("dart", "00:01 +3: All tests passed!\n", "00:01 +2 -1: Some tests failed.\n", 3),
        ("testthat", "[ FAIL 0 | WARN 0 | SKIP 0 | PASS 3 ]\n", "[ FAIL 1 | WARN 0 | SKIP 0 | PASS 2 ]\n", 3),
        (
            "busted",
            "3 successes / 0 failures / 0 errors / 0 pending : 0.1 seconds\n",
            "2 successes / 1 failure / 0 errors / 0 pending : 0.1 seconds\n",
            3,
        ),
        (
            "boost",
            "Running 3 test cases...\n\n*** No errors detected\n",
            "Running 3 test cases...\na.cpp(3): error\n",
            3,
        ),
        ("check", "100%: Checks: 3, Failures: 0, Errors: 0\n", "66%: Checks: 3, Failures: 1, Errors: 0\n", 3),
        ("unity", "3 Tests 0 Failures 1 Ignored\nOK\n", "3 Tests 1 Failures 1 Ignored\nFAIL\n", 2),
        ("cmocka", "[==========] tests: 3 test(s) run.\n", "[==========] tests: 3 test(s) run.\n", 3),
        (
            "criterion",
            "[====] Synthesis: Tested: 3 | Passing: 3 | Failing: 0 | Crashing: 0 \n",
            "[====] Synthesis: Tested: 3 | Passing: 2 | Failing: 1 | Crashing: 0 \n",
            3,
        ),
        (
            "meson",
            "Ok:                 3   \nFail:               0   \n",
            "Ok:                 2   \nFail:               1   \n",
            3,
        ),
        ("automake", "# TOTAL: 4\n# PASS:  3\n# SKIP:  1\n", "# TOTAL: 4\n# PASS:  2\n# SKIP:  1\n", 3),
        (
            "bazel",
            "Executed 1 out of 3 tests: 3 tests pass.\n",
            "Executed 2 out of 3 tests: 2 tests pass and 1 fails.\n",
            3,
        ),
        ("ginkgo", "Ran 3 of 4 Specs in 0.001 seconds\n", "Ran 3 of 4 Specs in 0.001 seconds\n", 3),
        ("gotestsum", "DONE 3 tests, 1 skipped in 0.5s\n", "DONE 3 tests, 1 skipped, 1 failure in 0.5s\n", 2),
        ("prove", "Files=1, Tests=3,  0 wallclock secs\n", "Files=1, Tests=3,  0 wallclock secs\n", 3),
        (
            "TAP",
            "1..3\nok 1 - a\nok 2 - b\nok 3 - c # skip slow\n",
            "1..3\nok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP\n",
            2,
        ),
        ("clojure", "Ran 3 tests containing 5 assertions.\n", "Ran 3 tests containing 5 assertions.\n", 3),
        ("behave", "3 scenarios passed, 0 failed, 0 skipped\n", "2 scenarios passed, 1 failed, 0 skipped\n", 3),
        (
            "dotnet",
            "Test summary: total: 3, failed: 0, succeeded: 3, skipped: 0, duration: 1.0s\n",
            "Test summary: total: 3, failed: 1, succeeded: 2, skipped: 0, duration: 1.0s\n",
            3,
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isascii() and "\n" not in value else "",
)
def test_a_runner_says_as_much_when_green_as_when_red(runner: str, green: str, red: str, ran: int) -> None:
    """Else tests that no longer tell would be looked for where there are none."""
    assert (count_tests(green), count_tests(red)) == (ran, ran), runner


@pytest.mark.spec("Q9")
@pytest.mark.parametrize(
    ("command", "output", "silent"),
    [
        ("go test", "ok  \tcalc\t0.003s\n", True),
        ("cd calc && go test -race -count=1", "ok  \tcalc\t0.003s\n", True),
        ("go test", "PASS\nok  \tcalc\t0.003s\n", False),
        ("go test -cover", "PASS\ncoverage: 100.0% of statements\nok  \tcalc\t0.003s\n", False),
        ("go test ./...", "ok  \tcalc\t0.003s\n", False),  # there go hides what a binary says
        ("go test -run TestAdd", "ok  \tcalc\t0.003s\n", False),  # what is a value and what a package is not known
        ("go test -json", "ok  \tcalc\t0.003s\n", False),
        ("go vet", "", False),
    ],
)
def test_a_test_binary_that_ends_without_a_word(command: str, output: str, silent: bool) -> None:
    assert silent_test_binary(command, output) is silent
