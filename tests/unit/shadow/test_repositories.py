"""Git repositories in and around a workspace: usable in a shadow, and never written to (SPEC W2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Workspace, everything, git, needs, run

pytestmark = [needs("git"), pytest.mark.spec("W2", "W1")]

USE = "git status --porcelain -uno && git log --oneline | wc -l && git add a.c && git commit -qm more && git log --oneline | wc -l"


def _repository(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.c").write_text("int a;\n")
    git(folder, "add", "a.c")
    git(folder, "commit", "-qm", "first")
    return folder


async def _use(workspace: Workspace, cwd: str = ".") -> None:
    """Change a file and commit it inside: works, and only there."""
    shadow = await workspace.opened()
    name = f"{cwd}/a.c" if cwd != "." else "a.c"
    await shadow.write(name, b"int edited;\n")
    done = await run(shadow, f"git config user.email a@b; git config user.name a; {USE}", cwd=cwd)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.split() == ["M", "a.c", "1", "2"]


async def test_a_repository(workspace: Workspace) -> None:
    _repository(workspace.root)
    before = everything(workspace.root)
    await _use(workspace)
    assert everything(workspace.root) == before


async def test_a_nested_repository(workspace: Workspace) -> None:
    _repository(workspace.root)
    _repository(workspace.root / "nested")
    before = everything(workspace.root)
    await _use(workspace, "nested")
    assert everything(workspace.root) == before


async def test_a_submodule(workspace: Workspace, tmp_path: Path) -> None:
    library = _repository(tmp_path / "library")
    _repository(workspace.root)
    git(workspace.root, "submodule", "--quiet", "add", str(library), "sub module")
    before = everything(workspace.root)
    await _use(workspace, "sub module")
    assert everything(workspace.root) == before


@pytest.mark.parametrize("kind", ["work tree", "work tree of a bare repository", "submodule", "separate folder"])
async def test_a_workspace_whose_git_folder_lies_elsewhere(workspace: Workspace, tmp_path: Path, kind: str) -> None:
    main = _repository(tmp_path / "main")
    if kind == "work tree":
        git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
        workspace.root = tmp_path / "tree"
    elif kind == "work tree of a bare repository":
        git(tmp_path, "clone", "-q", "--bare", str(main), "bare.git")
        git(tmp_path / "bare.git", "worktree", "add", "-q", str(tmp_path / "tree"))
        workspace.root = tmp_path / "tree"
    elif kind == "submodule":
        outer = _repository(tmp_path / "outer")
        git(outer, "submodule", "--quiet", "add", str(main), "inner")
        workspace.root = outer / "inner"
    else:
        git(tmp_path, "clone", "-q", "--separate-git-dir", str(tmp_path / "elsewhere"), str(main), "apart")
        workspace.root = tmp_path / "apart"
    before = everything(tmp_path)
    await _use(workspace)
    assert everything(tmp_path) == before


async def test_a_folder_inside_a_repository(workspace: Workspace, tmp_path: Path) -> None:
    repository = _repository(tmp_path / "repository")
    workspace.root = repository / "package"
    workspace.root.mkdir()
    _ = workspace.file("a.c", "int a;\n")
    git(repository, "add", "package")
    git(repository, "commit", "-qm", "second")
    before = everything(repository)
    if workspace.strategy != "overlay":
        pytest.skip("a copy of a part of a repository is no repository")
    shadow = await workspace.opened()
    await shadow.write("a.c", b"int edited;\n")
    done = await run(shadow, "git status --porcelain && git add a.c && git status --porcelain")
    assert done.stdout == " M package/a.c\nM  package/a.c\n", done.stderr
    assert everything(repository) == before
