"""A scoreboard: all cases with one model and one version, and two of them side by side (SPEC R4)."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from compile_loop.engine.handle import Run
from compile_loop.evaluation.cases import Case
from compile_loop.evaluation.scoring import Score, score
from compile_loop.settings import Settings
from compile_loop.version import VERSION

SCHEMA = "compile-loop/scoreboard/1"


class ScoreboardError(ValueError):
    """A file that is no scoreboard; the message is a sentence for the user."""


class Evaluation:
    """Runs cases, several at a time. `finished` hears each score as it comes."""

    def __init__(self, cases: Sequence[Case], settings: Settings, jobs: int, finished: Callable[[Score], None]) -> None:
        self._cases = cases
        self._settings = settings
        self._room = asyncio.Semaphore(jobs)
        self._jobs = jobs
        self._finished = finished
        self._running: list[Run] = []
        self.cancelled = False

    def cancel(self) -> None:
        """End what runs, and start nothing more."""
        self.cancelled = True
        for run in self._running:
            run.cancel()

    async def go(self) -> dict[str, Any]:
        """`compile-loop/scoreboard/1` over the cases that were run."""
        began, wall = time.time(), time.monotonic()
        scores = await asyncio.gather(*(self._one(case) for case in self._cases))
        return {
            "schema": SCHEMA,
            "engine": VERSION,
            "model": self._settings.model or None,
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)),
            "jobs": self._jobs,
            "wallSeconds": round(time.monotonic() - wall, 3),
            "totals": totals([each for each in scores if each is not None]),
            "cases": [each.out() for each in scores if each is not None],
        }

    async def _one(self, case: Case) -> Score | None:
        async with self._room:
            if self.cancelled:
                return None
            scored = await score(case, self._settings, self._running.append)
            self._finished(scored)
            return scored


def totals(scores: Sequence[Score]) -> dict[str, Any]:
    """Sums over all cases; prices are null where none is known, `editRatio` where no smallest edit is."""
    prices = [each.spending.cost for each in scores if each.spending.cost is not None]
    sized = [
        (e.edit_lines, e.smallest_lines) for e in scores if e.edit_lines is not None and e.smallest_lines is not None
    ]
    return {
        "cases": len(scores),
        "asExpected": sum(each.as_expected for each in scores),
        "green": sum(each.green for each in scores),
        "honestGreen": sum(each.honest for each in scores),
        "noModel": sum(each.without_model for each in scores),
        "rounds": sum(each.rounds for each in scores),
        "calls": sum(each.spending.calls for each in scores),
        "tokens": sum(each.spending.tokens for each in scores),
        "price": sum(prices) if prices else None,
        "seconds": round(sum(each.spending.wall_seconds for each in scores), 3),
        "editRatio": round(sum(a for a, _ in sized) / sum(b for _, b in sized), 3) if sized else None,
    }


def read_scoreboard(path: Path) -> dict[str, Any]:
    """A scoreboard that was written before. Raises `ScoreboardError`."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ScoreboardError(f"{path} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise ScoreboardError(f"{path} is no JSON: {error}.") from error
    if not isinstance(value, dict) or value.get("schema") != SCHEMA:
        raise ScoreboardError(f"{path} is no scoreboard ({SCHEMA}).")
    return value


def compare(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """`compile-loop/comparison/1`: totals as [before, after], and each case with what changed."""
    old, new = ({each["name"]: each for each in board["cases"]} for board in (before, after))
    return {
        "schema": "compile-loop/comparison/1",
        "before": _named(before),
        "after": _named(after),
        "totals": {name: [before["totals"].get(name), value] for name, value in after["totals"].items()},
        "cases": [_compared(name, old.get(name), new.get(name)) for name in sorted({*old, *new})],
    }


def _named(board: dict[str, Any]) -> dict[str, Any]:
    return {name: board.get(name) for name in ("model", "engine", "started")}


def _compared(name: str, old: dict[str, Any] | None, new: dict[str, Any] | None) -> dict[str, Any]:
    if old is None or new is None:
        change = "new" if old is None else "gone"
    else:
        was, now = _rank(old), _rank(new)
        change = "same" if was == now else "better" if now > was else "worse"
    return {
        "name": name,
        "change": change,
        "before": None if old is None else old["got"],
        "after": None if new is None else new["got"],
        "calls": [old and old["calls"], new and new["calls"]],
        "tokens": [old and old["tokens"], new and new["tokens"]],
    }


def _rank(case: dict[str, Any]) -> tuple[bool, bool, bool]:
    return bool(case["asExpected"]), bool(case["honest"]), bool(case["green"])
