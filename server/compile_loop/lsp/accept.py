"""`compileLoop/accept`: a result into the editor, laid over what was typed since the run read it (SPEC W3, Q18).

Typing in other places is kept and verified together with the edit; typing in the same lines is a conflict. All files
asked for, or none. The server sends the edit, so that versions survive, and looks at the text afterwards: a client may
have applied it to a newer version all the same.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from lsprotocol import types

from compile_loop.contracts.counting import count
from compile_loop.contracts.edits import Edit, FileChange
from compile_loop.edits.rebase import Conflict, Meeting, rebase
from compile_loop.edits.text import UndecodableError, decode
from compile_loop.lsp import snapshot
from compile_loop.lsp.edits import Abilities, FileEdit, workspace_edit
from compile_loop.lsp.host import LoopServer
from compile_loop.lsp.partial import part_of
from compile_loop.lsp.protocol import AcceptParams, AcceptResult, ConflictPlace, DiscardParams, DiscardResult
from compile_loop.lsp.results import Result, text_of
from compile_loop.lsp.rpc import Refused
from compile_loop.lsp.snapshot import same_text

log = logging.getLogger(__name__)
APPLY_TIMEOUT = 600.0
"""Seconds in which a client that asks nobody has to answer."""
SETTLE = 2.0
"""Seconds in which the client's changes have to arrive after it said that it applied the edit."""
POLL = 0.02
NOT_TICKED = "Nothing was applied: the preview was discarded, or nothing was ticked in it."
"""VS Code gives the same answer to both; others say that they applied what nobody ticked."""
TRIES = 6
"""How often an edit is laid over typing that goes on, before the user is asked to pause."""


async def accept(ls: LoopServer, params: AcceptParams) -> AcceptResult:
    """Apply a result, or only some of its files."""
    result = ls.results.get(params.run_id)
    if result is None:
        raise Refused("There is no such result any more. Run again.")
    async with ls.applying:  # one edit in flight at a time
        return await _apply(ls, result, params)


async def discard(ls: LoopServer, params: DiscardParams) -> DiscardResult:
    """Forget a result. Its run's diagnostics stay: what they say is still so."""
    return DiscardResult(discarded=ls.results.drop(params.run_id))


@dataclass
class Conflicts:
    """Files that cannot be changed, each with a sentence."""

    uris: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    places: list[ConflictPlace] = field(default_factory=list)

    def add(self, uri: str, sentence: str, places: Sequence[Meeting] = ()) -> None:
        """Note one."""
        self.uris.append(uri)
        self.sentences.append(sentence)
        self.places += [ConflictPlace(uri=uri, start=p.start, end=p.end, ours=p.ours, theirs=p.theirs) for p in places]


@dataclass
class Prepared:
    """The changes as they fit the text of this moment. `moved` are those laid over the user's own."""

    files: list[FileEdit] = field(default_factory=list)
    moved: list[FileEdit] = field(default_factory=list)
    conflicts: Conflicts = field(default_factory=Conflicts)

    @property
    def edit(self) -> Edit:
        """All of them."""
        return Edit(tuple(file.change for file in self.files))


async def _apply(ls: LoopServer, result: Result, params: AcceptParams) -> AcceptResult:
    changes = [c for c in result.edit.files if params.uris is None or result.uri(c) in params.uris]
    if params.hunks is not None:
        changes = [part_of(c, params.hunks.get(result.uri(c), ())) for c in changes]
    if not result.edit:
        raise Refused("This result changes nothing.")
    if not changes:
        raise Refused("None of these files belongs to the result.")
    again = [c.path for c in changes if c.path in result.accepted]
    if again:
        return AcceptResult(applied=False, message=f"{', '.join(again)} was applied before.")
    abilities = Abilities.of(ls.client_capabilities)
    label = f"Compile Loop: {', '.join(change.path for change in changes)}"
    verified: Edit | None = None
    refusal: str | None = None
    for _ in range(TRIES):
        ready = await _prepare(ls, result, changes, abilities)
        if ready.conflicts.uris:
            message = " ".join([*ready.conflicts.sentences, "Nothing was applied."])
            return AcceptResult(
                applied=False, message=message, conflicts=ready.conflicts.uris, places=ready.conflicts.places
            )
        if ready.moved and ready.edit != verified:
            others = await _prepare(
                ls, result, [c for c in result.edit.files if c.path not in {each.path for each in changes}], abilities
            )
            if (reason := await _verify(ls, result, ready.edit, others.edit)) is not None:
                return _does_not_hold(ready, reason)
            verified = ready.edit
            continue  # somebody may have typed while the check ran
        codec = ls.workspace.position_codec
        edit = workspace_edit(ready.files, abilities, codec, label, confirm=params.confirm)
        refusal = await _send(ls, edit, label, asks=params.confirm)
        if refusal is None:
            return await _applied(ls, result, ready, asked=params.confirm)
        if params.confirm or not _typed_since(ls, ready):
            break
    return AcceptResult(applied=False, message=refusal or "You are typing. Nothing was applied; try again in a moment.")


async def _applied(ls: LoopServer, result: Result, ready: Prepared, *, asked: bool) -> AcceptResult:
    changes = [file.change for file in ready.files]
    differing = await _differing(ls, result, changes)
    if asked and differing:
        return await _chosen(ls, result, ready, differing)
    result.accepted.update(change.path for change in changes)
    ls.publisher.clear_run(result.run_id)
    return AcceptResult(
        applied=True,
        message=_sentence(ready, [change.path for change in differing]),
        differs=[result.uri(change) for change in differing],
        rebased=[file.uri for file in ready.moved],
    )


async def _chosen(ls: LoopServer, result: Result, ready: Prepared, differing: Sequence[FileChange]) -> AcceptResult:
    """What came of an edit of which the user ticked a part in the editor's preview."""
    by_path = {file.change.path: file for file in ready.files}
    left = [change for change in differing if await _is(ls, result, change, change.before)]
    parts = [change.path for change in differing if change not in left]
    if len(left) == len(ready.files):
        return AcceptResult(applied=False, message=NOT_TICKED)
    untouched = {change.path for change in left}
    result.accepted.update(by_path.keys() - untouched)
    ls.publisher.clear_run(result.run_id)
    said = f"Applied to {count(len(by_path) - len(untouched), 'file')}"
    said += f", to {', '.join(parts)} in part." if parts else "."
    said += f" {', '.join(sorted(untouched))} was left as it is." if untouched else ""
    return AcceptResult(applied=True, message=said, left=[by_path[path].uri for path in sorted(untouched)])


def _does_not_hold(ready: Prepared, reason: str) -> AcceptResult:
    names = ", ".join(file.change.path for file in ready.moved)
    return AcceptResult(
        applied=False,
        message=f"{names} was changed meanwhile, and with that the edit does not hold: {reason} Nothing was applied.",
        conflicts=[file.uri for file in ready.moved],
    )


async def _verify(ls: LoopServer, result: Result, edit: Edit, others: Edit) -> str | None:
    """Run the contract on the text of this moment with the edit; a sentence where it does not hold (SPEC W3).

    `others` are the result's files that are not asked for: the result was green with them.
    """
    from compile_loop.applying import verify  # with the engine, which the server starts without

    job = result.job
    if job is None:
        return "it cannot be verified again. Run again."
    edit = Edit((*edit.files, *others.files))
    told = {result.root / change.path: change.encoding for change in edit.files}
    unsaved = await asyncio.to_thread(snapshot.unsaved, result.root, snapshot.take(ls.documents), told, ())
    return await ls.background.call(lambda: verify(job, result.outcome, edit, unsaved.buffers))


async def _prepare(ls: LoopServer, result: Result, changes: Sequence[FileChange], abilities: Abilities) -> Prepared:
    """Lay each file's change over what the user has there now (SPEC W3)."""
    ready = Prepared()
    for change in changes:
        path = result.path(change)
        document = ls.documents.open_document(path)
        uri = document.uri if document else path.as_uri()
        if change.before is None and not abilities.creates:
            ready.conflicts.add(uri, f"The editor cannot create {change.path}.")
            continue
        if change.after is None and not abilities.deletes:
            ready.conflicts.add(uri, f"The editor cannot delete {change.path}.")
            continue
        found: FileChange | Conflict
        if document is None:
            found = rebase(change, await asyncio.to_thread(_read, path))
            if (
                found is change
                and change.before is not None
                and change.after is not None
                and not _opens_unharmed(change)
            ):
                found = Conflict(
                    change.path,
                    f"{change.path} is not in UTF-8 and not open. Open it with its encoding ({change.encoding}) first, so "
                    "that the editor does not garble it.",
                )
        else:
            found = _over_typing(change, document.source)
        if isinstance(found, Conflict):
            ready.conflicts.add(uri, found.sentence, found.places)
            continue
        file = FileEdit(found, uri, document.version if document else None, document.source if document else None)
        ready.files.append(file)
        if found is not change:
            ready.moved.append(file)
    return ready


def _over_typing(change: FileChange, shown: str) -> FileChange | Conflict:
    """The change over an open document's text."""
    if change.before is None:
        return Conflict(change.path, f"{change.path} is to be created, but is open already.")
    if same_text(shown, text_of(change.before, change.encoding)):
        return change
    try:
        base = decode(change.before, change.encoding)
        return rebase(change, base.encode(shown.removeprefix(snapshot.MARK)))
    except UndecodableError as error:
        return Conflict(change.path, f"{change.path} is no text: {error}.")
    except UnicodeEncodeError:
        return Conflict(
            change.path, f"{change.path} holds text by now that its encoding {change.encoding} cannot hold."
        )


def _typed_since(ls: LoopServer, ready: Prepared) -> bool:
    """Whether a document is not as it was when the edit was made for it."""
    return any(
        file.text is not None
        and (now := ls.documents.text_documents.get(unquote(file.uri))) is not None
        and now.source != file.text
        for file in ready.files
    )


def _opens_unharmed(change: FileChange) -> bool:
    """Whether an editor that knows nothing reads a file as the run did: by its mark, or as UTF-8."""
    try:
        return decode(change.before or b"").encoding == change.encoding or (change.before or b"").isascii()
    except UndecodableError:
        return False


async def _send(ls: LoopServer, edit: types.WorkspaceEdit, label: str, *, asks: bool) -> str | None:
    """Have the client apply an edit; a sentence where it did not. Where it `asks` first, a person takes their time."""
    request = ls.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, label))
    try:
        reply = await asyncio.wait_for(request, None if asks else APPLY_TIMEOUT)
    except asyncio.TimeoutError:
        return "The editor did not answer whether it applied the edit."
    except Exception as error:
        log.warning("workspace/applyEdit failed: %r", error)
        return f"The editor did not apply the edit: {error}."
    if reply.applied:
        return None
    if asks and not reply.failure_reason:
        return NOT_TICKED
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
    return await _is(ls, result, change, change.after)


async def _is(ls: LoopServer, result: Result, change: FileChange, meant: bytes | None) -> bool:
    """Whether a file's text is this one; None: whether there is no such file."""
    path = result.path(change)
    document = ls.documents.open_document(path)
    if document is not None:
        return meant is not None and same_text(document.source, text_of(meant, change.encoding))
    disk = await asyncio.to_thread(_read, path)
    if disk is None or meant is None:
        return disk is meant
    return same_text(text_of(disk, change.encoding), text_of(meant, change.encoding))


def _sentence(ready: Prepared, differing: Sequence[str]) -> str:
    if differing:
        return (
            f"Applied, but the text of {', '.join(differing)} is not what was meant: it changed at the same moment. "
            "Look at it, or undo."
        )
    said = f"Applied to {count(len(ready.files), 'file')}."
    if ready.moved:
        names = ", ".join(file.change.path for file in ready.moved)
        said += f" {names} was changed meanwhile: the edit was laid over that, and the check passes with both."
    return said


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.is_file() else None
    except OSError:
        return None
