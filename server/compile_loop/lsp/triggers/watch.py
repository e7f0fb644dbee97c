"""Hears what happens in the editor, and begins runs or offers them (SPEC V3)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from compile_loop.lsp import config
from compile_loop.lsp.places import file_of, label_of, locate
from compile_loop.lsp.protocol import DiagnosticRef, Facts, FileProblems, ProblemsParams, RunParams, TaskEnded
from compile_loop.lsp.rpc import Refused, load
from compile_loop.lsp.triggers.errors import StayingErrors
from compile_loop.lsp.triggers.memory import TriggerMemory
from compile_loop.lsp.triggers.policy import Action, Policy
from compile_loop.lsp.triggers.tasks import task_params

if TYPE_CHECKING:
    from compile_loop.lsp.client import Client
    from compile_loop.lsp.publish import Publisher
    from compile_loop.lsp.runs import ActiveRun, Runs
    from compile_loop.lsp.ui import Ui
    from compile_loop.settings import Settings

FIX, LATER, ALLOW = "Fix", "Not Now", "Allow"
SLACK = 0.05


@dataclass(frozen=True, slots=True)
class Cause:
    """Something that may begin a run: what it is called, its files or task by key, and the run."""

    words: str
    keys: tuple[str, ...]
    root: Path
    params: RunParams
    never: str
    task: str | None = None


class Watch:
    """One window's triggers. Nothing that the product itself changed sets one off."""

    def __init__(self, ls: Client, ui: Ui, runs: Runs, publisher: Publisher, state: Path) -> None:
        self._ls = ls
        self._ui = ui
        self._runs = runs
        self._publisher = publisher
        self._errors = StayingErrors(time.monotonic)
        self._policy = Policy(TriggerMemory(state / "triggers.json"), time.monotonic, date.today)
        self._facts = Facts()
        self._own: dict[str, str] = {}
        self._asking: set[Path] = set()
        self._offers: list[Cause] = []
        """Offers that nobody has answered yet."""
        self._due: asyncio.TimerHandle | None = None
        self.failed_task: TaskEnded | None = None
        """The newest, for the command that fixes it."""

    def problems(self, told: ProblemsParams) -> None:
        """Other extensions' errors changed."""
        self._facts = told.facts
        for file in told.files:
            self._errors.update(file.uri, self._foreign(file))
        self._withdraw(lambda cause: not any(map(self._errors.failing, cause.keys)) and cause.task is None)
        self._schedule()

    def saved(self, uri: str) -> None:
        """A document was saved. In editors that tell of no errors, that alone is a reason to look."""
        self._errors.saved(uri)
        if self._ui.rich:
            self._schedule()
        else:
            self._ls.keep(self._files([uri], only_auto=True))

    def task_ended(self, told: TaskEnded) -> None:
        """A task of the editor ended."""
        if not told.exit_code:
            self._withdraw(lambda cause: cause.task == told.task.name)
            return
        self.failed_task = told
        if told.task.group == "build":
            self._ls.keep(self._task(told))

    def run_began(self) -> None:
        """A run may be under way: what was offered for its files is being done, or was not wanted."""
        self._withdraw(lambda cause: any(self._is_done_by(run, cause) for run in self._runs.active))

    @staticmethod
    def _is_done_by(run: ActiveRun, cause: Cause) -> bool:
        if cause.task is not None:
            return run.place.root == cause.root
        return run.holds(file_of(key).resolve() for key in cause.keys) is not None

    def _withdraw(self, gone: Callable[[Cause], bool]) -> None:
        """Put away offers that no longer hold: no message can be taken back, but it need not stay in front."""
        if stale := [cause for cause in self._offers if gone(cause)]:
            self._offers = [cause for cause in self._offers if cause not in stale]
            self._ls.keep(self._ui.execute("notifications.hideToasts"))

    def own_edit(self, uri: str, text: str) -> None:
        """We changed a document to this text: as long as it is so, nothing about it sets a run off."""
        self._own[uri] = text

    def _foreign(self, file: FileProblems) -> list[DiagnosticRef]:
        shown = self._publisher.shown(file.uri)
        return [item for item in file.items if (item.line, item.message) not in shown]

    def _schedule(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None
        wait = self._errors.wait()
        if wait is not None:
            self._due = asyncio.get_running_loop().call_later(wait + SLACK, self._look)

    def _look(self) -> None:
        self._due = None
        uris = self._errors.take()
        if uris:
            self._ls.keep(self._files(uris))
        self._schedule()

    async def _files(self, uris: Sequence[str], *, only_auto: bool = False) -> None:
        """One reaction for all files of a folder, however many fail at once."""
        by_root: dict[Path, list[str]] = {}
        for uri in uris:
            try:
                by_root.setdefault(locate(self._ls.documents, [uri], "files").root, []).append(uri)
            except Refused:
                continue
        for root, files in by_root.items():
            settings = await config.pull(self._ls, root)
            if settings.trigger == "off" or (only_auto and settings.trigger != "auto"):
                continue
            wanted = self._policy.wanted(self._untouched(files), settings.trigger_cooldown_seconds)
            if not wanted:
                continue
            names = [label_of(self._ls.documents, file_of(uri)) for uri in wanted]
            several = len(wanted) > 1
            words = f"{len(wanted)} files do not compile" if several else f"{names[0]} does not compile"
            never = "Never for These Files" if several else "Never for This File"
            params = RunParams(uris=wanted, encodings=self._facts.encodings)
            await self._react(Cause(words, tuple(wanted), root, params, never), settings)

    async def _task(self, told: TaskEnded) -> None:
        try:
            params = task_params(self._ls.documents, told)
            root = locate(self._ls.documents, params.uris, params.scope).root
        except Refused:
            return  # the command says why, when it is asked
        settings = await config.pull(self._ls, root)
        key = f"task {root} {told.task.name}"
        if settings.trigger != "off" and self._policy.wanted([key], settings.trigger_cooldown_seconds):
            words = f"The task “{told.task.name}” failed"
            await self._react(Cause(words, (key,), root, params, "Never for This Task", told.task.name), settings)

    async def _react(self, cause: Cause, settings: Settings) -> None:
        if not self._ls.trusted or self._busy(cause.root) or cause.root in self._asking:
            return
        self._policy.acted(cause.keys)
        action = self._policy.decide(cause.root, settings.trigger, settings.auto_runs_per_day)
        if action is Action.CONSENT:
            action = Action.RUN if await self._consents(cause.root, settings) else Action.OFFER
        if action is Action.RUN:
            self._policy.began()
            await self._fix(cause)
        elif action is Action.OFFER:
            self._offers.append(cause)
            try:
                choice = await self._ui.message("info", f"{cause.words}. Fix it?", FIX, LATER, cause.never)
            finally:
                self._offers = [other for other in self._offers if other is not cause]
            if choice == FIX:
                await self._fix(cause)
            elif choice == cause.never:
                self._policy.memory.refuse(cause.keys)

    async def _consents(self, root: Path, settings: Settings) -> bool:
        model = settings.model.strip() or "no model, only the compiler's own suggestions"
        question = (
            f"May Compile Loop start runs by itself in {root.name}? At most {settings.auto_runs_per_day} a day, "
            f"with {model}. A result is shown or applied as compileLoop.apply says."
        )
        self._asking.add(root)
        try:
            choice = await self._ui.message("info", question, ALLOW, LATER)
        finally:
            self._asking.discard(root)
        if choice != ALLOW:
            self._policy.decline(root)
            return False
        self._policy.memory.consent(root)
        return True

    async def _fix(self, cause: Cause) -> None:
        await (await load("compile_loop.lsp.launch:fix_unasked"))(self._ls, cause.params)

    def _untouched(self, uris: Iterable[str]) -> list[str]:
        """Those that are not just as we left them."""
        found = []
        for uri in uris:
            document = self._ls.documents.open_document(file_of(uri))
            if document is None or self._own.get(document.uri) != document.source:
                found.append(uri)
        return found

    def _busy(self, root: Path) -> bool:
        return any(run.place.root == root for run in self._runs.active)
