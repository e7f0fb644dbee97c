"""What Git's index and the ignore files say of a workspace (SPEC Q16)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from compile_loop.checks.version_control import VersionControl


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / "repo/app/out").mkdir(parents=True)
    top = tmp_path / "repo"
    (top / "app/out/kept.txt").write_text("x")
    (top / "app/.gitignore").write_text("*.log\nout/\n!seen.log\n")
    git(top, "init", "-q")
    git(top, "add", "-f", "app/out/kept.txt")
    git(top, "commit", "-q", "-m", "x")
    return top


@pytest.mark.spec("Q16")
@pytest.mark.parametrize("where", ["the repository", "a folder in it", "a second work tree"])
def test_what_is_kept_and_what_is_left_out(top: Path, where: str) -> None:
    if where == "a second work tree":
        git(top, "worktree", "add", "-q", "../second")
        top = top.parent / "second"
        (top / "app/.gitignore").write_text("*.log\nout/\n!seen.log\n")
    below = "" if where == "a folder in it" else "app/"
    said = VersionControl(top / "app" if where == "a folder in it" else top)
    assert said.keeps(f"{below}out/kept.txt") and said.keeps_below(f"{below}out/")
    assert not said.keeps(f"{below}out/kept") and not said.keeps_below(f"{below}in/")
    assert said.leaves_out(f"{below}a.log") and said.leaves_out(f"{below}out/other.txt")
    assert not said.leaves_out(f"{below}out/kept.txt"), "it is kept all the same"
    assert not said.leaves_out(f"{below}seen.log"), "the last word of the ignore file"


@pytest.mark.spec("Q16")
def test_the_nearest_ignore_file_has_the_last_word(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / "sub/.gitignore").write_text("!*.log\n")
    said = VersionControl(tmp_path)
    assert said.leaves_out("a.log") and not said.leaves_out("sub/a.log")
