"""How the indentation of SEARCH stands to the file's, so that REPLACE can be put into the file's (SPEC E5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise
from math import gcd

from compile_loop.edits.lookalikes import fold

BLANK = " \t\f\v"


def indent_of(line: str) -> str:
    """The leading spaces and tabs."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def is_blank(line: str) -> bool:
    """Whether there is nothing but white space in it."""
    return not fold(line).strip(BLANK)


class Kind(IntEnum):
    """How the two indentations agree, best first."""

    SAME = 0
    SHIFTED = 1
    MAPPED = 2
    CONTRADICTORY = 3


@dataclass(frozen=True, slots=True)
class Reindent:
    """Turns an indentation as SEARCH has it into the file's.

    `table` holds what was seen; `unit` is one step of indentation in the reply and in the file, where they differ.
    """

    kind: Kind
    table: dict[str, str] = field(default_factory=dict)
    unit: tuple[str, str] | None = None

    def line(self, line: str) -> str | None:
        """`line` with the file's indentation; None where nothing tells which it would be."""
        if self.kind is Kind.SAME or is_blank(line):
            return line
        indent = indent_of(line)
        new = self._indent(indent)
        return None if new is None else new + line[len(indent) :]

    def _indent(self, indent: str) -> str | None:
        if self.kind is Kind.CONTRADICTORY:
            return None
        if indent in self.table:
            return self.table[indent]
        below = [known for known in self.table if indent.startswith(known)]
        if below:
            known = max(below, key=len)
            return self.table[known] + self._convert(indent[len(known) :])
        above = [known for known in self.table if known.startswith(indent)]
        if not above:
            return None
        known = min(above, key=len)
        surplus = self._convert(known[len(indent) :])
        if not self.table[known].endswith(surplus):
            return None
        return self.table[known][: len(self.table[known]) - len(surplus)]

    def _convert(self, indent: str) -> str:
        if self.unit is None:
            return indent
        ours, theirs = self.unit
        steps = 0
        while indent.startswith(ours):
            indent = indent[len(ours) :]
            steps += 1
        return theirs * steps + indent


def learn(search: Sequence[str], file: Sequence[str], reply: Iterable[str] = (), step: int = 0) -> Reindent:
    """Compare SEARCH's lines with the file's, pair by pair.

    `reply` is every line of the block, to see its step of indentation; `step` is the file's, in spaces, 0 if not known.
    """
    table: dict[str, str] = {}
    kind = Kind.SAME
    for ours, theirs in zip(search, file, strict=True):
        if is_blank(ours):
            continue
        key, value = indent_of(ours), indent_of(theirs)
        if table.setdefault(key, value) != value:
            return Reindent(Kind.CONTRADICTORY)
        if key != value:
            kind = Kind.MAPPED
    if kind is Kind.SAME:
        return Reindent(kind)
    if _shifted(table):
        kind = Kind.SHIFTED
    return Reindent(kind, table, _unit(table, [indent_of(line) for line in reply if not is_blank(line)], step))


def _shifted(table: dict[str, str]) -> bool:
    """Whether one prefix was put before, or taken from, every indentation alike."""
    key, value = next(iter(table.items()))
    if value.endswith(key):
        prefix = value[: len(value) - len(key)]
        if all(theirs == prefix + ours for ours, theirs in table.items()):
            return True
    if key.endswith(value):
        prefix = key[: len(key) - len(value)]
        return all(ours == prefix + theirs for ours, theirs in table.items())
    return False


def _unit(table: dict[str, str], reply: Sequence[str], step: int) -> tuple[str, str] | None:
    """One step of indentation in the reply and in the file, where something shows that they differ."""
    seen = sorted(table.items(), key=lambda pair: len(pair[0]))
    steps = [
        (deep[0][len(flat[0]) :], deep[1][len(flat[1]) :])
        for flat, deep in pairwise(seen)
        if deep[0].startswith(flat[0]) and deep[1].startswith(flat[1])
    ]
    if not steps and len(seen) == 1 and all(seen[0]):
        steps = seen
    units = {_smallest(ours, theirs) for ours, theirs in steps if len(set(ours)) == len(set(theirs)) == 1}
    if len(units) == 1:
        (unit,) = units
        return None if unit[0] == unit[1] else unit
    return _other_character(table, reply, step)


def _smallest(ours: str, theirs: str) -> tuple[str, str]:
    part = gcd(len(ours), len(theirs))
    return ours[: len(ours) // part], theirs[: len(theirs) // part]


def _other_character(table: dict[str, str], reply: Sequence[str], step: int) -> tuple[str, str] | None:
    """Where the file is indented with tabs alone and the reply with spaces, or the other way round."""
    used = "".join(table.values())
    if used and not used.strip("\t") and not any("\t" in indent for indent in reply):
        width = gcd(*map(len, reply)) if reply else 0
        return (" " * width, "\t") if width > 1 else None
    if used and "\t" not in used and step and any("\t" in indent for indent in reply):
        return "\t", " " * step
    return None
