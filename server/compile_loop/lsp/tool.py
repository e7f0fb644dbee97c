"""`compileLoop/tool`: the run that an agent of the editor asked for, answered in words for a model (SPEC P4).

The agent's call is a run like any other: with the editor's unsaved text, its progress and Stop, one undo where it is applied.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pygls.uris import to_fs_path

from compile_loop.agent_tool.answer import could_not_try, text_of, why_not_written
from compile_loop.agent_tool.asked import Asked, BadInputError, read
from compile_loop.agent_tool.places import locate
from compile_loop.contracts.events import Event, HoldoutFinished
from compile_loop.lsp.accept import accept
from compile_loop.lsp.host import LoopServer
from compile_loop.lsp.log_lines import LogLines
from compile_loop.lsp.places import Place
from compile_loop.lsp.protocol import AcceptParams, RunParams, ToolParams, ToolResult
from compile_loop.lsp.requests import admit, guarded, prepare, start
from compile_loop.lsp.results import Result
from compile_loop.lsp.rpc import Refused
from compile_loop.lsp.session import Make
from compile_loop.narrator import Narrator

if TYPE_CHECKING:
    from compile_loop.assemble import Job
    from compile_loop.engine.handle import Run


async def tool(ls: LoopServer, params: ToolParams) -> ToolResult:
    """Run to the end. Whatever stands in the way is an answer too: a sentence that the model can act on."""
    try:
        asked = read(params.arguments, False)
        folders = [Path(path) for uri in ls.documents.folder_uris if (path := to_fs_path(uri))]
        if not folders:
            raise BadInputError("No folder is open, so there is nothing to fix.")
        root, targets = locate(folders, asked.files)
        return await _fix(ls, asked, Place(root, targets), params)
    except (BadInputError, Refused) as error:
        return ToolResult(text=str(error), failed=True)


async def _fix(ls: LoopServer, asked: Asked, place: Place, params: ToolParams) -> ToolResult:
    hidden: set[str] = set()
    log = LogLines()

    def hear(event: Event, narrator: Narrator) -> None:
        log(event, narrator)
        if isinstance(event, HoldoutFinished):
            hidden.add(event.name)

    request = RunParams(
        scope="files" if place.targets else "workspace",
        uris=[path.as_uri() for path in place.targets],
        spec=asked.spec,
        encodings=params.encodings,
    )
    active = admit(ls, request, place)
    session = prepare(ls, active, request, hear, _with_checks(tuple(asked.check)) if asked.check else None)
    result = await guarded(active, start(ls, active, session))
    written = await _written(ls, result) if asked.apply and result.edit else None
    return ToolResult(text=text_of(result.outcome, len(hidden), written), failed=could_not_try(result.outcome))


def _with_checks(checks: tuple[str, ...]) -> Make:
    """What makes the run of a job that is checked by `checks`."""

    def make(job: Job) -> Run:
        from compile_loop.assemble import start as begin

        return begin(replace(job, checks=checks))

    return make


async def _written(ls: LoopServer, result: Result) -> str:
    """What became of the files."""
    if reason := why_not_written(result.outcome):
        return reason
    try:
        return (await accept(ls, AcceptParams(run_id=result.run_id))).message
    except Refused as refusal:
        return str(refusal)
