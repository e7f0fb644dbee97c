"""The rounds of a record, of a run that ended or of one that was interrupted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from compile_loop.record.store import Record


@dataclass(slots=True)
class RecordedRound:
    """One round; 0 is the baseline. `errors_after` None: it was not verified. `edits` are its events of edits, in order."""

    number: int
    errors_before: int
    errors_after: int | None = None
    rolled_back: bool = False
    files: tuple[str, ...] = ()
    diff: str = ""
    check: str = ""


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
