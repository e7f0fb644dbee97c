"""Two processes that would write one file (SPEC L18)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.loop.running import block, workspace

import compile_loop
from compile_loop.models.scripted import ScriptedGenerator
from compile_loop.shadow.held_files import HeldFiles

BROKEN = "int x = 1\n"
FIX = block("int x = 1\n", "int x = 1;\n")
GCC = "gcc -Wall -fsyntax-only a.c"


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "replies.json").write_text(json.dumps([FIX]))
    return workspace(tmp_path / "ws", a_c=BROKEN, b_c="int y;\n")


def start(root: Path, check: str, *files: str) -> subprocess.Popen[str]:
    model = f"scripted:{root.parent / 'replies.json'}"
    command = [sys.executable, "-m", "compile_loop", "fix", *files, "--check", check, "--model", model, "--apply"]
    return subprocess.Popen(
        command, cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """A pipe on which the first run's check waits, and which tells by being opened that it does."""
    os.mkfifo(tmp_path / "gate")
    return tmp_path / "gate"


@pytest.mark.spec("L18")
@pytest.mark.skipif(os.name != "posix", reason="needs named pipes")
@pytest.mark.parametrize("files", [("a.c",), ()])
def test_the_second_process_is_told_which_run_holds_the_file(root: Path, gate: Path, files: tuple[str, ...]) -> None:
    first = start(root, f"read line < {gate}; {GCC}", "a.c")
    with gate.open("w"):  # opens once the check of the first waits for it
        second = start(root, GCC, *files)
        said, _ = second.communicate(timeout=60)
        assert second.returncode == 2, said
        held = " ".join(said.split())
        assert "in another process holds a.c" in held and "Run unknown" not in held
        assert (root / "a.c").read_text() == BROKEN
        beside = start(root, "test -f b.c", "b.c")
        assert beside.wait(timeout=60) == 0
    first.send_signal(signal.SIGKILL)
    first.communicate(timeout=60)
    third = start(root, GCC, *files)
    said, _ = third.communicate(timeout=60)
    assert third.returncode == 0 and (root / "a.c").read_text() == "int x = 1;\n", said
    assert list((root.parent / "state/compile-loop/held").iterdir()) == []


HOLDS = """
import sys
from pathlib import Path
from compile_loop.shadow.held_files import HeldFiles
assert HeldFiles(Path(sys.argv[1]), Path(sys.argv[2])).claim("abc123", ["a.c"]) is None
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.spec("L18")
async def test_the_library_is_refused_too_and_a_lock_ends_with_its_process(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    folder = root.parent / "state" / "compile-loop" / "held"
    other = subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", HOLDS, str(root), str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None and other.stdout.readline() == "held\n"
    seen: list[str] = []

    def runner(path: str) -> dict[str, object]:
        seen.append(path)
        return {"ok": False, "stdout": "", "stderr": "red", "exit_code": 1}

    tool = compile_loop.make({"runner": runner, "llm": ScriptedGenerator([]), "max_iters": 1})
    result = await tool.handler({"spec": "x", "target_file": "a.c"})
    assert "Run abc123 in another process holds a.c" in result["last_error"] and seen == []
    other.kill()
    other.communicate(timeout=60)
    mine, also_mine = HeldFiles(root, folder), HeldFiles(root, folder)
    assert mine.claim("1", ["a.c"]) is None and also_mine.claim("2", ["a.c"]) is None
    mine.release()
    also_mine.release()
    assert list(folder.iterdir()) == []


@pytest.mark.spec("L18")
@pytest.mark.skipif(os.name != "posix", reason="needs named pipes")
def test_a_file_by_its_other_name_is_the_same_file(root: Path, gate: Path) -> None:
    (root / "b.c").unlink()
    (root / "b.c").hardlink_to(root / "a.c")
    first = start(root, f"read line < {gate}; {GCC}", "a.c")
    with gate.open("w"):
        second = start(root, "gcc -fsyntax-only b.c", "b.c")
        said, _ = second.communicate(timeout=60)
        assert second.returncode == 2 and "in another process holds b.c" in " ".join(said.split()), said
    first.send_signal(signal.SIGKILL)
    first.communicate(timeout=60)


@pytest.mark.spec("L18")
def test_where_no_lock_can_be_had_a_run_goes_on(root: Path) -> None:
    blocked = root.parent / "blocked"
    blocked.write_text("a file where the folder should be")
    hold = HeldFiles(root, blocked)
    assert hold.claim("1", ["a.c"]) is None
    hold.release()
