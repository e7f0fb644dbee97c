"""Does a finished command meet its expectation, and does its passing look honest (SPEC K1, Q9)?"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from compile_loop.checks.hearing.judging import passes_without_tests
from compile_loop.checks.masked import masked
from compile_loop.checks.test_counts import count_tests, silent_test_binary
from compile_loop.contracts.checks import Check, Expectation

_NO_TESTS = re.compile(
    r"^(?:no tests (?:ran|to run|found|collected)|=+ no tests ran .*|collected 0 items|running 0 tests|Ran 0 tests|"
    r"ok\s+\S+\s+\S+\s+\[no tests to run\]|# tests 0|no test files found.*|\s*0 passing\b.*)\s*",
    re.IGNORECASE | re.MULTILINE,
)
_HIDDEN_FAILURE = re.compile(
    r"^(?:g?make(?:\[\d+\])?: \*\*\* .*Error \d+|ninja: build stopped: .*|FAILED: .*)$", re.MULTILINE
)
_FAILED_TESTS = re.compile(
    r"^\s*(?:[1-9]\d* failing|[1-9]\d* (?:tests? )?failed\b.*|Tests?: +[1-9]\d* failed\b.*|=+ [1-9]\d* failed\b.*"
    r"|FAILED \((?:failures|errors)=.*|--- FAIL: .*|test result: FAILED.*|# fail [1-9]\d*|not ok \d+(?!.*# (?i:todo|skip)).*"
    r"|Tests run: \d+, Failures: (?:[1-9]\d*|\d+, Errors: [1-9]\d*).*)$",
    re.MULTILINE,
)
_SOME_TESTS = re.compile(
    r"^(?:running [1-9]\d* tests?|collected [1-9]\d* items?|.*\b[1-9]\d* passed\b.*|# tests [1-9]\d*)", re.MULTILINE
)

_BY_EXIT_CODE = Expectation()


def unmet(expect: Expectation, exit_code: int, stdout: str, stderr: str) -> str | None:
    """The first part of the expectation that does not hold, as a sentence; None where all hold."""
    if expect.exit_zero and exit_code != 0:
        return f"exit code {exit_code}"
    for wanted in expect.output_contains:
        if wanted not in stdout and wanted not in stderr:
            return f"the output does not contain “{wanted}”"
    for pointer, value in expect.json_equals.items():
        try:
            found = _at(json.loads(stdout), pointer)
        except (ValueError, LookupError, TypeError):
            return f"the output is no JSON with a value at “{pointer}”"
        if found != value:
            return f"“{pointer}” is {json.dumps(found)}, not {json.dumps(value)}"
    return None


def _at(document: object, pointer: str) -> object:
    """The value at an RFC 6901 pointer."""
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(document, list):
            document = document[int(key)]
        elif isinstance(document, dict):
            document = document[key]
        else:
            raise LookupError(pointer)
    return document


def suspicious(
    stdout: str,
    stderr: str,
    errors: int,
    command: str = "",
    expect: Expectation = _BY_EXIT_CODE,
    masks: Sequence[str] | None = None,
) -> tuple[str, ...]:
    """Why a person should look at a check that passed. `errors` are those in files; `command` is its line for the shell.

    `masks` are why it would pass whatever its programs say; without them they are looked for in `command` alone.
    """
    notes = []
    if errors:
        notes.append(
            f"it passed although {errors} {'errors were' if errors > 1 else 'error was'} printed; a pipe may hide the exit code"
        )
    output = stdout + stderr
    if not errors and (match := _HIDDEN_FAILURE.search(output)):
        notes.append(f"it passed although the output says “{match.group().strip()}”; a pipe may hide the exit code")
    if match := _FAILED_TESTS.search(output):
        notes.append(f"it passed although the output says “{match.group().strip()[:120]}”")
    some = _SOME_TESTS.search(output) or count_tests(output)
    if _NO_TESTS.search(output) and not some:
        notes.append("it ran no tests")
    elif silent_test_binary(command, output):
        notes.append("its test binary ended well before it told of any test")
    elif passes_without_tests(command.split()) and not some:
        notes.append("it passes where there are no tests, and told of none")
    notes += masked(Check("", command, expect=expect), Path()) if masks is None else masks
    return tuple(notes)
