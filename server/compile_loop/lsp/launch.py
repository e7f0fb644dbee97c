"""A run from its request to what the user makes of its result, in any editor (SPEC S1, V2)."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Coroutine
from typing import Any

from compile_loop.contracts.outcome import FailureKind
from compile_loop.lsp import also_allow
from compile_loop.lsp.host import LoopServer
from compile_loop.lsp.log_lines import LogLines
from compile_loop.lsp.places import Place
from compile_loop.lsp.protocol import RunParams
from compile_loop.lsp.requests import admit, prepare, start
from compile_loop.lsp.results import Result
from compile_loop.lsp.review import offer, settled
from compile_loop.lsp.rpc import Refused
from compile_loop.lsp.session import Make
from compile_loop.lsp.ui import LOG

log = logging.getLogger(__name__)


async def fix(
    ls: LoopServer,
    params: RunParams,
    make: Make | None = None,
    title: str = "",
    place: Place | None = None,
    *,
    quiet: bool = False,
) -> Result:
    """Run to the end, and see to the result; `quiet` where nobody asked for it. Raises `Refused` where it cannot start."""
    _, end = begin(ls, params, make, title, place, quiet=quiet)
    return await end


def begin(
    ls: LoopServer,
    params: RunParams,
    make: Make | None = None,
    title: str = "",
    place: Place | None = None,
    *,
    quiet: bool = False,
) -> tuple[str, Coroutine[Any, Any, Result]]:
    """Start a run: its id, and what is to be awaited for its end. Raises `Refused` at once where it cannot start."""
    active = admit(ls, params, place)
    session = prepare(ls, active, params, LogLines(), make, title, quiet=quiet)
    task = start(ls, active, session)

    async def end() -> Result:
        ls.tree_changed()
        try:
            result = await task
        finally:
            ls.tree_changed()
        failure = result.outcome.failure
        if failure is not None and failure.kind is FailureKind.CANCELLED:
            if ls.ui.rich:
                await ls.ui.message("info", f"Stopped {session.title}. Nothing was changed.")
        elif more := await also_allow.ask(ls, result):
            _, following = begin(ls, *also_allow.going_on(result, params, more), quiet=quiet)
            await settled(ls, result)
            return await following
        else:
            await offer(ls, result, session.settings, quiet=quiet)
        return result

    return active.run_id, end()


async def fix_unasked(ls: LoopServer, params: RunParams) -> None:
    """A run that began by itself."""
    await guarded(ls, fix(ls, params, quiet=True))


async def guarded(ls: LoopServer, work: Awaitable[Any]) -> None:
    """Await something that a user asked for; what stands in its way is said aloud, a fault of ours is in the log."""
    try:
        await work
    except Refused as refusal:
        await ls.ui.tell("warning" if ls.ui.rich else "error", str(refusal), refusal.offers)
    except Exception as error:
        log.exception("A command failed")
        await ls.ui.tell("error", f"A fault in Compile Loop: {error!r}. Its log says more.", LOG)
