"""Which function answers which message.

Functions that are rarely needed live in rooms of their own that are imported at their first use, so that starting stays as
quick as pygls itself.
"""

from __future__ import annotations

import gc
import logging
from functools import partial
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from compile_loop.lsp.documents import SafeWorkspace
from compile_loop.lsp.host import LoopServer
from compile_loop.lsp.rpc import PREFIX, answer, load, rpc

log = logging.getLogger(__name__)
ROOM = "compile_loop.lsp"
REQUESTS = {
    "run": f"{ROOM}.requests:run",
    "accept": f"{ROOM}.accept:accept",
    "discard": f"{ROOM}.accept:discard",
    "command": f"{ROOM}.palette.dispatch:command",
    "tree": f"{ROOM}.view.tree:tree",
    "tool": f"{ROOM}.tool:tool",
}
NOTICES = ("trust", "stop", "taskEnded", "problems", "modelPiece")
COMMANDS = {
    "compileLoop.server.startRun": f"{ROOM}.commands:start_run",
    "compileLoop.server.stop": f"{ROOM}.commands:stop",
    "compileLoop.server.command": f"{ROOM}.palette.dispatch:command",
}


def create_server() -> LoopServer:
    """A server with every feature registered. Call it inside the event loop that serves."""
    server = LoopServer()
    for name, target in REQUESTS.items():
        rpc(server, name, target)
    for name in NOTICES:
        server.feature(PREFIX + name)(partial(_notice, name=name))
    server.feature(types.INITIALIZE)(_initialize)
    server.feature(types.INITIALIZED)(_initialized)
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(_did_open)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(_did_save)
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


def _notice(ls: LoopServer, params: Any, name: str) -> None:
    """A notification of ours, heard at once: what comes after it may depend on it. One that is wrong is logged."""
    from compile_loop.lsp.notices import hear

    try:
        hear(ls, name, params)
    except JsonRpcException as error:
        log.warning("%s%s: %s", PREFIX, name, error)


def _did_open(ls: LoopServer, params: types.DidOpenTextDocumentParams) -> None:
    """pygls keeps the text; registering says that we want to hear of documents."""


def _did_save(ls: LoopServer, params: types.DidSaveTextDocumentParams) -> None:
    if ls.used or not ls.client_handles_commands:
        ls.watch.saved(params.text_document.uri)


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
    return await (await load(f"{ROOM}.content:text_document_content"))(ls, params)
