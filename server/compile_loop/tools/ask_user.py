"""`ask_user`: a question to the person who started the run (SPEC L12)."""

from __future__ import annotations

from compile_loop.tools.context import ToolContext
from compile_loop.tools.tool import ArgumentError, Arguments, Tool, ToolResult, described, schema, text_argument

MAX_QUESTION = 2000
LATE = "No answer came in time. Go on without it."
DISMISSED = "The question was dismissed. Go on without the answer."


async def _call(arguments: Arguments, context: ToolContext) -> ToolResult:
    question = text_argument(arguments, "question")
    choices = arguments.get("choices") or []
    if not isinstance(choices, list) or not all(isinstance(choice, str) and choice for choice in choices):
        raise ArgumentError("`choices` must be a list of strings")
    if len(question) > MAX_QUESTION:
        raise ArgumentError(f"`question` is longer than {MAX_QUESTION} characters")
    if context.ask_user is None:
        return ToolResult("Nobody is there to ask. Go on without the answer.", ok=False)
    try:
        answer = await context.ask_user(question, choices)
    except TimeoutError:
        return ToolResult(LATE, ok=False)
    return ToolResult(answer) if answer.strip() else ToolResult(DISMISSED, ok=False)


ASK_USER = Tool(
    schema(
        "ask_user",
        "Ask the person who started this run, when you cannot find out yourself. They may not answer.",
        {"question": described("string", "one clear question")},
        {"choices": {"type": "array", "items": {"type": "string"}, "description": "answers to choose from"}},
    ),
    _call,
)
