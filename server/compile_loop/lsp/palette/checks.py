"""Run Check and Choose Check… (SPEC D1, V2)."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path

from compile_loop.assemble import ConfigurationError, Job
from compile_loop.contracts.checks import CheckResult
from compile_loop.contracts.counting import count
from compile_loop.contracts.events import CheckFinished
from compile_loop.contracts.protocols import ShadowError
from compile_loop.lsp import config, snapshot
from compile_loop.lsp.check_run import CheckRun
from compile_loop.lsp.host import LoopServer
from compile_loop.lsp.log_lines import LogLines
from compile_loop.lsp.palette.call import Call
from compile_loop.lsp.places import file_of, root_near
from compile_loop.lsp.progress import Progress
from compile_loop.lsp.protocol import PickItem, RunParams
from compile_loop.lsp.requests import admit
from compile_loop.lsp.rpc import Refused
from compile_loop.lsp.runs import ActiveRun
from compile_loop.lsp.session import told_encodings
from compile_loop.lsp.task_checks import label_of, with_tasks
from compile_loop.lsp.ui import LOG
from compile_loop.narrator import Narrator
from compile_loop.toolchains.detect import Proposal, candidates, detect
from compile_loop.toolchains.task_check import label_in, line_of

FOUND, TYPE = "found", "type"
DETECT = "$(sparkle) Find it by itself"


async def choose_check(ls: LoopServer, call: Call) -> None:
    """Choose Check…: among those that suit, or a command line; remembered in the folder's settings."""
    root = root_near(ls.documents, call.nearby())
    settings = await config.pull(ls, root)
    targets = [file_of(uri) for uri in call.nearby()]
    proposals = await asyncio.to_thread(_proposals, root, targets)
    best = _line(proposals[0]) if proposals else "nothing is found for this file"
    items = [
        PickItem(id=FOUND, label=DETECT, description=f"now: {best}"),
        PickItem(id=TYPE, label="$(edit) Command line…", description=f"now: {settings.check or 'none'}"),
        *(
            PickItem(id=f"= {number}", label=_line(each), description=each.check.reason)
            for number, each in enumerate(proposals)
        ),
    ]
    items += [
        PickItem(
            id=line_of(label_of(task)),
            label=f"$(tools) {label_of(task)}",
            description=f"task · {task.command_line or shlex.join(task.words)}",
        )
        for task in await ls.ui.tasks()
        if (task.command_line or task.words) and not task.background
    ]
    picked = await ls.ui.pick("Check that decides whether the code is right", items, placeholder=f"in {root.name}")
    if not picked:
        return
    line = ""
    if picked[0] == TYPE:
        typed = await ls.ui.ask("Check", "Command line that must pass, such as make -s or cargo test", settings.check)
        if typed is None:
            return
        line = typed.strip()
    elif picked[0].startswith("= "):
        line = _line(proposals[int(picked[0][2:])])
    elif label_in(picked[0]) is not None:
        line = picked[0]
    await ls.ui.configure("check", line or None, _folder(ls, root))
    said = f"The check of {root.name} is {line}." if line else f"The check of {root.name} is found by itself."
    await ls.ui.message("info", said)


async def run_check(ls: LoopServer, call: Call) -> None:
    """Run Check: once, in an isolated copy, its findings in Problems as they come."""
    params = RunParams(scope="workspace" if not call.nearby() else "files", uris=call.nearby())
    active = admit(ls, params)
    try:
        found, stopped = await _carry_out(ls, active, call)
    finally:
        ls.runs.finished(active)
    if stopped:
        await ls.ui.message("info", "Stopped the check.")
        return
    failed = [result for result in found if not result.ok]
    if not failed:
        await ls.ui.message("info", f"The check passes: {', '.join(result.check for result in found)}.")
        return
    number = sum(len(result.errors) for result in failed)
    names = ", ".join(f"{result.check} (exit code {result.exit_code})" for result in failed)
    said = f"The check fails: {names}, {count(number, 'error')}."
    if any(result.environment for result in failed):
        said += f" {failed[0].environment}"
    fix = "compileLoop.fix" if call.nearby() else "compileLoop.fixWorkspace"
    await ls.ui.tell("warning", said, {"Fix": (fix, *call.nearby()), **LOG})


async def _carry_out(ls: LoopServer, active: ActiveRun, call: Call) -> tuple[list[CheckResult], bool]:
    root, targets = active.place.root, active.place.targets
    settings = await config.pull(ls, root)
    buffers = snapshot.take(ls.documents)
    unsaved = await asyncio.to_thread(snapshot.unsaved, root, buffers, told_encodings(call.facts.encodings), targets)
    job = Job(
        root,
        targets,
        settings,
        "files" if targets else "workspace",
        buffers=unsaved.buffers,
        encodings=unsaved.encodings,
    )
    job = await with_tasks(ls.ui, job)
    progress = Progress(ls, None, "running the check", active.cancel)
    publication = ls.publisher.open(active, buffers)
    narrator, lines, results = Narrator(), LogLines(), list[CheckResult]()
    progress.begin()
    ls.status.line(active.run_id, "running the check")
    try:
        background = ls.background.start(lambda: CheckRun(job))
        active.when_cancelled(background.cancel)
        async for event in background:
            ls.publisher.hear(publication, event)
            narrator.hear(event)
            progress.report(narrator.line)
            lines(event, narrator)
            if isinstance(event, CheckFinished):
                results.append(event.result)
    except (ConfigurationError, ShadowError) as error:
        raise Refused(str(error), {"Choose Check…": ("compileLoop.chooseCheck",)}) from error
    finally:
        progress.end()
        ls.status.ended(active.run_id)
    return results, active.cancelled


def _proposals(root: Path, targets: list[Path]) -> list[Proposal]:
    found = [*detect(root, targets), *(one for target in targets for one in candidates(root, target))]
    return list({_line(each): each for each in reversed(found)}.values())[::-1]


def _line(proposal: Proposal) -> str:
    check = proposal.check
    return check.line if check.cwd in ("", ".") else f"cd {shlex.quote(check.cwd)} && {check.line}"


def _folder(ls: LoopServer, root: Path) -> str | None:
    """The folder's URI as the client spells it; None where it is none of the workspace's: then the user's settings are used."""
    return next((uri for uri in ls.documents.folder_uris if file_of(uri) == root), None)
