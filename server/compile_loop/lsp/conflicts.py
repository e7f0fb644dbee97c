"""Files that changed since the run read them: kept, replaced by the fix, or looked at first (SPEC W3)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from compile_loop.contracts.edits import FileChange
from compile_loop.edits.hunks import file_change
from compile_loop.edits.text import UndecodableError, decode
from compile_loop.lsp.protocol import DiffFile
from compile_loop.lsp.results import Result, content_uri
from compile_loop.lsp.rpc import Refused

if TYPE_CHECKING:
    from compile_loop.lsp.host import LoopServer

COMPARE, MINE, FIX = "Compare", "Keep Mine", "Use the Fix"


async def settle(ls: LoopServer, result: Result, uris: Sequence[str]) -> list[str] | None:
    """Ask about each file; the URIs of those that stay as they are. None: dismissed, and nothing is to be done.

    A file whose fix is wanted is a change from its present text from then on. Nothing is written here.
    """
    kept: list[str] = []
    for uri in uris:
        change = next((each for each in result.edit.files if result.uri(each) == uri), None)
        if change is None:
            continue
        choice = await _ask(ls, result, change)
        if choice is None:
            return None
        if choice == MINE:
            kept.append(uri)
        else:
            result.replace(await _over_present(ls, result, change))
    return kept


async def _ask(ls: LoopServer, result: Result, change: FileChange) -> str | None:
    words = f"{change.path} was changed after the run had read it. Which text is to stay?"
    key = f"{result.run_id} {change.path}"
    while (choice := await ls.ui.message("warning", words, COMPARE, MINE, FIX)) == COMPARE:
        left = content_uri(result, "now", change)
        right = None if change.after is None else content_uri(result, "after", change)
        sides = DiffFile(uri=result.uri(change), label=change.path, left=left, right=right)
        await ls.ui.diff(key, f"Mine ↔ Fix: {change.path}", [sides])
    await ls.ui.close_diff(key)
    return choice


async def _over_present(ls: LoopServer, result: Result, change: FileChange) -> FileChange:
    """The change from the file's present text to the fix. Raises `Refused` where that text cannot be written so."""
    path = result.path(change)
    document = ls.documents.open_document(path)
    now = await asyncio.to_thread(_read, path)
    if document is not None:
        try:
            now = decode(change.before if change.before is not None else b"", change.encoding).encode(document.source)
        except (UndecodableError, UnicodeEncodeError) as error:
            raise Refused(f"{change.path} holds text that {change.encoding} cannot: {error}.") from error
    return file_change(change.path, now, change.after, change.encoding)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.is_file() else None
    except OSError:
        return None
