"""Helpers that tests judge by, and whose judgement an edit changed (SPEC K7, Q4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from compile_loop.checks.gone_by.judging import COMPLAINS, Judge, judges_in
from compile_loop.checks.gone_by.naming import takes_in
from compile_loop.checks.gone_by.texts import Deciding, DecidingTexts, Role
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.modules import imports, is_program
from compile_loop.checks.protected import is_protected
from compile_loop.contracts.diagnostics import Diagnostic, Phase
from compile_loop.contracts.edits import FileChange
from compile_loop.contracts.honesty import Finding

_MOST_SHOWN = 300


def edited_judge(
    change: FileChange, failures: Sequence[Diagnostic], texts: DecidingTexts, root: Path
) -> Finding | None:
    """The first judge of a test of something else whose rows an edit touched, where no failure is one of the helper itself."""
    rows = Change(change)
    touched = rows.removed | {h.old_start for h in rows.hunks if h.old_start == h.old_end}
    judges = [judge for judge in judges_in(change.path, rows.old.text) if judge.rows & touched]
    if not judges or not _only_told(change.path, rows.old.rows, judges, failures):
        return None
    if all(judge.alone for judge in judges) and any(takes_in(change.path, s.path, s.text) for s in texts.sources):
        return None  # what the code asks of its callers
    for text in texts.all:
        if (
            text.role is Role.RUNS
            and takes_in(change.path, text.path, text.text)
            and _tests_more(text, change.path, root)
        ):
            row = min(judges[0].rows & touched)
            new = next((h.new_start for h in rows.hunks if h.old_start <= row < max(h.old_end, h.old_start + 1)), row)
            shown = f"{rows.old.row(row).strip()} became {rows.new.row(new).strip()}"
            said = f"{judges[0].name}, by which {text.path} judges: {shown}"
            return Finding(change.path, new + 1, "weakened_test", said[:_MOST_SHOWN], False)
    return None


def _only_told(path: str, rows: Sequence[str], judges: Sequence[Judge], failures: Iterable[Diagnostic]) -> bool:
    """Whether the failures that lie in a file lie where it tells of them."""
    for failure in failures:
        by_a_compiler = failure.phase is not Phase.TEST and not is_program(path)
        for file, at in ((failure.file, failure.range), *((r.file, r.range) for r in failure.related)):
            row = at.start.line
            told = row < len(rows) and COMPLAINS.search(rows[row]) is not None and not by_a_compiler
            if file == path and not (told and any(judge.first <= row <= judge.last for judge in judges)):
                return False
    return True


def _tests_more(text: Deciding, helper: str, root: Path) -> bool:
    """Whether what takes a helper in is a test of something else."""
    if not is_program(text.path):
        return True
    taken = imports(root / text.path, text.text, (root,), root)
    return any(each != helper and not is_protected(each) for each in taken)
