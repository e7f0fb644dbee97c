"""The last words of test runners, of those that say the same of a green run and of a red one (SPEC K7, Q9).

A runner that counts only when it fails, or only when it does not, is left out: its silence would look like tests that went.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Summary:
    """A runner's line. Groups named `ran…` are added up, those named `off…` taken away.

    `fold` makes one count of several such lines: the sum where each is of its own tests, the greatest or the last where
    they are of the same ones.
    """

    pattern: re.Pattern[str]
    fold: Callable[[list[int]], int] = sum


def _last(counts: list[int]) -> int:
    return counts[-1]


def _line(pattern: str, fold: Callable[[list[int]], int] = sum) -> Summary:
    return Summary(re.compile(rf"^{pattern}", re.MULTILINE), fold)


_SUMMARIES = (
    # RSpec, hspec, Crystal, Jasmine
    _line(
        r"(?P<ran>\d+) (?:examples?|specs?), \d+ failures?(?:, \d+ errors?)?(?:, (?P<off>\d+) (?:pending|pending specs?))?\b"
    ),
    # minitest, test-unit
    _line(
        r"(?P<ran>\d+) (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors"
        r"(?:, \d+ pendings, (?P<off_a>\d+) omissions)?(?:, (?P<off>\d+) skips)?"
    ),
    # PHPUnit, JUnit 4, CppUTest
    _line(r"OK \((?P<ran>\d+) tests?(?:\)|, \d+ assertions?\))"),
    _line(r"Tests: (?P<ran>\d+), Assertions: \d+(?:, (?!Skipped)[A-Z]\w+(?: \w+)*: \d+)*(?:, Skipped: (?P<off>\d+))?"),
    _line(r"Tests run: (?P<ran>\d+),  Failures: \d+$"),
    _line(r"(?:OK|Errors) \((?:\d+ failures, )?\d+ tests?, (?P<ran>\d+) ran, "),
    # Pest
    _line(r"\s+Tests:\s+(?:(?P<ran_a>\d+) failed, )?(?:\d+ \w+, )*?(?P<ran>\d+) passed \(\d+ assertions?\)"),
    # ExUnit, bats
    _line(
        r"(?:\d+ doctests?, )?(?P<ran>\d+) tests?, \d+ failures?(?:, \d+ excluded)?(?:, (?P<off>\d+) skipped)?\b(?! assertions)"
    ),
    # Robot Framework
    _line(r"(?P<ran>\d+) tests?, \d+ passed, \d+ failed(?:, (?P<off>\d+) skipped)?$", _last),
    # Deno, Bun, Playwright, uvu, AVA
    _line(r"(?:ok|FAILED) \| (?P<ran>\d+) passed(?: \(\d+ steps?\))? \| (?P<ran_a>\d+) failed"),
    _line(r"Ran (?P<ran>\d+) tests? across \d+ files?\."),
    _line(r"  (?P<ran>\d+) (?:passed|failed|flaky)(?: \([\d.]+m?s?\))?$"),
    _line(r"\s*Total:\s+(?P<ran>\d+)\n\s*Passed:\s+\d+\n\s*Skipped:\s+(?P<off>\d+)"),
    _line(r"\s+(?P<ran>\d+) tests? (?:passed|failed)$"),
    # Karma
    _line(r".*\bExecuted \d+ of (?P<ran>\d+)(?: \([^)\n]*?[Ss]kipped (?P<off>\d+)[^)\n]*\))?.*$", _last),
    # TestNG, the console of JUnit 5
    _line(r"Total tests run: (?P<ran>\d+),(?: Passes: \d+,)? Failures: \d+, Skips: (?P<off>\d+)"),
    _line(r"\[\s+(?P<ran>\d+) tests started\s+\]"),
    # sbt
    _line(
        r"\[(?:info|error)\] (?:Passed|Failed): Total (?P<ran>\d+), Failed \d+, Errors \d+, Passed \d+(?:, Skipped (?P<off>\d+))?"
    ),
    # XCTest (of a suite, and again of what holds it) and Swift Testing
    _line(r"\s*Executed (?P<ran>\d+) tests?, with (?:(?P<off>\d+) tests? skipped and )?\d+ failures?", max),
    _line(r".*Test run with (?P<ran>\d+) tests? (?:in \d+ suites? )?(?:passed|failed) after"),
    # Zig, EUnit, tasty
    _line(r"\s*All (?P<ran>\d+) tests passed\b"),
    _line(r"(?P<ran>\d+) passed; \d+ skipped; (?P<ran_a>\d+) failed\."),
    _line(r"\s*Failed: (?P<ran_a>\d+)\.\s+Skipped: \d+\.\s+Passed: (?P<ran>\d+)\."),
    _line(r"\d+ out of (?P<ran>\d+) tests failed\b"),
    # Dart and Flutter, testthat, busted
    _line(r"\d\d:\d\d \+(?P<ran>\d+)(?: ~\d+)?(?: -(?P<ran_a>\d+))?: (?:All tests passed!|Some tests failed\.)"),
    _line(r"\[ FAIL (?P<ran_a>\d+) \| WARN \d+ \| SKIP \d+ \| PASS (?P<ran>\d+) \]", _last),
    _line(r"(?P<ran>\d+) success(?:es)? / (?P<ran_a>\d+) failures? / (?P<ran_b>\d+) errors? / \d+ pending"),
    # C and C++: Boost, Check, Unity, cmocka, Criterion, CUnit
    _line(r"Running (?P<ran>\d+) test cases?\.\.\."),
    _line(r"\d+%: Checks: (?P<ran>\d+), Failures: \d+, Errors: \d+"),
    _line(r"(?P<ran>\d+) Tests \d+ Failures (?P<off>\d+) Ignored"),
    _line(r"\[=+\] (?:\S+: )?(?P<ran>\d+) test\(s\) run\."),
    _line(r"\[=+\] Synthesis: Tested: (?P<ran>\d+) \|"),
    _line(r"\s+tests\s+\d+\s+(?P<ran>\d+)\s+\d+\s+\d+\s+\d+\s*$"),
    # Meson, automake, lit, Bazel
    _line(r"Ok:\s+(?P<ran>\d+)\s*\n(?:Expected Fail:\s+\d+\s*\n)?Fail:\s+(?P<ran_a>\d+)"),
    _line(r"# TOTAL:\s+(?P<ran>\d+)\n# PASS:\s+\d+\n# SKIP:\s+(?P<off>\d+)"),
    _line(r"Total Discovered Tests: (?P<ran>\d+)"),
    _line(r"Executed \d+ out of (?P<ran>\d+) tests?:", _last),
    # Go's other runners
    _line(r"Ran (?P<ran>\d+) of \d+ Specs in "),
    _line(r"DONE (?P<ran>\d+) tests(?:, (?P<off>\d+) skipped)?(?:, \d+ failures?)?(?:, \d+ errors?)? in "),
    _line(r"(?:OK: |OOPS: )(?P<ran>\d+) passed(?:, \d+ skipped)?(?:, (?P<ran_a>\d+) FAILED)?"),
    # Haskell, OCaml, Clojure, Perl, behave and Cucumber
    _line(r"Cases: (?P<ran>\d+)  Tried: \d+  Errors: \d+  Failures: \d+", _last),
    _line(r"(?:Test Successful in [\d.]+s\.|\d+ failures?! in [\d.]+s\.) (?P<ran>\d+) tests? run\."),
    _line(r"Ran: (?P<ran>\d+) tests in: "),
    _line(r"Ran (?P<ran>\d+) tests containing \d+ assertions\."),
    _line(r"Files=\d+, Tests=(?P<ran>\d+),"),
    _line(r"(?P<ran>\d+) scenarios? passed, (?P<ran_a>\d+) failed, \d+ skipped"),
    _line(r"(?P<ran>\d+) scenarios? \("),
    # .NET's newer summary
    _line(r"Test summary: total: (?P<ran>\d+), failed: \d+, succeeded: \d+, skipped: (?P<off>\d+)"),
)
_TAP = re.compile(r"^(?:not )?ok \d+\b(?P<rest>.*)$", re.MULTILINE)
_PLAN = re.compile(r"^1\.\.\d+(?:\s*#.*)?$", re.MULTILINE)
_COUNTED_TAP = re.compile(r"^# tests \d+$|^Files=\d+", re.MULTILINE)
"""Where a runner of TAP also says how many tests there were."""
_OFF = re.compile(r"#\s*(?:skip|todo)\b", re.IGNORECASE)


def count_summaries(text: str) -> int | None:
    """How many tests these runners say that they ran; None where none of them spoke."""
    counts = [count for summary in _SUMMARIES if (count := _count(summary, text)) is not None]
    if _PLAN.search(text) and not _COUNTED_TAP.search(text):
        counts.append(sum(not _OFF.search(found["rest"]) for found in _TAP.finditer(text)))
    return sum(counts) if counts else None


def _count(summary: Summary, text: str) -> int | None:
    counts = []
    for found in summary.pattern.finditer(text):
        groups = found.groupdict()
        ran = sum(int(value) for name, value in groups.items() if name.startswith("ran") and value)
        counts.append(ran - sum(int(value) for name, value in groups.items() if name.startswith("off") and value))
    return summary.fold(counts) if counts else None
