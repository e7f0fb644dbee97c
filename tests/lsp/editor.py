"""An editor for tests: pytest-lsp's client on a real server process, with documents of its own.

Its text model shares no code with the server's, so that the two can be compared.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lsprotocol import types
from pygls.protocol import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage, default_converter
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import register_lsp_features
from tests.lsp.text_model import edited, offset_of, position_of, spans_of

SERVER = (sys.executable, "-m", "compile_loop.lsp")


def capabilities(spec: str = "", encoding: str = "utf-16", **changes: Any) -> types.ClientCapabilities:
    """A modern client's capabilities, or those of an editor that pytest-lsp knows (`neovim`, `emacs`)."""
    if spec:
        return client_capabilities(spec)
    operations = [types.ResourceOperationKind.Create, types.ResourceOperationKind.Delete]
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=[encoding]),
        window=types.WindowClientCapabilities(work_done_progress=changes.get("progress", True)),
        text_document=types.TextDocumentClientCapabilities(
            code_action=types.CodeActionClientCapabilities(
                code_action_literal_support=types.ClientCodeActionLiteralOptions(
                    types.ClientCodeActionKindOptions(["quickfix"])
                )
            )
        ),
        workspace=types.WorkspaceClientCapabilities(
            apply_edit=True,
            configuration=changes.get("configuration", True),
            workspace_edit=types.WorkspaceEditClientCapabilities(
                document_changes=changes.get("versions", True),
                resource_operations=operations if changes.get("operations", True) else None,
                change_annotation_support=(
                    types.ChangeAnnotationsSupportOptions() if changes.get("annotations", True) else None
                ),
            ),
            text_document_content=types.TextDocumentContentClientCapabilities(dynamic_registration=True),
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
        ),
    )


def path_of(uri: str) -> Path:
    """The file of a `file:` URI."""
    return Path(unquote(uri.removeprefix("file://")))


@dataclass
class Document:
    """An open document as the editor has it."""

    uri: str
    text: str
    version: int = 1


class Editor:
    """One editor with one server. Everything the server said is kept in `log`, in its order."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.encoding = "utf-16"
        self.documents: dict[str, Document] = {}
        self.log: list[tuple[str, Any]] = []
        self.edits: list[types.WorkspaceEdit] = []
        self.settings: Any = {}
        self.answer: str | None = None
        """The button that is pressed on questions."""
        self.before_apply: Callable[[], None] | None = None
        self.after_apply: Callable[[], None] | None = None
        self.refuse_edits: str | None = None
        self.ticked: Callable[[str, Any], bool] = lambda _uri, _edit: True
        """Which text edits are taken over, by the document's URI, as in a preview that the editor shows."""
        self.opens_closed_files = True
        """As VS Code does; else closed files are edited on disk."""

    # -- life ---------------------------------------------------------------------------------------------------------

    @classmethod
    async def start(
        cls,
        *folders: Path,
        settings: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
        caps: types.ClientCapabilities | None = None,
        command: tuple[str, ...] = SERVER,
        env: Mapping[str, str] | None = None,
    ) -> Editor:
        client = LanguageClient(converter_factory=_raw_converter)
        register_lsp_features(client)
        editor = cls(client)
        editor.settings = dict(settings or {})
        editor._listen()
        await client.start_io(*command, env={**os.environ, **(env or {})})
        caps = caps or capabilities()
        result = await client.initialize_session(
            types.InitializeParams(
                caps,
                root_uri=folders[0].as_uri() if folders else None,
                workspace_folders=[types.WorkspaceFolder(folder.as_uri(), folder.name) for folder in folders],
                initialization_options=dict(options or {}),
            )
        )
        editor.initialized = result
        editor.encoding = str(result.capabilities.position_encoding or "utf-16")
        return editor

    initialized: types.InitializeResult

    @property
    def process(self) -> asyncio.subprocess.Process:
        assert self.client._server is not None
        return self.client._server

    async def close(self) -> None:
        if self.process.returncode is None:
            await asyncio.wait_for(self.client.shutdown_session(), 20)
        await self.client.stop()

    def _listen(self) -> None:
        client = self.client

        def note(method: str) -> None:
            previous = client.protocol.fm.features.get(method)

            def handler(params: Any) -> None:
                self.log.append((method, params))
                if previous is not None:
                    previous(params)

            client.protocol.fm.features[method] = handler

        for method in (
            types.PROGRESS,
            types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS,
            types.WINDOW_LOG_MESSAGE,
            types.WINDOW_SHOW_MESSAGE,
            "compileLoop/runEvent",
            "compileLoop/status",
        ):
            note(method)
        client.protocol.fm.features["test/ignored"] = lambda _: None
        client.protocol.fm.features[types.WORKSPACE_CONFIGURATION] = self._configuration
        client.protocol.fm.features[types.WORKSPACE_APPLY_EDIT] = self._apply_edit
        client.protocol.fm.features[types.WINDOW_SHOW_MESSAGE_REQUEST] = self._ask
        client.protocol.fm.features[types.CLIENT_REGISTER_CAPABILITY] = self._register

    # -- what the test does -------------------------------------------------------------------------------------------

    async def request(self, method: str, params: Any = None, msg_id: str | None = None) -> Any:
        """A request; custom results come back as plain JSON."""
        return await asyncio.wait_for(self.client.protocol.send_request_async(method, params, msg_id), 60)

    async def raw(self, method: str, params: Any) -> dict[str, Any]:
        """The reply to a request whose parameters no type would let through, as JSON."""
        protocol, msg_id = self.client.protocol, f"raw-{len(self.log)}"
        answered: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        usual = protocol.structure_message

        def watch(data: dict[str, Any]) -> Any:
            if data.get("id") == msg_id and "method" not in data:
                answered.set_result(data)
                return usual({"jsonrpc": "2.0", "method": "test/ignored", "params": None})
            return usual(data)

        protocol.structure_message = watch  # type: ignore[method-assign]
        try:
            protocol._send_data({"jsonrpc": "2.0", "id": msg_id, "method": method, "params": params})
            return await asyncio.wait_for(answered, 60)
        finally:
            protocol.structure_message = usual  # type: ignore[method-assign]

    async def run(self, *paths: Path, token: str | None = None, **params: Any) -> Any:
        return await asyncio.wait_for(self.send_run(None, *paths, token=token, **params), 60)

    def send_run(
        self, msg_id: str | None, *paths: Path, token: str | None = None, **params: Any
    ) -> asyncio.Future[Any]:
        """Send the request now; its answer is awaited later."""
        params["uris"] = [path.as_uri() for path in paths]
        if token is not None:
            self.client.progress_reports[token] = []
            params["workDoneToken"] = token
        return asyncio.wrap_future(self.client.protocol.send_request("compileLoop/run", params, msg_id=msg_id))

    async def accept(self, run_id: str, uris: list[str] | None = None) -> Any:
        return await self.request("compileLoop/accept", {"runId": run_id, "uris": uris})

    async def command(self, name: str, argument: Any = None) -> Any:
        arguments = None if argument is None else [argument]
        return await self.request(
            types.WORKSPACE_EXECUTE_COMMAND, types.ExecuteCommandParams(name, arguments=arguments)
        )

    def cancel(self, msg_id: str) -> None:
        self.client.cancel_request(types.CancelParams(msg_id))

    def open(self, path: Path, text: str | None = None) -> Document:
        document = Document(path.as_uri(), path.read_bytes().decode() if text is None else text)
        self.documents[document.uri] = document
        item = types.TextDocumentItem(document.uri, "c", document.version, document.text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return document

    def close_document(self, document: Document) -> None:
        del self.documents[document.uri]
        identifier = types.TextDocumentIdentifier(document.uri)
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(identifier))

    def save(self, document: Document) -> None:
        """Write a document to the disk and say so."""
        path_of(document.uri).write_text(document.text)
        identifier = types.TextDocumentIdentifier(document.uri)
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(identifier))

    def type(self, document: Document, where: types.Range, new: str) -> None:
        """An incremental change, in the negotiated units."""
        start = offset_of(document.text, where.start, self.encoding)
        end = offset_of(document.text, where.end, self.encoding)
        document.text = document.text[:start] + new + document.text[end:]
        document.version += 1
        change = types.TextDocumentContentChangePartial(text=new, range=where)
        identifier = types.VersionedTextDocumentIdentifier(version=document.version, uri=document.uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))

    def replace(self, document: Document, old: str, new: str) -> None:
        """Type over the first occurrence of `old`."""
        at = document.text.index(old)
        self.type(document, self._range(document.text, at, at + len(old)), new)

    async def until(self, what: Callable[[], Any], seconds: float = 30.0) -> Any:
        """Wait for a condition."""
        end = time.monotonic() + seconds
        while not (found := what()):
            assert time.monotonic() < end, f"not in {seconds} s; the server said {self.log[-10:]}"
            await asyncio.sleep(0.01)
        return found

    # -- what the server said -----------------------------------------------------------------------------------------

    def said(self, method: str) -> list[Any]:
        return [params for name, params in self.log if name == method]

    def events(self, kind: str | None = None) -> list[Any]:
        return [e for e in self.said("compileLoop/runEvent") if kind in (None, e["kind"])]

    def messages(self) -> list[str]:
        return [params.message for params in self.said(types.WINDOW_SHOW_MESSAGE)]

    def logged(self) -> list[str]:
        return [params.message for params in self.said(types.WINDOW_LOG_MESSAGE)]

    def progress(self) -> dict[str | int, list[Any]]:
        found: dict[str | int, list[Any]] = {}
        for params in self.said(types.PROGRESS):
            found.setdefault(params.token, []).append(params.value)
        return found

    def diagnostics(self, path: Path) -> list[types.Diagnostic]:
        return list(self.client.diagnostics.get(path.as_uri(), ()))

    # -- what the server asks -----------------------------------------------------------------------------------------

    def _configuration(self, params: types.ConfigurationParams) -> list[Any]:
        self.log.append((types.WORKSPACE_CONFIGURATION, params))
        return [self.settings if item.section == "compileLoop" else None for item in params.items]

    def _register(self, params: types.RegistrationParams) -> None:
        self.log.append((types.CLIENT_REGISTER_CAPABILITY, params))

    def _ask(self, params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
        self.log.append((types.WINDOW_SHOW_MESSAGE_REQUEST, params))
        return types.MessageActionItem(self.answer) if self.answer else None

    def _apply_edit(self, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        self.edits.append(params.edit)
        if self.before_apply:
            self.before_apply()
        if self.refuse_edits is not None:
            return types.ApplyWorkspaceEditResult(False, self.refuse_edits or None)
        operations: list[Any] = list(params.edit.document_changes or [])
        for uri, edits in (params.edit.changes or {}).items():
            operations.append(types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, None), edits))
        for operation in operations:
            if isinstance(operation, types.TextDocumentEdit):
                open_ = self.documents.get(operation.text_document.uri)
                version = operation.text_document.version
                if version is not None and (open_ is None or open_.version != version):
                    return types.ApplyWorkspaceEditResult(applied=False)
        for operation in operations:
            self._do(operation)
        if self.after_apply:
            self.after_apply()
        return types.ApplyWorkspaceEditResult(applied=True)

    def _do(self, operation: Any) -> None:
        path = path_of(operation.uri) if not isinstance(operation, types.TextDocumentEdit) else Path()
        if isinstance(operation, types.CreateFile):
            assert not path.exists()
            path.write_bytes(b"")
        elif isinstance(operation, types.DeleteFile):
            path.unlink()
        else:
            uri = operation.text_document.uri
            self._edit(uri, [edit for edit in operation.edits if self.ticked(uri, edit)])

    def _edit(self, uri: str, edits: Any) -> None:
        document = self.documents.get(uri)
        path = path_of(uri)
        text = document.text if document else path.read_bytes().decode()
        if document is None and not self.opens_closed_files:
            path.write_bytes(edited(text, edits, self.encoding).encode())
            return
        document = document or self.open(path)
        for start, end, new in reversed(spans_of(text, edits, self.encoding)):
            self.type(document, self._range(document.text, start, end), new)

    def _range(self, text: str, start: int, end: int) -> types.Range:
        return types.Range(position_of(text, start, self.encoding), position_of(text, end, self.encoding))


def balanced(editor: Editor) -> None:
    """Every token has one begin, and its last word is its one end."""
    for token, values in editor.progress().items():
        kinds = [value["kind"] for value in values]
        assert kinds.count("begin") == kinds.count("end") == 1 and kinds[-1] == "end", (token, kinds)


def _raw_converter() -> Any:
    """Custom results and notifications stay JSON."""
    converter = default_converter()
    converter.register_structure_hook(JsonRPCResponseMessage, lambda data, cls: cls(**data))
    converter.register_structure_hook(JsonRPCNotification, lambda data, cls: cls(**data))
    converter.register_structure_hook(JsonRPCRequestMessage, lambda data, cls: cls(**data))
    return converter
