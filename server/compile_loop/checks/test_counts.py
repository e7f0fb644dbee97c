"""How many tests a command ran, by what test runners print (SPEC K7, Q9).

Only of runners that tell it of a green run too, so that a count which is gone says something: Gradle counts on failure alone.
Tests that were skipped, ignored or left out did not run. Each runner's summary is read where it prints one, so that the
middle of a long output may be missing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from compile_loop.checks.test_summaries import count_summaries
from compile_loop.toolchains.terminal import without_control

_LEFT_OUT = re.compile(r"^\[… \d+ lines left out …\]$", re.MULTILINE)


def count_tests(output: str) -> int | None:
    """The number of tests that ran, over all runners in the output; None where none told.

    `output` is a check's standard output and error together.
    """
    text = without_control(output).replace("\r\n", "\n")
    readers = (*_READERS, count_summaries)
    counts = [count for reader in readers if (count := reader(text)) is not None]
    return sum(counts) if counts else None


_GO_TEST = re.compile(r"(?:^|[\s;&|(])go\s+test((?:\s+-[\w.-]+(?:=\S+)?)*)\s*\)?$")
_GO_OK = re.compile(r"^ok\s+\S+\s", re.MULTILINE)


def silent_test_binary(command: str, output: str) -> bool:
    """Whether `go test` of one folder says ok of a test binary that ended before it told of its tests.

    Run for a folder, go shows what the binary prints, and that ends with `PASS`; run for named packages it hides it.
    """
    found = _GO_TEST.search(command.strip())
    if found is None or re.search(r"-(?:json|c|n|list|exec|o)\b", found[1]):
        return False
    text = without_control(output)
    return (
        _GO_OK.search(text) is not None
        and re.search(r"^(?:PASS|testing: warning: no tests)", text, re.MULTILINE) is None
    )


def fewer_tests(before: int | None, after: int | None) -> bool:
    """Whether fewer tests ran after than before; False where either is not known."""
    return before is not None and after is not None and after < before


def _numbers(text: str, words: str) -> int:
    """The sum of the numbers that stand before one of these words."""
    return sum(int(number) for number in re.findall(rf"(\d+) (?:{words})\b", text))


def _pytest(text: str) -> int | None:
    summaries = re.findall(
        r"^(?:=+ )?((?:no tests ran|\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?|rerun|"
        r"subtests? passed))"
        r"[^\n=]*) in [\d.:]+(?:s|m|h)[^\n]*$",
        text,
        re.MULTILINE,
    )
    if not summaries:
        return None
    return sum(_numbers(s, "passed|failed|errors?|xfailed|xpassed") for s in summaries)


def _unittest(text: str) -> int | None:
    runs = re.findall(r"^Ran (\d+) tests? in [^\n]*\n+(?:(?:OK|FAILED|NO TESTS RAN)([^\n]*))?", text, re.MULTILINE)
    if not runs:
        return None
    return sum(int(ran) - sum(map(int, re.findall(r"skipped=(\d+)", rest))) for ran, rest in runs)


def _cargo(text: str) -> int | None:
    found = re.findall(r"^test result: \w+\. (\d+) passed; (\d+) failed;", text, re.MULTILINE)
    nextest = re.findall(r"^\s*Summary \[[^\]]*\]\s+(?:\d+/)?(\d+) tests? run:", text, re.MULTILINE)
    if not found and not nextest:
        return None
    return sum(int(passed) + int(failed) for passed, failed in found) + sum(map(int, nextest))


def _go(text: str) -> int | None:
    """Without `-v` go names no test that passed, so nothing is known."""
    events = _go_events(text)
    if events is not None:
        return events
    if _LEFT_OUT.search(text) or not re.search(r"^=== RUN ", text, re.MULTILINE):
        return None
    return len(re.findall(r"^\s*--- (?:PASS|FAIL): ", text, re.MULTILINE))


def _go_events(text: str) -> int | None:
    count, seen = 0, False
    for line in text.split("\n"):
        if not line.startswith('{"') or '"Action":' not in line:
            continue
        try:
            event = json.loads(line)
        except ValueError:
            continue
        seen = seen or "Package" in event
        count += event.get("Action") in ("pass", "fail") and bool(event.get("Test"))
    return None if not seen or _LEFT_OUT.search(text) else count


def _node(text: str) -> int | None:
    """`node --test`: the same summary with `#` in TAP and a sign in the spec reporter."""
    found = re.findall(r"^(?:#|ℹ) tests (\d+)\n(?:(?:#|ℹ) \w+ [\d.]+\n?)*", text, re.MULTILINE)
    if not found:
        return None
    skipped = re.findall(r"^(?:#|ℹ) (?:skipped|todo) (\d+)$", text, re.MULTILINE)
    return sum(map(int, found)) - sum(map(int, skipped))


def _jest(text: str) -> int | None:
    """Jest and Vitest."""
    found = re.findall(r"^\s*Tests:?\s+((?:\d+ \w+[,| ]*)+)(?:\(\d+\))?$", text, re.MULTILINE)
    if not found:
        return None
    return sum(_numbers(line, "passed|failed") for line in found)


def _mocha(text: str) -> int | None:
    found = re.findall(r"^  (\d+) passing \([^)]*\)$", text, re.MULTILINE)
    if not found:
        return None
    return sum(map(int, found)) + sum(map(int, re.findall(r"^  (\d+) failing$", text, re.MULTILINE)))


def _surefire(text: str) -> int | None:
    """Maven prints a line a class, with the time it took, and a total a module; a quiet one only of failures."""
    if "[INFO]" not in text and re.search(r"^\[ERROR\] Tests run:", text, re.MULTILINE):
        return None
    lines = re.findall(
        r"^(?:\[\w+\] )?Tests run: (\d+), Failures: \d+, Errors: \d+, Skipped: (\d+)(.*)$", text, re.MULTILINE
    )
    totals = [line for line in lines if "Time elapsed" not in line[2]] or lines
    if not totals:
        return None
    return sum(int(ran) - int(skipped) for ran, skipped, _ in totals)


def _ctest(text: str) -> int | None:
    """ctest's own total leaves out disabled tests; those it could not start it counts as failed."""
    found = re.findall(r"^\d+% tests passed, \d+ tests? failed out of (\d+)$", text, re.MULTILINE)
    if found:
        skipped = re.findall(
            r"^\s*\d+/\d+ Test\s+#\d+: .*\*\*\*(?:Skipped|Not Run\b(?! \(Disabled\)))", text, re.MULTILINE
        )
        return sum(map(int, found)) - len(skipped)
    return 0 if re.search(r"^No tests were found!!!$", text, re.MULTILINE) else None


def _googletest(text: str) -> int | None:
    found = re.findall(r"^\[=+\] (\d+) tests? from \d+ test (?:suites?|cases?) ran\.", text, re.MULTILINE)
    if not found:
        return None
    return sum(map(int, found)) - sum(map(int, re.findall(r"^\[  SKIPPED \] (\d+) tests?,", text, re.MULTILINE)))


def _catch(text: str) -> int | None:
    """Catch2 and doctest."""
    found = re.findall(r"^(?:\[doctest\] )?test cases:\s*(\d+) \|", text, re.MULTILINE)
    found += re.findall(r"^All tests passed \(\d+ assertions? in (\d+) test cases?\)$", text, re.MULTILINE)
    return sum(map(int, found)) if found else None


def _dotnet(text: str) -> int | None:
    found = re.findall(r"^(?:Passed|Failed)!\s+- Failed:\s*(\d+), Passed:\s*(\d+), Skipped:", text, re.MULTILINE)
    return sum(int(failed) + int(passed) for failed, passed in found) if found else None


_READERS: tuple[Callable[[str], int | None], ...] = (
    _pytest,
    _unittest,
    _cargo,
    _go,
    _node,
    _jest,
    _mocha,
    _surefire,
    _ctest,
    _googletest,
    _catch,
    _dotnet,
)
