"""What a tool said about a place in a file.

Shapes follow the Language Server Protocol 3.17: lines and characters count from zero, characters are UTF-16 code units,
a leading byte order mark is no part of the text, and only CRLF, LF and CR end a line.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Severity(str, Enum):
    """How bad it is, worst first."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


class Phase(int, Enum):
    """How far the tool had come when it said so; a later phase is progress even with more errors (SPEC Q3)."""

    CONFIGURE = 0
    PARSE = 1
    TYPE = 2
    LINK = 3
    TEST = 4


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place between two characters: zero-based line, zero-based UTF-16 code unit."""

    line: int
    character: int


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """From `start` up to, not including, `end`."""

    start: Position
    end: Position

    @staticmethod
    def of(line: int, character: int, end_line: int, end_character: int) -> Range:
        """Build a range from four zero-based numbers."""
        return Range(Position(line, character), Position(end_line, end_character))


NOWHERE = Range(Position(0, 0), Position(0, 0))


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that belongs to a diagnostic: a definition, an include chain, a note."""

    file: str | None
    range: Range
    message: str


@dataclass(frozen=True, slots=True)
class SuggestedEdit:
    """One replacement that the tool offers; `range` counts in the file as it was when the tool ran."""

    file: str
    range: Range
    new_text: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A fix that the toolchain itself offers (SPEC D5).

    `safe`: it may be tried unasked. The tool is sure of it (rustc `MachineApplicable`, a gcc or clang fix-it on an error or
    a warning) or its message states it in words, and nothing is known to speak against it. `by` is who offers it, where
    that is not the tool that reported the diagnostic. `guess`: it is no more than likely, in the tool's own words (rustc
    `MaybeIncorrect`) or because it only has the nearest name that there is; a person has to confirm what it turns green.
    """

    message: str
    edits: tuple[SuggestedEdit, ...]
    safe: bool = True
    by: str = ""
    guess: bool = False


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding of a tool.

    `file` is relative to the workspace root with forward slashes where it lies inside, absolute where it does not, and
    None where the tool named none. `source` is the tool's name (`gcc`, `rustc`, `tsc`, `javac`, `python`). `rendered`
    is the tool's own text for it, without colours, for a person or a model to read.
    """

    message: str
    file: str | None = None
    range: Range = NOWHERE
    severity: Severity = Severity.ERROR
    code: str | None = None
    code_href: str | None = None
    source: str = ""
    phase: Phase = Phase.TYPE
    related: tuple[Related, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    rendered: str = ""

    @property
    def is_error(self) -> bool:
        """Whether it stands in the way of green."""
        return self.severity is Severity.ERROR
