"""How a run ended as a document for other programs."""

from __future__ import annotations

import dataclasses
from typing import Any

from compile_loop.contracts.edits import FileChange
from compile_loop.contracts.outcome import Outcome
from compile_loop.edits.unified import unified_diff


def outcome_document(outcome: Outcome, applied: bool) -> dict[str, Any]:
    """`compile-loop/outcome/1`: how a run ended, with its edit as a unified diff a file."""
    tally = outcome.tally
    return {
        "schema": "compile-loop/outcome/1",
        "ending": outcome.ending.value,
        "failure": None
        if outcome.failure is None
        else {"kind": outcome.failure.kind.value, "message": outcome.failure.message},
        "applied": applied,
        "rounds": tally.rounds,
        "errorsBefore": tally.errors_before,
        "errorsAfter": tally.errors_after,
        "remaining": len(tally.remaining),
        "exitCode": tally.exit_code,
        "explanation": tally.explanation,
        "suspicious": list(tally.suspicious),
        "suspect": list(tally.suspect),
        "unrun": [dataclasses.asdict(each) for each in tally.unrun],
        "spending": {**dataclasses.asdict(tally.spending), "tokens": tally.spending.tokens},
        "files": [_file(change) for change in outcome.edit.files],
    }


def _file(change: FileChange) -> dict[str, Any]:
    kind = "create" if change.before is None else "delete" if change.after is None else "change"
    return {"path": change.path, "kind": kind, "hunks": len(change.hunks), "diff": unified_diff(change)}
