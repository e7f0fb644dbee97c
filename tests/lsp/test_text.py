"""The text model and the edits, in every position encoding, against a model of their own (SPEC W3, E8, S1)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.workspace import PositionCodec
from tests.lsp.text_model import edited, offset_of, position_of

from compile_loop.contracts.edits import FileChange
from compile_loop.edits.hunks import file_change
from compile_loop.lsp.documents import LineIndex, SafeDocument, SafeWorkspace
from compile_loop.lsp.edits import Abilities, FileEdit, text_edits, workspace_edit

ENCODINGS = ("utf-8", "utf-16", "utf-32")
ALPHABET = "ab \t\n\r\f\v\x1c\x85\u2028\u2029é\u0301ßЖ漢\ufeff😀👩‍👩‍👧"
TEXTS = st.text(ALPHABET, max_size=40)
encodings = pytest.mark.parametrize("encoding", ENCODINGS)


def codec(encoding: str) -> PositionCodec:
    return PositionCodec(types.PositionEncodingKind(encoding))


def between(text: str, offset: int) -> int:
    """An offset that is no place between CR and LF, where an editor has none."""
    return offset - 1 if 0 < offset < len(text) and text[offset - 1 : offset + 1] == "\r\n" else offset


@pytest.mark.spec("S1")
@encodings
@given(data=st.data(), text=TEXTS)
def test_incremental_changes_keep_both_texts_equal(encoding: str, data: Any, text: str) -> None:
    document = SafeDocument("file:///a.c", text, 1, "c", position_codec=codec(encoding))
    for _ in range(3):
        start, end = sorted(between(text, data.draw(st.integers(0, len(text)))) for _ in range(2))
        new = data.draw(TEXTS)
        where = types.Range(position_of(text, start, encoding), position_of(text, end, encoding))
        document.apply_change(types.TextDocumentContentChangePartial(text=new, range=where))
        text = text[:start] + new + text[end:]
        assert document.source == text


@pytest.mark.spec("S1")
@encodings
@given(text=TEXTS, offset=st.integers(0, 60))
def test_offsets_and_positions_agree_with_the_editor(encoding: str, text: str, offset: int) -> None:
    offset = between(text, min(offset, len(text)))
    index = LineIndex(text, codec(encoding))
    position = index.position(offset)
    assert position == position_of(text, offset, encoding)
    assert index.offset(position) == offset == offset_of(text, position, encoding)


@pytest.mark.spec("S1")
@pytest.mark.parametrize(("line", "character", "offset"), [(0, 99, 3), (1, 99, 7), (1, 3, 7), (2, 0, 8), (9, 0, 8)])
def test_positions_past_an_end_are_that_end(line: int, character: int, offset: int) -> None:
    assert LineIndex("abc\ndef\n", codec("utf-16")).offset(types.Position(line, character)) == offset


def test_a_form_feed_ends_no_line() -> None:
    """The fault of the stock model: one form feed, and the next change goes to the wrong line."""
    document = SafeDocument("file:///a.c", "a\x0cb\ncd", 1)
    where = types.Range(types.Position(1, 0), types.Position(1, 1))
    document.apply_change(types.TextDocumentContentChangePartial(text="X", range=where))
    assert document.source == "a\x0cb\nXd"


def test_the_workspace_makes_safe_documents() -> None:
    workspace = SafeWorkspace(None)
    workspace.put_text_document(types.TextDocumentItem("file:///a%20b.c", "c", 3, "x"))
    [(path, document)] = workspace.open_documents()
    assert (str(path), type(document), document.version) == ("/a b.c", SafeDocument, 3)
    workspace.put_text_document(types.TextDocumentItem("untitled:Untitled-1", "c", 1, "x"))
    assert len(list(workspace.open_documents())) == 1


@pytest.mark.spec("W3")
@pytest.mark.spec("E9")
@encodings
@given(before=TEXTS, after=TEXTS, marked=st.booleans(), kept=st.booleans())
def test_an_edit_makes_of_the_editors_text_what_was_meant(
    encoding: str, before: str, after: str, marked: bool, kept: bool
) -> None:
    """Also where the file has a byte order mark, and whether or not the editor keeps it in its text."""
    before, after = before.lstrip("\ufeff"), after.lstrip("\ufeff")
    mark = "\ufeff" if marked else ""
    change = file_change("a.c", (mark + before).encode(), (mark + after).encode())
    shown = mark if kept else ""
    file = FileEdit(change, "file:///a.c", 1, shown + before)
    assert edited(shown + before, text_edits(file, codec(encoding)), encoding) == shown + after


@pytest.mark.spec("E8")
@pytest.mark.parametrize("name", ["utf-16-le", "cp1252", "shift_jis"])
def test_an_edit_of_a_file_in_another_encoding(name: str) -> None:
    before, after = "// ä\r\nint x\r\n" if name != "shift_jis" else "// 漢\r\nint x\r\n", ""
    after = before.replace("int x", "int x;")
    change = file_change("a.c", before.encode(name), after.encode(name), name)
    [edit] = text_edits(FileEdit(change, "file:///a.c", 1, before), codec("utf-16"))
    assert (edit.range, edit.new_text) == (types.Range(types.Position(1, 5), types.Position(1, 5)), ";")


ALL = Abilities(versions=True, annotations=True, creates=True, deletes=True)


def files() -> list[FileEdit]:
    return [
        FileEdit(file_change("a.c", b"int x\n", b"int x;\n"), "file:///w/a.c", 7, "int x\n"),
        FileEdit(file_change("b.c", None, b"int y;\n"), "file:///w/b.c", None, None),
        FileEdit(file_change("c.c", b"junk\n", None), "file:///w/c.c", None, None),
    ]


@pytest.mark.spec("W3")
def test_creating_and_deleting_are_said_as_such() -> None:
    edit = workspace_edit(files(), ALL, codec("utf-16"), "Compile Loop")
    assert edit.changes is None and edit.document_changes is not None
    kinds = [type(operation) for operation in edit.document_changes]
    assert kinds == [types.TextDocumentEdit, types.CreateFile, types.TextDocumentEdit, types.DeleteFile]
    [changed, created, filled, deleted] = edit.document_changes
    assert isinstance(changed, types.TextDocumentEdit) and isinstance(filled, types.TextDocumentEdit)
    assert (changed.text_document.version, filled.text_document.version) == (7, None)
    assert isinstance(created, types.CreateFile) and created.options == types.CreateFileOptions(False, False)
    assert isinstance(deleted, types.DeleteFile)
    annotation = {changed.edits[0].annotation_id, created.annotation_id, deleted.annotation_id}  # type: ignore[union-attr]
    assert edit.change_annotations is not None and annotation == set(edit.change_annotations)


@pytest.mark.spec("W3")
def test_nothing_is_sent_that_the_client_did_not_offer() -> None:
    plain = Abilities(versions=True, annotations=False, creates=False, deletes=False)
    edit = workspace_edit(files()[:1], plain, codec("utf-16"), "Compile Loop")
    assert edit.change_annotations is None and edit.document_changes is not None
    [operation] = edit.document_changes
    assert isinstance(operation, types.TextDocumentEdit) and type(operation.edits[0]) is types.TextEdit
    none = Abilities(versions=False, annotations=False, creates=False, deletes=False)
    edit = workspace_edit(files()[:1], none, codec("utf-16"), "Compile Loop")
    assert edit.document_changes is None and edit.changes is not None and list(edit.changes) == ["file:///w/a.c"]


def test_a_change_without_hunks_writes_nothing() -> None:
    unchanged = FileEdit(FileChange("a.c", b"x", b"x", ()), "file:///a.c", 1, "x")
    assert text_edits(unchanged, codec("utf-16")) == []
