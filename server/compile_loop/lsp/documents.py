"""The text of open documents, line for line as the editor has it.

Only CRLF, LF and CR end a line in the protocol. pygls splits at form feeds and Unicode separators too, and then applies
the next change to the wrong line; so lines, offsets and changes are our own here, while widths in code units are
pygls'.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lsprotocol import types
from pygls.uris import to_fs_path
from pygls.workspace import PositionCodec, TextDocument, Workspace

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LINE_END = re.compile(r"\r\n|\n|\r")


UTF16 = PositionCodec(types.PositionEncodingKind.Utf16)


class LineIndex:
    """Places in a text, as offsets in characters and as the client's positions."""

    def __init__(self, text: str, codec: PositionCodec) -> None:
        self._text = text
        self._codec = codec
        ends = list(LINE_END.finditer(text))
        self._starts = [0, *(end.end() for end in ends)]
        self._stops = [*(end.start() for end in ends), len(text)]

    def offset(self, position: types.Position, codec: PositionCodec | None = None) -> int:
        """The offset of a position, in the client's units or those of `codec`.

        Past the end of a line it is the line's end, past the last line the text's.
        """
        codec = codec or self._codec
        if position.line >= len(self._starts):
            return len(self._text)
        start, stop = self._starts[position.line], self._stops[position.line]
        content = self._text[start:stop]
        if position.character >= codec.client_num_units(content):
            return stop
        place = types.Position(0, position.character)  # pygls changes its argument
        inside: int = codec.position_from_client_units((content,), place).character
        return start + inside

    def line(self, offset: int) -> int:
        """The zero-based line on which an offset lies."""
        return bisect_right(self._starts, offset) - 1

    def position(self, offset: int) -> types.Position:
        """The client's position of an offset; one between CR and LF is that line's end."""
        line = self.line(offset)
        stop = min(offset, self._stops[line])
        return types.Position(line, self._codec.client_num_units(self._text[self._starts[line] : stop]))

    def from_utf16(self, position: types.Position) -> types.Position:
        """The client's position of one that counts in UTF-16 code units."""
        return self.position(self.offset(position, UTF16))


class SafeDocument(TextDocument):
    """An open document."""

    @cached_property
    def real(self) -> Path | None:
        """Where its path led when it was first asked for: a result of many files asks for each of them."""
        path = to_fs_path(self.uri)
        return Path(path).resolve() if path is not None else None

    @property
    def lines(self) -> Sequence[str]:
        """The text's lines with their ends."""
        from compile_loop.edits.text import split_lines

        return split_lines(self.source)

    def _apply_incremental_change(self, change: types.TextDocumentContentChangePartial) -> None:
        text = self.source
        index = LineIndex(text, self.position_codec)
        start, end = index.offset(change.range.start), index.offset(change.range.end)
        self._source = text[:start] + change.text + text[end:]


class SafeWorkspace(Workspace):
    """The client's folders and open documents."""

    def _create_text_document(
        self, doc_uri: str, source: str | None = None, version: int | None = None, language_id: str | None = None
    ) -> TextDocument:
        return SafeDocument(doc_uri, source, version, language_id, True, self._sync_kind, self._position_codec)

    def open_documents(self) -> Iterator[tuple[Path, TextDocument]]:
        """Open documents that are files on disk, with their paths."""
        for document in self.text_documents.values():
            path = to_fs_path(document.uri)
            if path is not None:
                yield Path(path), document

    def open_document(self, path: Path) -> TextDocument | None:
        """The open document of a file: the same whole path, else the same file by a link."""
        same: TextDocument | None = self.text_documents.get(unquote(path.as_uri()))
        if same is not None:
            return same
        real = path.resolve()
        opened: Iterable[SafeDocument] = self.text_documents.values()
        return next((document for document in opened if document.real == real), None)

    def is_open(self, uri: str) -> bool:
        """Whether the client has this document open."""
        return unquote(uri) in self.text_documents

    @property
    def folder_uris(self) -> list[str]:
        """The workspace folders' URIs as the client gave them; the older root where it gave none."""
        uris = [folder.uri for folder in self.folders.values()]
        return uris or ([self.root_uri] if self.root_uri else [])
