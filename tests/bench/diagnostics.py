"""How fast output is read: a build log that is mostly no diagnostics, a flood of errors, and what memory it takes.

Run as `python -m tests.bench.diagnostics [megabytes]`.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

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
    """What make prints for a large project: command lines, and an error with its snippet every 2000 lines."""
    lines, size, n = [], 0, 0
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
        lines += new
        size += sum(len(line) + 1 for line in new)
    return lines


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


def main(megabytes: float = 100.0) -> dict[str, float]:
    """Measure, print, and return the figures: megabytes a second, and growth of memory in megabytes."""
    before = peak()
    flooded = read(flood(megabytes / 4), megabytes / 4)
    grown = peak() - before
    log = build_log(min(megabytes, 50))
    plain = read(log, min(megabytes, 50))
    print(f"build log: {plain.speed:.0f} MB/s, {plain.total_errors} errors, {plain.returned} handed over")
    print(f"flood:     {flooded.speed:.1f} MB/s, {flooded.total_errors} errors, {flooded.returned} handed over")
    print(f"           (at most {MOST}, or {MOST_KINDS} with new kinds), {grown} MB more memory")
    return {"log_mb_per_s": plain.speed, "flood_mb_per_s": flooded.speed, "flood_memory_mb": float(grown)}


if __name__ == "__main__":
    main(*(float(argument) for argument in sys.argv[1:2]))
