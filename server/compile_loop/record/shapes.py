"""What stands where in a record's files, as far as it is read, and files that are damaged (SPEC R1)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compile_loop.record.folder import RecordError

DEEPEST = 100
_WIDEST = 1 << 63


class Whole(dict[str, Any]):
    """The shape of an object that has each of these keys; in a plain one any may be missing."""


_MAYBE_TEXT = (None, str)
_MAYBE_NUMBER = (None, int)
RUN: Mapping[str, Any] = {
    "started": _MAYBE_TEXT,
    "engine": _MAYBE_TEXT,
    "mode": _MAYBE_TEXT,
    "model": _MAYBE_TEXT,
    "continues": _MAYBE_TEXT,
    "resumes": _MAYBE_TEXT,
}
RESUMED: Mapping[str, Any] = Whole(by=str)
REPORT: Mapping[str, Any] = {
    "ending": _MAYBE_TEXT,
    "failure": (None, Whole(kind=str, message=str)),
    "explanation": _MAYBE_TEXT,
    "errorsAfter": _MAYBE_NUMBER,
    "baseline": {"errors": _MAYBE_NUMBER},
    "calls": int,
    "tokens": {"total": int, "estimated": bool},
    "price": (None, float),
    "seconds": {"wall": float, "generation": float, "checks": float},
    "suspicious": [str],
    "suspect": [str],
    "warnings": [str],
}
_FINDING = Whole(message=str, file=_MAYBE_TEXT, severity=str, range=Whole(start=Whole(line=int)))
_EVENT: Mapping[str, Any] = {"event": str, "at": float}
_EVENTS: Mapping[str, Mapping[str, Any]] = {
    "check_finished": {
        "inPass": str,
        "round": int,
        "result": {"check": str, "errors": int, "diagnostics": [_FINDING]},
    },
    "round_started": {"number": int, "errors": int},
    "edit_applied": {"files": [str]},
    "round_finished": {"errorsAfter": _MAYBE_NUMBER},
}


def object_in(place: Path, shape: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON object in a file. Raises `RecordError`, and nothing else, where it is not whole or not of this shape."""
    try:
        value = json.loads(place.read_text("utf-8"))
    except OSError as error:
        raise RecordError(f"{place} cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{place} is damaged: {error}.") from error
    if not isinstance(value, dict):
        raise RecordError(f"{place} is damaged: it holds no object.")
    if _too_deep(value):
        raise RecordError(f"{place} is damaged: it is nested too deeply.")
    for name, part in shape.items():
        if (name in value or isinstance(shape, Whole)) and not fits(value.get(name), part):
            raise RecordError(f"{place} is damaged: it has no proper {name}.")
    return value


def event_in(line: str) -> dict[str, Any] | None:
    """What the run told in a line; None where the line is damaged or was cut off."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not fits(value, _EVENT) or not fits(value, _EVENTS.get(value.get("event", ""), {})):
        return None
    known: dict[str, Any] = value
    return known


def fits(value: Any, shape: Any) -> bool:
    """Whether JSON is of a shape: a type, None, several of them in a tuple, a list of one, or an object's by key."""
    match shape:
        case Mapping():
            there = isinstance(value, dict) and (not isinstance(shape, Whole) or shape.keys() <= value.keys())
            return there and all(fits(value[name], part) for name, part in shape.items() if name in value)
        case list():
            return isinstance(value, list) and all(fits(each, shape[0]) for each in value)
        case tuple():
            return any(fits(value, each) for each in shape)
        case None:
            return value is None
    if shape in (int, float):
        number = isinstance(value, int) and not isinstance(value, bool) and abs(value) < _WIDEST
        return number or (shape is float and isinstance(value, float) and math.isfinite(value))
    return isinstance(value, shape)


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        parts = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, (dict, list))]
        level = [one for many in parts for one in many]
        if not level:
            return False
    return True
