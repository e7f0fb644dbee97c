"""`compileLoop/accept`: a result into the editor, unless something changed since the run read it (SPEC W3, Q18).

All files asked for, or none. The server sends the edit, so that versions survive, and looks at the text afterwards: a client
may have applied it to a newer version all the same.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lsprotocol import types

from compile_loop.contracts.edits import FileChange
from compile_loop.edits.text import UndecodableError, decode
from compile_loop.lsp.edits import Abilities, FileEdit, workspace_edit
from compile_loop.lsp.protocol import AcceptParams, AcceptResult, DiscardParams, DiscardResult
from compile_loop.lsp.results import Result, text_of
from compile_loop.lsp.rpc import Refused
from compile_loop.lsp.server import LoopServer
from compile_loop.lsp.snapshot import same_text
from compile_loop.narrator import count

log = logging.getLogger(__name__)
APPLY_TIMEOUT = 600.0
"""Seconds; the client may ask the user first."""
SETTLE = 2.0
"""Seconds in which the client's changes have to arrive after it said that it applied the edit."""
POLL = 0.02


async def accept(ls: LoopServer, params: AcceptParams) -> AcceptResult:
    """Apply a result, or only some of its files."""
    result = ls.results.get(params.run_id)
    if result is None:
        raise Refused("There is no such result any more. Run again.")
    async with ls.applying:  # one edit in flight at a time
        return await _apply(ls, result, params.uris)


async def discard(ls: LoopServer, params: DiscardParams) -> DiscardResult:
    """Forget a result. Its run's diagnostics stay: what they say is still so."""
    return DiscardResult(discarded=ls.results.drop(params.run_id))


@dataclass
class Conflicts:
    """Files that cannot be changed, each with a sentence."""

    uris: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)

    def add(self, uri: str, sentence: str) -> None:
        """Note one."""
        self.uris.append(uri)
        self.sentences.append(sentence)


async def _apply(ls: LoopServer, result: Result, uris: Sequence[str] | None) -> AcceptResult:
    changes = [c for c in result.edit.files if uris is None or result.uri(c) in uris]
    if not result.edit:
        raise Refused("This result changes nothing.")
    if not changes:
        raise Refused("None of these files belongs to the result.")
    again = [c.path for c in changes if c.path in result.accepted]
    if again:
        return AcceptResult(applied=False, message=f"{', '.join(again)} was applied before.")
    abilities = Abilities.of(ls.client_capabilities)
    conflicts = Conflicts()
    files = [await _prepare(ls, result, change, abilities, conflicts) for change in changes]
    if conflicts.uris:
        message = " ".join([*conflicts.sentences, "Nothing was applied."])
        return AcceptResult(applied=False, message=message, conflicts=conflicts.uris)
    label = f"Compile Loop: {', '.join(change.path for change in changes)}"
    edit = workspace_edit(files, abilities, ls.workspace.position_codec, label)
    refusal = await _send(ls, edit, label)
    if refusal is not None:
        return AcceptResult(applied=False, message=refusal)
    result.accepted.update(change.path for change in changes)
    ls.publisher.clear_run(result.run_id)
    differing = await _differing(ls, result, changes)
    return AcceptResult(
        applied=True,
        message=_sentence(changes, [change.path for change in differing]),
        differs=[result.uri(change) for change in differing],
    )


async def _prepare(
    ls: LoopServer, result: Result, change: FileChange, abilities: Abilities, conflicts: Conflicts
) -> FileEdit:
    """Compare a file with what the run read (SPEC W3)."""
    path = result.path(change)
    document = ls.documents.open_document(path)
    uri = document.uri if document else path.as_uri()
    if change.before is None and not abilities.creates:
        conflicts.add(uri, f"The editor cannot create {change.path}.")
    elif change.after is None and not abilities.deletes:
        conflicts.add(uri, f"The editor cannot delete {change.path}.")
    elif document is not None:
        if change.before is None:
            conflicts.add(uri, f"{change.path} is to be created, but is open already.")
        elif not same_text(document.source, text_of(change.before, change.encoding)):
            conflicts.add(uri, f"{change.path} was changed in the editor since the run read it.")
    else:
        await _compare_with_disk(change, path, uri, conflicts)
    return FileEdit(change, uri, document.version if document else None, document.source if document else None)


async def _compare_with_disk(change: FileChange, path: Path, uri: str, conflicts: Conflicts) -> None:
    now = await asyncio.to_thread(_read, path)
    if now != change.before:
        what = "was deleted" if now is None else "was changed on disk" if change.before is not None else "exists by now"
        conflicts.add(uri, f"{change.path} {what} since the run read it.")
    elif change.before is not None and change.after is not None and not _opens_unharmed(change):
        conflicts.add(
            uri,
            f"{change.path} is not in UTF-8 and not open. Open it with its encoding ({change.encoding}) first, so that the "
            "editor does not garble it.",
        )


def _opens_unharmed(change: FileChange) -> bool:
    """Whether an editor that knows nothing reads a file as the run did: by its mark, or as UTF-8."""
    try:
        return decode(change.before or b"").encoding == change.encoding or (change.before or b"").isascii()
    except UndecodableError:
        return False


async def _send(ls: LoopServer, edit: types.WorkspaceEdit, label: str) -> str | None:
    """Have the client apply an edit; a sentence where it did not."""
    request = ls.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, label))
    try:
        reply = await asyncio.wait_for(request, APPLY_TIMEOUT)
    except asyncio.TimeoutError:
        return "The editor did not answer whether it applied the edit."
    except Exception as error:
        log.warning("workspace/applyEdit failed: %r", error)
        return f"The editor did not apply the edit: {error}."
    if reply.applied:
        return None
    reason = (
        f": {reply.failure_reason}"
        if reply.failure_reason
        else ". A file may have changed at the same moment; try again"
    )
    return f"The editor did not apply the edit{reason}."


async def _differing(ls: LoopServer, result: Result, changes: Sequence[FileChange]) -> list[FileChange]:
    """Files whose text is not what was meant once the client's changes had time to arrive."""
    loop = asyncio.get_running_loop()
    until = loop.time() + SETTLE
    waiting = list(changes)
    while True:
        waiting = [change for change in waiting if not await _as_meant(ls, result, change)]
        if not waiting or loop.time() > until:
            return waiting
        await asyncio.sleep(POLL)


async def _as_meant(ls: LoopServer, result: Result, change: FileChange) -> bool:
    path = result.path(change)
    document = ls.documents.open_document(path)
    if document is not None:
        return change.after is not None and same_text(document.source, text_of(change.after, change.encoding))
    disk = await asyncio.to_thread(_read, path)
    if disk is None or change.after is None:
        return disk is change.after
    return same_text(text_of(disk, change.encoding), text_of(change.after, change.encoding))


def _sentence(changes: Sequence[FileChange], differing: Sequence[str]) -> str:
    if not differing:
        return f"Applied to {count(len(changes), 'file')}."
    return (
        f"Applied, but the text of {', '.join(differing)} is not what was meant: it changed at the same moment. "
        "Look at it, or undo."
    )


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.is_file() else None
    except OSError:
        return None
