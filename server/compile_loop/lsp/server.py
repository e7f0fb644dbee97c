"""The server: its state, and which function answers which message.

Functions that are rarely needed live in rooms of their own that are imported at their first use, so that starting stays as
quick as pygls itself.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import FeatureRequestError
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from compile_loop.lsp.background import Background
from compile_loop.lsp.documents import SafeWorkspace
from compile_loop.lsp.rpc import LoopProtocol, answer, load, parse, rpc
from compile_loop.version import VERSION

if TYPE_CHECKING:
    from compile_loop.lsp.publish import Publisher
    from compile_loop.lsp.results import Results
    from compile_loop.lsp.runs import Runs

log = logging.getLogger(__name__)
ROOM = "compile_loop.lsp"
REQUESTS = {
    "run": f"{ROOM}.requests:run",
    "accept": f"{ROOM}.accept:accept",
    "discard": f"{ROOM}.accept:discard",
}
COMMANDS = {
    "compileLoop.server.startRun": f"{ROOM}.commands:start_run",
    "compileLoop.server.stop": f"{ROOM}.commands:stop",
}
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
        self._parts: tuple[Runs, Results, Publisher] | None = None
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
    def runs(self) -> Runs:
        """Runs under way."""
        return self._made()[0]

    @property
    def results(self) -> Results:
        """Results of finished runs."""
        return self._made()[1]

    @property
    def publisher(self) -> Publisher:
        """The collection of diagnostics."""
        return self._made()[2]

    @property
    def used(self) -> bool:
        """Whether any run was ever asked for."""
        return self._parts is not None

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

    def _made(self) -> tuple[Runs, Results, Publisher]:
        """The parts that only runs need."""
        if self._parts is None:
            from compile_loop.lsp.publish import Publisher
            from compile_loop.lsp.results import Results
            from compile_loop.lsp.runs import Runs

            self._parts = (Runs(partial(_tell_status, self)), Results(), Publisher(self))
        return self._parts


def _tell_status(ls: LoopServer, running: list[str]) -> None:
    if ls.client_handles_commands:  # the one client that knows our messages
        ls.protocol.notify("compileLoop/status", {"running": running})


def create_server() -> LoopServer:
    """A server with every feature registered. Call it inside the event loop that serves."""
    server = LoopServer()
    for name, target in REQUESTS.items():
        rpc(server, name, target)
    server.feature("compileLoop/trust")(_trust)
    server.feature(types.INITIALIZE)(_initialize)
    server.feature(types.INITIALIZED)(_initialized)
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(_did_open)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(_did_close)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(_did_change_configuration)
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(_did_change_watched_files)
    kinds = types.CodeActionOptions(code_action_kinds=["quickfix.compileLoop"])
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)(_code_action)
    server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)(_text_document_content)
    return server


def _initialize(ls: LoopServer, params: types.InitializeParams) -> None:
    """Replace the workspace by one with our text model, and read the options."""
    old = ls.protocol.workspace
    folders = list(old.folders.values())
    ls.protocol._workspace = SafeWorkspace(
        old.root_uri, types.TextDocumentSyncKind.Incremental, folders, old.position_encoding
    )
    options = params.initialization_options
    if isinstance(options, dict):
        ls.trusted = options.get("trusted") is not False
        ls.client_handles_commands = options.get("clientHandlesCommands") is True
        ls.pushed_settings = options.get("settings")
    gc.freeze()
    gc.enable()
    if not ls.client_handles_commands:
        for name, target in COMMANDS.items():
            _command(ls, name, target)
    ls.greeted.set()


def _command(ls: LoopServer, name: str, target: str) -> None:
    """Register a server command; it takes one object, which is validated by our own models."""

    async def handler(ls: LoopServer, *arguments: Any) -> Any:
        return await answer(ls, target, arguments[0] if arguments else None)

    ls.command(name)(handler)


def _initialized(ls: LoopServer, _: types.InitializedParams) -> None:
    """Register what can only be registered now, and import the engine while nothing waits for it."""
    workspace = ls.client_capabilities.workspace
    registrations: list[types.Registration] = []

    def register(method: str, options: Any) -> None:
        registrations.append(types.Registration(f"compile-loop:{method}", method, options))

    content = workspace.text_document_content if workspace else None
    if content and content.dynamic_registration:
        register(
            types.WORKSPACE_TEXT_DOCUMENT_CONTENT,
            types.TextDocumentContentRegistrationOptions(schemes=["compile-loop"]),
        )
    watched = workspace.did_change_watched_files if workspace else None
    if watched and watched.dynamic_registration:
        deleted = types.FileSystemWatcher("**/*", kind=types.WatchKind.Delete)
        register(
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES, types.DidChangeWatchedFilesRegistrationOptions(watchers=[deleted])
        )
    configuration = workspace.did_change_configuration if workspace else None
    if configuration and configuration.dynamic_registration:
        register(
            types.WORKSPACE_DID_CHANGE_CONFIGURATION,
            types.DidChangeConfigurationRegistrationOptions(section="compileLoop"),
        )
    if registrations:
        ls.keep(_quietly(ls.client_register_capability_async(types.RegistrationParams(registrations))))
    ls.keep(_quietly(load(f"{ROOM}.requests:warm_up")))


async def _quietly(work: Any) -> None:
    try:
        await work
    except Exception as error:
        log.warning("%s", error or type(error).__name__)


def _trust(ls: LoopServer, params: Any) -> None:
    """`compileLoop/trust`."""
    from compile_loop.lsp.protocol import TrustParams

    ls.trusted = parse(TrustParams, params).trusted


def _did_open(ls: LoopServer, params: types.DidOpenTextDocumentParams) -> None:
    """pygls keeps the text; registering says that we want to hear of documents."""


def _did_close(ls: LoopServer, params: types.DidCloseTextDocumentParams) -> None:
    if ls.used:
        ls.publisher.clear_file(params.text_document.uri)


def _did_change_configuration(ls: LoopServer, params: types.DidChangeConfigurationParams) -> None:
    """Settings are asked for at each run; they are kept only for clients that cannot be asked."""
    settings = params.settings
    if isinstance(settings, dict):
        ls.pushed_settings = settings.get("compileLoop", ls.pushed_settings)


def _did_change_watched_files(ls: LoopServer, params: types.DidChangeWatchedFilesParams) -> None:
    for change in params.changes:
        if ls.used and change.type == types.FileChangeType.Deleted:
            ls.publisher.clear_file(change.uri)


async def _code_action(ls: LoopServer, params: types.CodeActionParams) -> Any:
    return (await load(f"{ROOM}.actions:code_actions"))(ls, params)


async def _text_document_content(ls: LoopServer, params: types.TextDocumentContentParams) -> Any:
    return (await load(f"{ROOM}.content:text_document_content"))(ls, params)
