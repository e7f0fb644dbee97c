"""`apply_search_replace`: one edit, at once, by the same matcher and gate as text blocks (SPEC T2)."""

from __future__ import annotations

from compile_loop.edits.apply import Refused, apply_search_replace
from compile_loop.edits.paths import PathError, admit, relative
from compile_loop.tools.context import ToolContext
from compile_loop.tools.tool import Arguments, Tool, ToolResult, described, schema, text_argument


async def _call(arguments: Arguments, context: ToolContext) -> ToolResult:
    search, replace = text_argument(arguments, "search", empty=True), text_argument(arguments, "replace", empty=True)
    wanted = text_argument(arguments, "path")
    if (path := relative(wanted, None)) is not None:
        await context.open_target(path)
    targets = context.files.targets
    try:
        path = admit(wanted, [t.path for t in targets]).path
    except PathError as error:
        return ToolResult(f"{error}.", ok=False)
    target = next(t for t in targets if t.path == path)
    result = apply_search_replace(target, search, replace, allow_new_files=context.allow_new_files)
    if isinstance(result, Refused):
        return ToolResult(result.message, ok=False)
    await context.files.write(result.files)
    (report,) = result.reports
    notes = "".join(f" {warning}" for warning in result.warnings)
    return ToolResult(f"Applied in {path} at line {report.line}.{notes}", shown=(path,), applied=(path,))


APPLY_SEARCH_REPLACE = Tool(
    schema(
        "apply_search_replace",
        "Replace text that occurs exactly once in a file. It takes effect at once; the check runs when you answer without a call.",
        {
            "path": described("string", "one of the files that may be edited"),
            "search": described("string", "the text to find, exactly as it stands in the file"),
            "replace": described("string", "the text to put in its place; empty deletes"),
        },
    ),
    _call,
)
