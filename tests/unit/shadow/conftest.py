"""A workspace and a shadow of it, by each strategy that works where the tests run."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from compile_loop.checks.process import Finished, run_process
from compile_loop.contracts.protocols import Shadow, ShadowError
from compile_loop.shadow.probe import choose

MUST_RUN = "SHADOW_TESTS_MUST_RUN"
"""Names strategies, by commas, whose tests fail instead of being skipped where they do not work."""


class Workspace:
    """A folder with a few files, and shadows of it that are closed in the end."""

    def __init__(self, root: Path, strategy: str) -> None:
        self.root = root
        self.strategy = strategy
        self.also_remove: list[Path] = []
        self._open: list[Shadow] = []

    def file(self, name: str, text: str = "", mode: int | None = None) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if mode is not None:
            path.chmod(mode)
        return path

    def shadow(self, buffers: Mapping[str, bytes] | None = None, **how: Any) -> Shadow:
        """A shadow that is not laid out yet."""
        try:
            shadow = choose(self.root.resolve(), buffers or {}, self.strategy, **how)  # type: ignore[arg-type]
        except ShadowError as error:
            if self.strategy in os.environ.get(MUST_RUN, "").split(","):
                raise
            pytest.skip(ascii(str(error)))  # a name that is no UTF-8 would break the report
        self._open.append(shadow)
        return shadow

    async def opened(self, buffers: Mapping[str, bytes] | None = None, **how: Any) -> Shadow:
        shadow = self.shadow(buffers, **how)
        await shadow.open()
        return shadow

    async def close(self) -> None:
        for shadow in self._open:
            await shadow.close()
        for folder in self.also_remove:
            shutil.rmtree(folder)


@pytest_asyncio.fixture(params=["overlay", "clone", "copy"])
async def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Workspace]:
    root = tmp_path / "work space"
    root.mkdir()
    made = Workspace(root, request.param)
    made.file("a.c", "int a;\n")
    made.file("sub/b.h", "int b;\n")
    yield made
    await made.close()
    await asyncio.get_running_loop().shutdown_default_executor()


async def run(
    shadow: Shadow, script: str, *, cwd: str = ".", idle: float = 20, argv: tuple[str, ...] | None = None
) -> Finished:
    """Run a shell script as a check would be run."""
    command, directory = shadow.command(argv or ("/bin/sh", "-c", script), cwd)
    return await run_process(
        command,
        cwd=directory,
        env=shadow.environment(os.environ),
        idle_timeout=idle,
        total_timeout=60,
        on_lines=lambda lines: [shadow.user_text(line) for line in lines],
    )


def everything(root: Path) -> dict[str, tuple[object, ...]]:
    """All that a user could notice of a tree: kinds, modes, owners, times, links and bytes."""
    found: dict[str, tuple[object, ...]] = {}
    for path in [root, *sorted(root.rglob("*"))]:
        status = path.lstat()
        content: object = None
        if path.is_symlink():
            content = os.readlink(path)  # noqa: PTH115 # also where it holds bytes that are no text
        elif path.is_file():
            content = path.read_bytes()
        found[str(path.relative_to(root))] = (
            status.st_mode,
            status.st_uid,
            status.st_gid,
            status.st_mtime_ns,
            status.st_ctime_ns,
            content,
        )
    return found


def git(folder: Path, *arguments: str) -> str:
    """Run Git with a known user, without the machine's configuration."""
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    clean = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *arguments],
        cwd=folder,
        env={**os.environ, **who, **clean},
        check=True,
        capture_output=True,
        text=True,
    ).stdout


needs: Callable[[str], pytest.MarkDecorator] = lambda program: pytest.mark.skipif(  # noqa: E731
    shutil.which(program) is None, reason=f"{program} is not installed"
)
