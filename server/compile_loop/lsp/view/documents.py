"""Recorded rounds as read-only documents: `compile-loop:/PATH?record/RUN/ROUND/before` and `…/output`."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from compile_loop.edits.text import UndecodableError, decode
from compile_loop.lsp.protocol import CONTENT_SCHEME, DiffFile
from compile_loop.lsp.rpc import Refused
from compile_loop.lsp.view.patch import sides
from compile_loop.lsp.view.records import RESULT, record_of
from compile_loop.record.folder import RecordError
from compile_loop.record.rounds import rounds_of
from compile_loop.record.store import Record

ROOM = "record"
OUTPUT = "output"


def output_uri(run: str, number: int) -> str:
    """What the checks printed in a round."""
    return f"{CONTENT_SCHEME}:/check.txt?{ROOM}/{run}/{number}/{OUTPUT}"


def diff_of(record: Record, number: int, only: str = "") -> list[DiffFile]:
    """The sides of one round against the original files, or of one file of it. Raises `Refused` where there is none."""
    files = []
    for path, (before, after) in _sides(record, number).items():
        place = f"{CONTENT_SCHEME}:/{quote(path)}?{ROOM}/{record.id}/{number}"
        if only in ("", path):
            files.append(
                DiffFile(
                    uri=(Path(record.asked.root) / path).as_uri(),
                    label=path,
                    left=None if before is None else f"{place}/before",
                    right=None if after is None else f"{place}/after",
                )
            )
    if not files:
        raise Refused("This round changed nothing, or was broken off before its edit was verified.")
    return files


def text_of_record(run: str, number: int, side: str, path: str) -> str:
    """One document's text. Raises `Refused`. Reads files: call it off the loop."""
    record = record_of(run)
    if side == OUTPUT:
        return next((each.check for each in rounds_of(record) if each.number == number), "")
    before, after = _sides(record, number).get(path, (None, None))
    return (before if side == "before" else after) or ""


def _sides(record: Record, number: int) -> dict[str, tuple[str | None, str | None]]:
    name = "candidate.diff" if number == RESULT else f"rounds/{number}/diff.patch"
    try:
        originals = record.originals()
    except RecordError as error:
        raise Refused(str(error)) from error
    texts = {
        path: _text(data, record.asked.encodings.get(path)) for path, data in originals.items() if data is not None
    }
    return sides(record.text(name), texts)


def _text(data: bytes, encoding: str | None) -> str:
    try:
        return decode(data, encoding).text
    except UndecodableError:
        return data.decode("utf-8", "replace")
