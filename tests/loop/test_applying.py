"""A result is laid over what was saved meanwhile, verified with it, and compared with what was meant (SPEC W3)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.loop.running import block, workspace

from compile_loop.applying import apply_to_disk
from compile_loop.assemble import Job, start
from compile_loop.contracts.events import RunFinished
from compile_loop.contracts.outcome import Ending, Outcome
from compile_loop.models.scripted import ScriptedGenerator
from compile_loop.settings import Settings
from compile_loop.shadow.apply import ApplyError

SOURCE = "int one(void) {\n    return 1;\n}\n\nint twice(int x) {\n    return x + y;\n}\n"
FIXED = SOURCE.replace("x + y", "x + x")
CHECK = "gcc -fsyntax-only -Wall -Werror a.c"


async def result_of(root: Path) -> tuple[Job, Outcome]:
    job = Job(
        root=root,
        targets=(root / "a.c",),
        settings=Settings(record=False),
        checks=(CHECK,),
        generator=ScriptedGenerator([block("    return x + y;\n", "    return x + x;\n")]),
    )
    events = [event async for event in start(job)]
    assert isinstance(events[-1], RunFinished) and events[-1].outcome.ending is Ending.GREEN
    return job, events[-1].outcome


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "ws").mkdir()
    return workspace(tmp_path / "ws", a_c=SOURCE)


@pytest.mark.spec("W3")
@pytest.mark.parametrize(
    ("saved", "moved"),
    [
        (SOURCE, ()),
        (SOURCE.replace("return 1", "return 2"), ("a.c",)),
        (FIXED + "int more;\n", ("a.c",)),
        (FIXED, ("a.c",)),
    ],
)
async def test_what_was_saved_elsewhere_in_the_file_is_kept(root: Path, saved: str, moved: tuple[str, ...]) -> None:
    job, outcome = await result_of(root)
    (root / "a.c").write_text(saved)
    assert await asyncio.to_thread(apply_to_disk, job, outcome, root.parent / "journals") == moved
    assert (root / "a.c").read_text() == saved.replace("x + y", "x + x")


@pytest.mark.spec("W3")
@pytest.mark.parametrize(
    ("saved", "words"),
    [
        (SOURCE.replace("x + y", "x + 2"), "in the same lines since the run read it (line 6)"),
        (SOURCE.replace("int x", "int z"), "the edit does not hold: a.c:6: "),
        (SOURCE.replace("return 1", "return one"), "the edit does not hold: a.c:2: "),
        (None, "was deleted"),
    ],
)
async def test_what_cannot_be_both_writes_nothing(root: Path, saved: str | None, words: str) -> None:
    job, outcome = await result_of(root)
    path = root / "a.c"
    path.unlink() if saved is None else path.write_text(saved)
    with pytest.raises(ApplyError) as refused:
        await asyncio.to_thread(apply_to_disk, job, outcome, root.parent / "journals")
    assert words in str(refused.value) and "Nothing was written" in str(refused.value)
    assert (path.read_text() if path.exists() else None) == saved
