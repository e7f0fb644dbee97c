"""`report_no_change`: the model holds that nothing needs to change; the runtime may refuse (SPEC L11)."""

from __future__ import annotations

from compile_loop.tools.context import ToolContext
from compile_loop.tools.tool import Arguments, Tool, ToolResult, described, schema, text_argument


async def _call(arguments: Arguments, context: ToolContext) -> ToolResult:
    summary, evidence = (
        text_argument(arguments, "summary", empty=True),
        text_argument(arguments, "evidence", empty=True),
    )
    refusal = context.nominate(summary, evidence)
    return (
        ToolResult("Noted; a person will judge.")
        if refusal is None
        else ToolResult(f"Not accepted: {refusal}", ok=False)
    )


REPORT_NO_CHANGE = Tool(
    schema(
        "report_no_change",
        "Say that the code needs no change. Only before any edit, and with evidence; a person judges it.",
        {
            "summary": described("string", "why no change is needed"),
            "evidence": described("string", "what you saw that shows it"),
        },
    ),
    _call,
)
