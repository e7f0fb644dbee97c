"""The connection to one client: what it told of itself, and what goes on with it. It knows nothing of runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from pygls.exceptions import FeatureRequestError
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from compile_loop.lsp.background import Background
from compile_loop.lsp.documents import SafeWorkspace
from compile_loop.lsp.rpc import PREFIX, LoopProtocol
from compile_loop.version import VERSION

log = logging.getLogger(__name__)


class Client(LanguageServer):
    """One client."""

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

    def tree_changed(self) -> None:
        """The view of runs is to be read again."""
        if self.client_handles_commands:
            self.protocol.notify(PREFIX + "treeChanged", {})

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what nobody was answered: pygls would pop up a message box for every failed notification."""
        if source is not FeatureRequestError:
            log.error("%s", error or type(error).__name__)

    async def finish(self) -> None:
        """End what goes on. Safe to call twice."""
