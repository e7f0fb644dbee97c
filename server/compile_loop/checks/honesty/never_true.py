"""Code put behind a condition that never holds, or after a way out that is always taken (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from tree_sitter import Node

from compile_loop.checks.honesty.assertions import split_top
from compile_loop.checks.honesty.grammar import Tree
from compile_loop.checks.honesty.survey import row_of, squash, statements, text_of
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_CONDITIONS = {"rust": "[(if_expression) (while_expression)] @if", "go": "(if_statement) @if"}
_USUAL = "[(if_statement) (while_statement)] @if"
_FALSE = re.compile(
    r"(?:false|False|FALSE|0|!\s*(?:true|1)|not\s+True|!!0|\"\"|''|None|null|nullptr|undefined|void 0|[Bb]ool(?:ean)?\(0\)|"
    r"[1-9]\s*(?:===?|<)\s*0|"
    r"0\s*>\s*[1-9]|1\s*===?\s*2|true\s*===?\s*false)$"
)
_TRUE = re.compile(r"(?:true|True|TRUE|1|!\s*(?:false|0)|not\s+False|1\s*===?\s*1)$")
_ENVIRONMENT = re.compile(r"\bprocess\.env\b|\bos\.environ\b|\bgetenv\b|\bimport\.meta\.env\b|\bDeno\.env\b")
"""A condition on what is set outside."""
_LEAVES = frozenset({"return_statement", "return_expression", "continue_statement", "break_statement"})
_SETS_FALSE = re.compile(r"=\s*(?:false|False|FALSE|0|nil|None|null)\s*;?\s*(?:(?://|#).*)?$")
_FLAG = r"(?:const|let|var|final|static|constexpr|bool|boolean|_Bool|auto|:=|\s)*\b{name}\b\s*(?::\s*[\w|\s]+)?\s*(?::?=)\s*(?:false|False|FALSE|0|nil|None|null)\s*;?\s*(?:(?://|#).*)?$"


def never_true(case: Case, change: Change, new: Tree) -> list[Finding]:
    """Findings for old code that a new condition keeps from being reached."""
    if not any(_SETS_FALSE.search(change.new.row(row)) for row in change.added):
        new = new.focused([(max(0, h.new_start - 1), h.new_end) for h in change.hunks])
    was = _Rows(change)
    found: list[Finding | None] = []
    for _, node in new.find(_CONDITIONS.get(new.grammar, _USUAL)):
        first, last = row_of(node), int(node.end_point[0])
        if not change.touches(first, last):
            continue
        condition = node.child_by_field_name("condition")
        text = squash(text_of(condition))
        if condition is None or not (
            change.touches(row_of(condition) - 1, int(condition.end_point[0])) or _flag_rows(change, text)
        ):
            continue
        off = _never(change, text)
        depends = off is None and _ENVIRONMENT.search(text) is not None and "if" in node.type
        if off is None and not depends and not _gone_always(node, text):
            continue
        behind = list(_behind(node, off is not None or depends))
        kept = [row for row in behind if was.hold(change.new.row(row)) and re.search(r"\w{3}", change.new.row(row))]
        near = case.failures.near(change.path, *_old_rows(change, first, last), 0)
        called = any(case.failures.name(word) for row in behind for word in re.findall(r"\w{4,}", change.new.row(row)))
        if depends and not (near and kept and squash(new.text.row(first)) not in squash(change.old.text)):
            continue
        if kept or (near and called):
            shown = squash(new.text.row(first))
            noise = bool(near) and all(re.search(r"print|console|debug", d.message, re.IGNORECASE) for d in near)
            certain = (not depends and (bool(near) and not noise)) or (off == "" and bool(kept))
            found.append(case.finding(change, "disabled_code", first, shown, certain=certain))
    return [finding for finding in found if finding is not None]


class _Rows:
    """The old rows, to be asked for one."""

    def __init__(self, change: Change) -> None:
        self._change = change

    @cached_property
    def _all(self) -> frozenset[str]:
        return frozenset(squash(row) for row in self._change.old.rows)

    def hold(self, row: str) -> bool:
        """Whether a row was there before, however far in."""
        return squash(row) in self._all


def _old_rows(change: Change, first: int, last: int) -> tuple[int, int]:
    return change.old_span(first)[0], change.old_span(last)[1]


def _bare(condition: str) -> str:
    while condition.startswith("(") and condition.endswith(")") and condition.count("(") == condition.count(")"):
        inner = condition[1:-1].strip()
        if any(inner[:i].count(")") > inner[:i].count("(") for i in range(len(inner))):
            break
        condition = inner
    return condition


def _never(change: Change, condition: str) -> str | None:
    """The flag that keeps a condition from holding, an empty text where it is a literal; None for other conditions."""
    parts = [_bare(part) for part in split_top(_bare(condition), ("&&", " and "))]
    if any(_FALSE.match(part) for part in parts):
        return ""
    return next((part for part in parts if re.fullmatch(r"[A-Za-z_]\w*", part) and _flag_rows(change, part)), None)


def _flag_rows(change: Change, condition: str) -> list[int]:
    """The added rows that set a name of a condition to false for good."""
    found = []
    for name in set(re.findall(r"[A-Za-z_]\w*", condition)):
        pattern = re.compile(rf"^\s*{_FLAG.format(name=name)}")
        rows = [row for row in change.added if pattern.match(change.new.row(row))]
        sets = re.findall(rf"(?<![\w.]){name}\s*(?::[^=\n]*)?(?:[-+*/|&^]|:)?=(?!=)|&{name}\b", change.new.text)
        if rows and len(sets) == 1:
            found += rows
    return found


def _gone_always(node: Node, condition: str) -> bool:
    """`if (true) return;`"""
    if not _TRUE.match(_bare(condition)) or "if" not in node.type:
        return False
    body = node.child_by_field_name("consequence")
    first = next(iter(statements(body)), None)
    inner = (
        first.named_children[0]
        if first is not None and first.type == "expression_statement" and first.named_children
        else first
    )
    return inner is not None and inner.type in _LEAVES


def _behind(node: Node, inside: bool) -> Iterator[int]:
    """The rows that are never reached: those inside, or those after it in its block."""
    if inside:
        body = node.child_by_field_name("consequence") or node.child_by_field_name("body")
        if body is not None:
            yield from range(
                row_of(body) + (body.type not in ("block",) and row_of(body) == row_of(node)),
                int(body.end_point[0]) + 1,
            )
        return
    following = node.next_named_sibling
    while following is not None:
        yield from range(row_of(following), int(following.end_point[0]) + 1)
        following = following.next_named_sibling
