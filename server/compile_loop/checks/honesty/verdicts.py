"""Test programs that no longer end as their tests did, or as ones that were skipped (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from compile_loop.checks.honesty.languages.names import is_test_path
from compile_loop.checks.honesty.marks import Sheet
from compile_loop.checks.honesty.survey import Function, ancestors, row_of, squash, statements, text_of
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_STATUS = re.compile(
    r"(?:return|(?:(?:std::)?process::|std::|sys\.|os\.|process\.|System\.)?exit)\b\s*\(?\s*(?P<status>.*?)\s*\)?\s*;?$",
    re.IGNORECASE,
)
_WELL = re.compile(r"(?:0|EXIT_SUCCESS|ExitCode::SUCCESS|true|True|Ok\(\(\)\))?$")
_CONSTANT = re.compile(r"-?\d+$|EXIT_\w+$|ExitCode::\w+$|true$|false$|True$|False$|None$|null$|nil$")
_SKIPPED = re.compile(r"(?:return|exit)\s*\(?\s*77\s*\)?\s*;?$")
"""The status by which a test program says that it was skipped."""
_MAIN = re.compile(r"(?:main|Main|run|run_?(?:all|tests?)\w*|test_?main)$")


def lost_verdicts(case: Case, sheet: Sheet) -> list[Finding]:
    """Findings over the tests of a file, and over the functions that run them."""
    in_tests = is_test_path(sheet.change.path)
    found: list[Finding | None] = []
    for before, after in sheet.pairs[0]:
        runs = _MAIN.match(after.short_name) is not None
        if before.text == after.text or not (after.test or (runs and (in_tests or case.failures.testing))):
            continue
        names = [after.name, after.short_name]
        if runs and (row := _ends_well(before, after)) is not None:
            shown = f"{after.name}: {squash(sheet.change.new.row(row))}"
            found.append(case.finding(sheet.change, "exit_zero", row, shown, certain=in_tests, names=names))
        if in_tests and (place := _says_skipped(before, after)) is not None:
            around = next((a for a in ancestors(place) if a.type in ("if_statement", "if_expression")), place)
            shown = squash(text_of(around))
            found.append(
                case.finding(sheet.change, "skipped_test", row_of(around), shown, certain=around is place, names=names)
            )
    return [finding for finding in found if finding is not None]


def _ends_well(before: Function, after: Function) -> int | None:
    """The row on which a program now reports success that reported what it had found out."""
    was, now = (_last(function) for function in (before, after))
    if was is None or now is None:
        return None
    old, new = _STATUS.match(squash(text_of(was))), _STATUS.match(squash(text_of(now)))
    told = old["status"] if old is not None else "" if was.type.endswith("statement") else squash(text_of(was))
    if not told or _CONSTANT.match(told) or new is None or not _WELL.match(new["status"]):
        return None
    return None if told in after.text else row_of(now)


def _last(function: Function) -> Node | None:
    found = statements(function.body)
    return found[-1] if found else None


def _says_skipped(before: Function, after: Function) -> Node | None:
    """The first new place at which a test program ends as one that was skipped."""
    if any(True for _ in _skips(before)):
        return None
    return next(_skips(after), None)


def _skips(function: Function) -> Iterator[Node]:
    rest = list(statements(function.body))
    while rest:
        node = rest.pop(0)
        if node.type in ("return_statement", "return_expression", "expression_statement") and _SKIPPED.search(
            squash(text_of(node))
        ):
            yield node
        else:
            rest.extend(node.named_children)
