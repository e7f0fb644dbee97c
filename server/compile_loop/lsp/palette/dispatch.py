"""`compileLoop/command`: which function carries out which command. Each works, or says why not."""

from __future__ import annotations

from compile_loop.lsp.host import LoopServer
from compile_loop.lsp.launch import guarded
from compile_loop.lsp.palette.call import Call
from compile_loop.lsp.protocol import CommandParams, Nothing
from compile_loop.lsp.rpc import Refused, load

ROOM = "compile_loop.lsp.palette"
COMMANDS = {
    "fix": "fix:fix_file",
    "fixFiles": "fix:fix_files",
    "fixWorkspace": "fix:fix_workspace",
    "stop": "fix:stop",
    "apply": "results:apply_result",
    "applySome": "results:apply_some_result",
    "discard": "results:discard_result",
    "showResult": "results:show_result",
    "runCheck": "checks:run_check",
    "chooseCheck": "checks:choose_check",
    "chooseModel": "models:choose_model",
    "setApiKey": "models:set_api_key",
    "showRuns": "records:show_runs",
    "continueRun": "records:continue_run",
    "resumeRun": "records:resume_run",
    "replayRun": "records:replay_run",
    "deleteRun": "records:delete_run",
    "openRound": "records:open_round",
    "openOutput": "records:open_output",
    "fixTask": "fix:fix_task",
    "openSample": "first_use:open_sample",
}


async def command(ls: LoopServer, params: CommandParams) -> Nothing:
    """Begin a command's work, and answer. What it comes to, the user is told."""
    target = COMMANDS.get(params.command)
    if target is None:
        raise Refused(
            f"The server of Compile Loop knows no command {params.command!r}: it is older than the extension."
        )
    function = await load(f"{ROOM}.{target}")
    ls.keep(guarded(ls, function(ls, Call(tuple(params.args), params.facts))))
    return Nothing()
