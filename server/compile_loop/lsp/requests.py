"""`compileLoop/run` (SPEC S1): cancellable, with progress, events and diagnostics on the way."""

from __future__ import annotations

import asyncio

from compile_loop.lsp.host import LoopServer
from compile_loop.lsp.places import Place, locate
from compile_loop.lsp.protocol import RunParams, RunResult
from compile_loop.lsp.relay import Relay
from compile_loop.lsp.results import Result, describe
from compile_loop.lsp.rpc import Refused
from compile_loop.lsp.runs import ActiveRun
from compile_loop.lsp.session import Listener, Make, Session

UNTRUSTED = "Compile Loop runs nothing in Restricted Mode: a check is a program of this folder. Trust the folder first."


async def run(ls: LoopServer, params: RunParams) -> RunResult:
    """Fix until the check passes. `$/cancelRequest` is answered at once; the run's children end right after."""
    active = admit(ls, params)
    relay = Relay(ls, active.run_id)
    active.when_cancelled(relay.stop)
    session = prepare(ls, active, params, relay)
    return describe(await guarded(active, start(ls, active, session)))


def admit(ls: LoopServer, params: RunParams, place: Place | None = None) -> ActiveRun:
    """Register a run, or raise `Refused` with the reason. `place` stands in for what the files' URIs say."""
    if not ls.trusted:
        raise Refused(UNTRUSTED, {"Manage Trust": ("workbench.trust.manage",)})
    return ls.runs.admit(place or locate(ls.documents, params.uris, params.scope))


def prepare(
    ls: LoopServer,
    active: ActiveRun,
    params: RunParams,
    listener: Listener | None,
    make: Make | None = None,
    title: str = "",
    *,
    quiet: bool = False,
) -> Session:
    """Take the snapshot of the editor's buffers, and nothing more yet.

    `make` makes a run that is no new one. `quiet`: nobody asked for it.
    """
    try:
        return Session(ls, active, params, listener, make, title, quiet=quiet)
    except BaseException:
        ls.runs.finished(active)
        raise


def start(ls: LoopServer, active: ActiveRun, session: Session) -> asyncio.Task[Result]:
    """Start an admitted run as a task of its own."""
    task = asyncio.create_task(session.go())
    task.add_done_callback(lambda _: ls.runs.finished(active))
    return task


async def guarded(active: ActiveRun, task: asyncio.Task[Result]) -> Result:
    """Wait for a run; being cancelled cancels it, without waiting for its end."""
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        active.cancel()
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody else will look
        raise


def warm_up() -> None:
    """Nothing: importing this room, and with it the protocol's models, is the point."""
