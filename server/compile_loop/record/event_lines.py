"""Events as JSON: what a run told, without what a record keeps elsewhere (SPEC R1).

Pieces of a reply are left out, since the whole reply stands among the turns; diagnostics as they are found, since the
check's end has them all; outputs, edits and files' bytes, which have files of their own.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from enum import Enum
from functools import cache
from typing import Any

from compile_loop.contracts.checks import Check, CheckResult
from compile_loop.contracts.diagnostics import Diagnostic, Range
from compile_loop.contracts.edits import Edit
from compile_loop.contracts.events import DiagnosticFound, Event, ModelText, RunFinished, TargetsChosen
from compile_loop.contracts.inline_secrets import MARK
from compile_loop.contracts.outcome import Outcome

MOST_DIAGNOSTICS = 50
"""Of one check; `diagnosticsLeftOut` counts the others."""

_FIELDS: dict[type[Any], tuple[str, ...]] = {}


def described(event: Event) -> dict[str, Any] | None:
    """An event as a JSON object whose `event` names it, in snake case; None where it is kept elsewhere."""
    if isinstance(event, (ModelText, DiagnosticFound)):
        return None
    value: dict[str, Any] = {"event": _name(type(event))}
    if isinstance(event, RunFinished):
        return {**value, **_outcome(event.outcome)}
    if isinstance(event, TargetsChosen):
        return {**value, "files": list(event.originals)}
    for name in _fields(type(event)):
        value[_camel(name)] = _plain(getattr(event, name))
    return value


def diagnostic(found: Diagnostic) -> dict[str, Any]:
    """A diagnostic as the Language Server Protocol counts, in short."""
    return {
        "file": found.file,
        "range": _range(found.range),
        "severity": found.severity.value,
        "code": found.code,
        "source": found.source,
        "phase": found.phase.name.lower(),
        "message": found.message,
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    failure = outcome.failure
    return {
        "ending": outcome.ending.value,
        "failure": None if failure is None else {"kind": failure.kind.value, "message": failure.message},
        "files": list(outcome.edit.paths),
        "tally": _plain(replace(outcome.tally, judged=())),
    }


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (str, int, float, bool)):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, Diagnostic):
        return diagnostic(value)
    if isinstance(value, Check):
        named = {_camel(name): _plain(getattr(value, name)) for name in _fields(Check)}
        return {**named, "env": dict.fromkeys(value.env, MARK)}  # of what a user gave, names say enough
    if isinstance(value, CheckResult):
        return _result(value)
    if isinstance(value, Edit):
        return list(value.paths)
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    return {_camel(name): _plain(getattr(value, name)) for name in _fields(type(value))}


def _result(result: CheckResult) -> dict[str, Any]:
    shown = result.diagnostics[:MOST_DIAGNOSTICS]
    value: dict[str, Any] = {
        "check": result.check,
        "ok": result.ok,
        "exitCode": result.exit_code,
        "seconds": round(result.duration, 3),
        "environment": result.environment,
        "timeout": result.timeout,
        "suspicious": list(result.suspicious),
        "errors": len(result.errors),
        "diagnostics": [diagnostic(each) for each in shown],
    }
    if len(shown) < len(result.diagnostics):
        value["diagnosticsLeftOut"] = len(result.diagnostics) - len(shown)
    return value


def _range(where: Range) -> dict[str, dict[str, int]]:
    return {
        "start": {"line": where.start.line, "character": where.start.character},
        "end": {"line": where.end.line, "character": where.end.character},
    }


def _fields(kind: type[Any]) -> tuple[str, ...]:
    known = _FIELDS.get(kind)
    if known is None:
        known = _FIELDS[kind] = tuple(field.name for field in fields(kind))
    return known


def _name(kind: type[Event]) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


@cache
def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)
