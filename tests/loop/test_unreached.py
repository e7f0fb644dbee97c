"""A check that stops at other files proves nothing of those that it never got to (SPEC Q1, Q9)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.loop.running import block, fix, workspace

from compile_loop.cli.exits import GREEN, NOT_GREEN, exit_code
from compile_loop.contracts.outcome import Ending

STOPS = ("gcc -fsyntax-only b.c && gcc -fsyntax-only a.c",)
GOES_ON = ("gcc -fsyntax-only a.c; gcc -fsyntax-only b.c",)
SILENT = ("it fails elsewhere and says nothing of a.c, which it may not have got to",)
BROKEN_B = "int b = nothing;\n"


@pytest.mark.spec("Q1", "Q9")
async def test_a_file_that_was_never_compiled_is_doubtful_and_no_success(tmp_path: Path) -> None:
    workspace(tmp_path, a_c="int a = nothing_either;\n", b_c=BROKEN_B)
    told = await fix(tmp_path, targets=["a.c"], checks=STOPS)
    assert told.outcome.ending is Ending.NOTHING_TO_FIX
    assert told.outcome.tally.suspicious == SILENT and exit_code(told.outcome) == NOT_GREEN


@pytest.mark.spec("Q1", "Q9")
async def test_an_edit_that_was_never_compiled_is_doubtful(tmp_path: Path) -> None:
    workspace(tmp_path, a_c="int main(void) { return 0; }\n", b_c=BROKEN_B)
    reply = block("int main(void) { return 0; }\n", "int main(void) { return 1 + undefined_new; }\n")
    told = await fix(tmp_path, [reply], targets=["a.c"], checks=STOPS, spec="Return the exit code 1.")
    assert told.outcome.ending is Ending.GREEN and told.outcome.tally.suspicious == SILENT


@pytest.mark.spec("Q1")
@pytest.mark.parametrize(
    ("a", "check"),
    [("int a = nothing_either;\n", STOPS[0].replace("&&", ";")), ("#warning look\nint a = 1;\n", GOES_ON[0])],
    ids=["error", "warning"],
)
async def test_a_file_that_the_check_spoke_of_is_not_doubted(tmp_path: Path, a: str, check: str) -> None:
    workspace(tmp_path, a_c=a, b_c=BROKEN_B)
    reply = block("int a = nothing_either;\n", "int a = 2;\n")
    told = await fix(tmp_path, [reply], targets=["a.c"], checks=(f"({check}); gcc -fsyntax-only a.c b.c",))
    assert told.outcome.ok and told.outcome.tally.suspicious == () and exit_code(told.outcome) == GREEN
