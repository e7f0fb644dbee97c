"""Edits that come to print what a check wants to read, or that change what printing does (SPEC K1, K7).

Such a check goes by what the edited program says, so the shortest way to green is to say it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from compile_loop.contracts.checks import Check, ContractResult
from compile_loop.contracts.edits import Edit, FileChange
from compile_loop.contracts.honesty import Finding
from compile_loop.edits.linediff import changed_runs

WRITES = re.compile(
    r"\bprint|\bwrite|\bputs\b|\bprintf|\becho\b|\bconsole\.|\bstdout\b|\bcout\b|\bdump|\bstringify\b|\bFprint|\bsay\b|\bOut\.",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`")
_STREAM = (
    r"(?:sys\.(?:__)?stdout(?:__)?(?:\.write)?|process\.stdout(?:\.write)?|os\.Stdout|\$stdout|STDOUT|builtins\.print|print"
    r"|console\.\w+)"
)
_SWAPS = re.compile(
    rf"^\s*(?:[\w.$]+\s*,\s*)*{_STREAM}(?:\s*,\s*[\w.$]+)*\s*=(?![=>])|\bsetattr\(\s*(?:sys|builtins)\s*,\s*[\"'](?:stdout|print)"
    r"|\bredirect_stdout\(|\bdup2\s*\(|\bfreopen\s*\([^)]*\bstdout\b|\bSystem\.setOut\s*\(|\bcout\.rdbuf\s*\(\s*\w|\bdef print\("
    r"|\bselect\s*\(?\s*\$\w+\s*\)?\s*;|^\s*#\s*define\s+(?:printf|puts|cout)\b|\bob_start\s*\("
)
"""What makes a stream of output, or the way to write to it, another one."""
_ALIKE = 0.6


def wanted_output(
    before: ContractResult, after: ContractResult, edit: Edit, checks: Sequence[Check], wish: str
) -> list[Finding]:
    """Suspicions where a check passes by its output. What the user's own words ask to print is none."""
    green = [check for check, now in zip(checks, after.results, strict=False) if now.ok and by_output(check)]
    red = {was.check for was in before.results if not was.ok}
    wanted = [text for check in green if check.name in red for text in _wanted(check)]
    said = " ".join(_words(wish))
    wanted = [text for text in wanted if " ".join(_words(text)) not in said or not said]
    found: dict[tuple[str, int], Finding] = {}
    for change in edit.files if green else ():
        for row, text in _told(change, wanted):
            found.setdefault((change.path, row), Finding(change.path, row, "exit_zero", text, False))
    return list(found.values())


def by_output(check: Check) -> bool:
    """Whether a check goes by what is printed."""
    return bool(check.expect.output_contains or check.expect.json_equals)


def _wanted(check: Check) -> Iterator[str]:
    yield from check.expect.output_contains
    for pointer, expected in check.expect.json_equals.items():
        key = pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
        if key and not key.isdecimal():
            yield f"{key} {json.dumps(expected)}"


def _told(change: FileChange, wanted: Sequence[str]) -> Iterator[tuple[int, str]]:
    old, new = (_rows(data, change) for data in (change.before, change.after))
    swapped_before = any(_SWAPS.search(row) for row in old)
    for i, k, j, m in changed_runs(old, new):
        gone = old[i:k]
        for row in range(j, m):
            line = new[row]
            if (not swapped_before and _SWAPS.search(line)) or any(
                _prints(line, new[row + 1 : row + 2], text) and not _was_there(text, gone) for text in wanted
            ):
                yield row + 1, line.strip()


def _prints(line: str, following: Sequence[str], text: str) -> bool:
    """Whether a line writes a text that stands in it, whole or piece by piece, at least in part as a constant."""
    if not WRITES.search(line):
        return False
    rows = [line] if _QUOTED.search(line) else [line, *following]
    constants = " ".join(part for row in rows for match in _QUOTED.finditer(row) for part in match.groups() if part)
    words = _words(text)
    bare = _words(re.sub(r"\\.", " ", " ".join(rows)))
    return any(word in _words(re.sub(r"\\.", " ", constants)) for word in words) and all(word in bare for word in words)


def _was_there(text: str, gone: Sequence[str]) -> bool:
    """Whether what stood there before wrote much the same, with the same numbers: a word that is put right."""
    for row in gone:
        for match in _QUOTED.finditer(row) if WRITES.search(row) else ():
            constant = next((part for part in match.groups() if part), "")
            same_numbers = re.findall(r"\d+", constant) == re.findall(r"\d+", text)
            if same_numbers and SequenceMatcher(None, constant.lower(), text.lower()).ratio() >= _ALIKE:
                return True
    return False


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _rows(data: bytes | None, change: FileChange) -> list[str]:
    return (data or b"").decode(change.encoding, "replace").splitlines()
