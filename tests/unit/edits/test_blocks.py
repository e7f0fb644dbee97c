"""The text format, read line by line (SPEC E1, E2, E4, Q11)."""

from __future__ import annotations

import pytest
from tests.unit.edits.build import applied, block, refused

from compile_loop.edits.apply import Applied, Refused, Target, apply_reply
from compile_loop.edits.blocks import Parsed, Reading, Trouble, parse

pytestmark = pytest.mark.spec("E4")


def only(parsed: Parsed) -> Reading:
    assert not parsed.broken
    assert len(parsed.blocks) == 1
    assert len(parsed.blocks[0].readings) == 1
    return parsed.blocks[0].readings[0]


def troubles(reply: str, *, several: bool = False) -> list[Trouble]:
    return [broken.trouble for broken in parse(reply, several=several).broken]


@pytest.mark.parametrize("width", [3, 4, 7, 8, 9, 40])
def test_width_of_the_opening_marker_sets_the_others(width: int) -> None:
    assert only(parse(block("a\n", "b\n", width), several=False)) == Reading(("a",), ("b",))


@pytest.mark.parametrize("end", [6, 8])
def test_a_marker_of_another_width_is_content(end: int) -> None:
    reply = f"<<<<<<< SEARCH\na\n=======\nb\n{'=' * end}\n>>>>>>> REPLACE\n"
    assert only(parse(reply, several=False)) == Reading(("a",), ("b", "=" * end))


@pytest.mark.parametrize(
    "reply",
    [
        "Sure, here it is:\n\n```python\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\nDone.\n",
        "<<<<<<< SEARCH\r\na\r\n=======\r\nb\r\n>>>>>>> REPLACE\r\n",
        "<<<<<<< SEARCH\ra\r=======\rb\r>>>>>>> REPLACE\r",
        "  <<<<<<< SEARCH  \na\n\t=======\t\nb\n    >>>>>>> REPLACE",
        "<<<<<<<SEARCH>\na\n=======\nb\n>>>>>>>REPLACE\n",
        "<<<<<<< Search\na\n=======\nb\n>>>>>>> replace\n",
    ],
    ids=["fenced", "crlf", "cr", "indented", "tight", "case"],
)
def test_forms_of_one_block(reply: str) -> None:
    assert only(parse(reply, several=False)) == Reading(("a",), ("b",))


def test_empty_replace_and_empty_search() -> None:
    parsed = parse(block("a\n", "") + block("", "b\n"), several=False)
    assert [b.readings for b in parsed.blocks] == [(Reading(("a",), ()),), (Reading((), ("b",)),)]


def test_an_empty_replace_does_not_take_in_the_next_block() -> None:
    assert applied("a\nb\nc\n", block("a\n", "") + "\n" + block("c\n", "C\n")) == "b\nC\n"


@pytest.mark.parametrize(
    ("reply", "trouble"),
    [
        ("<<<<<<< SEARCH\na\n=======\nb\n", Trouble.MISSING_END),
        ("<<<<<<< SEARCH\na\n=======\n" + block("c\n", "d\n"), Trouble.MISSING_END),
        ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>> REPLACE\n", Trouble.MISSING_END),
        ("<<<<<<< SEARCH\na\n", Trouble.MISSING_DIVIDER),
        ("<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", Trouble.MISSING_DIVIDER),
        ("<<<<<<< SEARCH\na\n======\nb\n>>>>>>> REPLACE\n", Trouble.MISSING_DIVIDER),
        (block("a\n", "b\n>>>>>>> REPLACE\nc\n"), Trouble.STRAY_END),
        (">>>>>>> REPLACE\n", Trouble.STRAY_END),
    ],
)
def test_what_is_broken_is_named(reply: str, trouble: Trouble) -> None:
    assert trouble in troubles(reply)
    assert "a" in refused("a\nc\n", reply).message


def test_a_broken_block_does_not_take_in_a_good_one() -> None:
    parsed = parse("<<<<<<< SEARCH\nx\n=======\ny\n" + block("a\n", "b\n"), several=False)
    assert [b.index for b in parsed.broken] == [1]
    assert [b.index for b in parsed.blocks] == [2]
    assert parsed.blocks[0].readings == (Reading(("a",), ("b",)),)


def test_a_mistyped_end_cannot_take_in_a_neighbour_of_another_width() -> None:
    reply = "<<<<< SEARCH\na\n=====\nb\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nc\n=======\nd\n>>>>> REPLACE\n"
    assert parse(reply, several=False).blocks == ()
    assert refused("a\nc\n", reply).reports


def test_blocks_inside_wider_blocks_are_content() -> None:
    inner = block("old\n", "new\n")
    parsed = parse(block(inner, "", width=9), several=False)
    assert only(parsed) == Reading(tuple(inner.splitlines()), ())
    assert applied(f"top\n{inner}end\n", block(inner, "gone\n", width=9)) == "top\ngone\nend\n"


@pytest.mark.spec("E2")
class TestHeaders:
    def test_blocks_belong_to_the_header_above(self) -> None:
        reply = (
            "<<< path=a.c >>>\n"
            + block("1\n", "2\n")
            + block("3\n", "4\n")
            + "<<<path = `b/c.h`>>>\n"
            + block("5\n", "6\n")
        )
        parsed = parse(reply, several=True)
        assert [b.header for b in parsed.blocks] == ["a.c", "a.c", "b/c.h"]
        assert not parsed.broken

    def test_errors(self) -> None:
        assert troubles(block("a\n", "b\n"), several=True) == [Trouble.NO_HEADER]
        one = "<<< path=a.c >>>\n" + block("a\n", "b\n")
        assert troubles(one + one, several=True) == [Trouble.REPEATED_HEADER]
        assert troubles(one + one.replace("a.c", "./a.c"), several=True) == [Trouble.REPEATED_HEADER]

    def test_with_one_target_headers_are_ignored(self) -> None:
        assert applied("a\n", "<<< path=other.c >>>\n" + block("a\n", "b\n")) == "b\n"

    def test_inside_a_block_a_header_is_content(self) -> None:
        line = "<<< path=a.c >>>\n"
        assert applied(f"x\n{line}y\n", block(line, "z\n")) == "x\nz\ny\n"


class TestMarkersAsContent:
    CONFLICT = "<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> br\n"

    def test_the_file_decides_where_the_divider_is(self) -> None:
        assert applied(f"a\n{self.CONFLICT}d\n", block(self.CONFLICT, "c\n")) == "a\nc\nd\n"

    def test_conflict_with_both_halves_in_the_file(self) -> None:
        text = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> dev\n"
        assert applied(text, block(text, "c\n")) == "c\n"

    def test_escaped_markers(self) -> None:
        escaped = "".join("\\" + line if line[0] in "<=>" else line for line in self.CONFLICT.splitlines(keepends=True))
        assert applied(f"a\n{self.CONFLICT}d\n", block(escaped, "c\n")) == "a\nc\nd\n"

    def test_an_escaped_marker_in_replace_alone(self) -> None:
        assert applied("Title\n", block("Title\n", "Title\n\\=======\n")) == "Title\n=======\n"

    def test_backslashes_that_are_in_the_file_stay(self) -> None:
        assert applied("\\=======\nb\n", block("\\=======\nb\n", "\\=======\nc\n")) == "\\=======\nc\n"

    def test_a_doubled_divider_is_refused_not_written(self) -> None:
        assert "divider" in refused("a\nb\n", block("b\n", "B\n=======\n")).message
        assert "divider" in refused("a\nb\n", block("b\n=======\n", "B\n")).message

    def test_a_new_file_may_hold_lines_like_the_divider(self) -> None:
        target = [Target("f.txt", None)]
        made = apply_reply(block("", "Title\n=======\nText\n"), target, allow_new_files=True)
        assert isinstance(made, Applied)
        assert made.files == {"f.txt": b"Title\n=======\nText\n"}
        doubled = apply_reply(block("", "=======\nText\n"), target, allow_new_files=True)
        assert isinstance(doubled, Refused)
        assert "divider twice" in doubled.message

    def test_two_readings_that_both_fit_are_refused(self) -> None:
        text = "a\n=======\nb\n=======\nc\n"
        reply = block("a\n=======\nb\n", "c\n=======\nd\n")
        assert applied("a\n=======\nb\n", reply) == "c\n=======\nd\n"
        assert "another width" in refused(text, reply).message

    def test_an_underline_of_another_length_is_content(self) -> None:
        assert applied("Title\n========\n", block("Title\n========\n", "Names\n========\n")) == "Names\n========\n"


def test_thousands_of_dividers_are_refused_at_once() -> None:
    reply = "<<<<<<< SEARCH\n" + "=======\n" * 50_000 + ">>>>>>> REPLACE\n"
    assert troubles(reply) == [Trouble.TOO_MANY_DIVIDERS]
