"""Writing a record: its cost an event beside the same run without one, and alone, with large checks and floods.

The claim to hold: at most 1 ms an event (SPEC R1).
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from compile_loop.assemble import Job, runs_folder, start
from compile_loop.contracts.checks import Check, CheckResult
from compile_loop.contracts.diagnostics import Diagnostic, Range
from compile_loop.contracts.events import CheckFinished, Event, ModelText, Pass, RunStarted
from compile_loop.contracts.protocols import Message, Reply
from compile_loop.models.scripted import ScriptedGenerator
from compile_loop.models.turn_log import Turn, TurnLogWriter
from compile_loop.record.asked import Asked
from compile_loop.record.recorder import Recorder
from compile_loop.record.redact import Redactor
from compile_loop.record.report import ReportBuilder
from compile_loop.settings import Settings

ROUNDS = 8
LINES = 1000
TIMES = 5


def _program(folder: Path) -> tuple[str, list[str]]:
    """A C file of 1,000 lines with one error a round, and the replies that repair it in small pieces."""
    body = [f"int f{n}(void) {{ return {n}; }}" for n in range(LINES - ROUNDS)]
    broken = [f"int g{n}(void) {{ return missing_{n}; }}" for n in range(ROUNDS)]
    (folder / "a.c").write_text("\n".join(body + broken) + "\n")
    prose = "\n".join(f"Line {n} of what I think about it." for n in range(60))
    return "gcc -fsyntax-only -Wall a.c", [
        f"{prose}\n<<<<<<< SEARCH\n{line}\n=======\nint g{n}(void) {{ return 0; }}\n>>>>>>> REPLACE\n"
        for n, line in enumerate(broken)
    ]


async def _run(folder: Path, check: str, replies: list[str], record: bool) -> tuple[float, int]:
    """Seconds of processor time of this process in one run, and how many events it told."""
    settings = Settings(max_rounds=ROUNDS, suggestions=False, record=record, repair_memory=False)
    job = Job(folder, (folder / "a.c",), settings, checks=(check,), generator=ScriptedGenerator(replies))
    began = time.process_time()
    events = 0
    async for _ in start(job):
        events += 1
    return time.process_time() - began, events


def _recorder(runs: Path) -> Recorder:
    report = ReportBuilder(engine="bench", isolated=True, protected=lambda _path: False, asked_for=("a.c",))
    recorder = Recorder(runs, Asked("/ws", ("a.c",)), {}, Redactor.of(os.environ), report, {"engine": "bench"})
    recorder(RunStarted("bench", ("a.c",), (Check("make", "make"),), "openai:m", "overlay", 5, 900.0))
    return recorder


def _each(recorder: Recorder, event: Event) -> float:
    """Milliseconds for one event, the median of several."""
    took = []
    for _ in range(21):
        began = time.perf_counter()
        recorder(event)
        took.append((time.perf_counter() - began) * 1000)
        recorder.settle()  # what it writes aside is not waited for; a run has its compiler to run meanwhile
    return statistics.median(took)


def _flood(diagnostics: int, output: int) -> CheckFinished:
    line = "src/some/file.c:12:5: error: expected ‘;’ before ‘return’\n"
    found = tuple(
        Diagnostic(f"expected ‘;’ before ‘return{n}’", "src/some/file.c", Range.of(n, 4, n, 10), source="gcc")
        for n in range(diagnostics)
    )
    text = line * (output // len(line))
    return CheckFinished(Pass.ROUND, 1, CheckResult("make", False, 2, stderr=text, diagnostics=found))


def _turn(recorder: Recorder, characters: int) -> float:
    """Milliseconds for a turn whose request grew by so many characters."""
    took = []
    for _ in range(11):
        line = TurnLogWriter().line(Turn((Message("user", "some code; \n" * (characters // 12)),), (), Reply("done")))
        began = time.perf_counter()
        recorder.turn(line)
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took)


def main() -> None:
    """Print the cost of records."""
    with tempfile.TemporaryDirectory(prefix="bench-record-") as name:
        folder = Path(name)
        os.environ["XDG_STATE_HOME"] = str(folder / "state")
        program = folder / "ws"
        program.mkdir()
        check, replies = _program(program)
        asyncio.run(_run(program, check, replies, record=False))  # imports, probing
        with_record, without, events = [], [], 0
        for _ in range(TIMES):
            seconds, events = asyncio.run(_run(program, check, replies, record=True))
            with_record.append(seconds)
            without.append(asyncio.run(_run(program, check, replies, record=False))[0])
        a, b = statistics.median(with_record), statistics.median(without)
        lines = sum(len((each / "events.jsonl").read_text().splitlines()) for each in runs_folder().iterdir()) // TIMES
        print(f"the same run of {ROUNDS} rounds, file of {LINES} lines, {events} events, {lines} of them written")
        print(f"own processor time with a record (median of {TIMES})     {a * 1000:8.1f} ms")
        print(f"own processor time without one                    {b * 1000:8.1f} ms")
        print(f"difference an event                               {(a - b) / events * 1000:8.3f} ms   (at most 1)")
        print(f"difference an event that is written               {(a - b) / lines * 1000:8.3f} ms")
        recorder = _recorder(folder / "alone")
        print("one event alone (median):")
        for label, event in (
            ("a piece of a reply", ModelText("x" * 20)),
            ("a check's end, 2 errors, 1 KB", _flood(2, 1_000)),
            ("a check's end, 50 errors, 16 KB", _flood(50, 16_000)),
            ("a check's end, 600 errors, 128 KB (a flood)", _flood(600, 128_000)),
        ):
            print(f"  {label:<47} {_each(recorder, event):8.3f} ms")
        for size in (4_000, 100_000):
            print(f"  {f'a turn, {size:,} characters more':<47} {_turn(recorder, size):8.3f} ms")
        if recorder.folder is not None:
            json.loads((recorder.folder / "run.json").read_text())
            shutil.rmtree(recorder.folder)


if __name__ == "__main__":
    main()
