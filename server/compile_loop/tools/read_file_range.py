"""`read_file_range`: some lines of a file, or of output that was too long to show (SPEC T3, T7)."""

from __future__ import annotations

from compile_loop.tools.context import ToolContext
from compile_loop.tools.reading import MAX_LINES, show
from compile_loop.tools.tool import Arguments, Tool, ToolResult, described, number_argument, schema, text_argument


async def _call(arguments: Arguments, context: ToolContext) -> ToolResult:
    first, last = number_argument(arguments, "start"), number_argument(arguments, "end")
    return await show(context, text_argument(arguments, "path"), first, last)


READ_FILE_RANGE = Tool(
    schema(
        "read_file_range",
        f"Show lines start to end of a text file, counted from 1, both included, at most {MAX_LINES}.",
        {
            "path": described("string", "path relative to the workspace, or the handle of a spilled output"),
            "start": described("integer", "first line, from 1"),
            "end": described("integer", "last line, included"),
        },
    ),
    _call,
)
