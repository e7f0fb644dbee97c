"""`consult`: a question to a stronger model (SPEC L13)."""

from __future__ import annotations

from compile_loop.contracts.protocols import ModelError
from compile_loop.tools.context import ToolContext
from compile_loop.tools.tool import Arguments, Tool, ToolResult, described, schema, text_argument

FAILED = "The stronger model could not answer: "
WITHOUT_IT = " Go on without it."
"""Around the reason why there is no answer."""


async def _call(arguments: Arguments, context: ToolContext) -> ToolResult:
    question = text_argument(arguments, "question")
    if context.consult is None:
        return ToolResult("No stronger model is set. Go on without it.", ok=False)
    try:
        return ToolResult(await context.consult(question))
    except ModelError as error:
        return ToolResult(f"{FAILED}{error.message}{WITHOUT_IT}", ok=False)


CONSULT = Tool(
    schema(
        "consult",
        "Ask a stronger model. It sees only your question, so put everything it needs into it.",
        {"question": described("string", "the question with all it needs")},
    ),
    _call,
)
