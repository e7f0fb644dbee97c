"""The twins of the custom requests for editors that only know `workspace/executeCommand` (SPEC S1).

`startRun` returns at once; the run goes on with progress that the server makes, asks by a message with buttons, and applies
by `workspace/applyEdit`.
"""

from __future__ import annotations

import asyncio
import difflib
import logging

from lsprotocol import types

from compile_loop.contracts.outcome import Ending, FailureKind
from compile_loop.lsp.accept import accept
from compile_loop.lsp.protocol import AcceptParams, StartRunArguments, StartRunResult, StopArguments, StopResult
from compile_loop.lsp.requests import admit, prepare, start
from compile_loop.lsp.results import Result, sentence, text_of
from compile_loop.lsp.rpc import Refused
from compile_loop.lsp.server import LoopServer
from compile_loop.lsp.session import Session

log = logging.getLogger(__name__)
APPLY = "Apply"
DISCARD = "Discard"
MOST_DIFF_LINES = 400


async def start_run(ls: LoopServer, params: StartRunArguments) -> StartRunResult:
    """`compileLoop.server.startRun`: returns the run's id while it goes on."""
    active = admit(ls, params)
    session = prepare(ls, active, params, None)
    task = start(ls, active, session)
    ls.keep(_see_to_its_end(ls, session, task))
    return StartRunResult(run_id=active.run_id)


async def stop(ls: LoopServer, params: StopArguments) -> StopResult:
    """`compileLoop.server.stop`: one run, or all."""
    return StopResult(stopped=ls.runs.cancel(params.run_id))


async def _see_to_its_end(ls: LoopServer, session: Session, task: asyncio.Task[Result]) -> None:
    try:
        result = await task
    except Refused as refusal:
        _say(ls, types.MessageType.Error, str(refusal))
        return
    except Exception as error:
        log.exception("A run failed")
        _say(ls, types.MessageType.Error, f"A fault in Compile Loop: {error!r}. Its log says more.")
        return
    outcome = result.outcome
    if outcome.failure is not None and outcome.failure.kind is FailureKind.CANCELLED:
        return
    if not result.edit:
        _say(ls, types.MessageType.Info if outcome.ok else types.MessageType.Warning, sentence(outcome))
        return
    unasked = outcome.ending is Ending.GREEN and not outcome.tally.suspicious and not outcome.tally.suspect
    settings = session.settings
    if not (unasked and settings is not None and settings.apply == "auto") and not await _asked(ls, result):
        ls.results.drop(result.run_id)
        return
    try:
        applied = await accept(ls, AcceptParams(run_id=result.run_id))
    except Refused as refusal:
        _say(ls, types.MessageType.Error, str(refusal))
        return
    kind = types.MessageType.Info if applied.applied and not applied.differs else types.MessageType.Warning
    _say(ls, kind, applied.message)


async def _asked(ls: LoopServer, result: Result) -> bool:
    """Show the diff in the log and ask; no answer is no."""
    log.info("%s\n%s", sentence(result.outcome), diff(result))
    tally = result.outcome.tally
    parts = [
        sentence(result.outcome),
        tally.explanation,
        *(f"Please look: {line}" for line in tally.suspicious),
        *result.notes,
    ]
    params = types.ShowMessageRequestParams(
        types.MessageType.Info if result.outcome.ok else types.MessageType.Warning,
        " ".join(filter(None, [*parts, "The diff is in the log."])),
        [types.MessageActionItem(APPLY), types.MessageActionItem(DISCARD)],
    )
    try:
        choice = await ls.window_show_message_request_async(params)
    except Exception as error:
        log.warning("The question whether to apply got no answer: %r", error)
        return False
    return choice is not None and choice.title == APPLY


def diff(result: Result) -> str:
    """The result as a unified diff, for people."""
    lines: list[str] = []
    for change in result.edit.files:
        before = text_of(change.before, change.encoding).splitlines()
        after = text_of(change.after, change.encoding).splitlines()
        lines += difflib.unified_diff(before, after, f"a/{change.path}", f"b/{change.path}", lineterm="")
    if len(lines) > MOST_DIFF_LINES:
        left = len(lines) - MOST_DIFF_LINES
        lines = [*lines[:MOST_DIFF_LINES], f"… {left} more lines"]
    return "\n".join(lines)


def _say(ls: LoopServer, kind: types.MessageType, message: str) -> None:
    ls.window_show_message(types.ShowMessageParams(kind, message))
