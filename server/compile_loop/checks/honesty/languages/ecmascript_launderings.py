"""Detours that take a value's type away without saying `any` (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from compile_loop.checks.honesty.grammar import Filter, Tree
from compile_loop.checks.honesty.languages.declared_globals import declared_in_line
from compile_loop.checks.honesty.languages.names import enclosing_names
from compile_loop.checks.honesty.survey import Mark, row_of, squash, statements, text_of

_CALLS = r"""
(call_expression function: (_) @fn (#match? @fn "^(JSON[.]parse|eval|Reflect[.]get|createRequire|v8[.]deserialize)$")) @call
(new_expression constructor: (identifier) @fn (#eq? @fn "Function")) @call
"""
_TYPES = r"""
(type_predicate) @predicate
(asserts) @predicate
(type_alias_declaration value: (predefined_type) @any (#eq? @any "any")) @alias
(ambient_declaration) @ambient
(function_declaration type_parameters: (_)) @generic
(variable_declarator value: (arrow_function type_parameters: (_))) @generic
(default_type (predefined_type) @any (#eq? @any "any")) @alias
"""
_REACHED = r"""
(binary_expression left: (unary_expression operator: "typeof")) @reached
((member_expression object: (identifier) @holder) @reached (#match? @holder "^(globalThis|window|self|global)$"))
((subscript_expression object: (identifier) @holder) @reached (#match? @holder "^(globalThis|window|self|global)$"))
"""
_JSDOC = re.compile(r"@(?:type|param|returns?|typedef)\s*\{\s*(?:any|\*|\?|Function|[^}]*\bany)\s*\}")
_TSC = frozenset({"tsc", "ts", "typescript", "vue-tsc"})


def launderings(tree: Tree, wanted: Filter) -> Iterator[Mark]:
    """Marks for such detours; they only count beside a failure of the type checker."""
    for name, node in tree.find(_CALLS + _REACHED):
        if name in ("fn", "holder") or not wanted(node):
            continue
        text, row = squash(text_of(node)), row_of(node)
        if name == "reached":
            yield from declared_in_line(text_of(node), row, tree.text.text)
        elif not text.startswith("JSON.parse") or re.match(r"JSON\.parse\(\s*JSON\.stringify\(", text):
            yield _mark(row, text, enclosing_names(node), certain=text.startswith("JSON"))
    if tree.grammar in ("typescript", "tsx"):
        yield from _types(tree, wanted)
    else:
        for _, node in tree.find("(comment) @comment"):
            text = text_of(node)
            found = _JSDOC.search(text) if wanted(node) else None
            if found:
                at = text.count("\n", 0, found.start())
                yield _mark(row_of(node) + at, text.split("\n")[at], frozenset(), certain=True, scope="block")


def _types(tree: Tree, wanted: Filter) -> Iterator[Mark]:
    for name, node in tree.find(_TYPES):
        if name == "any" or not wanted(node):
            continue
        row, text = row_of(node), tree.text.row(row_of(node)).strip()
        if name == "ambient":
            yield from declared_in_line(text, row, tree.text.text)
        elif name == "generic":
            yield from _cast_helper(node, text, row)
        elif name == "alias":
            yield _mark(row, text, enclosing_names(node), certain=True)
        else:
            holder = node
            while holder.parent is not None and holder.child_by_field_name("body") is None:
                holder = holder.parent
            kept = [squash(text_of(s)) for s in statements(holder.child_by_field_name("body"))]
            if holder.type != "program" and (
                kept in (["return true;"], ["return true"], ["true"])
                or (not kept and name == "predicate")
                or (len(kept) == 1 and name == "predicate" and _says_nothing(text_of(node), kept[0]))
            ):
                yield Mark(
                    "any_cast",
                    row,
                    f"{text} {' '.join(kept)}",
                    needs_failure=False,
                    tools=_TSC,
                    names=enclosing_names(node),
                )


_THERE = r"(?:\w+ !==? (?:null|undefined)|!!\w+|Boolean\(\w+\)|\w+ != null)"
_NO_CHECK = re.compile(rf"(?:return )?\(?{_THERE}(?: && {_THERE})*\)?;?$")
_ONLY_THERE = re.compile(r"\bis\s+(?:NonNullable\b|object\b|\{\}|[A-Z]\w?\b(?!\w)|unknown\b|Exclude\b)")
"""A predicate that promises no more than that something is there."""


def _says_nothing(predicate: str, body: str) -> bool:
    """Whether a type guard promises a type of its own and only looks whether anything is there."""
    return _NO_CHECK.match(body) is not None and _ONLY_THERE.search(predicate) is None


def _cast_helper(node: Node, text: str, row: int) -> Iterator[Mark]:
    """`function coerce<T>(value: unknown): T { return value as T; }`"""
    holder = node.child_by_field_name("value") or node
    body = holder.child_by_field_name("body")
    kept = [squash(text_of(s)) for s in statements(body)]
    named = set(re.findall(r"\w+", text_of(holder.child_by_field_name("type_parameters"))))
    found = (
        re.fullmatch(r"(?:return )?\(?\w+ as (?:unknown as |any as )?(\w+)\)?;?", kept[0]) if len(kept) == 1 else None
    )
    if found and found[1] in named:
        yield Mark("any_cast", row, text, needs_failure=True, scope="project", tools=_TSC, names=enclosing_names(node))


def _mark(row: int, text: str, names: frozenset[str], *, certain: bool, scope: str = "line") -> Mark:
    return Mark("any_cast", row, text, certain=certain, only_near=True, scope=scope, tools=_TSC, names=names)
