"""Minimal hunks: exact, disjoint, on characters and whole line ends (SPEC E9)."""

from __future__ import annotations

import random

import pytest

from compile_loop.contracts.edits import Hunk
from compile_loop.edits.hunks import apply_hunks, file_change, minimal_hunks
from compile_loop.edits.linediff import common_runs

pytestmark = pytest.mark.spec("E9")


@pytest.mark.parametrize(
    ("before", "after", "hunks"),
    [
        ("a\n", "a\n", []),
        ("a\nb\nc\n", "a\nB\nc\n", [(2, 3, "B")]),
        ("x = 1\ny = 2\n", "x = 10\ny = 2\n", [(5, 5, "0")]),
        ("a\nb\nc\nd\n", "A\nb\nc\nD\n", [(0, 1, "A"), (6, 7, "D")]),
        ("a\nb\n", "a\nnew\nb\n", [(2, 2, "new\n")]),
        ("a\nb\nc\n", "a\nc\n", [(2, 4, "")]),
        ("", "a\n", [(0, 0, "a\n")]),
        ("a\n", "", [(0, 2, "")]),
        ("a\r\n", "a\n", [(1, 3, "\n")]),
        ("a\n", "a\r\n", [(1, 2, "\r\n")]),
        ("a\rb\n", "a\r\nb\n", [(1, 2, "\r\n")]),
        ("a\r\nb", "a\rb", [(1, 3, "\r")]),
        ("a\r\nb\r\n", "a\r\nc\r\n", [(3, 4, "c")]),
        ("a", "a\n", [(1, 1, "\n")]),
        ("é\n", "è\n", [(0, 2, "è")]),
        ("\U0001f600\n", "\U0001f601\n", [(0, 4, "\U0001f601")]),
        ("a\nb\na\nb\n", "a\nb\n", [(4, 8, "")]),
    ],
)
def test_small_ones(before: str, after: str, hunks: list[tuple[int, int, str]]) -> None:
    found = minimal_hunks(before.encode(), after.encode())
    assert apply_hunks(before.encode(), found) == after.encode()
    assert found == tuple(Hunk(start, end, new.encode()) for start, end, new in hunks)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "shift_jis", "cp1252"])
def test_other_encodings_are_never_cut_inside_a_character(codec: str) -> None:
    before, after = ("日本\n", "日木\n") if codec == "shift_jis" else ("caf\u00e9\n", "caf\u00e8\n")
    (hunk,) = minimal_hunks(before.encode(codec), after.encode(codec), codec)
    assert hunk.new.decode(codec) == after[-2]


def test_marks_that_come_or_go_and_bytes_that_are_no_text() -> None:
    for before, after in (
        (b"a", b"\xef\xbb\xbfa"),
        (b"\xef\xbb\xbfa", b"a"),
        (b"\xffa\n", b"\xfea\n"),
        (b"\xff", b"a"),
    ):
        assert apply_hunks(before, minimal_hunks(before, after)) == after


def test_hunks_that_do_not_fit_are_refused() -> None:
    for hunks in ([Hunk(0, 2, b"")], [Hunk(1, 1, b"x"), Hunk(0, 1, b"")], [Hunk(1, 0, b"")]):
        with pytest.raises(ValueError, match="does not fit"):
            apply_hunks(b"a", hunks)


def test_file_change() -> None:
    change = file_change("a.c", "é\n".encode("latin-1"), "è\n".encode("latin-1"), "iso88591")
    assert change.encoding == "iso8859-1"
    assert change.hunks == (Hunk(0, 1, b"\xe8"),)
    assert file_change("a.c", None, b"x\n").hunks == (Hunk(0, 0, b"x\n"),)
    assert file_change("a.c", b"x\n", None).hunks == (Hunk(0, 2, b""),)
    assert file_change("a.c", b"\xff", b"a").encoding == "iso8859-1"


@pytest.mark.timeout(60)
def test_large_files_are_compared() -> None:
    lines = [f"value_{n} = compute({n % 97})\n" for n in range(200_000)]
    before = "".join(lines).encode()
    lines[100_000] = "changed\n"
    assert len(minimal_hunks(before, "".join(lines).encode())) == 1


@pytest.mark.timeout(60)
def test_wholly_different_and_shuffled_files_are_exact() -> None:
    lines = [f"line {n % 5000}\n" for n in range(30_000)]
    shuffled = lines[:]
    random.Random(1).shuffle(shuffled)
    reversed_blocks = [line for at in range(29_000, -1, -1000) for line in lines[at : at + 1000]]
    for other in (shuffled, reversed_blocks, [line.upper() for line in lines]):
        before, after = "".join(lines).encode(), "".join(other).encode()
        assert apply_hunks(before, minimal_hunks(before, after)) == after


def test_common_runs_is_the_longest_common_subsequence_of_small_ones() -> None:
    rng = random.Random(7)
    for _ in range(300):
        a = [rng.choice("abc") for _ in range(rng.randrange(9))]
        b = [rng.choice("abc") for _ in range(rng.randrange(9))]
        table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
        for i, x in enumerate(a):
            for j, y in enumerate(b):
                table[i + 1][j + 1] = table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
        runs = common_runs(a, b)
        assert sum(size for _, _, size in runs) == table[-1][-1]
        at_i = at_j = 0
        for i, j, size in runs:
            assert i >= at_i
            assert j >= at_j
            assert a[i : i + size] == b[j : j + size]
            at_i, at_j = i + size, j + size
