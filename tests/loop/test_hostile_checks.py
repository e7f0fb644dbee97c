"""Checks that do what no check should: a run stays right, and nothing of the user's is touched (SPEC W1, Q13, Z1)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.loop.running import block, fix, snapshot, workspace

from compile_loop.contracts.events import Warned
from compile_loop.contracts.outcome import Ending

SOURCE = "int twice(int n)\n{\n    return n * 2\n}\n"
REPAIR = block("    return n * 2\n", "    return n * 2;\n")
FIXED = SOURCE.replace("2\n}", "2;\n}")
GCC = "gcc -Wall -fsyntax-only a.c"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "ws"
    folder.mkdir()
    return workspace(folder, a_c=SOURCE)


@pytest.fixture(params=["overlay", "copy"])
def isolation(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.spec("L3", "K9")
@pytest.mark.parametrize(
    "check", ["sed -i 's/2$/2;/' a.c && gcc -fsyntax-only a.c", f"{GCC} || (sed -i 's/2$/2;/' a.c; exit 1)"]
)
async def test_what_the_check_itself_repairs_is_not_nothing_to_fix(root: Path, isolation: str, check: str) -> None:
    """A formatter, or a linter that fixes: green only in the copy; the edit is what it did there, and no model is asked."""
    told = await fix(root, targets=["a.c"], checks=(check,), settings={"isolation": isolation})
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert [change.after for change in told.outcome.edit.files] == [FIXED.encode()]
    assert told.model.requests == [] and (root / "a.c").read_text() == SOURCE
    assert any("The check itself changes a.c" in warned.message for warned in told.of(Warned))


@pytest.mark.spec("L3")
async def test_what_the_check_spoils_is_taken_back(root: Path, isolation: str) -> None:
    """It rewrites the file to something that is no better: the model sees and repairs what the user has."""
    # The compiler would offer the semicolon.
    settings = {"isolation": isolation, "suggestions": False}
    check = f"sed -i 's/twice/thrice/' a.c; {GCC}"
    told = await fix(root, [REPAIR], targets=["a.c"], checks=(check,), settings=settings)
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert [change.after for change in told.outcome.edit.files] == [FIXED.encode()]
    assert f'<file path="a.c">\n{SOURCE}' in told.asked[0]


@pytest.mark.spec("W1")
async def test_a_pipe_in_the_place_of_a_target_holds_nothing_up(root: Path, isolation: str) -> None:
    before = snapshot(root)
    check = f"[ -f a.c ] || exit 3; {GCC}; code=$?; rm -f a.c; mkfifo a.c; exit $code"
    told = await fix(root, [REPAIR], targets=["a.c"], checks=(check,), settings={"isolation": isolation})
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert snapshot(root) == before


@pytest.mark.spec("W1")
async def test_a_check_that_deletes_everything_it_can_reach_deletes_nothing(root: Path, isolation: str) -> None:
    before = snapshot(root)
    check = f'{GCC}; code=$?; rm -rf "$PWD"/* "$PWD"/.[a-z]* 2>/dev/null; exit $code'
    told = await fix(root, [REPAIR], targets=["a.c"], checks=(check,), settings={"isolation": isolation})
    assert snapshot(root) == before
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure


@pytest.mark.spec("W1")
async def test_a_temporary_folder_inside_the_workspace(
    root: Path, isolation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = root / "tmp"
    inside.mkdir()
    monkeypatch.setenv("TMPDIR", str(inside))
    monkeypatch.setattr("tempfile.tempdir", None)
    before = snapshot(root)
    told = await fix(
        root, [REPAIR], targets=["a.c"], checks=(f"mktemp > /dev/null && {GCC}",), settings={"isolation": isolation}
    )
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert snapshot(root) == before and list(inside.iterdir()) == []


def named(root: Path, name: str) -> tuple[Path, str]:
    place = root.parent / name
    if name == "a link":
        place.symlink_to(root)
        return place, "a.c"
    root.rename(place)
    (place / "a.c").rename(place / "a\nb.c")
    return place, "a\nb.c"


@pytest.mark.spec("W2", "E10")
@pytest.mark.parametrize("name", ["a link", "new\nline"])
async def test_a_workspace_by_another_name(root: Path, isolation: str, name: str) -> None:
    """By a link, or with a line end in its own name and its file's: the edit lands in the one file there is."""
    place, target = named(root, name)
    check = "gcc -Wall -fsyntax-only *.c"
    told = await fix(place, [REPAIR], targets=[target], checks=(check,), settings={"isolation": isolation})
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.outcome.edit.paths == (target,) and (place / target).read_text() == SOURCE


@pytest.mark.spec("Z1", "K3")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_check_finds_a_model_key_in_any_process(root: Path, isolation: str) -> None:
    """Neither in its own environment nor in that of the process that started it."""
    key = "sk-test-" + os.urandom(12).hex()
    (root / "look.py").write_text(
        "import glob, sys\n"
        "found = []\n"
        "for place in glob.glob('/proc/[0-9]*/environ'):\n"
        "    try:\n"
        "        data = open(place, 'rb').read()\n"
        "    except OSError:\n"
        "        continue\n"
        f"    if {key[:12].encode()!r} + {key[12:].encode()!r} in data: found.append(place)\n"
        "sys.exit(f'a.c:1:1: error: {found}' if found else 0)\n"
    )
    code = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from compile_loop.assemble import Job, start\n"
        "from compile_loop.settings import Settings\n"
        "root = Path.cwd()\n"
        "job = Job(root, (root / 'a.c',), Settings(isolation=sys.argv[1]), checks=('python3 -B look.py',))\n"
        "async def run(): return [event async for event in start(job)][-1].outcome\n"
        "outcome = asyncio.run(run())\n"
        "print(outcome.ending.value, outcome.failure)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, isolation],
        cwd=root,
        env={**os.environ, "OPENAI_API_KEY": key},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split()[:1] == ["nothing_to_fix"], done.stdout + done.stderr
