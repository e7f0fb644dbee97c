"""One run that a call started. It goes on while a question of its model travels to the client and back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from compile_loop.agent_tool.asked import BadInputError
from compile_loop.assemble import Job
from compile_loop.contracts import events as e
from compile_loop.contracts.outcome import Outcome
from compile_loop.contracts.protocols import AskUser
from compile_loop.engine.handle import Run
from compile_loop.narrator import Narrator


@dataclass(frozen=True, slots=True)
class Line:
    """What the run does now."""

    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """What the model wants to know; `answer` is to be set, and is cancelled once nobody waits any more."""

    text: str
    choices: tuple[str, ...]
    answer: asyncio.Future[str]


@dataclass(frozen=True, slots=True)
class Ended:
    """How the run ended, and how many hidden checks were run."""

    outcome: Outcome
    holdouts: int


News = Line | Question | Ended


class UnderWay:
    """A run and what it has to tell. `root` and `apply` are the call's."""

    def __init__(self, root: Path, targets: Sequence[Path], apply: bool) -> None:
        self.root = root.resolve()
        self.apply = apply
        self.news: asyncio.Queue[News] = asyncio.Queue()
        self.open_question: Question | None = None
        self.job: Job | None = None
        self.cancelled = False
        self._held = {path.resolve() for path in targets} or {self.root}
        self._run: Run | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def run_id(self) -> str:
        """The run's name; empty before it starts."""
        return self._run.run_id if self._run else ""

    def start(self, job: Job, run: Run) -> None:
        """Begin, as a task of its own."""
        self.job = job
        self._run = run
        self._task = asyncio.create_task(self._go(run))

    @property
    def over(self) -> bool:
        """Whether its last process is gone."""
        return self._task is not None and self._task.done()

    def cancel(self) -> None:
        """Stop it in whatever state it is; returns at once, and it holds no file any more."""
        self.cancelled = True
        if self._run is not None:
            self._run.cancel()

    async def gone(self) -> None:
        """Wait until its last process is gone."""
        if self._task is not None:
            await asyncio.wait({self._task})

    def refuse_beside(self, other: UnderWay) -> None:
        """Raise `BadInputError` where `other` may write one of this run's files (SPEC L18)."""
        for mine in self._held:
            for theirs in other._held:
                if mine.is_relative_to(theirs) or theirs.is_relative_to(mine):
                    name = max(mine, theirs, key=lambda path: len(path.parts)).name
                    raise BadInputError(
                        f"{name} is being fixed by run {other.run_id} already. Wait for it, or cancel it."
                    )

    async def _go(self, run: Run) -> None:
        narrator, last, hidden = Narrator(), "", set[str]()
        async for event in run:
            narrator.hear(event)
            if isinstance(event, e.TargetsChosen):
                self._held |= {(self.root / name).resolve() for name in event.originals}
            elif isinstance(event, e.HoldoutFinished):
                hidden.add(event.name)
            elif isinstance(event, e.RunFinished):
                self.news.put_nowait(Ended(event.outcome, len(hidden)))
            if narrator.line != last:
                last = narrator.line
                self.news.put_nowait(Line(last))


class Asker(AskUser):
    """Hands the model's questions to whoever follows the run."""

    def __init__(self, active: UnderWay) -> None:
        self._active = active

    async def ask(self, question: str, choices: Sequence[str]) -> str:
        """Wait for the answer; being cancelled takes the question away."""
        asked = Question(question, tuple(choices), asyncio.get_running_loop().create_future())
        self._active.open_question = asked
        self._active.news.put_nowait(asked)
        try:
            return await asked.answer
        finally:
            self._active.open_question = None
