"""How long an isolated copy of a large tree takes: an overlay beside `cp -r` and `git worktree add`.

Also what a check costs more inside than outside. All in one run, in turn, on one tree. Run as
`python -m tests.bench.shadow [files] [runs]`.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from compile_loop.shadow.probe import choose

LIMIT = 0.050
"""Seconds that an overlay of 100,000 files may take (SPEC W2)."""


def make_tree(root: Path, files: int) -> None:
    """`files` small files in folders of 100, committed to Git."""
    for number in range(files):
        folder = root / f"d{number // 10_000}" / f"e{number // 100}"
        if number % 100 == 0:
            folder.mkdir(parents=True)
        (folder / f"f{number}.c").write_text(f"int value_{number} = {number};\n")
    who = {f"GIT_{part}_{what}": "bench" for part in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    settings = ("config", "gc.auto", "0")
    for command in (("init", "-q"), settings, ("add", "."), ("commit", "-qm", "all", "--no-gpg-sign")):
        subprocess.run(["git", *command], cwd=root, check=True, env={**os.environ, **who})


async def overlay(root: Path) -> dict[str, float]:
    """Laying out, renewing and removing an overlay; and one check that does nothing."""
    shadow = choose(root, {}, "overlay")
    taken = {}

    async def timed(name: str, work: Callable[[], Awaitable[None]]) -> None:
        begun = time.perf_counter()
        await work()
        taken[name] = time.perf_counter() - begun

    async def check() -> None:
        command, directory = shadow.command(["/bin/true"], ".")
        process = await asyncio.create_subprocess_exec(*command, cwd=directory)
        assert await process.wait() == 0

    await timed("overlay", shadow.open)
    assert await shadow.read("d0/e0/f0.c") == b"int value_0 = 0;\n"
    await timed("overlay, a check's start", check)
    await timed("overlay, renewed", lambda: shadow.renew({}))
    await timed("overlay, removed", shadow.close)
    return taken


def copied(root: Path, target: Path) -> float:
    begun = time.perf_counter()
    subprocess.run(["cp", "-r", str(root), str(target)], check=True)
    taken = time.perf_counter() - begun
    shutil.rmtree(target)
    return taken


def work_tree(root: Path, target: Path) -> float:
    begun = time.perf_counter()
    subprocess.run(["git", "worktree", "add", "-q", "--detach", str(target)], cwd=root, check=True)
    taken = time.perf_counter() - begun
    subprocess.run(["git", "worktree", "remove", "--force", str(target)], cwd=root, check=True)
    return taken


def main() -> None:
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory(prefix="bench-shadow-") as folder:
        root, target = Path(folder).resolve() / "tree", Path(folder).resolve() / "copy"
        root.mkdir()
        make_tree(root, files)
        asyncio.run(overlay(root))  # once unmeasured: the trial, compiled files
        taken: dict[str, list[float]] = {}
        for _ in range(runs):
            for _ in range(5):
                for name, seconds in asyncio.run(overlay(root)).items():
                    taken.setdefault(name, []).append(seconds)
            taken.setdefault("cp -r", []).append(copied(root, target))
            taken.setdefault("git worktree add", []).append(work_tree(root, target))
    print(f"an isolated copy of {files:,} files, in turn, milliseconds: median (fastest to slowest)")
    for name, seconds in taken.items():
        low, median, high = (1000 * figure for figure in (min(seconds), statistics.median(seconds), max(seconds)))
        print(f"  {name:26} {median:9.1f}  ({low:.1f} to {high:.1f}, {len(seconds)} times)")
    ok = statistics.median(taken["overlay"]) <= LIMIT
    print(f"an overlay within {1000 * LIMIT:g} ms: {'yes' if ok else 'NO'}")
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
