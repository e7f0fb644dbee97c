"""Showing part of a file to a model: capped, with how much was left out and how to page (SPEC T3)."""

from __future__ import annotations

from compile_loop.conversation.steady import steady
from compile_loop.edits.paths import PathError, normalise
from compile_loop.edits.text import UndecodableError, decode, split_lines
from compile_loop.tools.context import ToolContext
from compile_loop.tools.tool import ToolResult

MAX_LINES = 500
MAX_CHARACTERS = 40_000


async def show(context: ToolContext, path: str, first: int, last: int | None) -> ToolResult:
    """Lines `first` to `last` (1-based, inclusive; None: to the end) of a file or of a spilled text."""
    if path in context.spilled:
        return _page(path, split_lines(steady(context.spilled[path])), first, last, whole=last is None, shown=())
    try:
        name = normalise(path)
    except PathError as error:
        return ToolResult(f"{error}.", ok=False)
    data = await context.see(name)
    if isinstance(data, str):
        return ToolResult(f"{name} is not shown: {data}.", ok=False)
    if data is None:
        return ToolResult(f"There is no file {name}.", ok=False)
    key = (name, first, -1 if last is None else last)
    if context.read_before.get(key) == data:
        return ToolResult(
            f"{name} is unchanged since you read the same lines in this round; use what you have.", shown=(name,)
        )
    encoding = next((t.encoding for t in context.files.targets if t.path == name), None)
    try:
        lines = decode(data, encoding).lines
    except UndecodableError as error:
        return ToolResult(f"{name} is no text: {error}.", ok=False)
    result = _page(name, lines, first, last, whole=last is None, shown=(name,))
    if result.ok:
        context.read_before[key] = data
    return result


def _page(
    path: str, lines: list[str], first: int, last: int | None, *, whole: bool, shown: tuple[str, ...]
) -> ToolResult:
    total = len(lines)
    last = total if last is None else last
    if total == 0:
        return ToolResult(f"{path} is empty.", shown=shown)
    if first < 1 or first > total or last < first:
        return ToolResult(f"{path} has {total} lines; {first} to {last} is no range of it.", ok=False)
    stop = min(last, total, first - 1 + MAX_LINES)
    taken: list[str] = []
    size = 0
    for line in lines[first - 1 : stop]:
        size += len(line)
        if size > MAX_CHARACTERS and taken:
            break
        taken.append(
            line
            if len(line) <= MAX_CHARACTERS
            else f"{line[:MAX_CHARACTERS]}[… {len(line) - MAX_CHARACTERS} characters left out]\n"
        )
    end = first - 1 + len(taken)
    text = "".join(taken)
    notes = []
    if not whole or end < total or first > 1:
        notes.append(f"[lines {first} to {end} of {total}]")
    if end < min(last, total):
        notes.append(f"[{min(last, total) - end} lines left out; go on with read_file_range from {end + 1}]")
    return ToolResult("\n".join([text.rstrip("\n") if notes else text, *notes]), shown=shown)
