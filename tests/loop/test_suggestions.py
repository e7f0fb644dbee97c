"""What toolchains offer, inside whole runs (SPEC D5)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.loop.running import fix, workspace
from tests.support.tools import need

from compile_loop.contracts.events import SuggestionApplied
from compile_loop.contracts.outcome import Ending

MAKEFILE = "all:\n\tcc -Wall -c a.c -o a.o\n"
BROKEN = "struct point { int width; };\nint area(struct point p) { return p.widht * 2; }\n"


@pytest.mark.spec("D5")
async def test_compiler_offers_its_fix_inside_a_users_own_build(tmp_path: Path) -> None:
    """The Makefile asks for no fix-its; the check's environment makes the compiler print them."""
    need("gcc")
    workspace(tmp_path, a_c=BROKEN)
    (tmp_path / "Makefile").write_text(MAKEFILE)
    told = await fix(tmp_path, targets=["a.c"], checks=("make",))
    outcome = told.outcome
    assert outcome.ending is Ending.GREEN, outcome.failure
    assert outcome.tally.spending.calls == 0
    assert outcome.edit.files[0].after == BROKEN.replace("widht", "width").encode()
    assert len(told.of(SuggestionApplied)) == 1


@pytest.mark.spec("K3")
async def test_users_own_variable_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GCC_EXTRA_DIAGNOSTIC_OUTPUT", "theirs")
    workspace(tmp_path, a_c="int x;\n")
    check = 'test "$GCC_EXTRA_DIAGNOSTIC_OUTPUT" = theirs && test -n "$CCC_OVERRIDE_OPTIONS"'
    told = await fix(tmp_path, targets=["a.c"], checks=(check,))
    assert told.outcome.ending is Ending.NOTHING_TO_FIX
