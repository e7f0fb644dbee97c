"""The two sides of a result as read-only documents: `compile-loop:/RUN/before/PATH` (LSP 3.18)."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from lsprotocol import types

from compile_loop.lsp.protocol import CONTENT_SCHEME
from compile_loop.lsp.results import text_of
from compile_loop.lsp.rpc import Refused
from compile_loop.lsp.server import LoopServer

PARTS = 3


def text_document_content(ls: LoopServer, params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
    """One side's text; empty where the file does not exist on that side. Raises `Refused` where the result is gone."""
    uri = urlsplit(params.uri)
    parts = unquote(uri.path).lstrip("/").split("/", PARTS - 1)
    if uri.scheme != CONTENT_SCHEME or len(parts) != PARTS or parts[1] not in ("before", "after"):
        raise Refused(f"{params.uri} is no document of Compile Loop.")
    run_id, side, path = parts
    result = ls.results.get(run_id)
    change = next((c for c in result.edit.files if c.path == path), None) if result else None
    if change is None:
        raise Refused("This result is not there any more. Run again.")
    text = text_of(change.before if side == "before" else change.after, change.encoding)
    return types.TextDocumentContentResult(text)
