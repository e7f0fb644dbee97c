"""Disks that are full or read-only under the command line: one sentence that says what to do, and nothing lost (SPEC L3, W4)."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.loop.running import block, snapshot, workspace
from tests.support.disks import needs_root, on_disks

pytestmark = needs_root
BROKEN = "int one(void) { return 1 }\n"
FIXED = "int one(void) { return 1; }\n"
CHECK = "gcc -fsyntax-only *.c"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("state", "scratch"):
        (tmp_path / name).mkdir()
    (tmp_path / "replies.json").write_text(json.dumps([block(BROKEN, FIXED)]))
    return workspace(tmp_path / "ws", a_c=BROKEN)


def cli(root: Path, *words: str, disks: tuple[tuple[str, Path], ...] = ()) -> subprocess.CompletedProcess[str]:
    base = root.parent
    env = {**os.environ, "XDG_STATE_HOME": str(base / "state"), "TMPDIR": str(base / "scratch"), "COLUMNS": "1000"}
    before = on_disks(*disks) if disks else ()
    command = [*before, sys.executable, "-m", "compile_loop", *words]
    return subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)


def fix(root: Path, file: str, *disks: tuple[str, Path]) -> subprocess.CompletedProcess[str]:
    model = f"scripted:{root.parent / 'replies.json'}"
    return cli(root, "fix", file, "--check", CHECK, "--no-suggestions", "--model", model, "--apply", disks=disks)


@pytest.mark.spec("W4", "P3")
@pytest.mark.parametrize("kind", ["read-only", "4k", "64k"])
def test_a_state_folder_that_takes_nothing(root: Path, kind: str) -> None:
    """No original can be kept, so that nothing is written; the edit is on the terminal."""
    state = root.parent / "state"
    done = fix(root, "a.c", (kind, state))
    assert done.returncode == 1 and (root / "a.c").read_text() == BROKEN, done.stderr
    assert f"+{FIXED}" in done.stdout
    said = done.stderr + done.stdout
    assert (
        f"nothing was changed: {root / 'a.c'} is not edited, because its original could not be kept in {state}" in said
    )
    assert "Make room there, or make the folder writable." in said and ".." not in said and "Errno" not in said
    written_down = said.count("This run is written down no further, and goes on")
    assert written_down == 1 or (kind == "64k" and written_down == 0), "the record may just have fitted"
    assert "listener" not in said


@pytest.mark.spec("P3")
def test_doctor_says_that_the_state_folder_takes_nothing(root: Path) -> None:
    disk = ("read-only", root.parent / "state")
    assert cli(root, "runs", disks=(disk,)).returncode == 0
    shown = cli(root, "doctor", disks=(disk,)).stdout
    assert "runs are not recorded, and `fix` cannot write its result" in shown and "Runs are possible here." in shown


@pytest.mark.spec("L3", "P3")
@pytest.mark.parametrize("kind", ["read-only", "4k"])
def test_a_temporary_folder_that_takes_nothing(root: Path, kind: str) -> None:
    """Another is taken, or memory."""
    done = fix(root, "a.c", (kind, root.parent / "scratch"))
    assert done.returncode == 0 and (root / "a.c").read_text() == FIXED, done.stderr


@pytest.mark.spec("W3", "P3")
def test_a_workspace_that_cannot_be_written(root: Path) -> None:
    done = fix(root, "a.c", ("read-only", root))
    assert done.returncode == 1 and snapshot(root) == {"a.c": BROKEN.encode()}
    assert "a.c is write-protected. Make it writable first; nothing was changed." in done.stdout + done.stderr
    assert f"+{FIXED}" in done.stdout
    checked = cli(root, "check", "a.c", "--check", CHECK, disks=(("read-only", root),))
    assert checked.returncode == 1 and "a.c:1:25: error: expected" in checked.stdout


@pytest.mark.spec("W4", "P3")
@pytest.mark.parametrize("where", ["in place", "of further names"])
def test_a_disk_that_is_full_when_the_edit_is_written(root: Path, where: str) -> None:
    """The disk, its file, and what to do are named; every file is as it was."""
    disk = root / "sub"
    disk.mkdir()
    (root.parent / "replies.json").write_text(json.dumps([block(BROKEN, FIXED + "/* " + "x" * 40_000 + " */\n")]))
    setup = [f"printf '{BROKEN.strip()}\\n' > {disk}/a.c"]
    if where == "of further names":
        setup.append(f"ln {disk}/a.c {disk}/b.c")
    setup.append(f"head -c 400000 /dev/zero > {disk}/fills || true")
    model = f"scripted:{root.parent / 'replies.json'}"
    check = "gcc -fsyntax-only sub/a.c"
    words = ("fix", "sub/a.c", "--check", check, "--no-suggestions", "--model", model, "--apply")
    run = " ".join(map(shlex.quote, (sys.executable, "-m", "compile_loop", *words)))
    script = f"{'; '.join(setup)}; {run}; code=$?; cat {disk}/a.c; exit $code"
    env = {**os.environ, "XDG_STATE_HOME": str(root.parent / "state"), "COLUMNS": "1000"}
    # tmpfs counts whole pages: the new bytes need ten, and two are left.
    command = [*on_disks(("420k", disk)), "sh", "-c", script]
    done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stdout.endswith(BROKEN), done.stderr + done.stdout
    said = done.stderr + done.stdout
    assert f"nothing was changed: {disk / 'a.c'}: the disk at {disk} is full. Make room there." in said, said


@pytest.mark.spec("W1", "P3")
@pytest.mark.parametrize("command", ["fix", "check"])
def test_a_check_that_deletes_its_workspace(root: Path, command: str) -> None:
    workspace(root, sub__b_h="int b;\n")
    before = snapshot(root)
    done = cli(
        root, command, "a.c", "--check", f"rm -rf '{root}'; {CHECK}", *(["--model", "none"] if command == "fix" else [])
    )
    assert done.returncode in (1, 2, 3) and "Traceback" not in done.stderr, done.stderr
    assert snapshot(root) == before


@pytest.mark.spec("E10", "P3")
def test_a_name_with_line_ends(root: Path) -> None:
    name = "new\nline/b\nc.c"
    (root / name).parent.mkdir()
    (root / "a.c").rename(root / name)
    check = "gcc -fsyntax-only */*.c"
    checked = cli(root, "check", name, "--check", check)
    assert checked.returncode == 1 and "expected" in checked.stdout
    model = f"scripted:{root.parent / 'replies.json'}"
    done = cli(root, "fix", name, "--check", check, "--no-suggestions", "--model", model, "--apply")
    assert done.returncode == 0 and snapshot(root) == {name: FIXED.encode()}, done.stdout + done.stderr
