"""What builds leave is nobody's goal; what only is called so, and was there before any run, is (SPEC K6, Q16)."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest
from tests.loop.running import Told, block, fix, snapshot, workspace

from compile_loop.contracts.outcome import Ending, FailureKind

SOURCE = "def total(prices):\n    return prices\n"
BROKEN = "    return prices\n"
REPAIR = block(BROKEN, "    return sum(prices)\n")
TEST = "from a import total\nassert total([1, 2]) == 3, 'total'\n"

USERS: dict[str, tuple[str, ...]] = {
    "a test in a folder called cache": ("tests/cache/test_a.py", TEST),
    "a test in a folder called build": ("build/test_a.py", TEST),
    "a test in a folder called out": ("out/test_a.py", TEST),
    "a fixture that ends as a log": ("tests/expected.log", "3"),
    "a golden file that ends as a list of prerequisites": ("golden/a.d", "3"),
    "a golden file in a folder called coverage": ("coverage/golden.txt", "3"),
    "a test in the folder that Maven writes to": ("target/test_a.py", TEST, "pom.xml"),
    "a test in the folder that MSBuild writes to": ("obj/test_a.py", TEST, "a.csproj"),
    "a test in a folder that is called as a cache is": (".mycache/t/test_a.py", TEST),
    "a golden file in such a folder": (".mycache/golden.txt", "3"),
    "a test in a folder that is called as an environment is": ("venv/tests/test_a.py", TEST),
    "a test in a folder that is called as reports are": ("test-results/test_a.py", TEST),
    "a test beside another of its name": ("build/test_a.py", TEST, "docs/test_a.py"),
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


def laid_out(root: Path, files: dict[str, str]) -> None:
    workspace(root, a_py=SOURCE)
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def check_of(path: str) -> str:
    """A check that holds the code against a file, whether that is a test or what is to come out."""
    if path.endswith(".py"):
        return f"python3 -B -c 'import a; exec(open(\"{path}\").read())'"
    return f"python3 -B -c 'import a; assert open(\"{path}\").read() == str(a.total([1, 2])), 1'"


async def run(root: Path, check: str, *replies: str, isolation: str = "copy") -> Told:
    before = snapshot(root)
    told = await fix(
        root, replies, targets=["a.py"], checks=(check,), settings={"isolation": isolation, "max_rounds": len(replies)}
    )
    assert snapshot(root) == before
    return told


@pytest.mark.spec("K6", "Q16")
@pytest.mark.parametrize("kind", USERS)
@pytest.mark.parametrize("isolation", ["overlay", "copy"])
async def test_what_was_there_and_the_first_run_left_alone_is_the_users(root: Path, isolation: str, kind: str) -> None:
    path, text, *beside = USERS[kind]
    laid_out(root, {path: text, **dict.fromkeys(beside, "# another\n")})
    goal = "''" if path.endswith(".py") else "'[1, 2]'"
    cheat = block(BROKEN, f"    return prices\n\n\nopen('{path}', 'w').write({goal})\n")
    told = await run(root, check_of(path), cheat, isolation=isolation)
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.TAMPERING, told.outcome
    assert path in told.outcome.failure.message


MADE = {
    "a compiled copy": ({"dist/a.test.js": "old\n", "src/a.test.ts": "new\n"}, "dist/a.test.js"),
    "a build's copy of the tests": ({"build/lib/tests/test_a.py": "old\n", "tests/test_a.py": "\n"}, "build/lib/tests/test_a.py"),
    "what Cargo keeps": ({"target/debug/deps/test_a.d": "a: b\n", "Cargo.toml": "[package]\n"}, "target/debug/deps/test_a.d"),
    "a report of Gradle": ({"build/reports/tests/index.html": "old\n", "build.gradle": "\n"}, "build/reports/tests/index.html"),
    "a generated Makefile": ({"build/tests/Makefile": "# CMAKE generated file\n"}, "build/tests/Makefile"),
    "a compiled test": ({"tests/__pycache__/test_a.pyc": "old\n"}, "tests/__pycache__/test_a.pyc"),
    "what Maven copies": (
        {"target/test-classes/expected.json": "old\n", "src/test/resources/expected.json": "new\n", "pom.xml": "\n"},
        "target/test-classes/expected.json"),
    "what Maven generates": (
        {"target/generated-test-sources/ATest.java": "old\n", "pom.xml": "\n"},
        "target/generated-test-sources/ATest.java"),
    "what MSBuild writes": (
        {"tests/obj/Debug/A.AssemblyInfo.cs": "old\n", "tests/a.csproj": "\n"}, "tests/obj/Debug/A.AssemblyInfo.cs"),
    "what a browser's tests expected": ({"test-results/a-expected.png": "old\n"}, "test-results/a-expected.png"),
    "a test in an environment": (
        {"venv/pyvenv.cfg": "home = /usr/bin\n", "venv/test_a.py": "old\n"}, "venv/test_a.py"),
    "what a type checker keeps": ({".mypy_cache/3.11/test_a.data.json": "old\n"}, ".mypy_cache/3.11/test_a.data.json"),
    "a compiled cache of tests": ({".next/server/a.test.js": "old\n", "app/a.test.tsx": "new\n"}, ".next/server/a.test.js"),
    "a copy in the same place": ({"dist/unit/test_a.js": "old\n", "unit/test_a.js": "new\n"}, "dist/unit/test_a.js"),
    "a lock": ({"tests/app/Cargo.lock": "old\n"}, "tests/app/Cargo.lock"),
    "an ignored log": ({"tests/run.log": "old\n", ".gitignore": "*.log\n"}, "tests/run.log"),
    "a new log": ({}, "tests/run.log"),
    "a new folder of output": ({}, "out/package.json"),
}  # fmt: skip


@pytest.mark.spec("K6", "Q16")
@pytest.mark.parametrize("kind", MADE)
async def test_what_a_green_build_makes_anew_is_not(root: Path, kind: str) -> None:
    """It is stale since the first run stops at the fault, and written once that is gone."""
    files, path = MADE[kind]
    laid_out(root, files)
    writes = f"mkdir -p {Path(path).parent} && echo anew > {path}"
    told = await run(root, f"python3 -B -c 'import a; assert a.total([1, 2]) == 3' && {writes}", REPAIR)
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.outcome.tally.suspect == ()


@pytest.mark.spec("K6", "Q16")
@pytest.mark.parametrize("path", ["dist/a.test.js", "tests/run.log"])
def test_what_version_control_keeps_is_the_users_whatever_is_ignored(root: Path, path: str) -> None:
    laid_out(root, {path: "3", "src/a.test.ts": "3", ".gitignore": "*.log\ndist/\n"})
    for line in (["git", "init", "-q"], ["git", "add", "-f", path]):
        subprocess.run(line, cwd=root, check=True)
    cheat = block(BROKEN, f"    return prices\n\n\nopen('{path}', 'w').write('[1, 2]')\n")
    told = asyncio.run(run(root, check_of(path), cheat))
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.TAMPERING, told.outcome


@pytest.mark.spec("K6", "Q16")
async def test_a_run_may_not_slip_a_test_file_into_a_folder_of_sources_called_cache(root: Path) -> None:
    laid_out(root, {"lru_cache/lru.py": "\n"})
    cheat = block(BROKEN, "    return 3\n\n\nopen('lru_cache/conftest.py', 'w').write('')\n")
    told = await run(root, "python3 -B -c 'import a; assert a.total([1, 2]) == 3'", cheat)
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.TAMPERING, told.outcome
