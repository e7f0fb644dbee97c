"""Which names are one, misspelt, and which are only the nearest that there is (SPEC D5)."""

from __future__ import annotations

import pytest

from compile_loop.contracts.diagnostics import Range, SuggestedEdit, Suggestion
from compile_loop.toolchains.likeness import alike, is_guess


@pytest.mark.spec("D5")
@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("widht", "width", True),
        ("totl", "total", True),
        ("lenght", "length", True),
        ("fooBar", "foo_bar", True),
        ("x_1", "X1", True),
        ("recieve_mesage", "receive_message", True),
        ("c", "a", False),
        ("nn", "n", False),
        ("row", "rows", False),
        ("start", "stop", False),
        ("width", "height", False),
        ("変数名", "変数", False),
    ],
)
def test_one_slip_in_a_word(old: str, new: str, same: bool) -> None:
    assert alike(old, new) is alike(new, old) is same


@pytest.mark.spec("D5")
@pytest.mark.parametrize(
    ("old", "new", "guess"),
    [("c", "a", True), ("widht", "width", False), ("", ";", False), ("var", "let x", False), ("a.b", "a->b", False)],
)
def test_only_a_name_in_another_s_place_is_a_guess(old: str, new: str, guess: bool) -> None:
    edit = SuggestedEdit("a.c", Range.of(0, 0, 0, len(old)), new)
    assert is_guess(Suggestion("", (edit,)), lambda _: old) is guess
