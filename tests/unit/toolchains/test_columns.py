"""Column units: the part that hobby parsers get wrong (SPEC D3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compile_loop.edits.text import utf16_length
from compile_loop.toolchains.columns import Unit, cells, column_of, index_in_expanded, index_of, utf16

pytestmark = pytest.mark.spec("D3")

LINES = st.text(
    st.one_of(st.characters(exclude_categories=["Cs", "Cc"]), st.sampled_from("\té😀日e\u0301ab ")), max_size=40
)
PROBE = "\t/* 😀é */ totl += 1;"
TOKEN = PROBE.index("totl")


@pytest.mark.parametrize(
    ("unit", "column"),
    [
        (Unit.CODEPOINTS, 10),
        (Unit.UTF16, 11),
        (Unit.BYTES, 1 + 3 + 4 + 2 + 4),
        (Unit.DISPLAY, 8 + 3 + 2 + 1 + 4),
        (Unit.UTF16_TAB8, 8 + 3 + 2 + 1 + 4),
        (Unit.CODEPOINTS_TAB8, 8 + 3 + 1 + 1 + 4),
    ],
)
def test_probe_of_every_unit(unit: Unit, column: int) -> None:
    """A tab, an emoji and an accent before the token."""
    assert index_of(PROBE, column, unit) == TOKEN
    assert column_of(PROBE, TOKEN, unit) == column


@given(LINES, st.sampled_from(Unit), st.data())
def test_column_of_an_index_leads_back(line: str, unit: Unit, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(line)))
    back = index_of(line, column_of(line, index, unit), unit)
    # A combining mark takes no cell: the column before it is also the column after it.
    between = line[min(index, back) : max(index, back)]
    assert all(cells(char) == 0 for char in between) if unit is Unit.DISPLAY else not between


@given(LINES, st.sampled_from(Unit), st.integers(-5, 200))
def test_any_column_stays_on_the_line(line: str, unit: Unit, column: int) -> None:
    assert 0 <= index_of(line, column, unit) <= len(line)


@given(LINES, st.sampled_from(Unit), st.integers(0, 80))
def test_columns_grow_with_the_line(line: str, unit: Unit, column: int) -> None:
    assert index_of(line, column, unit) <= index_of(line, column + 1, unit)


@given(LINES, st.data())
def test_bytes_are_the_files_bytes(line: str, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(line)))
    assert column_of(line, index, Unit.BYTES) == len(line[:index].encode())


@given(LINES, st.data())
def test_utf16_is_the_protocols(line: str, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(line)))
    assert utf16(line, index) == utf16_length(line[:index]) == column_of(line, index, Unit.UTF16)


def test_a_column_inside_a_character_is_its_start() -> None:
    assert index_of("😀x", 1, Unit.BYTES) == 0
    assert index_of("😀x", 1, Unit.UTF16) == 0
    assert index_of("日x", 1, Unit.DISPLAY) == 0
    assert index_of("\tx", 7, Unit.DISPLAY) == 0


def test_bytes_count_in_the_files_encoding() -> None:
    assert index_of("éa", 1, Unit.BYTES, encoding="iso8859-1") == 1
    assert index_of("éa", 2, Unit.BYTES, encoding="utf-8") == 1


def test_expanded_tabs_are_constant_not_stops() -> None:
    assert index_in_expanded("a\tb", 5, 4) == 2
    assert index_in_expanded("\t日b", 6, 4) == 2
