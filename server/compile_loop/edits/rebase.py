"""An edit laid over what the user typed meanwhile: disjoint changes go together, others are a conflict (SPEC W3).

Pure: base, ours, theirs → merged, or the places where they meet. Whole lines are compared, since two changes of one
line say nothing about each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compile_loop.contracts.edits import FileChange
from compile_loop.edits.hunks import file_change
from compile_loop.edits.linediff import changed_runs
from compile_loop.edits.text import UndecodableError, decode, line_end


@dataclass(frozen=True, slots=True)
class Meeting:
    """A place where both changed the same lines. `start` and `end` count the lines of their text, half-open, from zero."""

    start: int
    end: int
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """A file that cannot hold both changes. `sentence` says why; `places` are empty where that is no matter of lines."""

    path: str
    sentence: str
    places: tuple[Meeting, ...] = ()


@dataclass(frozen=True, slots=True)
class _Step:
    """Lines `start` up to `end` of the base become `lines`; `at` is where those stand in the new text."""

    start: int
    end: int
    lines: tuple[str, ...]
    at: int


def rebase(change: FileChange, theirs: bytes | None) -> FileChange | Conflict:
    """The change that leads from `theirs`, the file as it is now, to a text that has both changes.

    A change that is already in the file is not made twice. `theirs` None: there is no such file now.
    """
    path = change.path
    if theirs == change.before:
        return change
    if theirs == change.after:
        return FileChange(path, theirs, theirs, (), change.encoding)
    if change.before is None:
        return Conflict(path, f"{path} is to be created, but exists by now.")
    if theirs is None:
        return Conflict(path, f"{path} was deleted since the run read it.")
    if change.after is None:
        return Conflict(path, f"{path} is to be deleted, but was changed since the run read it.")
    try:
        base, ours, now = (decode(data, change.encoding) for data in (change.before, change.after, theirs))
    except UndecodableError as error:
        return Conflict(path, f"{path} was changed, and is no text any more: {error}.")
    ends = _ends(base.lines), _ends(now.lines)
    if base.bom != now.bom or (all(ends) and ends[0].isdisjoint(ends[1])):
        return Conflict(path, f"{path} has other line ends or another byte order mark than when the run read it.")
    mine, other = _steps(base.lines, ours.lines), _steps(base.lines, now.lines)
    mine = [step for step in mine if not _is_among(step, other)]
    places = tuple(_meeting(a, b) for a in mine for b in other if _meet(a, b, len(base.lines)))
    if places:
        where = ", ".join(dict.fromkeys(_lines(place) for place in places))
        return Conflict(path, f"{path} was changed in the same lines since the run read it ({where}).", places)
    return file_change(path, theirs, now.encode("".join(_merged(base.lines, [*mine, *other]))), change.encoding)


def _steps(old: Sequence[str], new: Sequence[str]) -> list[_Step]:
    return [_Step(start, end, tuple(new[j:m]), j) for start, end, j, m in changed_runs(old, new)]


def _is_among(step: _Step, others: Sequence[_Step]) -> bool:
    return any((step.start, step.end, step.lines) == (o.start, o.end, o.lines) for o in others)


def _meet(a: _Step, b: _Step, length: int) -> bool:
    """Whether two steps concern the same lines; new lines at the edge of changed ones have no sure order."""
    if a.start < a.end and b.start < b.end and a.lines and b.lines:
        if max(a.end, b.end) == length and (a.end == b.start or b.end == a.start):
            return not all(line_end(line) for line in (*a.lines, *b.lines))  # the last line may have no end
        return a.start < b.end and b.start < a.end
    return a.start <= b.end and b.start <= a.end


def _meeting(mine: _Step, other: _Step) -> Meeting:
    return Meeting(other.at, other.at + len(other.lines), "".join(mine.lines), "".join(other.lines))


def _merged(base: Sequence[str], steps: list[_Step]) -> list[str]:
    lines: list[str] = []
    done = 0
    for step in sorted(steps, key=lambda s: (s.start, s.end)):
        lines += [*base[done : step.start], *step.lines]
        done = step.end
    return [*lines, *base[done:]]


def _ends(lines: Sequence[str]) -> set[str]:
    return {line_end(line) for line in lines} - {""}


def _lines(place: Meeting) -> str:
    first, last = place.start + 1, max(place.end, place.start + 1)
    return f"line {first}" if first == last else f"lines {first} to {last}"
