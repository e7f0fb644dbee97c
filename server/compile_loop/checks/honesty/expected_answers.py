"""Programs that read the answers which their tests compare with (SPEC K7)."""

from __future__ import annotations

import re

from compile_loop.checks.honesty.survey import Language, squash
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.checks.protected import is_protected
from compile_loop.contracts.honesty import Finding

_PATH = re.compile(
    r"[\"'`](?:[^\"'`\s]*/)?(?P<folder>tests?|__tests__|specs?|fixtures?|goldens?|expected|snapshots?|__snapshots__|testdata|test[-_]data)(?:/[^\"'`\s]*|[\"'`]\s*(?:/|,))"
    r"|[\"'`][^\"'`\s]*\.(?P<ending>golden|expected|snap|approved)(?:\.\w+)?[\"'`]"
)
_READS = re.compile(r"\bopen\s*\(|\bread|\bload\w*\s*\(|Path\s*\(|require\s*\(|\bimport\b|\bjoin\s*\(|\binclude|\bfs\.")
_ANSWERS = re.compile(r"golden|expected|snap|approved", re.IGNORECASE)


def expected_answers(case: Case, change: Change, language: Language) -> list[Finding]:
    """Findings for new lines of a program that name a file of tests to read."""
    if (
        not case.failures.testing
        or is_protected(change.path)
        or re.search(r"(?:^|/)(?:scripts?|tools?|bench\w*)/", change.path)
    ):
        return []
    found = []
    for row in sorted(change.added):
        line = change.new.row(row)
        match = _PATH.search(line)
        if match is None or language.comment.match(line) or match[0] in change.old.text:
            continue
        around = " ".join(change.new.row(r) for r in range(max(0, row - 1), row + 3))
        if _READS.search(around) and not case.wish.mentions(match[0].strip("\"'`")):
            found.append(
                case.finding(change, "special_case", row, squash(line), certain=_ANSWERS.search(match[0]) is not None)
            )
    return [finding for finding in found if finding is not None]
