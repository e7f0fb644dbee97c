"""What toolchains fix by themselves: `python -m tests.programs.report [NAME]… [--write]`.

Runs every red program whose tool is installed through the whole engine with no model, and prints for each whether it
became green, improved or stayed untouched. With `--write` the table goes into `docs/suggestions.md`.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.programs import NEEDS, PROGRAMS, Program, detectable
from tests.support.tools import ROOT, search_path, where

from compile_loop.assemble import Job, start
from compile_loop.contracts.events import RunFinished, SuggestionApplied, SuggestionDropped
from compile_loop.contracts.outcome import Ending, Outcome
from compile_loop.edits.unified import unified_diff
from compile_loop.settings import Settings

PAGE = ROOT / "docs" / "suggestions.md"
BEGIN, END = "<!-- figures: begin -->\n", "<!-- figures: end -->\n"
AT_ONCE = 2
SCRATCH = Path(tempfile.gettempdir()).resolve()


@dataclass(frozen=True, slots=True)
class Row:
    """One program's run. `twin`: whether the edit leads to the green twin, byte for byte but for white space."""

    program: str
    result: str
    before: int
    after: int
    twin: bool
    applied: tuple[str, ...]
    dropped: tuple[str, ...]
    diff: str
    message: str

    @property
    def green(self) -> bool:
        return self.result == "green"


async def run_program(program: Program, folder: Path) -> Row:
    """Fix one program with no model, and say what came of it."""
    root = program.copy(folder / program.name)
    checks = () if detectable(program) else (program.command(program.modes()[-1]),)
    settings = Settings(repair_memory=False, record=False)
    targets = tuple(root / name for name in program.sources()) if not checks else ()
    job = Job(root=root, targets=targets, scope="files" if targets else "workspace", settings=settings, checks=checks)
    outcome: Outcome | None = None
    applied: list[str] = []
    dropped: list[str] = []
    async for event in start(job):
        if isinstance(event, SuggestionApplied):
            applied.append(event.message)
        elif isinstance(event, SuggestionDropped):
            dropped.append(f"{event.message} ({event.reason})")
        elif isinstance(event, RunFinished):
            outcome = event.outcome
    assert outcome is not None
    return _row(program, outcome, applied, dropped)


def _row(program: Program, outcome: Outcome, applied: Sequence[str], dropped: Sequence[str]) -> Row:
    tally = outcome.tally
    result = "green" if outcome.ending is Ending.GREEN else "improved" if outcome.edit.files else "untouched"
    if tally.suspect:
        result = "to confirm"
    return Row(
        program.name,
        result,
        tally.errors_before,
        tally.errors_after,
        all(_same(program, change.path, change.after) for change in outcome.edit.files),
        tuple(applied),
        tuple(dropped),
        "".join(unified_diff(change) for change in outcome.edit.files),
        outcome.failure.message if outcome.failure else "",
    )


def _same(program: Program, path: str, after: bytes | None) -> bool:
    twin = program.folder / "fixed" / path
    return after is not None and twin.exists() and after.split() == twin.read_bytes().split()


async def run_all(programs: Sequence[Program]) -> list[Row]:
    """Every program, a few at a time."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(program: Program) -> Row:
        async with turn:
            with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
                return await run_program(program, Path(folder))

    return await asyncio.gather(*map(one, programs))


def live() -> list[Program]:
    """The programs whose tool is here."""
    return [one for one in PROGRAMS if where(NEEDS.get(one.meta["tool"], one.meta["tool"])) is not None]


def table(rows: Sequence[Row]) -> str:
    """The figures and a line for each program, as Markdown."""
    green = [row for row in rows if row.green]
    confirm = [row for row in rows if row.result == "to confirm"]
    improved = [row for row in rows if row.result == "improved"]
    lines = [
        f"{len(green)} of {len(rows)} green ({len(green) * 100 // len(rows)} %), {len(confirm)} more green for a person to "
        f"confirm, {len(improved)} improved, {len(rows) - len(green) - len(confirm) - len(improved)} untouched. "
        f"{sum(row.twin for row in green)} of the green ones are what their author wrote, token for token.",
        "",
        "| program | result | errors | as its author wrote it | applied |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        twin = ("yes" if row.twin else "no") if row.diff else ""
        words = "; ".join(word.splitlines()[0].replace("|", "\\|") for word in row.applied)
        lines.append(f"| {row.program} | {row.result} | {row.before} → {row.after} | {twin} | {words} |")
    return "\n".join(lines) + "\n"


def main(*arguments: str) -> int:
    """Print the table; with names, also each program's edit."""
    os.environ["PATH"] = search_path(servers=True)
    os.environ.setdefault("XDG_STATE_HOME", tempfile.mkdtemp())
    names = [one for one in arguments if not one.startswith("-")]
    programs = [one for one in live() if not names or one.name in names]
    rows = asyncio.run(run_all(programs))
    print(table(rows))
    for row in rows if names or "-v" in arguments else [row for row in rows if row.green and not row.twin]:
        print(f"{row.program}: {row.message}\n{row.diff}", *row.dropped, sep="\n")
    if "--write" in arguments:
        head, _, rest = PAGE.read_text().partition(BEGIN)
        PAGE.write_text(head + BEGIN + table(rows) + END + rest.partition(END)[2])
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
