"""Properties of edits: whatever the reply, a wrong place is never written (SPEC E1–E9)."""

from __future__ import annotations

import string
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.fuzz.edits import Case, Maker, check
from tests.support.edit_oracle import outside_is_kept

from compile_loop.contracts.diagnostics import Position
from compile_loop.edits.apply import Applied, Refused, Target, apply_reply
from compile_loop.edits.blocks import parse
from compile_loop.edits.hunks import apply_hunks, minimal_hunks
from compile_loop.edits.linediff import common_runs
from compile_loop.edits.text import SourceText, decode, split_lines

PROPERTY = settings(deadline=None)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])
WORDS = st.sampled_from(
    ["a", "b", "x = 1", "  x = 1", "\tx = 1", "}", "    }", "", " ", "return 0", "s = \u2019q'", "=======", "..."]
)
ANY_LINE = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=12)
LINES = st.lists(WORDS | ANY_LINE, max_size=8)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A file's text: lines of few words, any line ends, with or without a last one."""
    lines = draw(LINES)
    ends = [draw(ENDS)] * len(lines) if draw(st.booleans()) else [draw(ENDS) for _ in lines]
    text = "".join(line + end for line, end in zip(lines, ends, strict=True))
    return text if draw(st.booleans()) else text.rstrip("\r\n")


@st.composite
def blocks(draw: st.DrawFn, text: str) -> str:
    """A block whose SEARCH is a part of the text, or anything."""
    lines = [line.rstrip("\r\n") for line in split_lines(text)]
    first = draw(st.integers(0, len(lines)))
    search = lines[first : draw(st.integers(first, len(lines)))] if draw(st.booleans()) else draw(LINES)
    width = draw(st.sampled_from([3, 7, 9]))
    rows = ["<" * width + " SEARCH", *search, "=" * width, *draw(LINES), ">" * width + " REPLACE", ""]
    return "\n".join(rows)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A file and a reply for it."""
    text = draw(texts())
    reply = "".join(draw(st.lists(blocks(text), min_size=1, max_size=3)))
    return Case("blocks", {"f.c": text.encode()}, reply)


@pytest.mark.spec("E5")
@pytest.mark.spec("E6")
@pytest.mark.spec("E8")
@PROPERTY
@given(cases())
def test_a_reply_changes_only_its_places_or_nothing(case: Case) -> None:
    check(case, Counter())


@pytest.mark.spec("E6")
@PROPERTY
@given(st.integers(0, 2**32))
def test_made_up_replies_keep_every_rule(seed: int) -> None:
    case = Maker(seed).case()
    check(case, Counter())


@pytest.mark.spec("E4")
@PROPERTY
@given(texts(), st.text(max_size=200), st.sampled_from(["diff", "full"]))
def test_any_text_as_a_reply_is_safe(text: str, reply: str, mode: str) -> None:
    check(Case("any", {"f.c": text.encode("utf-8", "replace")}, reply, mode=mode), Counter())


NAME = st.text(string.ascii_lowercase, min_size=4, max_size=8)
MUTATIONS = st.sampled_from(
    ["typo", "drop", "double", "blank", "strip", "indent", "tabs", "trail", "quotes", "case", "swap"]
)


def mutated(lines: list[str], kind: str, row: int) -> list[str]:
    """SEARCH as a model might copy it wrongly."""
    row %= len(lines)
    line = lines[row]
    whole = {
        "strip": [text.strip() for text in lines],
        "indent": ["    " + text for text in lines],
        "tabs": [text.replace("    ", "\t") for text in lines],
        "trail": [text + "  " for text in lines],
        "quotes": [text.replace("'", "\u2019") for text in lines],
        "case": [text.upper() for text in lines],
    }
    if kind in whole:
        return whole[kind]
    if kind == "typo":
        changed = [line[:-1] + ("x" if line[-1:] != "x" else "y")]
    elif kind == "double":
        changed = [line, line]
    elif kind == "blank":
        changed = [line, ""]
    elif kind == "swap" and row + 1 < len(lines):
        return [*lines[:row], lines[row + 1], line, *lines[row + 2 :]]
    else:
        changed = []
    return [*lines[:row], *changed, *lines[row + 1 :]]


@pytest.mark.spec("E5")
@PROPERTY
@given(
    st.lists(NAME, min_size=6, max_size=16, unique=True),
    st.data(),
)
def test_a_wrongly_copied_search_never_hits_another_place(names: list[str], data: st.DataObject) -> None:
    depths = [data.draw(st.integers(0, 2)) for _ in names]
    lines = ["    " * depth + f"{name} = '{name}'" for name, depth in zip(names, depths, strict=True)]
    before = [line + "\n" for line in lines]
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first, min(first + 4, len(lines) - 1)))
    search = lines[first : last + 1]
    for _ in range(data.draw(st.integers(0, 3))):
        if search:
            search = mutated(search, data.draw(MUTATIONS), data.draw(st.integers(0, 9)))
    reply = "\n".join(["<<<<<<< SEARCH", *search, "=======", "replaced", ">>>>>>> REPLACE", ""])
    result = apply_reply(reply, [Target("f.c", "".join(before).encode())])
    if isinstance(result, Refused):
        assert result.message
    else:
        outside_is_kept(before, (result.files["f.c"] or b"").decode(), [(first, last + 1)])


SAFE_LINE = st.text(st.characters(exclude_characters="\r\n<=>\\", exclude_categories=["Cs"]), max_size=10)
BODY = st.lists(SAFE_LINE, max_size=4)
PROSE = st.lists(st.sampled_from(["Some words.", "```", "```c", "=======", "", "> quote", "<<<<<<< HEAD"]), max_size=3)


@st.composite
def replies(draw: st.DrawFn) -> tuple[list[list[str]], list[tuple[list[str], list[str]]]]:
    """Rows of a reply, piece by piece (prose, block, prose, block …), and what its blocks hold."""
    pieces: list[list[str]] = [draw(PROSE)]
    held: list[tuple[list[str], list[str]]] = []
    for _ in range(draw(st.integers(1, 4))):
        width = draw(st.sampled_from([5, 7, 7, 8]))
        search, replace = draw(BODY), draw(BODY)
        pieces.append(["<" * width + " SEARCH", *search, "=" * width, *replace, ">" * width + " REPLACE"])
        pieces.append(draw(PROSE))
        held.append((search, replace))
    return pieces, held


@pytest.mark.spec("E4")
@PROPERTY
@given(replies(), ENDS)
def test_parsing_gives_every_block_whole(
    made: tuple[list[list[str]], list[tuple[list[str], list[str]]]], end: str
) -> None:
    pieces, held = made
    parsed = parse(end.join(row for piece in pieces for row in piece) + end, several=False)
    assert not parsed.broken
    assert [(list(b.readings[0].search), list(b.readings[0].replace)) for b in parsed.blocks] == held
    assert all(len(block.readings) == 1 for block in parsed.blocks)


@pytest.mark.spec("E4")
@PROPERTY
@given(replies(), st.integers(0, 1000), st.sampled_from(["lose", "double", "widen"]))
def test_one_broken_marker_swallows_no_block(
    made: tuple[list[list[str]], list[tuple[list[str], list[str]]]], where: int, how: str
) -> None:
    pieces, held = made
    victim = where % len(held)
    rows = pieces[2 * victim + 1]
    marks = [0, len(held[victim][0]) + 1, len(rows) - 1]
    row = marks[where // 7 % 3]
    rows[row : row + 1] = {"lose": [], "double": [rows[row]] * 2, "widen": [rows[row][0] + rows[row]]}[how]
    parsed = parse("\n".join(row for piece in pieces for row in piece) + "\n", several=False)
    whole = [(list(b.readings[0].search), list(b.readings[0].replace)) for b in parsed.blocks if len(b.readings) == 1]
    others = [pair for index, pair in enumerate(held) if index != victim]
    for pair in whole:
        assert pair in others or how == "double", "a block holds what is not its own"
    if parsed.broken or any(len(b.readings) > 1 for b in parsed.blocks):
        return
    # Nothing was noticed: then nothing may be lost.
    assert all(pair in whole for pair in others)


LETTERS = {
    "utf-8": "ab\u00e9\u0301\u2028\U0001f600\U0001f601\x00",
    "utf-16-le": "ab\u00e9\u0a0d\u0d0a\U0001f600\U0001f601\x00",
    "latin-1": "ab\u00e9\u0085\u00ff",
    "shift_jis": "ab\u65e5\u6728\u672c\u8868\u30bd",
}


@pytest.mark.spec("E9")
@PROPERTY
@given(st.data())
def test_hunks_rebuild_the_target_exactly(data: st.DataObject) -> None:
    codec = data.draw(st.sampled_from(["utf-8", "utf-16-le", "latin-1", "shift_jis"]))
    line = st.text(st.sampled_from(LETTERS[codec]), max_size=5)
    pool = data.draw(st.lists(st.sampled_from(["a", "b", ""]) | line, min_size=1, max_size=6))
    some = st.lists(st.tuples(st.sampled_from(pool), ENDS).map("".join), max_size=8).map("".join)
    before, after = data.draw(some).encode(codec), data.draw(some).encode(codec)
    hunks = minimal_hunks(before, after, codec)
    assert apply_hunks(before, hunks) == after
    text = before.decode(codec)
    bounds = {len(text[:at].encode(codec)) for at in range(len(text) + 1) if text[at - 1 : at + 1] != "\r\n"}
    for hunk in hunks:
        assert {hunk.start, hunk.end} <= bounds
        assert hunk.new != before[hunk.start : hunk.end]
    assert bool(hunks) == (before != after)


@pytest.mark.spec("E9")
@PROPERTY
@given(st.binary(max_size=40), st.binary(max_size=40))
@example(b"\xef\xbb\xbfa", b"a")
@example(b"\xff\xfe", b"\xff\xfea\x00")
def test_hunks_of_any_bytes(before: bytes, after: bytes) -> None:
    assert apply_hunks(before, minimal_hunks(before, after)) == after


@pytest.mark.spec("E9")
@PROPERTY
@given(st.lists(st.sampled_from("abcd"), max_size=30), st.lists(st.sampled_from("abcd"), max_size=30))
def test_common_runs_are_common_and_in_order(a: list[str], b: list[str]) -> None:
    at_i = at_j = 0
    for i, j, size in common_runs(a, b):
        assert size > 0
        assert i >= at_i
        assert j >= at_j
        assert a[i : i + size] == b[j : j + size]
        at_i, at_j = i + size, j + size


@pytest.mark.spec("E8")
@PROPERTY
@given(
    texts() | st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"])
)
def test_positions_go_there_and_back(text: str, codec: str) -> None:
    source = SourceText(text, b"", codec)
    size = len(source.encode())
    last = Position(0, 0)
    for offset in range(size + 1):
        position = source.position_at(offset)
        assert position >= last
        last = position
        back = source.offset_at(position)
        assert back <= offset
        assert source.position_at(back) == position
    assert "".join(source.lines) == text


@pytest.mark.spec("E8")
@PROPERTY
@given(texts(), st.sampled_from(["utf-8", "utf-16-le", "utf-32-be"]), st.booleans())
def test_decoding_gives_the_bytes_back(text: str, codec: str, marked: bool) -> None:
    mark = "\ufeff".encode(codec) if marked else b""
    data = mark + text.removeprefix("\ufeff").encode(codec)
    assert decode(data, codec).encode() == data


@pytest.mark.spec("E6")
@PROPERTY
@given(cases(), cases())
def test_held_blocks_land_or_are_named(first: Case, second: Case) -> None:
    data = first.files["f.c"]
    refused = apply_reply(first.reply, [Target("f.c", data)])
    if not isinstance(refused, Refused) or refused.held is None:
        return
    result = apply_reply(second.reply, [Target("f.c", data)], held=refused.held)
    if isinstance(result, Applied):
        assert result.files["f.c"] != data
        check(Case("held", {"f.c": data}, second.reply), Counter(), refused.held)
