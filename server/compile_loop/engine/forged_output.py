"""Output that is to be JSON, and that the edited code may have written in the place of the check (SPEC K7)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from compile_loop.contracts.checks import Check, CheckResult, ContractResult
from compile_loop.contracts.edits import Edit
from compile_loop.contracts.honesty import Finding
from compile_loop.engine.wanted_output import WRITES


def forged(before: ContractResult, after: ContractResult, edit: Edit, checks: Sequence[Check]) -> list[Finding]:
    """Suspicions where a check passes by a value in its output.

    A key that is said twice, a further value of that name that is not the expected one and was not there before, and code
    that comes to write the key that another program's output had already.
    """
    found: list[Finding] = []
    for check, was, now in zip(checks, before.results, after.results, strict=False):
        for pointer, expected in check.expect.json_equals.items() if now.ok else ():
            key = pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
            if key and not key.isdecimal():
                found += _of_output(check, was, now, key, expected)
                found += _of_edit(edit, key) if key in {name for name, _ in _values(_read(was.stdout))} else ()
    return found


def _of_output(check: Check, was: CheckResult, now: CheckResult, key: str, expected: object) -> Iterator[Finding]:
    document = _read(now.stdout)
    others = [value for name, value in _values(document) if name == key and value != expected]
    before = [value for name, value in _values(_read(was.stdout)) if name == key]
    said = f"the output of {check.name} holds “{key}”"
    if _twice(now.stdout, key):
        yield Finding("", 0, "exit_zero", f"{said} twice in one object", False)
    elif others and len([v for name, v in _values(document) if name == key]) > len(before):
        yield Finding(
            "",
            0,
            "exit_zero",
            f"{said} also as {json.dumps(others[0])[:80]}, in a place that was not there before",
            False,
        )


def _of_edit(edit: Edit, key: str) -> Iterator[Finding]:
    """Code that comes to write a key that it did not name."""
    quoted = re.compile(rf"[\"'`\\]{re.escape(key)}[\"'`\\]")
    for change in edit.files:
        old = (change.before or b"").decode(change.encoding, "replace")
        rows = (change.after or b"").decode(change.encoding, "replace").splitlines()
        if quoted.search(old):
            continue
        for row, (line, following) in enumerate(pairwise([*rows, ""])):
            if quoted.search(line) and WRITES.search(line + following):
                yield Finding(change.path, row + 1, "exit_zero", line.strip(), False)
                break


def _read(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _twice(text: str, key: str) -> bool:
    """Whether one object of a document names a key twice: readers take the last."""
    twice = False

    def look(pairs: list[tuple[str, object]]) -> dict[str, object]:
        nonlocal twice
        twice = twice or sum(name == key for name, _ in pairs) > 1
        return dict(pairs)

    try:
        json.loads(text, object_pairs_hook=look)
    except ValueError:
        return False
    return twice


def _values(document: object) -> Iterator[tuple[str, object]]:
    """Every key of a document with its value, at any depth."""
    waiting = [document]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            yield from each.items()
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
