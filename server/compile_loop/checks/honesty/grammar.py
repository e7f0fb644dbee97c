"""Syntax trees: one grammar wheel a language, loaded when first needed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import cache, cached_property, lru_cache

from tree_sitter import Language, Node, Parser, Point, Query, QueryCursor

from compile_loop.checks.honesty.texts import Text

_WHEELS = {
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "python": ("tree_sitter_python", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "javascript": ("tree_sitter_javascript", "language"),
    "java": ("tree_sitter_java", "language"),
    "go": ("tree_sitter_go", "language"),
}

_MOST_SPANS = 24
"""Beyond this many places one look at the whole file is quicker."""

_MOST_BROKEN = 0.2
"""A tree with more of its text than this inside errors says too little about the file."""


@cache
def _language(grammar: str) -> Language:
    module, function = _WHEELS[grammar]
    return Language(getattr(importlib.import_module(module), function)())


@lru_cache(maxsize=256)
def _query(grammar: str, pattern: str) -> Query:
    query: Query = Query(_language(grammar), pattern)
    return query


class Tree:
    """A file's syntax tree."""

    def __init__(self, grammar: str, text: Text) -> None:
        self.grammar = grammar
        self.text = text
        self.root = Parser(_language(grammar)).parse(text.data).root_node
        self._focus: tuple[tuple[int, int], ...] = ()

    def find(self, pattern: str, within: Node | None = None) -> Iterator[tuple[str, Node]]:
        """The nodes that a query captures, with the capture's name, in the order of the text."""
        query = _query(self.grammar, pattern)
        found: dict[tuple[str, int], Node] = {}
        for first, last in (self._focus if within is None else ()) or ((0, len(self.text.rows)),):
            cursor = QueryCursor(query)
            if within is None and self._focus:
                cursor.set_point_range(Point(first, 0), Point(last + 1, 0))
            for name, nodes in cursor.captures(within or self.root).items():
                found.update(((name, node.id), node) for node in nodes)
        yield from sorted(((name, node) for (name, _), node in found.items()), key=_place)

    def focused(self, spans: Sequence[tuple[int, int]]) -> Tree:
        """The same tree, of which only nodes that meet these spans of rows, both ends included, are found."""
        if not 0 < len(spans) <= _MOST_SPANS:
            return self
        narrow = copy(self)
        narrow._focus = tuple(spans)
        return narrow

    @property
    def broken(self) -> bool:
        """Whether so much of it is no valid text of its language that only rules for lines can be trusted."""
        if not self.root.has_error:
            return False
        if self.root.type == "ERROR":
            return True
        bad = sum(node.end_byte - node.start_byte for node in self.root.children if node.type == "ERROR")
        return bad > _MOST_BROKEN * max(1, len(self.text.data))

    @cached_property
    def error_rows(self) -> frozenset[int]:
        """Rows on which the parser did not know what it read."""
        return frozenset(
            row for _, node in self.find("(ERROR) @error") for row in range(node.start_point[0], node.end_point[0] + 1)
        )


def _place(item: tuple[str, Node]) -> tuple[int, int]:
    return item[1].start_byte, -item[1].end_byte


Filter = Callable[[Node], bool]
"""Which nodes are worth a look."""
