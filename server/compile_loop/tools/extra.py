"""A caller's own tools (SPEC T5)."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping

from compile_loop.contracts.protocols import ToolSchema
from compile_loop.tools.context import ToolContext
from compile_loop.tools.tool import Arguments, Tool, ToolResult

Handler = Callable[[dict[str, object]], "str | Awaitable[str]"]


def extra_tool(name: str, description: str, parameters: Mapping[str, object], handler: Handler) -> Tool:
    """A tool over a caller's function, sync or async, that returns a string; what it raises is text for the model."""

    async def call(arguments: Arguments, _context: ToolContext) -> ToolResult:
        try:
            answer = handler(dict(arguments))
            if inspect.isawaitable(answer):
                answer = await answer
        except Exception as error:  # a caller's tool must never end the run
            return ToolResult(f"{name} failed: {type(error).__name__}: {error}", ok=False)
        if not isinstance(answer, str):
            return ToolResult(f"{name} returned {type(answer).__name__} and not a string.", ok=False)
        return ToolResult(answer)

    return Tool(ToolSchema(name, description, dict(parameters)), call)
