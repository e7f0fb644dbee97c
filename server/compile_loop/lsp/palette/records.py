"""The commands on runs that were: continue, resume, replay, delete, and what is shown of them (SPEC L19, V2, V6)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from compile_loop.again.kept import kept_of
from compile_loop.again.replay import replay
from compile_loop.again.resume import resume
from compile_loop.assemble import Job, carry_on, clear_up
from compile_loop.contracts.checks import Check
from compile_loop.lsp.host import LoopServer
from compile_loop.lsp.launch import fix
from compile_loop.lsp.palette.call import Call
from compile_loop.lsp.places import Place
from compile_loop.lsp.protocol import PickItem, RunParams
from compile_loop.lsp.results import Result
from compile_loop.lsp.review import settled
from compile_loop.lsp.rpc import Refused
from compile_loop.lsp.ui import uri_argument
from compile_loop.lsp.view.documents import diff_of, output_uri
from compile_loop.lsp.view.records import RESULT, Node, ending_of, record_of, records_of, store
from compile_loop.record.folder import RecordError
from compile_loop.record.store import Record, State

if TYPE_CHECKING:
    from compile_loop.engine.course import Kept
    from compile_loop.engine.handle import Run


async def show_runs(ls: LoopServer, _call: Call) -> None:
    """Show Runs."""
    await ls.ui.execute("compileLoop.runs.focus")


@dataclass(frozen=True, slots=True)
class Ended:
    """A finished run to go on with: what it was about, and what `left` gives of it, which may read files."""

    about: str
    place: Place
    checks: tuple[str, ...]
    holdouts: tuple[str, ...]
    tasks: Mapping[str, Check]
    left: Callable[[], Run | Kept]


async def continue_run(ls: LoopServer, call: Call) -> None:
    """Continue with a Note…: a finished run goes on with a further wish, in the same conversation.

    One of this server's life goes on as it stands in memory, any other from its record.
    """
    result = _in_memory(ls, call)
    ended = _of_result(result) if result else None
    if ended is None:
        ended = _of_record(await _chosen(ls, call, "continue", lambda each: each.state is State.FINISHED))
    note = await ls.ui.ask("Continue with a note", f"What else is wanted? The run on {ended.about} goes on with it.")
    if not note or not note.strip():
        return
    if result is not None:
        await settled(ls, result)

    def make(job: Job) -> Run:
        return carry_on(replace(job, checks=ended.checks, holdouts=ended.holdouts, tasks=ended.tasks), ended.left())

    params = RunParams(
        scope="files" if ended.place.targets else "workspace",
        uris=[path.as_uri() for path in ended.place.targets],
        spec=note.strip(),
        encodings=call.facts.encodings,
    )
    await fix(ls, params, make, f"continuing with {ended.about}", ended.place)


def _of_result(result: Result) -> Ended | None:
    run, job = result.run, result.job
    if run is None or job is None:
        return None
    about = job.targets[0].name if job.targets else result.root.name
    return Ended(about, Place(result.root, job.targets), job.checks, job.holdouts, job.tasks, lambda: run)


def _of_record(record: Record) -> Ended:
    asked = record.asked
    given = asked.checks, asked.holdouts, asked.tasks
    return Ended(record.asked.label, _place(record), *given, lambda: kept_of(record))


async def resume_run(ls: LoopServer, call: Call) -> None:
    """Resume Run: one that was broken off goes on where it was."""
    record = await _chosen(ls, call, "resume", lambda each: each.resumable)

    def make(job: Job) -> Run:
        given = job.settings
        changed: dict[str, object] = {"api_key": given.api_key} if given.api_key else {}
        if given.model:
            changed |= {"model": given.model, "base_url": given.base_url, "api_key_env": given.api_key_env}
        return resume(
            record,
            settings=changed,
            buffers=dict(job.buffers),
            ask_user=job.ask_user,
            auth=job.auth,
        )[0]

    await fix(ls, _params(record, call), make, f"resuming {record.asked.label}", _place(record))


async def replay_run(ls: LoopServer, call: Call) -> None:
    """Replay Run: its recorded replies through today's tools, checks and files, with no model."""
    record = await _chosen(ls, call, "replay", lambda each: each.state is not State.UNDER_WAY)

    def make(_job: Job) -> Run:
        return replay(record).run

    await fix(ls, _params(record, call), make, f"replaying {record.asked.label}", _place(record))


async def delete_run(ls: LoopServer, call: Call) -> None:
    """Delete Run: its record, and what a broken-off one left behind."""
    record = await _chosen(ls, call, "delete", lambda each: each.state is not State.UNDER_WAY)
    name = record.asked.label
    question = f"Delete the record of the run on {name}? It cannot be resumed or replayed after that."
    if await ls.ui.message("warning", question, "Delete", modal=True) != "Delete":
        return
    try:
        await asyncio.to_thread(store().delete, record)
    except RecordError as error:
        raise Refused(str(error)) from error
    await asyncio.to_thread(clear_up)
    ls.tree_changed()


async def open_round(ls: LoopServer, call: Call) -> None:
    """Open a round, one file of it, or a run's result as a diff."""
    node = _node(call)
    record = await asyncio.to_thread(record_of, node.run)
    files = await asyncio.to_thread(diff_of, record, node.round, node.path)
    what = "Result" if node.round == RESULT else f"Round {node.round}"
    await ls.ui.diff(str(node), f"{what} of {record.asked.label}", files)


async def open_output(ls: LoopServer, call: Call) -> None:
    """Open what the checks of a round printed."""
    node = _node(call)
    await ls.ui.execute("vscode.open", uri_argument(output_uri(node.run, node.round)))


def _node(call: Call) -> Node:
    text = call.text()
    if text is None:
        raise Refused("Choose an entry in the view of runs.", {"Show Runs": ("compileLoop.showRuns",)})
    return Node.of(text)


def _in_memory(ls: LoopServer, call: Call) -> Result | None:
    """The run that a node of the view names, else the newest, where this server still has it."""
    text = call.text()
    wanted = Node.of(text).run if text else None
    return next((each for each in ls.results.all if each.run and wanted in (None, each.run_id)), None)


async def _chosen(ls: LoopServer, call: Call, verb: str, fits: Callable[[Record], bool]) -> Record:
    """The record that a node of the view names, else the user's choice. Raises `Refused` where none fits."""
    text = call.text()
    if text is not None:
        record = await asyncio.to_thread(record_of, Node.of(text).run)
        if not fits(record):
            raise Refused(f"There is nothing to {verb}: the run on {record.asked.label} is {ending_of(record)}.")
        return record
    fitting = [each for each in await records_of(ls) if fits(each)]
    if not fitting:
        raise Refused(f"There is no run to {verb}.")
    items = [
        PickItem(
            id=each.id,
            label=each.asked.label,
            description=ending_of(each),
            detail=str(each.run.get("started", "")).replace("T", " ").replace("Z", " UTC"),
        )
        for each in fitting
    ]
    picked = await ls.ui.pick(f"Run to {verb}", items)
    if not picked:
        raise Refused("No run was chosen.")
    return next(each for each in fitting if each.id == picked[0])


def _place(record: Record) -> Place:
    root = Path(record.asked.root)
    return Place(root, tuple(root / path for path in record.asked.targets))


def _params(record: Record, call: Call) -> RunParams:
    uris = [path.as_uri() for path in _place(record).targets]
    return RunParams(scope="files" if uris else "workspace", uris=uris, encodings=call.facts.encodings)
