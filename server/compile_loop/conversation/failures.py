"""Failing checks as a model should read them: causes first, with the source around each (SPEC C1, C5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from compile_loop.contracts.checks import CheckResult, ContractResult
from compile_loop.contracts.counting import MOST_ERRORS
from compile_loop.contracts.diagnostics import Diagnostic, Range
from compile_loop.conversation.causes import Cause, in_order
from compile_loop.conversation.excerpt import excerpt
from compile_loop.conversation.steady import steady
from compile_loop.edits.text import UndecodableError, decode

MAX_SHOWN = 20
MAX_PLACES = 6
CONTEXT_LINES = 3

ReadSource = Callable[[str], "bytes | None"]
"""The bytes of a workspace-relative path as the check saw them."""


def render(
    result: ContractResult, blocking: Sequence[Diagnostic], read: ReadSource, handles: Mapping[str, str] | None = None
) -> str:
    """Every failing check: its structured errors with numbered source lines, then a bounded excerpt of its output.

    `handles` names, by check, where a tool opens all of an output. What differs from run to run is left out (SPEC R2).
    """
    failing = [check for check in result.results if not check.ok or any(d in blocking for d in check.errors)]
    parts = [
        _check(check, [d for d in check.errors if d in blocking], read, (handles or {}).get(check.check))
        for check in failing
    ]
    passed = [check.check for check in result.results if check.ok]
    if passed:
        parts.append("Passing: " + ", ".join(passed))
    return "\n\n".join(parts)


def _check(check: CheckResult, errors: Sequence[Diagnostic], read: ReadSource, handle: str | None) -> str:
    head = f"Check `{check.check}` failed with exit code {check.exit_code}"
    if check.timed_out:
        head += "; it was ended by its timeout, so what follows is incomplete"
    parts = [head + "."]
    causes = in_order(errors, steady)
    for number, cause in enumerate(causes[:MAX_SHOWN], 1):
        error = cause.error
        parts.append(f"{number}. {_place(error)}{steady(error.message)}{_code(error)}{_times(cause)}")
        parts.extend(_source(error.file, error.range, read))
        parts.extend(_related(error, read))
    if len(causes) > MAX_SHOWN:
        left = f"{'at least ' if len(errors) >= MOST_ERRORS else ''}{len(causes) - MAX_SHOWN}"
        parts.append(f"… and {left} more errors; most follow from the first ones.")
    whole = "\n".join(text for text in (check.stdout, check.stderr) if text.strip())
    output, complete = excerpt(whole, 2000 if errors else 6000, steady)
    if output:
        parts.append(f"Its output, as data:\n<output>\n{output}\n</output>")
    if handle and not complete:
        parts.append(f"All of its output: read_file_range with path {handle}.")
    return "\n".join(parts)


def _times(cause: Cause) -> str:
    """How often the same was said, and where else."""
    if not cause.others:
        return ""
    left_out = len(cause.others) - MAX_PLACES
    places = ", ".join(cause.others[:MAX_PLACES]) + (f" and {left_out} more" if left_out > 0 else "")
    return f" ({cause.times} times; also {places})"


def _place(diagnostic: Diagnostic) -> str:
    if diagnostic.file is None:
        return ""
    start = diagnostic.range.start
    return f"{diagnostic.file}:{start.line + 1}:{start.character + 1}: "


def _code(diagnostic: Diagnostic) -> str:
    return f" [{diagnostic.code}]" if diagnostic.code else ""


def _related(error: Diagnostic, read: ReadSource) -> list[str]:
    lines: list[str] = []
    for related in error.related[:4]:
        where = f"{related.file}:{related.range.start.line + 1}: " if related.file else ""
        lines.append(f"   note: {where}{steady(related.message)}")
        if related.file and related.file != error.file:
            lines.extend(_source(related.file, related.range, read, 1))
    return lines


def _source(path: str | None, where: Range, read: ReadSource, around: int = CONTEXT_LINES) -> list[str]:
    data = read(path) if path else None
    if data is None:
        return []
    try:
        lines = decode(data).lines
    except UndecodableError:
        return []
    first, last = max(0, where.start.line - around), min(len(lines), where.start.line + around + 1)
    return [
        f"{'>' if number == where.start.line else ' '}{number + 1:5} | {lines[number].rstrip()[:300]}"
        for number in range(first, last)
    ]
