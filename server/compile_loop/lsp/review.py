"""What happens with a result: shown, asked about, applied whole or in part, taken back, discarded (SPEC V5, Q9, Q17)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import unquote

from compile_loop.contracts.counting import count
from compile_loop.contracts.edits import FileChange
from compile_loop.contracts.outcome import Ending, FailureKind
from compile_loop.edits.unified import unified_diff
from compile_loop.lsp.accept import accept
from compile_loop.lsp.conflicts import settle
from compile_loop.lsp.partial import part_of
from compile_loop.lsp.places import label_of
from compile_loop.lsp.protocol import AcceptParams, DiffFile, PickItem
from compile_loop.lsp.results import Result, content_uri, line_hunks, sentence, text_of
from compile_loop.lsp.rpc import Refused
from compile_loop.lsp.ui import LOG, SETTINGS, Kind, uri_argument

if TYPE_CHECKING:
    from compile_loop.lsp.host import LoopServer
    from compile_loop.lsp.ui import Offers
    from compile_loop.settings import Settings

log = logging.getLogger(__name__)
APPLY, SOME, DISCARD, UNDO, SHOW = "Apply", "Apply Some…", "Discard", "Undo", "Show Diff"
MOST_DIFF_LINES = 400
WIDEST = 80
"""Characters of a hunk's text in a pick."""
UNDONE = 2.0
"""Seconds in which an undo has to arrive."""
SETTABLE = (
    FailureKind.CONFIGURATION,
    FailureKind.ENVIRONMENT,
    FailureKind.NEEDS_AUTH,
    FailureKind.MODEL_UNAVAILABLE,
)


async def offer(ls: LoopServer, result: Result, settings: Settings | None, *, quiet: bool = False) -> None:
    """A finished run's result: applied at once where the settings say so and nothing speaks against it, else asked about.

    `quiet`: nobody asked for the run, so no diff opens by itself and good news without an edit is no news.
    """
    if not result.edit:
        if not (quiet and result.outcome.ok):
            await _tell_end(ls, result)
        return
    mode = settings.apply if settings else "preview"
    if mode == "auto" and unasked(result):
        await apply(ls, result, settings, said=f"{sentence(result.outcome, applied=True)} " if ls.ui.rich else "")
    elif mode == "ask" and ls.ui.rich:
        await apply(ls, result, settings, confirm=True)
    else:
        if not quiet:
            await show(ls, result)
        await ask(ls, result, settings, unseen=quiet)


def unasked(result: Result) -> bool:
    """Whether a result may be applied with nobody looking: green, and nothing about it is suspicious."""
    tally = result.outcome.tally
    return result.outcome.ending is Ending.GREEN and not tally.suspicious and not tally.suspect


async def show(ls: LoopServer, result: Result) -> None:
    """The diff: side by side where the editor can, else in the log."""
    if not ls.ui.rich:
        log.info("%s\n%s", sentence(result.outcome), diff(result))
    several = len(ls.documents.folder_uris) > 1  # then files of one name may lie in each
    names = [
        label_of(ls.documents, result.path(change)) if several else change.path.rsplit("/", 1)[-1]
        for change in result.edit.files
    ]
    title = f"Compile Loop: {', '.join(names[:2])}{', …' if len(names) > 2 else ''}"
    await ls.ui.diff(result.run_id, title, [_sides(result, change) for change in result.edit.files], result=True)


async def ask(ls: LoopServer, result: Result, settings: Settings | None, *, unseen: bool = False) -> None:
    """Ask what to do with a result. In an editor that has nothing to come back to it with, no answer is no."""
    outcome, tally = result.outcome, result.outcome.tally
    green = outcome.ending is Ending.GREEN
    looks = [f"Please look: {line}" for line in (*tally.suspicious, *tally.suspect)]
    closing = f"{APPLY if green else 'Apply what was reached, in'} {count(len(outcome.edit.files), 'file')}?"
    parts = [_name(ls, result) + sentence(outcome), tally.explanation, *looks, *result.notes]
    parts.append(closing if ls.ui.rich else "The diff is in the log.")
    several = ls.ui.rich and sum(max(1, len(line_hunks(change))) for change in outcome.edit.files) > 1
    choices = (*((SHOW,) if unseen and ls.ui.rich else ()), APPLY, *((SOME,) if several else ()), DISCARD)
    kind: Kind = "info" if green and not looks else "warning"
    result.asked_about = True
    try:
        choice = await ls.ui.message(kind, " ".join(filter(None, parts)), *choices)
    finally:
        result.asked_about = False
    if choice == SHOW:
        await show(ls, result)
        await ask(ls, result, settings)
    elif choice == APPLY:
        await apply(ls, result, settings)
    elif choice == SOME:
        await apply_some(ls, result, settings)
    elif choice == DISCARD or not ls.ui.rich:
        await discard(ls, result)
    if ls.ui.rich and choice in (APPLY, SOME) and result.waits and not result.asked_about:
        await ask(ls, result, settings)  # nothing came of it, such as a pick that was dismissed


def _name(ls: LoopServer, result: Result) -> str:
    """What a result is about, where it could be another: an editor shows two questions of the same words as one."""
    if not ls.ui.rich or (len(ls.results.waiting) < 2 and len(ls.documents.folder_uris) < 2):
        return ""
    names = [label_of(ls.documents, result.path(change)) for change in result.edit.files]
    return f"{names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''}: "


async def apply(
    ls: LoopServer,
    result: Result,
    settings: Settings | None = None,
    *,
    chosen: dict[str, list[int]] | None = None,
    confirm: bool = False,
    said: str = "",
) -> None:
    """Put a result, or the `chosen` hunks of it by path, into the editor. What stands in the way is told."""
    if not result.waits:
        raise Refused("This result is no longer there: it was applied or discarded.")
    by_uri = None
    if chosen is not None:
        by_uri = {result.uri(change): chosen[change.path] for change in result.edit.files if change.path in chosen}
    params = AcceptParams(
        run_id=result.run_id, uris=None if by_uri is None else list(by_uri), hunks=by_uri, confirm=confirm
    )
    if confirm:  # VS Code ticks nothing by itself
        await ls.ui.message("info", "Tick in the preview what to apply, then press its Apply.")
    done = await accept(ls, params)
    log.info("%s", done.message)
    if done.conflicts and ls.ui.rich:
        await _over_conflicts(ls, result, settings, done.conflicts, chosen)
        return
    if not done.applied:
        choice = await ls.ui.message("warning", done.message, *((SHOW,) if ls.ui.rich else ()))
        if choice == SHOW:
            await show(ls, result)
        return
    await settled(ls, result)
    changes = [
        change if chosen is None else part_of(change, chosen[change.path])
        for change in result.edit.files
        if (chosen is None or change.path in chosen) and result.uri(change) not in done.left
    ]
    documents = [ls.documents.open_document(result.path(change)) for change in changes]
    left = {document.uri: document.source for document in documents if document is not None}
    for uri, text in left.items():
        ls.watch.own_edit(uri, text)
    if settings is not None and settings.save_after_apply and not done.differs:
        for uri in left:
            await ls.ui.execute("vscode.open", uri_argument(uri), {"preview": False})
            await ls.ui.execute("workbench.action.files.save")
    undoable = ls.ui.rich and all(change.before is not None and change.after is not None for change in changes)
    kind: Kind = "warning" if done.differs else "info"
    if await ls.ui.message(kind, said + done.message, *((UNDO,) if undoable else ())) == UNDO:
        await undo(ls, left)


async def _over_conflicts(
    ls: LoopServer,
    result: Result,
    settings: Settings | None,
    conflicts: Sequence[str],
    chosen: dict[str, list[int]] | None,
) -> None:
    """Let the user settle files that changed meanwhile, then apply the rest (SPEC W3)."""
    kept = await settle(ls, result, conflicts)
    if kept is None:
        return
    wanted = [change for change in result.edit.files if chosen is None or change.path in chosen]
    left = [change for change in wanted if result.uri(change) not in kept]
    if not left:
        await discard(ls, result)
        await ls.ui.message("info", "Your text stays. Nothing was applied.")
        return
    hunks = {change.path: list(range(len(line_hunks(change)))) for change in left}
    if chosen is not None:
        hunks = {path: chosen[path] if path not in result.replaced else numbers for path, numbers in hunks.items()}
    await apply(ls, result, settings, chosen=hunks)


async def apply_some(ls: LoopServer, result: Result, settings: Settings | None = None) -> None:
    """Let the user choose files and hunks, and apply those."""
    items: list[PickItem] = []
    for change in result.edit.files:
        items.append(PickItem(id="", label=change.path, separator=True))
        items += _lines(change)
    picked = await ls.ui.pick("Parts of the result to apply", items, many=True)
    places = [item.rsplit(":", 1) for item in picked or ()]
    chosen = {path: [int(number) for _, number in group] for path, group in groupby(places, lambda place: place[0])}
    if chosen:
        await apply(ls, result, settings, chosen=chosen)


async def discard(ls: LoopServer, result: Result) -> None:
    """Forget a result."""
    ls.results.drop(result.run_id)
    await settled(ls, result)


async def undo(ls: LoopServer, left: Mapping[str, str]) -> None:
    """Take an edit back in the documents that still are as it left them: else something else would be undone."""
    for uri, text in left.items():
        if not _stands(ls, uri, text):
            continue  # changed since; or VS Code has undone it in all files at once
        await ls.ui.execute("vscode.open", uri_argument(uri), {"preview": False})
        await ls.ui.execute("undo")
        loop = asyncio.get_running_loop()
        until = loop.time() + UNDONE
        while _stands(ls, uri, text) and loop.time() < until:  # noqa: ASYNC110 - the change is a message to come
            await asyncio.sleep(0.02)


def _stands(ls: LoopServer, uri: str, text: str) -> bool:
    document = ls.documents.text_documents.get(unquote(uri))
    return document is not None and document.source == text


async def choose(ls: LoopServer, verb: str) -> Result:
    """The one result that waits, or the user's choice among several. Raises `Refused` where there is none."""
    waiting = ls.results.waiting
    if not waiting:
        raise Refused(f"There is no result to {verb}.")
    if len(waiting) == 1:
        return waiting[0]
    items = [
        PickItem(id=each.run_id, label=", ".join(each.edit.paths), description=sentence(each.outcome))
        for each in waiting
    ]
    picked = await ls.ui.pick(f"Result to {verb}", items)
    found = ls.results.get(picked[0]) if picked else None
    if found is None:
        raise Refused("No result was chosen.")
    return found


async def settled(ls: LoopServer, result: Result) -> None:
    """The user has decided on a result. A question on it that is still open, since they did so elsewhere, is no more one."""
    result.settled = True
    ls.results.tell()
    await ls.ui.close_diff(result.run_id)
    if result.asked_about:
        await ls.ui.execute("notifications.hideToasts")  # no message can be taken back, but it can be put away


async def _tell_end(ls: LoopServer, result: Result) -> None:
    """A result without any edit."""
    outcome, tally = result.outcome, result.outcome.tally
    words = " ".join(filter(None, [sentence(outcome), tally.explanation, *tally.suspicious]))
    offers: Offers = LOG
    if outcome.failure is not None and outcome.failure.kind in SETTABLE:
        offers = {**SETTINGS, **LOG}
    await ls.ui.tell("info" if outcome.ok else "error", words, offers)


def _sides(result: Result, change: FileChange) -> DiffFile:
    return DiffFile(
        uri=result.uri(change),
        label=change.path,
        left=None if change.before is None else content_uri(result, "before", change),
        right=None if change.after is None else content_uri(result, "after", change),
    )


def _lines(change: FileChange) -> list[PickItem]:
    """A line to pick for each hunk; a file that is made or removed has one."""
    if change.before is None or change.after is None:
        what = "the new file" if change.before is None else "the file's removal"
        return [PickItem(id=f"{change.path}:0", label=what, description=change.path, picked=True)]
    after = text_of(change.after, change.encoding).splitlines()
    items = []
    for number, place in enumerate(line_hunks(change)):
        text = " ".join(" ".join(after[place.after_start : place.after_end]).split()) or "removed"
        items.append(
            PickItem(
                id=f"{change.path}:{number}",
                label=text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…",
                description=f"{change.path}:{place.before_start + 1}",
                picked=True,
            )
        )
    return items


def diff(result: Result) -> str:
    """The result as a unified diff, for people."""
    lines = [line for change in result.edit.files for line in unified_diff(change).splitlines()]
    if len(lines) > MOST_DIFF_LINES:
        left = len(lines) - MOST_DIFF_LINES
        lines = [*lines[:MOST_DIFF_LINES], f"… {left} more lines"]
    return "\n".join(lines)
