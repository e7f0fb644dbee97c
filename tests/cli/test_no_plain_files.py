"""What is no plain file holds nothing up, wherever it lies: pipes, sockets, devices, and sparse files of GiB (SPEC W2, L3)."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from tests.cli.test_commands import cli, script
from tests.loop.running import block, workspace

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs named pipes")
FIX = block("int x = 1\n", "int x = 1;\n")
NAMES = [
    "compile-loop.toml", "package.json", "pyproject.toml", ".vscode/tasks.json", ".git", ".gitignore", "Makefile",
    "Cargo.toml", "tsconfig.json", "go.mod", "CMakeLists.txt", "build.gradle", "pom.xml", "setup.cfg",
]  # fmt: skip


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return workspace(tmp_path / "ws", a_c="int x = 1\n")


@pytest.mark.spec("W2", "L3")
def test_pipes_in_the_place_of_configuration_hold_nothing_up(root: Path) -> None:
    for name in NAMES[1:]:
        (root / name).parent.mkdir(exist_ok=True)
        os.mkfifo(root / name)
    for check in (["--check", "gcc -fsyntax-only a.c"], []):
        done = cli(root, "fix", "a.c", *check, "--model", script(root, FIX), "--no-suggestions")
        assert done.returncode in (0, 2) and "Traceback" not in done.stderr, done.stdout + done.stderr
        assert done.returncode == 0 or not check, done.stdout + done.stderr


@pytest.mark.spec("K1", "W2")
@pytest.mark.parametrize("kind", ["pipe", "socket", "device", "sparse"])
def test_a_contract_that_is_no_plain_file_is_refused_with_a_sentence(root: Path, kind: str) -> None:
    place = root / "compile-loop.toml"
    made = _made(place, kind)
    done = cli(root, "fix", "a.c", "--check", "gcc -fsyntax-only a.c")
    assert done.returncode == 2 and "compile-loop.toml cannot be read" in done.stderr.replace("\n", " "), done.stderr
    assert "Traceback" not in done.stderr
    del made


@pytest.mark.spec("W2", "E8")
@pytest.mark.parametrize("kind", ["pipe", "socket", "device", "sparse"])
def test_a_target_that_is_no_plain_file_is_refused_with_a_sentence(root: Path, kind: str) -> None:
    made = _made(root / "b.c", kind)
    done = cli(root, "fix", "b.c", "--check", "gcc -fsyntax-only a.c")
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 2 and ("b.c" in said or "no regular file" in said), said
    assert any(words in said for words in ("is no regular file", "is too large", "lies outside the current folder")), (
        said
    )
    del made


def _made(place: Path, kind: str) -> object:
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "device":
        place.symlink_to("/dev/zero")
    elif kind == "sparse":
        with place.open("wb") as file:
            file.truncate(1 << 33)
    else:
        listening = socket.socket(socket.AF_UNIX)
        here = Path.cwd()
        os.chdir(place.parent)  # the path of a socket may not be long
        try:
            listening.bind(place.name)
        finally:
            os.chdir(here)
        return listening
    return None
