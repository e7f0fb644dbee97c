"""A run's edit as one `WorkspaceEdit` for the client."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsprotocol import types
from pygls.workspace import PositionCodec

from compile_loop.contracts.edits import FileChange, Hunk
from compile_loop.edits.text import SourceText, decode
from compile_loop.lsp.documents import LineIndex
from compile_loop.lsp.snapshot import MARK

ANNOTATION = "compileLoop"
Operation = types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile


@dataclass(frozen=True, slots=True)
class Abilities:
    """What of a workspace edit the client understands."""

    versions: bool
    annotations: bool
    creates: bool
    deletes: bool

    @staticmethod
    def of(capabilities: types.ClientCapabilities) -> Abilities:
        """Read them from the client's capabilities."""
        workspace = capabilities.workspace
        edit = workspace.workspace_edit if workspace else None
        if edit is None:
            return Abilities(versions=False, annotations=False, creates=False, deletes=False)
        operations = edit.resource_operations or []
        versions = bool(edit.document_changes)
        return Abilities(
            versions,
            versions and edit.change_annotation_support is not None,
            versions and types.ResourceOperationKind.Create in operations,
            versions and types.ResourceOperationKind.Delete in operations,
        )


@dataclass(frozen=True, slots=True)
class FileEdit:
    """One file's change, and how the client has the file: `version` and `text` are None where it is not open."""

    change: FileChange
    uri: str
    version: int | None
    text: str | None


def workspace_edit(
    files: Sequence[FileEdit], abilities: Abilities, codec: PositionCodec, label: str, *, confirm: bool = False
) -> types.WorkspaceEdit:
    """One edit over all files, each hunk a text edit, in the client's positions. `confirm`: the editor asks first.

    Raises `UndecodableError` for a file whose bytes are no text.
    """
    if not abilities.versions:
        return types.WorkspaceEdit(changes={file.uri: list(text_edits(file, codec)) for file in files})
    annotation = ANNOTATION if abilities.annotations else None
    operations: list[Operation] = []
    for file in files:
        operations += _operations(file, codec, annotation)
    annotations = {ANNOTATION: types.ChangeAnnotation(label, needs_confirmation=confirm)} if annotation else None
    return types.WorkspaceEdit(document_changes=operations, change_annotations=annotations)


def text_edits(file: FileEdit, codec: PositionCodec) -> list[types.TextEdit]:
    """The hunks as text edits: all positions count in the text before any of them, as the protocol wants it."""
    before = decode(file.change.before or b"", file.change.encoding)
    # Some clients keep the byte order mark as the first character of the text.
    mark = MARK if file.text is not None and file.text.startswith(MARK) else ""
    index = LineIndex(mark + before.text, codec)
    edits: list[types.TextEdit] = []
    at_byte, at_char = len(before.bom), len(mark)
    raw = file.change.before or b""
    for hunk in file.change.hunks:
        start = at_char + len(raw[at_byte : hunk.start].decode(before.encoding))
        end = start + len(raw[hunk.start : hunk.end].decode(before.encoding))
        at_byte, at_char = hunk.end, end
        where = types.Range(index.position(start), index.position(end))
        edits.append(types.TextEdit(where, _new_text(hunk, before)))
    return edits


def _new_text(hunk: Hunk, before: SourceText) -> str:
    return hunk.new.decode(before.encoding)


def _operations(file: FileEdit, codec: PositionCodec, annotation: str | None) -> list[Operation]:
    change = file.change
    if change.after is None:
        return [types.DeleteFile(file.uri, annotation_id=annotation)]
    operations: list[Operation] = []
    if change.before is None:
        options = types.CreateFileOptions(overwrite=False, ignore_if_exists=False)
        operations.append(types.CreateFile(file.uri, options=options, annotation_id=annotation))
    edits = [
        types.AnnotatedTextEdit(annotation, edit.range, edit.new_text) if annotation else edit
        for edit in text_edits(file, codec)
    ]
    if edits:
        document = types.OptionalVersionedTextDocumentIdentifier(file.uri, file.version)
        operations.append(types.TextDocumentEdit(document, edits))
    return operations
