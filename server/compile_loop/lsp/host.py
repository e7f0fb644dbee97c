"""The server's state: what is under way, what waits, and the parts that runs need."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pygls.exceptions import FeatureRequestError
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from compile_loop.lsp.background import Background
from compile_loop.lsp.documents import SafeWorkspace
from compile_loop.lsp.rpc import PREFIX, LoopProtocol
from compile_loop.version import VERSION

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


class LoopServer(LanguageServer):
    """One client's server."""

    protocol: LoopProtocol

    def __init__(self) -> None:
        super().__init__("compile-loop", VERSION, protocol_cls=LoopProtocol, converter_factory=default_converter)
        self.greeted = asyncio.Event()
        """Set once `initialize` is read."""
        self.trusted = True
        self.client_handles_commands = False
        self.pushed_settings: Any = None
        """Settings from `didChangeConfiguration`, for clients that cannot be asked."""
        self.background = Background()
        self.applying = asyncio.Lock()
        self.stops: dict[str, Callable[[], None]] = {}
        """What ends each work that the client shows with a Stop of its own, by the id of its progress."""
        self._parts: Parts | None = None
        self._finished = False
        self._kept: set[asyncio.Task[None]] = set()

    def keep(self, work: Coroutine[Any, Any, None]) -> None:
        """Go on with something that nobody waits for."""
        task = asyncio.ensure_future(work)
        self._kept.add(task)
        task.add_done_callback(self._kept.discard)

    @property
    def documents(self) -> SafeWorkspace:
        """Open documents and folders."""
        workspace = self.workspace
        if not isinstance(workspace, SafeWorkspace):
            raise TypeError("the workspace was not replaced on initialize")
        return workspace

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

    def tree_changed(self) -> None:
        """The view of runs is to be read again."""
        if self.client_handles_commands:
            self.protocol.notify(PREFIX + "treeChanged", {})

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what nobody was answered: pygls would pop up a message box for every failed notification."""
        if source is not FeatureRequestError:
            log.error("%s", error or type(error).__name__)

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
    ui = RichUi(ls) if ls.client_handles_commands else Ui(ls)
    return Parts(Runs(status.runs), Results(status.results), Publisher(ls), status, ui, Watch(ls, state))
