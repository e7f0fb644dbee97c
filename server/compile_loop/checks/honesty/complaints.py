"""What complained, and was the failure, taken out with its words (SPEC K7).

That it complained of nothing cannot be excluded, so it is always a suspicion.
"""

from __future__ import annotations

import re

from compile_loop.checks.honesty.failures import is_test_failure
from compile_loop.checks.honesty.languages.names import is_test_path
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_COMPLAINS = re.compile(
    r"\b(?:throw|raise|panic!?|abort|errors\.New|fmt\.Errorf|Err|bail!|ensure!|assert\w*!?|requireNonNull|check(?:NotNull|Argument|State)|"
    r"invalid_argument|runtime_error|die|fatal|reject)\b"
)
_WORDS = re.compile(r"\"((?:[^\"\\\n]|\\.){6,})\"|'((?:[^'\\\n]|\\.){6,})'|`([^`\n]{6,})`")
_PLACES = re.compile(r"\{[^{}]*\}|%[-+\d.]*[a-zA-Z]|\$\{[^}]*\}")


def complaints_removed(case: Case, change: Change) -> list[Finding]:
    """Findings for removed rows that raised the very failure, whose words the file says nowhere any more."""
    if is_test_path(change.path) or not change.new.exists:
        return []
    said = [f"{d.message}\n{d.rendered}" for d in case.failures.all if is_test_failure(d) or case.failures.at_run_time]
    found: list[Finding | None] = []
    for row in sorted(change.removed) if said else ():
        line = change.old.row(row)
        if not _COMPLAINS.search(line + change.old.row(row - 1)):
            continue
        for words in (next(g for g in groups if g) for groups in _WORDS.findall(line)):
            parts = [part.strip() for part in _PLACES.split(words) if len(part.strip()) >= 6]
            told = parts and any(all(part in text for part in parts) for text in said)
            if told and not any(part in change.new.text for part in parts) and _nothing_instead(change, row):
                found.append(case.finding(change, "deleted_code", row, f"removed {line.strip()}", certain=False))
                break
    return [finding for finding in found if finding is not None]


def _nothing_instead(change: Change, row: int) -> bool:
    """Whether what stands in the row's place says nothing that was not there before."""
    hunk = next(h for h in change.hunks if h.old_start <= row < h.old_end)
    was = {word for r in range(hunk.old_start, hunk.old_end) for word in re.findall(r"\w+", change.old.row(r))}
    now = {word for r in range(hunk.new_start, hunk.new_end) for word in re.findall(r"\w+", change.new.row(r))}
    return now <= was
