"""An import or an include that the message itself spells out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compile_loop.contracts.diagnostics import Range, Suggestion
from compile_loop.toolchains.wording.said import Said

_FORGOT = re.compile(r"Did you forget to import '(?P<module>[\w.]+)'\?")
_SPELT = re.compile(r'\(Suggestion: "(?P<line>(?:from [\w.]+ )?import [\w.]+)"\)')
_HEADER = re.compile(
    r"include (?:the header )?[‘']?(?P<header><[\w./+-]+>)[’']? or (?:explicitly )?provide a declaration"
)
_PYTHON_IMPORT = re.compile(r"^(?:import|from) (?!__future__)")
_FUTURE = re.compile(r"^from __future__ import ")
_INCLUDE = re.compile(r"^\s*#\s*include\b")


def forgotten_import(said: Said) -> Iterator[Suggestion]:
    """Put the line among the others of its kind."""
    texts = [said.message, *(related.message for related in said.diagnostic.related)]
    for text in texts:
        if forgot := _FORGOT.search(text):
            yield _line(said, f"import {forgot['module']}", _python_row(said))
        elif spelt := _SPELT.search(text):
            yield _line(said, spelt["line"], _python_row(said))
        elif header := _HEADER.search(text):
            yield _line(said, f"#include {header['header']}", _include_row(said))
        else:
            continue
        return


def _line(said: Said, text: str, row: int) -> Suggestion:
    return said.fix(text, Range.of(row, 0, row, 0), f"{text}\n")


def _python_row(said: Said) -> int:
    """Before the first import, behind those from the future; else behind comments and the module's first string."""
    rows = [row for row, line in enumerate(said.lines) if _PYTHON_IMPORT.match(line)]
    if rows:
        return rows[0]
    future = [row for row, line in enumerate(said.lines) if _FUTURE.match(line)]
    return future[-1] + 1 if future else _docstring_end(said.lines)


def _docstring_end(lines: list[str]) -> int:
    row = 0
    while row < len(lines) and (not lines[row].strip() or lines[row].startswith("#")):
        row += 1
    mark = next((mark for mark in ('"""', "'''") if row < len(lines) and lines[row].startswith(mark)), None)
    if mark is None:
        return row if row < len(lines) and row and lines[row - 1].startswith("#") else 0
    rest = lines[row][len(mark) :]
    while mark not in rest and row + 1 < len(lines):
        row += 1
        rest = lines[row]
    return row + 1


def _include_row(said: Said) -> int:
    rows = [row for row, line in enumerate(said.lines) if _INCLUDE.match(line)]
    return rows[-1] + 1 if rows else 0
