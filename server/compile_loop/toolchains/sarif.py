"""Diagnostics as a SARIF 2.1.0 log, for other tools to read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Range, Severity, Suggestion

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFORMATION: "note", Severity.HINT: "note"}
_ROOT = "SRCROOT"
_NAMELESS = "compile-loop"


def sarif_of(diagnostics: Iterable[Diagnostic], root: Path) -> dict[str, Any]:
    """A log with one run for each tool, in the order of their first findings.

    Paths inside the workspace are relative to `root`, which is absolute; columns are UTF-16 units.
    """
    by_tool: dict[str, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        by_tool.setdefault(diagnostic.source or _NAMELESS, []).append(diagnostic)
    runs = [_run(name, found, root) for name, found in by_tool.items()]
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": runs or [_run(_NAMELESS, [], root)]}


def _run(name: str, found: Sequence[Diagnostic], root: Path) -> dict[str, Any]:
    pages = {one.code: one.code_href for one in found if one.code}
    rules = [{"id": code, **({"helpUri": page} if page else {})} for code, page in pages.items()]
    index = {code: number for number, code in enumerate(pages)}
    return {
        "tool": {"driver": {"name": name, "rules": rules}},
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {_ROOT: {"uri": root.as_uri().rstrip("/") + "/"}},
        "results": [_result(one, index) for one in found],
    }


def _result(one: Diagnostic, index: dict[str, int]) -> dict[str, Any]:
    result: dict[str, Any] = {"level": _LEVELS[one.severity], "message": {"text": one.message or "(no message)"}}
    if one.code:
        result |= {"ruleId": one.code, "ruleIndex": index[one.code]}
    if one.file is not None:
        result["locations"] = [_location(one.file, one.range)]
    if one.related:
        result["relatedLocations"] = [
            {**_location(related.file, related.range), "message": {"text": related.message}}
            for related in one.related
            if related.file is not None
        ]
    if one.suggestions:
        result["fixes"] = [_fix(suggestion) for suggestion in one.suggestions]
    return result


def _location(file: str, where: Range) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(file)}
    if where != NOWHERE:
        physical["region"] = _region(where)
    return {"physicalLocation": physical}


def _artifact(file: str) -> dict[str, Any]:
    if file.startswith("/") or file[1:2] == ":":
        return {"uri": "file://" + ("" if file.startswith("/") else "/") + quote(file.replace("\\", "/"), safe="/:")}
    return {"uri": quote(file), "uriBaseId": _ROOT}


def _region(where: Range) -> dict[str, int]:
    return {
        "startLine": where.start.line + 1,
        "startColumn": where.start.character + 1,
        "endLine": where.end.line + 1,
        "endColumn": where.end.character + 1,
    }


def _fix(suggestion: Suggestion) -> dict[str, Any]:
    by_file: dict[str, list[dict[str, Any]]] = {}
    for edit in suggestion.edits:
        replacement = {"deletedRegion": _region(edit.range), "insertedContent": {"text": edit.new_text}}
        by_file.setdefault(edit.file, []).append(replacement)
    changes = [{"artifactLocation": _artifact(file), "replacements": rows} for file, rows in by_file.items()]
    return {"description": {"text": suggestion.message or "proposed fix"}, "artifactChanges": changes}
