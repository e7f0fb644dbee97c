"""The commands that begin a run, and the one that stops them."""

from __future__ import annotations

import contextlib
from typing import Any

from compile_loop.contracts.counting import count
from compile_loop.lsp.host import LoopServer
from compile_loop.lsp.launch import fix
from compile_loop.lsp.palette.call import Call
from compile_loop.lsp.places import file_of, label_of
from compile_loop.lsp.protocol import DiagnosticRef, PickItem, RunParams
from compile_loop.lsp.rpc import Refused, parse
from compile_loop.lsp.triggers.tasks import task_params


async def fix_file(ls: LoopServer, call: Call) -> None:
    """Fix This File: the one that a code action names, with its diagnostic, else the one in front."""
    given: Any = call.args[1] if len(call.args) > 1 else None
    diagnostic = parse(DiagnosticRef, given) if isinstance(given, dict) else None
    await fix(ls, RunParams(uris=[call.file()], diagnostic=diagnostic, encodings=call.facts.encodings))


async def fix_files(ls: LoopServer, call: Call) -> None:
    """Fix Files…: chosen among those that fail, are changed or are open."""
    items = _choices(ls, call)
    if not items:
        raise Refused("There is no file to choose: none is open, changed or failing.")
    picked = await ls.ui.pick("Files that may be edited until the check passes", items, many=True)
    if picked:
        await fix(ls, RunParams(uris=picked, encodings=call.facts.encodings))


async def fix_workspace(ls: LoopServer, call: Call) -> None:
    """Fix Workspace: the folder of the file in front, or the only one."""
    if not ls.documents.folder_uris:
        offers = {"Open Folder…": ("workbench.action.files.openFolder",)}
        raise Refused("There is no folder to fix: open one first.", offers)
    await fix(ls, RunParams(scope="workspace", uris=call.nearby(), encodings=call.facts.encodings))


async def fix_task(ls: LoopServer, call: Call) -> None:
    """Fix from Last Failed Task: what it ran is the check."""
    ended = ls.watch.failed_task
    if ended is None:
        raise Refused("No task has failed since the window opened. Run your build task, then try again.")
    await fix(ls, task_params(ls.documents, ended))


async def stop(ls: LoopServer, _call: Call) -> None:
    """Stop everything that is under way."""
    if not ls.runs.cancel(None):
        raise Refused("There is no run to stop.")


def _choices(ls: LoopServer, call: Call) -> list[PickItem]:
    failing = {file.uri: file.errors for file in call.facts.failing}
    seen: set[str] = set()
    items: list[PickItem] = []
    for group, uris in (("failing", list(failing)), ("changed", call.facts.changed), ("open", call.facts.open)):
        files = [uri for uri in dict.fromkeys(uris) if uri.startswith("file:") and uri not in seen]
        if files:
            items.append(PickItem(id="", label=group, separator=True))
        seen.update(files)
        for uri in files:
            with contextlib.suppress(Refused):
                items.append(
                    PickItem(
                        id=uri,
                        label=label_of(ls.documents, file_of(uri)),
                        description=count(failing[uri], "error") if uri in failing else "",
                        picked=uri in failing or uri == call.facts.active,
                    )
                )
    return items
