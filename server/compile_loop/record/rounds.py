"""The rounds of a record, of a run that ended or of one that was interrupted."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from compile_loop.contracts.counting import count, went
from compile_loop.record.store import Record


@dataclass(slots=True)
class RecordedRound:
    """One round; 0 is the baseline. `errors_after` None: it was not verified. `refused`: why edits were, in the words that
    the model was told."""

    number: int
    errors_before: int
    errors_after: int | None = None
    rolled_back: bool = False
    files: tuple[str, ...] = ()
    diff: str = ""
    check: str = ""
    refused: tuple[str, ...] = ()
    refused_in_short: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """What became of it, in a few words."""
        if not self.number:
            return count(self.errors_before, "error")
        if self.errors_after is None:
            return f"{count(self.errors_before, 'error')} → not verified"
        if not self.files:
            return "; ".join(("nothing was edited", *self.refused_in_short))
        return went(self.errors_before, self.errors_after) + (" · undone" if self.rolled_back else "")


def rounds_of(record: Record) -> list[RecordedRound]:
    """Every round that began, with its diff against the original files and what the checks said."""
    baseline = RecordedRound(0, 0, check=record.text("rounds/0/check.txt"))
    rounds = [baseline]
    for event in record.events():
        now = rounds[-1]
        match event.get("event"):
            case "check_finished" if event.get("inPass") == "baseline":
                baseline.errors_before = baseline.errors_after = _errors(event)
            case "round_started":
                rounds.append(_begun(record, event))
            case "edit_applied" if now.number:
                now.files = tuple(sorted({*now.files, *event.get("files", ())}))
            case "edit_refused" if now.number:
                reason = str(event.get("reason", ""))
                now.refused = (*now.refused, reason)
                now.refused_in_short = (*now.refused_in_short, str(event.get("short") or reason.partition("\n")[0]))
            case "round_finished" if now.number:
                now.errors_after = event.get("errorsAfter")
            case "rolled_back" if now.number:
                now.rolled_back = True
    return rounds


def _begun(record: Record, event: dict[str, Any]) -> RecordedRound:
    number = int(event.get("number", 0))
    place = f"rounds/{number}"
    return RecordedRound(
        number,
        int(event.get("errors", 0)),
        diff=record.text(f"{place}/diff.patch"),
        check=record.text(f"{place}/check.txt"),
    )


def _errors(event: dict[str, Any]) -> int:
    return int(event.get("result", {}).get("errors", 0))


def first_prompt(record: Record) -> str:
    """What a model was asked first, one heading a message, or would have been if there were one; empty: it never came to that."""
    for event in record.events():
        if event.get("event") == "not_asked":
            return str(event.get("prompt", ""))
    try:
        messages = json.loads(record.text(record.turns.name).partition("\n")[0])["messages"]
        return "\n\n".join(f"# {each['role']}\n\n{each['content']}" for each in messages)
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
