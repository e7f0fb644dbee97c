"""`recall`: what this run has found out before (SPEC T4)."""

from __future__ import annotations

from compile_loop.tools.context import ToolContext
from compile_loop.tools.tool import Arguments, Tool, ToolResult, described, schema, text_argument


async def _call(arguments: Arguments, context: ToolContext) -> ToolResult:
    found = context.findings.search(text_argument(arguments, "query"))
    return ToolResult("\n---\n".join(found) if found else "not looked at yet")


RECALL = Tool(
    schema(
        "recall",
        "Search what you have read and concluded earlier in this run, by keywords.",
        {"query": described("string", "a few words")},
    ),
    _call,
)
