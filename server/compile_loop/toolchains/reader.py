"""What a reader of one tool's output is: a small state machine over lines."""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.toolchains.terminal import Line, clean
from compile_loop.toolchains.tree import Tree


@dataclass
class Context:
    """What all readers of one run share.

    `hint` is the tool's name or its command line; `seen` are the names of tools that the output itself gave away so
    far, for lines that mean something only in their company. `recent` are the last raw lines, the present one last.
    """

    tree: Tree
    hint: str = ""
    seen: set[str] = field(default_factory=set)
    recent: deque[str] = field(default_factory=deque)

    def before(self, lines: int = 1) -> str:
        """What was printed so many lines before the present one, without control sequences."""
        return clean(self.recent[-1 - lines]).text if len(self.recent) > lines else ""

    def hinted(self, *programs: str) -> bool:
        """Whether the hint runs one of `programs`, or the output gave one away."""
        return any(program in self.seen for program in programs) or bool(self.words & set(programs))

    @cached_property
    def arguments(self) -> list[str]:
        """The words of the hint, as a shell would split it."""
        try:
            return shlex.split(self.hint)
        except ValueError:
            return self.hint.split()

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the hint, without directories and version suffixes."""
        words = [part for word in self.arguments for part in (word, word.rsplit("=", 1)[-1])]
        names = {word.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".exe") for word in words}
        return frozenset(names | {name.rstrip("-.0123456789") for name in names})


class Reader(ABC):
    """Reads one shape of output, line by line.

    A line that contains none of `triggers` is never offered to `begin`, which keeps long logs cheap. While a block is
    open, its reader gets each line first (`go_on`); a line that nobody wants leaves the block open for a little while,
    since two streams interleave.
    """

    source: ClassVar[str]
    triggers: ClassVar[tuple[str, ...]]
    order: ClassVar[int] = 50
    """Lower is asked first: shapes that cannot be mistaken before those that many tools share."""
    apart: ClassVar[bool] = False
    """Whether its diagnostics are single lines that may stand in the middle of another reader's block, such as JSON."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.tree = context.tree

    @abstractmethod
    def begin(self, line: Line) -> bool:
        """Whether this line begins something; if so it is taken."""

    def go_on(self, line: Line) -> bool:
        """Whether this line continues what is open; if so it is taken."""
        return False

    @abstractmethod
    def end(self) -> list[Diagnostic]:
        """Close what is open and hand over what is complete."""

    @property
    def complete(self) -> bool:
        """Whether no further line can belong to what is open, so that it can be handed over at once."""
        return self.apart

    def finish(self, exit_code: int) -> list[Diagnostic]:
        """The output is over; what is left. `exit_code` is the command's."""
        return []
