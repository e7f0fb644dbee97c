"""Characters that would make a text binary, or read otherwise than it is (SPEC E7, E8)."""

from __future__ import annotations

import re

import pytest

from compile_loop.contracts.diagnostics import Range
from compile_loop.edits.apply import Applied, Refused, Target, apply_reply, apply_search_replace
from compile_loop.edits.ranges import RangeEdit, RangeError, replace_ranges

STRANGE = ["\0", "\x1b", "\x07", "\x08", "\x7f", "\x9b", "\ud800", "\udfff", "\u202e", "\u2066", "\ufffe"]
FINE = ["\t", "\f", "é", "😀", "\u00a0", "\u200d", "\u200f", "\ufffd", "\u2028", "𝒳"]
FILE = b"int a;\nint b;\n"


def reply(text: str) -> str:
    return f"<<<<<<< SEARCH\nint b;\n=======\nint b; // {text}\n>>>>>>> REPLACE\n"


def attempts(text: str, data: bytes) -> list[Applied | Refused]:
    """One edit by each channel."""
    target = Target("a.c", data)
    whole = f"```c\n{data.decode()}int c; // {text}\n```\n"
    return [
        apply_reply(reply(text), [target]),
        apply_search_replace(target, "int b;", f"int b; // {text}"),
        apply_search_replace(target, "b;", f"b; // {text}"),
        apply_reply(whole, [target], edit_mode="full"),
        apply_reply(whole, [Target("new.c", None)], edit_mode="full", allow_new_files=True),
        apply_reply(f"<<<<<<< SEARCH\n=======\n{text}\n>>>>>>> REPLACE\n", [Target("b.c", b"")]),
    ]


@pytest.mark.spec("E7", "E8")
@pytest.mark.parametrize("character", STRANGE, ids=lambda text: f"U+{ord(text):04X}")
def test_no_channel_brings_a_strange_character_into_a_text(character: str) -> None:
    for done in attempts(character, FILE):
        assert isinstance(done, Refused)
        assert f"U+{ord(character):04X}" in done.message, "the model is told which one"
    with pytest.raises(RangeError):
        replace_ranges(FILE, [RangeEdit(Range.of(0, 4, 0, 5), character)])


@pytest.mark.spec("E8")
@pytest.mark.parametrize("character", FINE, ids=lambda text: f"U+{ord(text):04X}")
def test_others_are_written(character: str) -> None:
    for done in attempts(character, FILE):
        assert isinstance(done, Applied)
        assert all(character.encode() in (data or b"") for data in done.files.values())
    assert character.encode() in replace_ranges(FILE, [RangeEdit(Range.of(0, 4, 0, 5), character)])


@pytest.mark.spec("E8")
@pytest.mark.parametrize("character", [c for c in STRANGE if not re.match("[\ud800-\udfff]", c)])
def test_what_the_file_has_already_may_stay_and_be_written(character: str) -> None:
    data = f"int a; // {character}\nint b;\n".encode()
    done = apply_reply(reply(character), [Target("a.c", data)])
    assert isinstance(done, Applied) and (done.files["a.c"] or b"").decode().count(character) == 2
