"""What `--json` prints. Each document names its schema and the schema's version."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from compile_loop.cli.diff import unified_diff
from compile_loop.contracts.checks import ContractResult
from compile_loop.contracts.diagnostics import Diagnostic, Range, Severity
from compile_loop.contracts.edits import FileChange
from compile_loop.contracts.outcome import Outcome

_SEVERITY = {Severity.ERROR: 1, Severity.WARNING: 2, Severity.INFORMATION: 3, Severity.HINT: 4}


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
        "spending": {**dataclasses.asdict(tally.spending), "tokens": tally.spending.tokens},
        "files": [_file(change) for change in outcome.edit.files],
    }


def _file(change: FileChange) -> dict[str, Any]:
    kind = "create" if change.before is None else "delete" if change.after is None else "change"
    return {"path": change.path, "kind": kind, "hunks": len(change.hunks), "diff": unified_diff(change)}


def check_document(result: ContractResult, root: Path) -> dict[str, Any]:
    """`compile-loop/check/1`: one pass over the contract."""
    return {
        "schema": "compile-loop/check/1",
        "ok": result.ok,
        "checks": [
            {
                "name": check.check,
                "ok": check.ok,
                "exitCode": check.exit_code,
                "seconds": round(check.duration, 3),
                "timedOut": check.timed_out,
                "environment": check.environment,
                "suspicious": list(check.suspicious),
                "diagnostics": [lsp_diagnostic(d, root) for d in check.diagnostics],
            }
            for check in result.results
        ],
    }


def lsp_diagnostic(diagnostic: Diagnostic, root: Path) -> dict[str, Any]:
    """One diagnostic in the Language Server Protocol's shape, with its `uri` and `file` (null where there is none)."""
    document: dict[str, Any] = {
        "uri": _uri(diagnostic.file, root),
        "file": diagnostic.file,
        "range": _range(diagnostic.range),
        "severity": _SEVERITY[diagnostic.severity],
        "source": diagnostic.source,
        "message": diagnostic.message,
    }
    if diagnostic.code is not None:
        document["code"] = diagnostic.code
    if diagnostic.code_href is not None:
        document["codeDescription"] = {"href": diagnostic.code_href}
    if diagnostic.related:
        document["relatedInformation"] = [
            {"location": {"uri": _uri(r.file, root), "range": _range(r.range)}, "message": r.message}
            for r in diagnostic.related
        ]
    return document


def _uri(file: str | None, root: Path) -> str | None:
    return None if file is None else (root / file).as_uri()


def _range(where: Range) -> dict[str, Any]:
    return {
        "start": {"line": where.start.line, "character": where.start.character},
        "end": {"line": where.end.line, "character": where.end.character},
    }
