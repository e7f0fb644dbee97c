"""Texts of commands, whatever they hold: they are read to an end, and what a shell would do is seen in them (SPEC K6)."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compile_loop.checks.expectations import expectations_of
from compile_loop.checks.makefile import Makefile
from compile_loop.checks.read_by_code import files_in
from compile_loop.checks.shell_text import read_shell
from compile_loop.contracts.checks import Check

SIGNS = ["$(", ")", "`", "'", '"', "<(", "<", ">", "|", "&&", ";", "${", "}", "{", "$((", "\\", "#", "(", "*", "%", ":"]
WRITTEN = [
    "<<E",
    "E",
    "f()",
    "f",
    "for",
    "x",
    "in",
    "a",
    "b",
    "do",
    "done",
    "if",
    "fi",
    "case",
    "esac",
    "$1",
    "$x",
    "x=",
]
NAMES = ["diff", "a.txt", "cat", "-", "2>&1", "=", "$(MAKE)"]
PIECES = st.sampled_from([*SIGNS, *WRITTEN, *NAMES, "\n", "\t", " ", "f() {"])
TEXTS = st.one_of(
    st.text(max_size=60), st.lists(PIECES, max_size=25).map(" ".join), st.lists(PIECES, max_size=25).map("".join)
)
WORDS = st.lists(
    st.text(st.characters(exclude_characters="\0\n\r", exclude_categories=["Cs"]), min_size=1, max_size=8),
    min_size=1,
    max_size=6,
)
PLAIN = st.text("abcxyz", min_size=1, max_size=6).map(lambda name: f"{name}.txt")


@pytest.mark.spec("K6")
@given(TEXTS)
def test_any_text_is_read_to_its_end(text: str) -> None:
    read_shell(text, ("a", "b"), "/x/run.sh")
    files_in(text)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        (root / "a.txt").touch()
        (root / "Makefile").write_text(f"a: b\n\t{text}\n{text}\n", encoding="utf-8", errors="replace")
        list(Makefile(root / "Makefile", {}).recipes([]))
        assert expectations_of([Check("check", text)], root).certain <= {"a.txt", "Makefile"}


@pytest.mark.spec("K6")
@given(WORDS)
def test_quoted_words_are_what_a_shell_makes_of_them(words: list[str]) -> None:
    [command] = read_shell(shlex.join(["prog", *words]))
    assert command.words == ("prog", *words)


@pytest.mark.spec("K6")
@given(
    PLAIN,
    st.sampled_from(
        ["{} | diff - {}", "diff {1} <({0})", 'test "$(cat {1})" = "$({0})"', 'w=$(cat {1}); [ "$w" = "`{0}`" ]']
    ),
)
def test_what_a_programs_output_is_held_against_is_an_expectation(name: str, form: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        (root / name).touch()
        (root / "unrelated.txt").touch()
        line = form.format("./prog", name)
        assert expectations_of([Check("check", line)], root).certain == {name}
        assert expectations_of([Check("check", f"./prog > {name}; {line}")], root).certain == set()
