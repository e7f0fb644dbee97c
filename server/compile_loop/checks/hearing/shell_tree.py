"""A POSIX shell's text as a tree of what decides which command's exit code; nothing is run (SPEC Q9).

`shell_text` tells what a text's commands read, write and run; this tells how they stand to each other.
"""

from __future__ import annotations

from dataclasses import dataclass


class UnreadableShellError(ValueError):
    """No shell would read the text, or this reader does not."""


@dataclass(frozen=True, slots=True, eq=False)
class Word:
    """A word without its quotes; expansions stand in it as they were written.

    `names` are the variables in it, `?` and `@` among them; `outputs` are the commands whose output it holds, or that it
    names by `<(…)`; `into` are those that it names by `>(…)`.
    """

    text: str
    names: tuple[str, ...] = ()
    outputs: tuple[Node, ...] = ()
    into: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Redirect:
    """`sign` without its `stream`, the number before it; of a here-document, `here` is its text."""

    sign: str
    target: Word
    stream: str = ""
    here: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Simple:
    """A command with its words; `raw` is its text, `assigned` are the variables set before it."""

    words: tuple[Word, ...]
    assigned: tuple[tuple[str, Word], ...]
    redirects: tuple[Redirect, ...]
    raw: str


@dataclass(frozen=True, slots=True, eq=False)
class Pipeline:
    """Commands joined by `|`, one or several."""

    parts: tuple[Node, ...]
    negated: bool
    raw: str


@dataclass(frozen=True, slots=True, eq=False)
class AndOr:
    """Pipelines joined by `&&` and `||`: the first, then each with its sign."""

    first: Node
    rest: tuple[tuple[str, Node, str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """Commands one after the other; each with whether it goes to the background."""

    items: tuple[tuple[Node, bool], ...]


@dataclass(frozen=True, slots=True, eq=False)
class If:
    """Conditions with their branches, and the branch for none of them."""

    branches: tuple[tuple[Node, Node], ...]
    otherwise: Node | None


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """`for` with its variable and words, or `while`/`until` with its condition."""

    body: Node
    condition: Node | None = None
    until: bool = False
    variable: str = ""
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Branches by a word."""

    word: Word
    branches: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """What stands in brackets, or any compound command with redirections of its own."""

    body: Node
    subshell: bool
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """The making of a function; nothing of it runs there."""

    name: str
    body: Node


Node = Simple | Pipeline | AndOr | Sequence | If | Loop | Case | Group | Function
