"""What a version of a file holds that matters to the gate, whatever its language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile

from tree_sitter import Node

from compile_loop.checks.honesty.grammar import Filter, Tree


@dataclass(frozen=True, slots=True)
class Mark:
    """A place that silences, skips, stubs or swallows.

    `row` counts from 0. `scope` is what it reaches: `line`, `block`, `file` or `project`. `codes` are the rules or
    warnings it names, none for all of them; `tools` the tools that heed it, none for any. `names` are the symbols
    around it, for the user's words. It can only be certain where `certain`, and where `needs_failure` only if a failure
    that it could silence was there before.
    """

    kind: str
    row: int
    text: str
    certain: bool = True
    needs_failure: bool = False
    scope: str = "line"
    codes: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    removed: bool = False
    """It is a guard, and what counts is that it went."""
    only_near: bool = False
    """Counts only beside a failure that it could silence."""
    unless: str = ""
    """Does not count where every failure that it could silence says this (a regular expression)."""
    only_if: str = ""
    """Counts only where a failure says this (a regular expression): the form has honest uses in plenty."""

    @property
    def key(self) -> tuple[str, str]:
        """Equal for marks that say the same, wherever they stand."""
        return self.kind, squash(self.text)


@dataclass(frozen=True)
class Function:
    """A function or a test. `plain` is one whose body is naturally empty or constant: a constructor, an abstract method."""

    name: str
    row: int
    end_row: int
    node: Node
    body: Node | None
    test: bool = False
    plain: bool = False
    overrides: bool = False

    @cached_property
    def text(self) -> str:
        """All of it, white space squashed."""
        return squash(text_of(self.node))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of it."""
        return frozenset(re.findall(r"\w+", self.text))

    @property
    def short_name(self) -> str:
        """The last part of the name."""
        return re.split(r"[.:>]", self.name)[-1].strip()


@dataclass(frozen=True, slots=True)
class Assertion:
    """One thing that a test demands.

    `form` is what is demanded (`equal`, `near`, `raises`, …: `assertions.STRENGTH`); `arguments` are its parts as
    written. `depth` counts the conditions and handlers around it inside the test.
    """

    row: int
    text: str
    form: str
    arguments: tuple[str, ...] = ()
    depth: int = 0


def _no_rows(_tree: Tree, _function: Function) -> Sequence[str]:
    return ()


@dataclass(frozen=True)
class Language:
    """All that the gate needs to know of a language.

    `grammars` maps the endings of file names to grammars. `imports` matches a line that only imports. `cases` are
    the rows of the tables that drive a test.
    """

    name: str
    grammars: dict[str, str]
    marks: Callable[[Tree, Filter, str], Iterable[Mark]]
    functions: Callable[[Tree, str], Sequence[Function]]
    assertions: Callable[[Tree, Function], Sequence[Assertion]]
    imports: re.Pattern[str]
    comment: re.Pattern[str]
    cases: Callable[[Tree, Function], Sequence[str]] = field(default=_no_rows)


def text_of(node: Node | None) -> str:
    """A node's text; empty for none."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def row_of(node: Node) -> int:
    """The row, from 0, on which a node begins."""
    return int(node.start_point[0])


def squash(text: str) -> str:
    """Text with every run of white space as one blank."""
    return " ".join(text.split())


def ancestors(node: Node) -> Iterator[Node]:
    """The nodes around a node, innermost first."""
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def around_in(node: Node, function: Function) -> Iterator[Node]:
    """The nodes around a node as far as its function, innermost first."""
    return takewhile(lambda around: around.id != function.node.id, ancestors(node))


def statements(body: Node | None) -> list[Node]:
    """The statements of a body, without comments and without Python's docstring."""
    if body is None:
        return []
    children = body.named_children
    if len(children) == 1 and children[0].type == "statement_list":
        children = children[0].named_children
    if body.type not in _BLOCKS:
        return [body]
    found = [child for child in children if "comment" not in child.type and child.type != "empty_statement"]
    if found and found[0].type == "expression_statement" and body.type == "block":
        first = found[0].named_children
        if len(first) == 1 and first[0].type == "string":
            found = found[1:]
    return found


_BLOCKS = {"block", "statement_block", "compound_statement", "constructor_body", "field_initializer_list", "module"}
