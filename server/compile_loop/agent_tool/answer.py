"""How a run ended, for a model that reads text and a program that reads a document."""

from __future__ import annotations

from typing import Any

from compile_loop.contracts.counting import at_least, count, went
from compile_loop.contracts.outcome import Ending, FailureKind, Outcome
from compile_loop.edits.unified import unified_diff
from compile_loop.record.limits import does_not_prove
from compile_loop.record.outcome_document import outcome_document

LONGEST_DIFF = 60_000
"""Characters of the diff in the text; the document has all of it."""
_COULD_NOT_TRY = {FailureKind.CONFIGURATION, FailureKind.ENVIRONMENT, FailureKind.NEEDS_AUTH, FailureKind.INTERNAL}


def why_not_written(outcome: Outcome) -> str:
    """Why an agent that asked for it does not get a result written; empty where it does."""
    if not outcome.ok:
        return "Nothing was written, since the result is not green."
    if outcome.tally.suspicious or outcome.tally.suspect:
        return "Nothing was written, since a person has to look at this result first. The diff is above."
    return ""


def text_of(outcome: Outcome, holdouts: int, written: str | None) -> str:
    """For a model. `written` says what became of the files where that was asked for; `holdouts` hidden checks were run."""
    diff = "".join(unified_diff(change) for change in outcome.edit.files)
    if len(diff) > LONGEST_DIFF:
        diff = f"{diff[:LONGEST_DIFF]}\n… {len(diff) - LONGEST_DIFF} more characters of the diff are left out here.\n"
    parts = [_headline(outcome), outcome.tally.explanation, *_doubts(outcome), diff and f"```diff\n{diff}```", written]
    if outcome.edit and written is None:
        parts.append(_how_to_apply(outcome))
    parts.append(f"What this does not prove: {does_not_prove(outcome, holdouts=holdouts, isolated=True)}")
    return "\n\n".join(part for part in parts if part)


def _how_to_apply(outcome: Outcome) -> str:
    """What `apply` would do: only a green result that nobody has to look at is ever written."""
    if not outcome.ok:
        return "Nothing was written. The diff is a partial result: only a green one is ever written by this tool."
    if why_not_written(outcome):
        return "Nothing was written. A person has to look at this result first; `apply` would not write it."
    return "Nothing was written. Call again with `apply: true`, or apply the diff yourself."


def document_of(outcome: Outcome, holdouts: int, applied: bool, run_id: str) -> dict[str, Any]:
    """For a program: `compile-loop/outcome/1`, with `run`, `suspect` and `doesNotProve`."""
    return {
        **outcome_document(outcome, applied),
        "run": run_id,
        "suspect": list(outcome.tally.suspect),
        "doesNotProve": does_not_prove(outcome, holdouts=holdouts, isolated=True),
    }


def could_not_try(outcome: Outcome) -> bool:
    """Whether the run said nothing about the code: for the caller that is an error of the tool."""
    return outcome.failure is not None and outcome.failure.kind in _COULD_NOT_TRY


def _headline(outcome: Outcome) -> str:
    tally = outcome.tally
    if outcome.ending is Ending.GREEN:
        rounds = f"{count(tally.rounds, 'round')} of a model" if tally.rounds else "no model asked"
        return f"Green: {at_least(tally.errors_before)} → 0 errors, {rounds}."
    if outcome.ending is Ending.NOTHING_TO_FIX:
        return "Nothing to fix: the check passes as it is, or none of its errors lies in these files."
    if outcome.ending is Ending.NO_CHANGE_NOMINATED:
        return "No change: the model holds that none is needed. A person has to judge that."
    assert outcome.failure is not None
    partial = f" Partial result: {went(tally.errors_before, tally.errors_after)}." if outcome.edit else ""
    return f"Not green ({outcome.failure.kind.value}): {outcome.failure.message}{partial}"


def _doubts(outcome: Outcome) -> list[str]:
    tally = outcome.tally
    doubts = [f"Please confirm: the check is suspicious, {note}." for note in tally.suspicious]
    doubts += [f"Please confirm: {line}" for line in tally.suspect]
    if tally.remaining:
        doubts.append(f"{count(len(tally.remaining), 'earlier error')} in other files remain.")
    doubts += [unrun.sentence for unrun in tally.unrun if outcome.ok]
    return doubts
