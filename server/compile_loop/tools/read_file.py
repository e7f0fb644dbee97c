"""`read_file`: a whole file, capped (SPEC T3)."""

from __future__ import annotations

from compile_loop.tools.context import ToolContext
from compile_loop.tools.reading import show
from compile_loop.tools.tool import Arguments, Tool, ToolResult, described, schema, text_argument


async def _call(arguments: Arguments, context: ToolContext) -> ToolResult:
    return await show(context, text_argument(arguments, "path"), 1, None)


READ_FILE = Tool(
    schema(
        "read_file",
        "Show a text file of the workspace. Long files are cut; the answer says how to page on.",
        {"path": described("string", "path relative to the workspace")},
    ),
    _call,
)
