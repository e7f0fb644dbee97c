"""What a result does not prove, in plain sentences (SPEC R3)."""

from __future__ import annotations

from compile_loop.contracts.counting import count
from compile_loop.contracts.outcome import Ending, Outcome


def does_not_prove(outcome: Outcome, *, holdouts: int, isolated: bool) -> str:
    """For people who would take green for more than it is; `holdouts` hidden checks were run."""
    tally = outcome.tally
    if outcome.ending is Ending.NOTHING_TO_FIX:
        return "The checks passed as the files were. That says nothing about what the checks do not look at."
    if outcome.ending is Ending.NO_CHANGE_NOMINATED:
        return "A model holds that nothing needs to change. No check has confirmed that; a person has to judge it."
    if outcome.ending is Ending.FAILED:
        rest = " The partial result is the best state that was seen, and it is not right yet." if outcome.edit else ""
        return f"The run did not become green, so nothing is proven.{rest}"
    sentences = [
        "The checks pass with this edit. That proves what they check, and no more: "
        "behaviour that none of them looks at may be wrong."
    ]
    if not holdouts:
        sentences.append(
            "No hidden check confirmed it, so an edit made to please the visible ones would look the same."
        )
    if tally.by_output:
        sentences.append(
            f"{'; '.join(tally.by_output)} goes by what is printed, and the edited program may print that itself: whether it is "
            "true is not checked."
        )
    if tally.remaining:
        sentences.append(f"{count(len(tally.remaining), 'earlier error')} elsewhere are not part of this result.")
    if tally.suspicious:
        sentences.append(f"The check itself is doubtful: {'; '.join(tally.suspicious)}.")
    if tally.suspect:
        sentences.append(
            f"{count(len(tally.suspect), 'line')} of the edit may silence the check instead of repairing the code."
        )
    if not isolated:
        sentences.append("The checks ran in the user's own folder, not in an isolated copy.")
    return " ".join(sentences)
