"""The engine's own time per round beside the check's, in the same run: a 1,000-line C file, one error fixed a round.

Each round reads ten times before it edits, so that the conversation has more than 200 messages at the end. Also its
memory as the steps go on, and how much of each request the one before held already.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import tracemalloc
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from compile_loop.assemble import Job, start
from compile_loop.contracts.events import CheckFinished, CheckStarted, Pass, RoundFinished, RoundStarted, RunFinished
from compile_loop.contracts.protocols import Message, ToolCall
from compile_loop.models.scripted import ScriptedGenerator, ScriptedReply
from compile_loop.settings import Settings

ROUNDS = 10
READS = 10
LINES = 1000


@dataclass
class Measured:
    """Seconds of each round outside the check and inside it; what the model was sent."""

    own: list[float] = field(default_factory=list)
    checks: list[float] = field(default_factory=list)
    requests: list[tuple[Message, ...]] = field(default_factory=list)


def _replies() -> list[str | ScriptedReply]:
    replies: list[str | ScriptedReply] = []
    for number in range(ROUNDS):
        for read in range(READS):
            at = number * READS + read + 1
            arguments = json.dumps({"path": "a.c", "start": at, "end": at + 5})
            replies.append(ScriptedReply("", tool_calls=(ToolCall(f"call_{at}", "read_file_range", arguments),)))
        search, replace = f"int g{number}(void) {{ return missing_{number}; }}", f"int g{number}(void) {{ return 0; }}"
        replies.append(f"<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n")
    return replies


async def _measure(folder: Path, rounds: int = ROUNDS) -> Measured:
    body = [f"int f{n}(void) {{ return {n}; }}" for n in range(LINES - ROUNDS)]
    broken = [f"int g{n}(void) {{ return missing_{n}; }}" for n in range(ROUNDS)]
    (folder / "a.c").write_text("\n".join(body + broken) + "\n")
    model = ScriptedGenerator(_replies())
    settings = Settings(max_rounds=rounds, suggestions=False, guardrails=False, record=False, max_tokens_per_run=None)
    job = Job(folder, (folder / "a.c",), settings, checks=("gcc -fsyntax-only -Wall a.c",), generator=model)
    loop = asyncio.get_running_loop()
    measured = Measured()
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
                measured.own.append(now - began - in_check)
                measured.checks.append(in_check)
            case RunFinished(outcome=outcome):
                assert outcome.ok or rounds < ROUNDS, outcome.failure
            case _:
                pass
    measured.requests = list(model.requests)
    return measured


def _peak(folder: Path, rounds: int) -> float:
    """Megabytes of Python's memory that a run of so many rounds needs at most."""
    tracemalloc.start()
    asyncio.run(_measure(folder, rounds))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def _prefix_ratio(requests: list[tuple[Message, ...]]) -> float:
    """How much of each request, in characters, the request before it began with."""
    kept = whole = 0
    for earlier, later in pairwise(requests):
        same = sum(len(message.content) for message, other in zip(earlier, later, strict=False) if message == other)
        kept, whole = kept + same, whole + sum(len(message.content) for message in later)
    return kept / whole


def main() -> None:
    """Print medians, ratios and memory."""
    with tempfile.TemporaryDirectory(prefix="bench-rounds-") as folder:
        asyncio.run(_measure(Path(folder), 1))  # what is imported on first use
        measured = asyncio.run(_measure(Path(folder)))
        few, many = _peak(Path(folder), 1), _peak(Path(folder), 4)
    mine, theirs = statistics.median(measured.own), statistics.median(measured.checks)
    print(f"rounds: {len(measured.own)} of {READS} reads and an edit, file of {LINES} lines, check gcc -fsyntax-only")
    print(f"messages in the last request           {len(measured.requests[-1]):8}")
    print(f"engine's own time per round (median)   {mine * 1000:8.2f} ms")
    print(f"the check's time per round (median)    {theirs * 1000:8.2f} ms")
    print(f"engine / check                         {mine / theirs:8.3f}")
    print(f"the same per step, of {READS + 1} in a round     {mine / theirs / (READS + 1):8.3f}")
    print(f"of a request the one before began with {_prefix_ratio(measured.requests):8.3f}")
    print(f"peak memory, 11 steps                  {few:8.2f} MB")
    print(f"peak memory, 44 steps                  {many:8.2f} MB")


if __name__ == "__main__":
    main()
