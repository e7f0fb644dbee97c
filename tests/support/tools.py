"""The compilers and checkers that live tests run: where they are, and how the missing ones are got.

`python -m tests.programs.install` gets them all: what Debian has where that is possible, what npm has into `.cache/tools`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from compile_loop.toolchains.registry import toolchains

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "tools"
NPM = {"eslint", "pyright", "tsc", "tsserver"}
PYTHON = {"mypy", "ruff", "pytest"}
"""These come with the project's own development environment."""
HEAVY = {"ghc", "gradle", "kotlinc", "mvn", "zig"}
"""Slow to get or to run: their tests run where they are installed, and are never installed for a test."""
ON_PATH = [
    ROOT / "node_modules" / ".bin",
    ROOT / ".venv" / ("Scripts" if os.name == "nt" else "bin"),
    CACHE / "node_modules" / ".bin",
]


def search_path() -> str:
    """PATH with the programs of this project's environments before it."""
    return os.pathsep.join([*map(str, ON_PATH), os.environ.get("PATH", "")])


def where(program: str) -> str | None:
    return shutil.which(program, path=search_path())


def need(program: str) -> None:
    """Skip where a program is missing; on CI get it first, and fail where that is not possible."""
    if where(program) is not None:
        return
    if program in HEAVY:
        pytest.skip(f"{program} is not installed, and is not got for a test")
    if os.environ.get("CI") == "true":
        install([program])
        if where(program) is None:
            pytest.fail(f"{program} could not be installed; {how(program)}")
        return
    pytest.skip(f"{program} is not installed; {how(program)}")


def packages() -> dict[str, str]:
    """Debian's package, or a sentence with a blank in it, by program."""
    return {known.name: known.package for toolchain in toolchains() for known in toolchain.programs}


def how(program: str) -> str:
    """How to get a program, for people."""
    if program in NPM:
        return "get it with `python -m tests.programs.install`"
    package = packages().get(program, program)
    return package if " " in package else f"get it with `apt-get install {package}`"


def install(programs: list[str]) -> None:
    """Get what is missing of `programs`; several test processes wait for one another."""
    with _one_at_a_time():
        missing = [program for program in programs if where(program) is None]
        if NPM.intersection(missing):
            _npm()
        debian = sorted({p for one in missing if " " not in (p := packages().get(one, one))} - NPM)
        if debian and shutil.which("apt-get"):
            _apt(debian)


def _npm() -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / "tests" / "programs" / "tools" / name, CACHE / name)
    npm = "npm.cmd" if os.name == "nt" else "npm"
    subprocess.run([npm, "ci", "--no-audit", "--no-fund", "--silent"], check=True, cwd=CACHE, timeout=600)


def _apt(names: list[str]) -> None:
    """As root, or as somebody who may become it without being asked."""
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *names]):
        done = subprocess.run(
            [*root, "apt-get", *command], check=False, env=environment, timeout=900, capture_output=True, text=True
        )
        if done.returncode != 0:
            print(f"apt-get {' '.join(command)} failed with exit code {done.returncode}:\n{done.stderr}")
            return


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        if os.name != "nt":
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
