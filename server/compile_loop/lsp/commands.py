"""The twins of the custom requests for editors that only know `workspace/executeCommand` (SPEC S1).

`startRun` returns at once; the run goes on with progress that the server makes, asks by a message with buttons, and applies
by `workspace/applyEdit`.
"""

from __future__ import annotations

from compile_loop.lsp.host import LoopServer
from compile_loop.lsp.launch import begin, guarded
from compile_loop.lsp.protocol import StartRunArguments, StartRunResult, StopArguments, StopResult


async def start_run(ls: LoopServer, params: StartRunArguments) -> StartRunResult:
    """`compileLoop.server.startRun`: returns the run's id while it goes on."""
    run_id, end = begin(ls, params)
    ls.keep(guarded(ls, end))
    return StartRunResult(run_id=run_id)


async def stop(ls: LoopServer, params: StopArguments) -> StopResult:
    """`compileLoop.server.stop`: one run, or all."""
    return StopResult(stopped=ls.runs.cancel(params.run_id))
