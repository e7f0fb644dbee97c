"""Ranges that a tool or an editor names: UTF-16 characters, marks and line ends as in the file (SPEC D5, E8)."""

from __future__ import annotations

import pytest

from compile_loop.contracts.diagnostics import Range
from compile_loop.edits.ranges import RangeEdit, RangeError, replace_ranges

pytestmark = pytest.mark.spec("E8")


def edit(line: int, start: int, end: int, text: str) -> RangeEdit:
    return RangeEdit(Range.of(line, start, line, end), text)


@pytest.mark.parametrize(
    ("data", "edits", "expected"),
    [
        (b"abc\n", [edit(0, 1, 2, "X")], b"aXc\n"),
        ("\U0001f600é = 1\n".encode(), [edit(0, 2, 3, "e")], "\U0001f600e = 1\n".encode()),
        (b"\xef\xbb\xbfa\n", [edit(0, 0, 1, "b")], b"\xef\xbb\xbfb\n"),
        (b"a\r\nb\nc\r\n", [edit(0, 1, 1, "\nx"), edit(1, 1, 1, "\ny")], b"a\r\nx\r\nb\ny\nc\r\n"),
        (b"a\r\nb", [edit(1, 1, 1, "\nc")], b"a\r\nb\r\nc"),
        (b"ab\n", [edit(0, 1, 1, "2"), edit(0, 0, 0, "1"), edit(0, 1, 1, "2")], b"1a2b\n"),
        (b"ab\n", [edit(0, 1, 1, "z"), edit(0, 1, 1, "a")], b"azab\n"),
        (b"ab\n", [RangeEdit(Range.of(0, 2, 1, 0), "")], b"ab"),
    ],
)
def test_replaced(data: bytes, edits: list[RangeEdit], expected: bytes) -> None:
    assert replace_ranges(data, edits) == expected


@pytest.mark.parametrize(
    ("data", "edits", "encoding"),
    [
        (b"abc\n", [edit(0, 0, 2, "x"), edit(0, 1, 3, "y")], None),
        (b"abc\n", [edit(0, 2, 1, "x")], None),
        (b"\xff\n", [edit(0, 0, 0, "x")], None),
        (b"abc\n", [edit(0, 0, 0, "\u65e5")], "latin-1"),
    ],
)
def test_refused(data: bytes, edits: list[RangeEdit], encoding: str | None) -> None:
    with pytest.raises(RangeError):
        replace_ranges(data, edits, encoding)
