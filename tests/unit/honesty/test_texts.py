"""Rows before and after (SPEC K7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compile_loop.checks.honesty.texts import Change
from compile_loop.contracts.edits import FileChange

ROWS = st.lists(st.sampled_from(["a", "b", "c", "d", ""]), max_size=12).map("\n".join)


def made(before: str, after: str) -> Change:
    return Change(FileChange("x", before.encode(), after.encode(), ()))


@pytest.mark.spec("K7")
@given(before=ROWS, after=ROWS)
def test_unchanged_rows_map_onto_each_other_and_the_rest_is_added_or_removed(before: str, after: str) -> None:
    change = made(before, after)
    kept = {row: change.kept_as(row) for row in range(len(change.old.rows))}
    for old, new in kept.items():
        assert (new is None) == (old in change.removed)
        if new is not None:
            assert change.old.row(old) == change.new.row(new)
            assert new not in change.added
            assert change.old_span(new) == (old, old)
    assert len([n for n in kept.values() if n is not None]) + len(change.added) == len(change.new.rows)


@pytest.mark.spec("K7")
@given(before=ROWS, after=ROWS, span=st.tuples(st.integers(0, 12), st.integers(0, 6)))
def test_a_span_is_touched_where_rows_came_or_went_inside_it(before: str, after: str, span: tuple[int, int]) -> None:
    change = made(before, after)
    first, last = span[0], span[0] + span[1]
    gone = any(h.new_start == h.new_end and first < h.new_start <= last for h in change.hunks)
    came = any(row in change.added for row in range(first, last + 1))
    assert change.touches(first, last) == (gone or came)
