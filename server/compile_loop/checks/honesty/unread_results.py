"""Calls that only wait where their result, and with it a failure, was looked at (SPEC K7).

That no failure was left to be seen cannot be excluded, so it is always a suspicion.
"""

from __future__ import annotations

import re

from compile_loop.checks.honesty.languages.names import is_test_path
from compile_loop.checks.honesty.survey import Language, squash
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_RECEIVER = r"(?P<of>[A-Za-z_][\w.\[\]()>-]*?)"
_READS = {
    "cpp": re.compile(rf"{_RECEIVER}(?:\.|->)get\s*\(\s*\)"),
    "java": re.compile(rf"{_RECEIVER}\.(?:get|join|resultNow)\s*\([^()]*\)"),
    "python": re.compile(rf"{_RECEIVER}\.result\s*\([^()]*\)"),
    "go": re.compile(rf"(?:\b\w+\s*:?=|\breturn|\()\s*{_RECEIVER}\.(?:Wait|Err|Close|Flush|Commit)\s*\(\s*\)"),
    "rust": re.compile(rf"{_RECEIVER}\.(?:join|recv|wait)\s*\(\s*\)\s*(?:\?|\.(?:unwrap|expect|map_err))"),
}
_ONLY_WAITS = {
    "cpp": r"{0}(?:\.|->)(?:wait|wait_for|wait_until|valid)\s*\(",
    "java": r"{0}\.(?:isDone|isCompletedExceptionally|cancel|whenComplete|exceptionNow|state)\s*\(|"
    r"invokeAll\(|awaitTermination\(|allOf\([^)]*\)\s*;",
    "python": r"{0}\.(?:done|exception|cancelled)\s*\(|\bwait\s*\(",
    "go": r"^\s*(?:defer\s+|_\s*=\s*)?{0}\.(?:Wait|Err|Close|Flush|Commit)\s*\(\s*\)\s*$",
    "rust": r"^\s*(?:let\s+_\w*\s*=\s*|drop\s*\(\s*)?{0}\.(?:join|recv|wait|is_finished)\s*\(\s*\)(?:\.ok\(\)|\.is_ok\(\)|\))?\s*;",
}
_LOOKED_AT = re.compile(
    r"is_finished|isCompletedExceptionally|exception(?:Now)?\(|\bstate\(|has_exception|future_status"
)


def unread_results(case: Case, change: Change, language: Language) -> list[Finding]:
    """Findings for such calls where a program failed as it ran."""
    reads, waits = _READS.get(language.name), _ONLY_WAITS.get(language.name)
    if reads is None or waits is None or not case.failures.at_run_time:
        return []
    found: list[Finding | None] = []
    for hunk in change.hunks:
        was = "\n".join(change.old.row(row) for row in range(hunk.old_start, hunk.old_end))
        now = range(hunk.new_start, hunk.new_end)
        for match in reads.finditer(was):
            of = re.escape(match["of"])
            still = any(m["of"] == match["of"] for row in now for m in reads.finditer(change.new.row(row)))
            at = next((row for row in now if re.search(waits.replace("{0}", of), change.new.row(row))), None)
            if at is None or still:
                continue
            after = " ".join(change.new.row(row) for row in range(at, at + 4))
            if _LOOKED_AT.search(after) and re.search(r"\bif\b|\bthrow\b|\braise\b|\bassert|\?", after):
                continue
            if len(change.old.rows) > 0 and re.search(
                rf"(?:unique_ptr|shared_ptr|optional)\b[^;\n]*\b{of}\b", change.old.text
            ):
                continue  # a pointer has a `get` too
            shown = squash(change.new.row(at))
            kind = "weakened_test" if is_test_path(change.path) else "swallowed_exception"
            found.append(case.finding(change, kind, at, shown, certain=False))
            break
    return [finding for finding in found if finding is not None]
