"""How fast output is read: a build log that is mostly no diagnostics, a flood of errors, and what memory it takes.

The readers alone, then whole checks: a process, its pipe, its lines, its diagnostics. And how soon one is told.

Run as `python -m tests.bench.diagnostics [megabytes]`.
"""

from __future__ import annotations

import asyncio
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from compile_loop.checks.contract import CommandContract
from compile_loop.contracts.checks import Check
from compile_loop.contracts.events import DiagnosticFound, Event, Pass
from compile_loop.shadow.in_place import InPlaceShadow
from compile_loop.toolchains.flood import MOST, MOST_KINDS
from compile_loop.toolchains.reading import OutputReader

MEGABYTE = 1_000_000
SOURCE = "".join(f"int value_{n} = {n}; /* line {n} */\n" for n in range(2000)).encode()


class OneFile:
    """A tree of one C file."""

    def read(self, path: str) -> bytes | None:
        return SOURCE if path == "/w/src/a.c" else None

    def exists(self, path: str) -> bool:
        return path == "/w/src/a.c"

    def find(self, suffix: str) -> list[str]:
        return ["/w/src/a.c"] if "/w/src/a.c".endswith("/" + suffix) else []

    def spelling(self, path: str) -> str:
        return path


@dataclass(frozen=True)
class Reading:
    """What reading one log came to."""

    megabytes: float
    seconds: float
    returned: int
    total_errors: int

    @property
    def speed(self) -> float:
        """Megabytes a second."""
        return self.megabytes / self.seconds


def build_log(megabytes: float) -> list[str]:
    """The lines of `log_lines`, all in memory."""
    return list(log_lines(megabytes))


def log_lines(megabytes: float) -> Iterator[str]:
    """What make prints for a large project: command lines, and an error with its snippet every 2000 lines."""
    size, n = 0, 0
    while size < megabytes * MEGABYTE:
        n += 1
        if n % 2000 == 0:
            at = n // 2000 % 2000
            new = [
                f"src/a.c:{at + 1}:5: error: ‘value_{at}’ undeclared here (not in a function)",
                f" {at + 1:4} | int value_{at} = {at}; /* line {at} */",
                "      |     ^~~~~~~",
            ]
        else:
            new = [
                f"gcc -O2 -Wall -Iinclude -Ilib/core/include -DNDEBUG -DVERSION=3 -c lib/core/part_{n}.c -o build/{n}.o"
            ]
        yield from new
        size += sum(len(line) + 1 for line in new)


def flood(megabytes: float) -> Iterator[str]:
    """Nothing but errors, each with its snippet."""
    size, n = 0.0, 0
    while size < megabytes * MEGABYTE:
        n += 1
        at = n % 2000
        for line in (
            f"src/a.c:{at + 1}:{n % 30 + 1}: error: ‘value_{n}’ undeclared here (not in a function)",
            f" {at + 1:4} | int value_{at} = {at}; /* line {at} */",
            "      |     ^~~~~~~",
        ):
            size += len(line) + 1
            yield line


def read(lines: Iterator[str] | list[str], megabytes: float) -> Reading:
    """Feed every line and count what comes out."""
    reader = OutputReader(root="/w", cwd="/w", sources=OneFile(), hint="make")
    feed = reader.feed
    returned = 0
    start = time.perf_counter()
    for line in lines:
        returned += len(feed(line))
    returned += len(reader.close(2))
    return Reading(megabytes, time.perf_counter() - start, returned, reader.total_errors)


def peak() -> int:
    """The most memory that this process ever took, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


async def _check(root: Path, command: str, hear: list[Event]) -> None:
    contract = CommandContract([Check("it", command)], os.environ)
    await contract.run(InPlaceShadow(root, root / "journals"), Pass.BASELINE, 0, hear.append)


def whole_check(lines: Iterator[str] | list[str]) -> Reading:
    """A check that prints these lines, from its start to its result."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        (root / "src").mkdir()
        (root / "src" / "a.c").write_bytes(SOURCE)
        with (root / "log").open("w") as log:
            log.writelines(f"{line}\n" for line in lines)
        size = (root / "log").stat().st_size / MEGABYTE
        heard: list[Event] = []
        start = time.perf_counter()
        asyncio.run(_check(root, "cat log; exit 1", heard))
        return Reading(size, time.perf_counter() - start, sum(isinstance(e, DiagnosticFound) for e in heard), 0)


class _Late(list[Event]):
    """The milliseconds between the moment that a diagnostic names in its message and now."""

    def __init__(self) -> None:
        super().__init__()
        self.milliseconds: list[float] = []

    def append(self, event: Event) -> None:
        if isinstance(event, DiagnosticFound):
            self.milliseconds.append(1000 * (time.time() - float(event.diagnostic.message.split()[-1])))


def delay() -> float:
    """Milliseconds from an error's line to its diagnostic, where the tool then works on in silence; the median."""
    script = (
        "import time\n"
        "for n in range(1, 8):\n"
        "    print(f'src/a.c:{n}:5: error: at {time.time()}', flush=True)\n"
        "    time.sleep(0.4)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        (root / "src").mkdir()
        (root / "src" / "a.c").write_bytes(SOURCE)
        (root / "say.py").write_text(script)
        late = _Late()
        asyncio.run(_check(root, f"{sys.executable} say.py", late))
    return statistics.median(late.milliseconds)


def main(megabytes: float = 100.0) -> dict[str, float]:
    """Measure, print, and return the figures: megabytes a second, and growth of memory in megabytes."""
    late = delay()
    before = peak()
    checked = whole_check(log_lines(megabytes))
    grown_whole = peak() - before
    before = peak()
    flooded = read(flood(megabytes / 4), megabytes / 4)
    grown = peak() - before
    log = build_log(min(megabytes, 50))
    plain = read(log, min(megabytes, 50))
    print(f"build log: {plain.speed:.0f} MB/s, {plain.total_errors} errors, {plain.returned} handed over")
    print(f"flood:     {flooded.speed:.1f} MB/s, {flooded.total_errors} errors, {flooded.returned} handed over")
    print(f"           (at most {MOST}, or {MOST_KINDS} with new kinds), {grown} MB more memory")
    ratio = checked.speed / plain.speed
    print(f"whole check that prints {megabytes:.0f} MB: {checked.speed:.0f} MB/s, {ratio:.0%} of the readers alone,")
    print(f"           {checked.returned} told, {grown_whole} MB more memory")
    print(f"first diagnostic {late:.0f} ms after its line (half of them sooner)")
    return {
        "log_mb_per_s": plain.speed,
        "flood_mb_per_s": flooded.speed,
        "flood_memory_mb": float(grown),
        "whole_mb_per_s": checked.speed,
        "whole_ratio": ratio,
        "whole_memory_mb": float(grown_whole),
        "first_ms": late,
    }


if __name__ == "__main__":
    main(*(float(argument) for argument in sys.argv[1:2]))
