"""The server of one client, with the parts that its runs need."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from compile_loop.lsp.client import Client

if TYPE_CHECKING:
    from compile_loop.lsp.publish import Publisher
    from compile_loop.lsp.results import Results
    from compile_loop.lsp.runs import Runs
    from compile_loop.lsp.status import Status
    from compile_loop.lsp.triggers.watch import Watch
    from compile_loop.lsp.ui import Ui

log = logging.getLogger(__name__)
LEAVE = 4.0
"""Seconds that runs get to end their children when the server ends."""


class LoopServer(Client):
    """One client's server."""

    def __init__(self) -> None:
        super().__init__()
        self.replies: dict[str, Callable[[Any], None]] = {}
        """Who hears the pieces of each reply of the editor's models, by its key."""
        self._parts: Parts | None = None
        self._finished = False

    @property
    def parts(self) -> Parts:
        """What only runs need; made at the first use, since it takes imports."""
        if self._parts is None:
            self._parts = _make_parts(self)
        return self._parts

    @property
    def runs(self) -> Runs:
        """Runs under way."""
        return self.parts.runs

    @property
    def results(self) -> Results:
        """Results of finished runs."""
        return self.parts.results

    @property
    def publisher(self) -> Publisher:
        """The collection of diagnostics."""
        return self.parts.publisher

    @property
    def status(self) -> Status:
        """What the status item shows."""
        return self.parts.status

    @property
    def ui(self) -> Ui:
        """The person at the editor."""
        return self.parts.ui

    @property
    def watch(self) -> Watch:
        """What happens in the editor unasked."""
        return self.parts.watch

    @property
    def used(self) -> bool:
        """Whether any run was ever asked for."""
        return self._parts is not None

    async def finish(self) -> None:
        """End every run with its children, and take the diagnostics back. Safe to call twice."""
        if self._finished or self._parts is None:
            return
        self._finished = True
        self.runs.cancel(None)
        self.publisher.clear()
        if not await self.background.drain(LEAVE):
            log.error("A run did not end in time.")


@dataclass
class Parts:
    """What only runs need."""

    runs: Runs
    results: Results
    publisher: Publisher
    status: Status
    ui: Ui
    watch: Watch


def _make_parts(ls: LoopServer) -> Parts:
    import platformdirs

    from compile_loop.lsp.publish import Publisher
    from compile_loop.lsp.results import Results
    from compile_loop.lsp.runs import Runs
    from compile_loop.lsp.status import Status
    from compile_loop.lsp.triggers.watch import Watch
    from compile_loop.lsp.ui import RichUi, Ui

    state = platformdirs.user_state_path("compile-loop", appauthor=False)
    status = Status(ls)

    def changed(running: list[str]) -> None:
        status.runs(running)
        watch.run_began()

    runs = Runs(changed)
    publisher = Publisher(ls, runs)
    ui = RichUi(ls) if ls.client_handles_commands else Ui(ls)
    watch = Watch(ls, ui, runs, publisher, state)
    return Parts(runs, Results(status.results), publisher, status, ui, watch)
