"""The engine's own time per round beside the check's, in the same runs: a 1,000-line C file, one error fixed a round."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
from pathlib import Path

from compile_loop.assemble import Job, start
from compile_loop.contracts.events import CheckFinished, CheckStarted, Pass, RoundFinished, RoundStarted, RunFinished
from compile_loop.models.scripted import ScriptedGenerator
from compile_loop.settings import Settings

ROUNDS = 10
LINES = 1000


async def _measure(folder: Path) -> tuple[list[float], list[float]]:
    """Seconds of each round outside the check, and inside it."""
    names = [f"missing_{n}" for n in range(ROUNDS)]
    body = [f"int f{n}(void) {{ return {n}; }}" for n in range(LINES - ROUNDS)]
    broken = [f"int g{n}(void) {{ return {name}; }}" for n, name in enumerate(names)]
    (folder / "a.c").write_text("\n".join(body + broken) + "\n")
    replies = [
        f"<<<<<<< SEARCH\nint g{n}(void) {{ return {name}; }}\n=======\nint g{n}(void) {{ return 0; }}\n>>>>>>> REPLACE\n"
        for n, name in enumerate(names)
    ]
    job = Job(
        folder,
        (folder / "a.c",),
        Settings(max_rounds=ROUNDS, suggestions=False),
        checks=("gcc -fsyntax-only -Wall a.c",),
        generator=ScriptedGenerator(replies),
    )
    loop = asyncio.get_running_loop()
    own: list[float] = []
    checks: list[float] = []
    began = check_began = in_check = 0.0
    async for event in start(job):
        now = loop.time()
        match event:
            case RoundStarted():
                began, in_check = now, 0.0
            case CheckStarted(in_pass=Pass.ROUND):
                check_began = now
            case CheckFinished(in_pass=Pass.ROUND):
                in_check = now - check_began
            case RoundFinished():
                own.append(now - began - in_check)
                checks.append(in_check)
            case RunFinished(outcome=outcome):
                assert outcome.ok, outcome.failure
            case _:
                pass
    return own, checks


def main() -> None:
    """Print medians and the ratio."""
    with tempfile.TemporaryDirectory(prefix="bench-rounds-") as folder:
        own, checks = asyncio.run(_measure(Path(folder)))
    mine, theirs = statistics.median(own), statistics.median(checks)
    print(f"rounds: {len(own)}, file of {LINES} lines, check gcc -fsyntax-only")
    print(f"engine's own time per round (median)  {mine * 1000:8.2f} ms")
    print(f"the check's time per round (median)   {theirs * 1000:8.2f} ms")
    print(f"engine / check                        {mine / theirs:8.3f}")


if __name__ == "__main__":
    main()
