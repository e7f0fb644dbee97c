"""What comes back is the smallest edit that is as green, and never one that hidden checks refuse (SPEC K10, Q2, Q5)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.loop.running import Told, block, fix, workspace

from compile_loop.contracts.events import HoldoutFinished, Minimised
from compile_loop.contracts.outcome import Ending

SOURCE = (
    "int f(void) { return one; }\nint g(void) { return 2; }\nint h(void) { return 3; }\nint k(void) { return four; }\n"
)
NEEDED = block("int f(void) { return one; }\n", "int f(void) { return 1; }\n")
NEEDED_TOO = block("int k(void) { return four; }\n", "int k(void) { return 4; }\n")
SURPLUS = block("int h(void) { return 3; }\n", "int h(void) { return 30; }\n")
NL = "\n"
CHECK = ("gcc -fsyntax-only a.c",)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "ws"
    folder.mkdir()
    return workspace(folder, a_c=SOURCE, b_h="int surplus;\n")


def edited(told: Told) -> bytes:
    [file] = told.outcome.edit.files
    return file.after or b""


@pytest.mark.spec("K10", "E9")
async def test_hunks_that_the_check_does_not_need_are_dropped(root: Path) -> None:
    told = await fix(root, ["Two names.\n" + NEEDED + SURPLUS + NEEDED_TOO], targets=["a.c"], checks=CHECK)
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert edited(told) == SOURCE.replace("one", "1").replace("four", "4").encode()
    assert [(e.before, e.hunks) for e in told.of(Minimised)] == [(3, 2)]


@pytest.mark.spec("K10")
async def test_a_surplus_file_is_left_as_it_was(root: Path) -> None:
    reply = f"<<< path=a.c >>>\n{NEEDED}{NEEDED_TOO}<<< path=b.h >>>\n{block('int surplus;' + NL, 'extern int surplus;' + NL)}"
    told = await fix(root, [reply], targets=["a.c", "b.h"], checks=CHECK)
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert [file.path for file in told.outcome.edit.files] == ["a.c"]


@pytest.mark.spec("Q2")
async def test_a_run_with_a_wish_keeps_every_hunk(root: Path) -> None:
    told = await fix(root, [NEEDED + SURPLUS + NEEDED_TOO], targets=["a.c"], checks=CHECK, spec="h is thirty")
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert b"return 30;" in edited(told) and not told.of(Minimised)


@pytest.mark.spec("K10", "K5", "Q5")
async def test_a_hunk_that_only_a_hidden_check_needs_stays(root: Path) -> None:
    (root / "compile-loop.toml").write_text(
        f'version = 1\n[[check]]\nname = "compiles"\ncommand = "{CHECK[0]}"\n'
        f'[[holdout]]\nname = "thirty"\ncommand = "{sys.executable} hidden.py"\nfiles = ["hidden.py"]\n'
    )
    (root / "hidden.py").write_text("assert 'return 30;' in open('a.c').read()\n")
    told = await fix(root, [NEEDED + SURPLUS + NEEDED_TOO], targets=["a.c"])
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert b"return 30;" in edited(told)
    assert told.outcome.tally.rounds == 1 and [e.ok for e in told.of(HoldoutFinished)][-1]
