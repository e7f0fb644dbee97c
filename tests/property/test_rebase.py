"""Typing and an edit at once: both are kept, or nothing is written and the places are named (SPEC W3)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compile_loop.contracts.edits import FileChange
from compile_loop.edits.hunks import apply_hunks, file_change
from compile_loop.edits.rebase import Conflict, rebase
from compile_loop.edits.text import decode, split_lines

PROPERTY = settings(deadline=None)
LINE = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=6)
FEW = st.sampled_from(["a", "b", "}", "", "    return 0"])


@st.composite
def disjoint(draw: st.DrawFn) -> tuple[list[str], list[str], list[str], list[str]]:
    """Lines of a file, those that each of two changes leads to, and those with both; an unchanged line lies between."""
    base: list[str] = []
    one: list[str] = []
    two: list[str] = []
    both: list[str] = []
    count = 0

    def fresh(size: int) -> list[str]:
        nonlocal count
        count += size
        return [f"{draw(LINE)}§{count - k}" for k in range(size)]

    for _ in range(draw(st.integers(0, 6))):
        kept = fresh(draw(st.integers(1, 3)))
        gone, come = fresh(draw(st.integers(0, 2))), fresh(draw(st.integers(0, 2)))
        base += kept + gone
        mine = draw(st.booleans())
        one += kept + (come if mine else gone)
        two += kept + (gone if mine else come)
        both += kept + come
    last = fresh(1)
    return base + last, one + last, two + last, both + last


def text(lines: Sequence[str], end: str, encoding: str = "utf-8", bom: bytes = b"") -> bytes:
    return bom + "".join(line + end for line in lines).encode(encoding)


@pytest.mark.spec("W3")
@PROPERTY
@given(disjoint(), st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from([("utf-8", b""), ("utf-16-le", b"\xff\xfe")]))
def test_disjoint_changes_are_both_there_whoever_was_first(
    lines: tuple[list[str], ...], end: str, coding: tuple[str, bytes]
) -> None:
    base, ours, theirs, both = (text(each, end, *coding) for each in lines)
    for one, other in ((ours, theirs), (theirs, ours)):
        result = rebase(file_change("a", base, one, coding[0]), other)
        assert isinstance(result, FileChange)
        assert (result.before, result.after) == (other, both)
        assert apply_hunks(other, result.hunks) == both


@pytest.mark.spec("W3")
@PROPERTY
@given(*[st.lists(FEW | LINE, max_size=8)] * 3, st.booleans())
def test_whatever_was_typed_is_never_lost(base: list[str], ours: list[str], theirs: list[str], ended: bool) -> None:
    """Any three texts: a merge holds every line that they typed, and every one that the edit adds; else there are places."""
    cut = None if ended else -1
    one, two, three = (text(each, "\n")[:cut] for each in (base, ours, theirs))
    result = rebase(file_change("a", one, two), three)
    if isinstance(result, Conflict):
        places = [(place.start, place.end) for place in result.places]
        assert places and all(0 <= start <= end <= len(split_lines(three.decode())) for start, end in places)
        return
    merged = decode(result.after or b"").text
    if two == one:
        assert merged.encode() == three
    if three == one:
        assert merged.encode() == two
    for typed in set(theirs) - set(base):
        assert typed in merged
    for added in set(ours) - set(base):
        assert added in merged


@pytest.mark.spec("W3")
@PROPERTY
@given(st.lists(FEW | LINE, max_size=8), st.lists(FEW | LINE, max_size=8))
def test_what_is_there_already_is_not_done_twice(base: list[str], ours: list[str]) -> None:
    one, two = text(base, "\n"), text(ours, "\n")
    result = rebase(file_change("a", one, two), two)
    assert isinstance(result, FileChange) and result.before == result.after == two


@pytest.mark.spec("W3")
@pytest.mark.parametrize(
    ("before", "after", "theirs", "words"),
    [
        (b"a\nb\n", b"a\nc\n", b"a\nd\n", "in the same lines since the run read it (line 2)"),
        (b"a\nb\n", b"a\nc\n", b"a\nnew\nb\n", "(line 2)"),
        (b"a\nb\n", b"a\nx\nb\n", b"a\ny\nb\n", "(line 2)"),
        (b"a\nb\n", None, b"a\nb\nc\n", "is to be deleted, but was changed"),
        (None, b"a\n", b"b\n", "is to be created, but exists"),
        (b"a\n", b"b\n", None, "was deleted"),
        (b"a\nb\n", b"a\nc\n", b"x\r\nb\r\n", "other line ends"),
        (b"a\nb\n", b"a\nc\n", b"\xff\xfe\nb\n", "no text any more"),
        (b"a\nb", b"a\nc", b"x\nb\nd\n", "line"),
    ],
)
def test_what_cannot_be_both_is_a_conflict(before: bytes, after: bytes, theirs: bytes | None, words: str) -> None:
    result = rebase(file_change("f.c", before, after), theirs)
    assert isinstance(result, Conflict) and words in result.sentence and "f.c" in result.sentence


@pytest.mark.spec("W3")
def test_neighbouring_lines_may_change_at_once() -> None:
    result = rebase(file_change("f.c", b"a\nb\nc\nd\n", b"a\nB\nc\nd\n"), b"a\nb\nC\nd\n")
    assert isinstance(result, FileChange) and result.after == b"a\nB\nC\nd\n"
