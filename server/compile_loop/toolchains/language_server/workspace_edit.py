"""The edits of files that a language server's `WorkspaceEdit` holds. Pure."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

_LONGEST = 100_000
"""Characters that a fix may put in."""


def edits_of(edit: Any, root: Path) -> list[dict[str, Any]]:
    """Its edits, [{"file", "range", "text"}]; none where it does anything else, or anything outside of `root`.

    Making, moving and deleting files is something else.
    """
    try:
        return _edits(edit, root)
    except (KeyError, TypeError, ValueError, AttributeError):
        return []


def _edits(edit: dict[str, Any], root: Path) -> list[dict[str, Any]]:
    changes = dict(edit.get("changes") or {})
    for change in edit.get("documentChanges") or []:
        if "kind" in change:
            return []
        uri = change["textDocument"]["uri"]
        changes[uri] = [*changes.get(uri, ()), *change["edits"]]
    edits = []
    for uri, texts in changes.items():
        name = _name(uri, root)
        for text in texts:
            new_text = text["newText"]
            if not isinstance(new_text, str) or len(new_text) > _LONGEST:
                raise ValueError("no text that a fix puts in")
            edits.append({"file": name, "range": _range(text["range"]), "text": new_text})
    return edits


def _name(uri: str, root: Path) -> str:
    """The path below the root; `ValueError` where there is none."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in {"", "localhost"}:
        raise ValueError(f"{uri} is no file of this machine")
    path = Path(os.path.normpath(url2pathname(parts.path)))
    return path.relative_to(root).as_posix()


def _range(found: dict[str, Any]) -> dict[str, dict[str, int]]:
    return {edge: {key: _count(found[edge][key]) for key in ("line", "character")} for edge in ("start", "end")}


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is no count")
    return value
