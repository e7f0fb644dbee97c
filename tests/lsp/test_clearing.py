"""A server that starts clears away what one that was killed left behind (SPEC W4)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.lsp.conftest import Start

KILLED = """
import os, sys
from pathlib import Path
from compile_loop.checks.process_tree import MARK, new_mark
from compile_loop.shadow.journal import Journal
from compile_loop.shadow.places import new_folder
import subprocess
(new_folder(Path(os.environ["TMPDIR"])) / "layer").mkdir()
Journal(Path(os.environ["XDG_STATE_HOME"]) / "compile-loop/journals").write(Path(sys.argv[1]), b"half an edit")
quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}  # holding the pipe would keep the test waiting
check = subprocess.Popen(["sleep", "300"], env={**os.environ, MARK: new_mark()}, start_new_session=True, **quiet)
print(check.pid, flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.mark.spec("W4")
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
async def test_a_new_server_clears_away_what_a_killed_one_left(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch, root = tmp_path / "scratch", tmp_path / "ws"
    scratch.mkdir()
    root.mkdir()
    (root / "a.c").write_text("the user's\n")
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    killed = subprocess.run(  # noqa: ASYNC221
        [sys.executable, "-c", KILLED, str(root / "a.c")], capture_output=True, text=True, check=False
    )
    check = Path("/proc") / killed.stdout.strip()
    assert killed.returncode == -9 and list(scratch.iterdir()) and (root / "a.c").read_text() == "half an edit"

    editor = await start(root)
    await editor.until(lambda: not list(scratch.iterdir()))
    await editor.until(lambda: (root / "a.c").read_text() == "the user's\n")
    await editor.until(lambda: not check.exists() or "Z" in (check / "stat").read_text().split()[2])
    await editor.until(lambda: any("a.c is as it was before a run that was killed" in said for said in editor.logged()))
