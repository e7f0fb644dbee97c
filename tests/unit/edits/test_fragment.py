"""The tool channel's one edit: as a block, and an exact, unique fragment of a line matches too (SPEC E5, T2)."""

from __future__ import annotations

import pytest

from compile_loop.edits.apply import Applied, Refused, Target, apply_search_replace

pytestmark = [pytest.mark.spec("T2"), pytest.mark.spec("E5")]


def edit(text: str, search: str, replace: str) -> str:
    result = apply_search_replace(Target("f.txt", text.encode()), search, replace)
    assert isinstance(result, Applied), result.message
    data = result.files["f.txt"]
    assert data is not None
    return data.decode()


def refusal(text: str, search: str, replace: str = "new") -> str:
    result = apply_search_replace(Target("f.txt", text.encode()), search, replace)
    assert isinstance(result, Refused), result.files
    assert result.held is None
    return result.message


@pytest.mark.parametrize(
    ("text", "search", "replace", "expected"),
    [
        ("a\nb\n", "b", "B", "a\nB\n"),
        ("a\nb\n", "b\n", "B\n", "a\nB\n"),
        ("a\nb\n", "b\n", "", "a\n"),
        ("x = foo(1)\n", "foo(1)", "bar(2)", "x = bar(2)\n"),
        ("x = foo(1)\r\ny\r\n", "foo(1)", "bar(\n2)", "x = bar(\r\n2)\r\ny\r\n"),
        ("a\rx = foo(1)\r\n", "foo", "bar", "a\rx = bar(1)\r\n"),
        ("x = é + 1\n", "é +", "ü -", "x = ü - 1\n"),
        ("f(a,\n  b)\n", "a,\n  b", "c", "f(c)\n"),
        ("x = 1\nx = 10\n", "x = 1", "x = 2", "x = 2\nx = 10\n"),
        ("    return 0\n", "return 0", "if x:\n    return 1", "    if x:\n        return 1\n"),
        ("a$b\n", "$", "$& \\1", "a$& \\1b\n"),
        ("end", "nd", "n", "en"),
    ],
)
def test_edits(text: str, search: str, replace: str, expected: str) -> None:
    assert edit(text, search, replace) == expected


def test_several_fragments_are_refused_with_their_lines() -> None:
    told = refusal("a = foo\nb = foo\n", "foo", "bar")
    assert "2 places, at lines 1, 2" in told
    assert "2 places, at lines 1, 1" in refusal("aaa\n", "aa", "b")


def test_a_loose_line_is_not_taken_where_the_text_is_elsewhere_too() -> None:
    told = refusal("    return 0\nif x: return 0\n", "return 0", "return 1")
    assert "2 places, at lines 1, 2" in told


def test_twice_as_whole_lines_is_refused() -> None:
    assert "2 places" in refusal("x\nx\n", "x")


def test_nothing_and_no_change() -> None:
    assert "nowhere" in refusal("abc\n", "abd")
    assert "changes nothing" in refusal("abc\n", "b", "b")
    assert "has content" in refusal("abc\n", "")
    assert "has content" in refusal("abc\n\n", "\n")


def test_a_new_file() -> None:
    made = apply_search_replace(Target("f.txt", None), "", "x\n", allow_new_files=True)
    assert isinstance(made, Applied)
    assert made.files == {"f.txt": b"x\n"}


@pytest.mark.spec("E7")
def test_stale_is_told() -> None:
    result = apply_search_replace(Target("f.txt", b"B\n"), "b", "c", before_last_edit=b"b\n")
    assert isinstance(result, Refused)
    assert "stale" in result.message
