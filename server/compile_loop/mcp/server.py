"""The tool on standard input and output: one call is one run, with progress, cancelling and questions."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from compile_loop.agent_tool.answer import could_not_try, document_of, text_of, why_not_written
from compile_loop.agent_tool.asked import Asked, BadInputError, read, schema
from compile_loop.agent_tool.places import folders_of, locate
from compile_loop.applying import apply_to_disk
from compile_loop.assemble import ConfigurationError, Job, start, state_folder
from compile_loop.mcp.options import Options
from compile_loop.mcp.under_way import Asker, Ended, Line, Question, UnderWay
from compile_loop.shadow.apply import ApplyError
from compile_loop.version import VERSION

TOOL = "fix_until_it_compiles"
DESCRIPTION = (
    "Fix code until its check passes. Edits are tried in an isolated copy of the workspace, where the real compiler, build or "
    "test runs; the result is green only when that passes. Returns the edit as a diff and what it does not prove. Nothing is "
    "written unless `apply` is true. It can take minutes; it reports progress and can be cancelled."
)
Context = ServerRequestContext[Any, Any]
Result = types.CallToolResult | types.InputRequiredResult
_ROOTS, _ANSWER = "roots", "answer"


async def live(options: Options) -> None:
    """Serve one client until it is gone, and end every process of its runs before returning."""
    tool = FixTool(options)
    server = Server("compile-loop", version=VERSION, on_list_tools=tool.offer, on_call_tool=tool.call)
    try:
        async with stdio_server() as (read_stream, write_stream):
            await server.run(read_stream, write_stream, server.create_initialization_options())
    finally:
        await tool.close()


class FixTool:
    """The tool's runs, from every call of one client."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._runs: dict[str, UnderWay] = {}

    async def close(self) -> None:
        """End what is still under way."""
        for active in self._runs.values():
            active.cancel()
        for active in list(self._runs.values()):
            await active.gone()

    async def offer(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """The one tool that there is."""
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=TOOL,
                    title="Fix until it compiles",
                    description=DESCRIPTION,
                    input_schema=schema(self._options.checks_are_given),
                    annotations=types.ToolAnnotations(
                        read_only_hint=False, destructive_hint=True, open_world_hint=True
                    ),
                )
            ]
        )

    async def call(self, context: Context, params: types.CallToolRequestParams) -> Result:
        """Start a run and follow it to its end, or go on with one whose question was answered."""
        try:
            if params.name != TOOL:
                raise BadInputError(f"There is no tool {params.name!r}; there is {TOOL!r}.")
            if params.request_state and params.request_state != _ROOTS:
                active = self._answered(params)
            else:
                asked = read(params.arguments, self._options.checks_are_given)
                roots = await self._roots(context, params)
                if isinstance(roots, types.InputRequiredResult):
                    return roots
                active = self._start(context, asked, roots)
        except (BadInputError, ConfigurationError) as error:
            return types.CallToolResult(content=[types.TextContent(text=str(error))], is_error=True)
        try:
            return await _follow(context, active)
        except asyncio.CancelledError:
            active.cancel()
            raise

    def _start(self, context: Context, asked: Asked, roots: list[Path]) -> UnderWay:
        self._runs = {name: active for name, active in self._runs.items() if not (active.over and active.news.empty())}
        root, targets = locate(roots, asked.files)
        active = UnderWay(root, targets, asked.apply)
        for other in self._runs.values():
            if not other.over and not other.cancelled:
                active.refuse_beside(other)
        job = Job(
            root=root,
            targets=targets,
            settings=self._options.settings,
            scope="files" if targets else "workspace",
            checks=self._options.checks or tuple(asked.check),
            spec=asked.spec,
            ask_user=Asker(active) if _answers_questions(context) else None,
            model_reason=self._options.model_reason,
        )
        active.start(job, start(job))
        self._runs[active.run_id] = active
        return active

    def _answered(self, params: types.CallToolRequestParams) -> UnderWay:
        """The run that waits for what this call brings."""
        active = self._runs.get(params.request_state or "")
        if active is None:
            raise BadInputError("That run is over, or is not of this session. Call the tool again from the start.")
        given = (params.input_responses or {}).get(_ANSWER)
        question = active.open_question
        if question is not None and not question.answer.done():
            question.answer.set_result(_words(given) if isinstance(given, types.ElicitResult) else "")
        return active

    async def _roots(
        self, context: Context, params: types.CallToolRequestParams
    ) -> list[Path] | types.InputRequiredResult:
        """The folders to work in: as the tool was started, else as the client says, else the current one."""
        if self._options.root is not None:
            return [self._options.root]
        told: Any = (params.input_responses or {}).get(_ROOTS)
        capabilities = context.session.client_capabilities
        if told is None and capabilities is not None and capabilities.roots is not None:
            request = types.ListRootsRequest()
            if not context.session.can_send_request:
                return types.InputRequiredResult(input_requests={_ROOTS: request}, request_state=_ROOTS)
            told = await context.session.send_request(request, types.ListRootsResult)
        uris = [str(root.uri) for root in told.roots] if isinstance(told, types.ListRootsResult) else []
        return folders_of(uris) or [Path.cwd()]


async def _follow(context: Context, active: UnderWay) -> Result:
    """Pass on what the run tells, until it ends or its question has to go out as this call's result."""
    told = 0
    while True:
        news = await active.news.get()
        if isinstance(news, Line):
            told += 1
            await context.session.report_progress(told, message=news.text)
        elif isinstance(news, Ended):
            return await asyncio.to_thread(_result, active, news)
        elif context.session.can_send_request:
            await _elicit(context, news)
        else:
            return types.InputRequiredResult(
                input_requests={_ANSWER: types.ElicitRequest(params=_form(news))}, request_state=active.run_id
            )


def _result(active: UnderWay, ended: Ended) -> types.CallToolResult:
    """The answer; writes the edit where that is wanted."""
    outcome, applied, written = ended.outcome, False, None
    if active.apply and active.job and outcome.edit:
        written = why_not_written(outcome)
        if not written:
            try:
                moved = apply_to_disk(active.job, outcome, state_folder() / "journals")
                applied, written = True, f"Wrote {', '.join(outcome.edit.paths)}."
                if moved:
                    written += (
                        f" {', '.join(moved)} was changed meanwhile: the edit was laid over that, and the check passes."
                    )
            except ApplyError as error:
                written = str(error)
    return types.CallToolResult(
        content=[types.TextContent(text=text_of(outcome, ended.holdouts, written))],
        structured_content=document_of(outcome, ended.holdouts, applied, active.run_id),
        is_error=could_not_try(outcome),
    )


def _answers_questions(context: Context) -> bool:
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.elicitation is None:
        return False
    return capabilities.elicitation.form is not None or capabilities.elicitation.url is None


async def _elicit(context: Context, question: Question) -> None:
    """Ask now; whichever ends first, the question or its time, takes the other away."""
    form = _form(question)
    asking: asyncio.Future[types.ElicitResult] = asyncio.ensure_future(
        context.session.elicit_form(form.message, form.requested_schema, context.request_id)
    )
    try:
        both: set[asyncio.Future[Any]] = {asking, question.answer}
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if asking.done() and not question.answer.done():
            question.answer.set_result("" if asking.exception() else _words(asking.result()))
    finally:
        asking.cancel()


def _form(question: Question) -> types.ElicitRequestFormParams:
    answer: dict[str, Any] = {"type": "string", "title": "Answer"}
    if question.choices:
        answer["enum"] = list(question.choices)
    return types.ElicitRequestFormParams(
        message=question.text,
        requested_schema={"type": "object", "properties": {_ANSWER: answer}, "required": [_ANSWER]},
    )


def _words(result: types.ElicitResult) -> str:
    return str((result.content or {}).get(_ANSWER, "")) if result.action == "accept" else ""
