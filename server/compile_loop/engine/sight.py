"""What of the workspace a model may see: by a path's name, and by where its links lead in the copy (SPEC E10, T3, Q26).

The program under test runs in the copy, and may lay a link anywhere; so the name alone says nothing.
"""

from __future__ import annotations

from compile_loop.contracts.protocols import LARGEST_SHOWN, Sight
from compile_loop.engine.request import Parts


def see(parts: Parts, path: str) -> bytes | str | None:
    """The bytes at a workspace-relative path; None where there is no file; why it is not shown, where it is not."""
    return _looked_at(parts, path, parts.readable(path))


def source(parts: Parts, path: str) -> bytes | None:
    """The bytes of a file that an error names, for the lines around it; ignore rules do not keep those back."""
    found = _looked_at(parts, path, parts.concealed(path))
    return None if isinstance(found, str) else found


def _looked_at(parts: Parts, path: str, reason: str | None) -> bytes | str | None:
    if reason is not None:
        return reason
    sight = parts.shadow.look(path)
    if (kept_back := _kept_back(parts, path, sight)) is not None or sight.data is None:
        return kept_back
    return parts.redact(sight.data)  # a program may have moved a secret file, or copied what is in it


def _kept_back(parts: Parts, path: str, sight: Sight) -> str | None:
    """Why what lies at `path` is not shown, seen from where it really lies."""
    if sight.place is None:
        return "it leads out of the workspace through a link"
    if sight.place != path and (reason := parts.readable(sight.place)) is not None:
        return f"it is a link, and where that leads, {reason}"
    if sight.another:
        return "a program made it a further name of another file"
    if sight.data is None and sight.size > LARGEST_SHOWN:
        return f"it is too large ({sight.size} bytes)"
    return None
