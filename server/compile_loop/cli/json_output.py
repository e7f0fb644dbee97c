"""What `--json` prints. Each document names its schema and the schema's version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from compile_loop.contracts.checks import ContractResult
from compile_loop.contracts.diagnostics import Diagnostic, Range, Severity

_SEVERITY = {Severity.ERROR: 1, Severity.WARNING: 2, Severity.INFORMATION: 3, Severity.HINT: 4}


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
