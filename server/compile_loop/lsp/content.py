"""Read-only documents of ours (LSP 3.18): both sides of a result, `compile-loop:/PATH?RUN/before`, and recorded rounds."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lsprotocol import types

from compile_loop.lsp.host import LoopServer
from compile_loop.lsp.protocol import CONTENT_SCHEME
from compile_loop.lsp.results import text_of
from compile_loop.lsp.rpc import Refused


async def text_document_content(
    ls: LoopServer, params: types.TextDocumentContentParams
) -> types.TextDocumentContentResult:
    """One document's text; empty for a side on which the file does not exist. Raises `Refused` where it is gone."""
    uri = urlsplit(params.uri)
    path = unquote(uri.path).lstrip("/")
    match uri.scheme, *unquote(uri.query).split("/"):
        case scheme, "record", run, number, side if scheme == CONTENT_SCHEME and number.lstrip("-").isdecimal():
            return types.TextDocumentContentResult(await _recorded(run, int(number), side, path))
        case scheme, run_id, "before" | "after" | "now" as side if scheme == CONTENT_SCHEME:
            return types.TextDocumentContentResult(_side(ls, run_id, side, path))
    raise Refused(f"{params.uri} is no document of Compile Loop.")


def _side(ls: LoopServer, run_id: str, side: str, path: str) -> str:
    result = ls.results.get(run_id)
    change = next((c for c in result.edit.files if c.path == path), None) if result else None
    if result is None or change is None:
        raise Refused("This result is not there any more. Run again.")
    if side == "now":
        return _present(ls, result.path(change), change.encoding)
    return text_of(change.before if side == "before" else change.after, change.encoding)


def _present(ls: LoopServer, path: Path, encoding: str) -> str:
    document = ls.documents.open_document(path)
    if document is not None:
        return str(document.source)
    try:
        return text_of(path.read_bytes(), encoding)
    except OSError:
        return ""  # it was deleted meanwhile


async def _recorded(run: str, number: int, side: str, path: str) -> str:
    from compile_loop.lsp.view.documents import text_of_record

    return await asyncio.to_thread(text_of_record, run, number, side, path)
