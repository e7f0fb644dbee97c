"""The order of failures, measured with real compilers (SPEC C5): `python -m tests.programs.causes` prints all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.programs.causes import CASCADES, Cascade, measure
from tests.support.tools import need, search_path


@pytest.mark.spec("C5")
@pytest.mark.parametrize(
    "cascade", [one for one in CASCADES if one.tool not in {"tsc", "cargo"}], ids=lambda cascade: cascade.name
)
def test_first_complaint_comes_from_the_fault_that_clears_most(
    cascade: Cascade, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need(cascade.tool)
    monkeypatch.setenv("PATH", search_path())
    found = measure(cascade, tmp_path)
    assert found.ours[0] == found.best[0], found
    assert found.ours[0] >= found.theirs[0]
    assert found.complaints <= found.errors
