"""An answer to a request whose JSON cannot be read: nobody waits for ever (SPEC S2)."""

from __future__ import annotations

import json
import re
from typing import Any

from lsprotocol import types

_ID = rb'"id"\s*:\s*(-?\d{1,15}|"(?:[^"\\\x00-\x1f]|\\.){0,200}")'
_FIRST = re.compile(rb'\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*){0,2}' + _ID)
_LAST = re.compile(rb",\s*" + _ID + rb"\s*\}\s*\Z")
_NAMED = re.compile(rb'"method"\s*:')
_TAIL = 400
"""Bytes at the end of a message in which an id that comes last is looked for."""


def refusal(body: bytes, error: Exception) -> types.ResponseErrorMessage | None:
    """The answer to a message that raised `error` in the reading.

    None where it asked for none, or where nobody can tell for what, or where it could be read and the fault is another.
    """
    if not isinstance(error, ValueError | RecursionError) or not _NAMED.search(body) or _readable(body):
        return None
    found = _FIRST.match(body) or _LAST.search(body[-_TAIL:])
    msg_id = _value(found[1]) if found else None
    if msg_id is None:
        return None
    why = {UnicodeDecodeError: "it is no UTF-8", RecursionError: "it nests too deep"}.get(type(error), "it is no JSON")
    if type(error) is ValueError:
        why = "it holds a number that is too long"
    reply = types.ResponseError(types.ErrorCodes.ParseError.value, f"The request cannot be read: {why}.")
    return types.ResponseErrorMessage(id=msg_id, error=reply, jsonrpc="2.0")


def _readable(body: bytes) -> bool:
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def _value(text: bytes) -> int | str | None:
    try:
        value: Any = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, int | str) else None
