"""A way out of `finally`, which throws away whatever exception was under way (SPEC K7)."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from compile_loop.checks.honesty.grammar import Filter, Tree
from compile_loop.checks.honesty.languages.names import enclosing_names
from compile_loop.checks.honesty.survey import Mark, ancestors, row_of, squash, text_of

_QUERY = "(finally_clause) @finally"
_LEAVES = "[(return_statement) (break_statement) (continue_statement)] @leaves"
_LOOPS = (
    "for_statement",
    "while_statement",
    "for_in_statement",
    "do_statement",
    "enhanced_for_statement",
    "switch_statement",
)


def finally_exits(tree: Tree, wanted: Filter) -> Iterator[Mark]:
    """Marks for `return`, `break` and `continue` that leave a `finally`."""
    for _, clause in tree.find(_QUERY):
        if not wanted(clause):
            continue
        for _, node in tree.find(_LEAVES, clause):
            if _left(node) == clause:
                shown = f"finally {{ … {squash(text_of(node))} }}"
                yield Mark("swallowed_exception", row_of(node), shown, names=enclosing_names(node))


def _left(node: Node) -> Node | None:
    """The `finally` that a statement leaves; None where it only leaves a function or a loop inside."""
    for around in ancestors(node):
        if around.type == "finally_clause":
            return around
        if "function" in around.type or around.type in ("lambda", "method_definition", "class_definition"):
            return None
        if node.type != "return_statement" and around.type in _LOOPS:
            return None
    return None
