"""How a run ended, for a model that reads text and a program that reads a document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from compile_loop.assemble import state_folder
from compile_loop.contracts.outcome import Ending, FailureKind, Outcome
from compile_loop.edits.unified import unified_diff
from compile_loop.mcp.under_way import Ended
from compile_loop.narrator import count
from compile_loop.record.limits import does_not_prove
from compile_loop.record.outcome_document import outcome_document
from compile_loop.shadow.apply import ApplyError, apply_edit

LONGEST_DIFF = 60_000
"""Characters of the diff in the text; the document has all of it."""
_COULD_NOT_TRY = {FailureKind.CONFIGURATION, FailureKind.ENVIRONMENT, FailureKind.NEEDS_AUTH, FailureKind.INTERNAL}


def answer(root: Path, run_id: str, ended: Ended, apply: bool) -> tuple[str, dict[str, Any], bool]:
    """The text, the document and whether the run could not be tried at all; writes the edit where that is wanted."""
    outcome = ended.outcome
    applied, written = _apply(root, outcome) if apply else (False, "")
    limits = does_not_prove(outcome, holdouts=ended.holdouts, isolated=True)
    document = {
        **outcome_document(outcome, applied),
        "run": run_id,
        "suspect": list(outcome.tally.suspect),
        "doesNotProve": limits,
    }
    diff = "".join(unified_diff(change) for change in outcome.edit.files)
    if len(diff) > LONGEST_DIFF:
        diff = f"{diff[:LONGEST_DIFF]}\n… {len(diff) - LONGEST_DIFF} more characters of the diff are in the structured result.\n"
    parts = [_headline(outcome), outcome.tally.explanation, *_doubts(outcome), diff and f"```diff\n{diff}```", written]
    if outcome.edit and not apply:
        parts.append("Nothing was written. Call again with `apply: true`, or apply the diff yourself.")
    parts.append(f"What this does not prove: {limits}")
    failed = outcome.failure is not None and outcome.failure.kind in _COULD_NOT_TRY
    return "\n\n".join(part for part in parts if part), document, failed


def _headline(outcome: Outcome) -> str:
    tally = outcome.tally
    if outcome.ending is Ending.GREEN:
        return f"Green: {tally.errors_before} → 0 errors, {count(tally.rounds, 'round')} of a model."
    if outcome.ending is Ending.NOTHING_TO_FIX:
        return "Nothing to fix: the check passes as it is, or none of its errors lies in these files."
    if outcome.ending is Ending.NO_CHANGE_NOMINATED:
        return "No change: the model holds that none is needed. A person has to judge that."
    assert outcome.failure is not None
    partial = f" Partial result: {tally.errors_before} → {tally.errors_after} errors." if outcome.edit else ""
    return f"Not green ({outcome.failure.kind.value}): {outcome.failure.message}{partial}"


def _doubts(outcome: Outcome) -> list[str]:
    tally = outcome.tally
    doubts = [f"Please confirm: the check is suspicious, {note}." for note in tally.suspicious]
    doubts += [f"Please confirm: {line}" for line in tally.suspect]
    if tally.remaining:
        doubts.append(f"{count(len(tally.remaining), 'earlier error')} in other files remain.")
    return doubts


def _apply(root: Path, outcome: Outcome) -> tuple[bool, str]:
    if not outcome.edit:
        return False, ""
    if not outcome.ok:
        return False, "Nothing was written, since the result is not green."
    if outcome.tally.suspicious or outcome.tally.suspect:
        return False, "Nothing was written, since a person has to look at this result first. The diff is above."
    try:
        apply_edit(root, outcome.edit, state_folder() / "journals")
    except ApplyError as error:
        return False, str(error)
    return True, f"Wrote {', '.join(outcome.edit.paths)}."
