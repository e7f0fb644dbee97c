"""The editor's buffers as they were when a run was asked for, and as bytes for the shadow (SPEC Q17)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from compile_loop.edits.text import SourceText, UndecodableError, codec_name, decode
from compile_loop.lsp.documents import SafeWorkspace
from compile_loop.lsp.rpc import Refused

MARK = "\ufeff"
GUESSES = ("cp1252", "iso8859-1")
"""Tried only where they give exactly the text that the editor shows."""
MARKED = {"utf8bom": "utf-8", "utf8sig": "utf-8"}
ANY_END = re.compile(r"\r\n?")


@dataclass(frozen=True, slots=True)
class Buffer:
    """An open document at one moment."""

    uri: str
    version: int | None
    text: str


@dataclass
class Unsaved:
    """What the editor knows and the disk does not. `notes` are sentences for the user."""

    buffers: dict[Path, bytes] = field(default_factory=dict)
    encodings: dict[Path, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def take(workspace: SafeWorkspace) -> dict[Path, Buffer]:
    """Every open file now."""
    return {path: Buffer(d.uri, d.version, d.source) for path, d in workspace.open_documents()}


def same_text(left: str, right: str) -> bool:
    """Whether two texts differ in nothing but line ends, which an editor may have made uniform, and the mark."""
    return left == right or _plain(left) == _plain(right)


def unsaved(root: Path, buffers: Mapping[Path, Buffer], told: Mapping[Path, str], targets: Collection[Path]) -> Unsaved:
    """The buffers below `root` that differ from the disk, as bytes in the file's own encoding. Reads files: call it off the loop.

    `told` are encodings as the editor spells them. Raises `Refused` where a target's text cannot be written so.
    """
    found = Unsaved()
    real = root.resolve()
    for path, buffer in buffers.items():
        if not path.resolve().is_relative_to(real):
            continue
        try:
            _add(found, path, buffer, told.get(path))
        except UndecodableError as error:
            sentence = f"{path.name} cannot be read as text: {error}."
            if path in targets:
                raise Refused(f"{sentence} Nothing was run.") from error
            found.notes.append(f"{sentence} The check sees it as it is on disk.")
        except UnicodeEncodeError as error:
            bad = error.object[error.start : error.start + 1]
            codec = found.encodings.get(path, error.encoding)
            sentence = f"{path.name} has unsaved text that {codec} cannot hold (U+{ord(bad):04X})."
            if path in targets:
                raise Refused(f"{sentence} Change its encoding in the editor, or remove that character.") from error
            found.notes.append(f"{sentence} The check sees it as it is on disk.")
    return found


def _add(found: Unsaved, path: Path, buffer: Buffer, told: str | None) -> None:
    disk = path.read_bytes() if path.is_file() else None
    source = _new(told) if disk is None else _read(disk, buffer.text, told)
    text = buffer.text.removeprefix(MARK)
    if told or source.encoding != "utf-8":
        found.encodings[path] = source.encoding
    if disk is not None and source.text != text and "\r" in source.text and _mixed(source):
        found.notes.append(f"{path.name} has mixed line ends; the editor makes them uniform when it saves.")
    if disk is None or not same_text(source.text, text):
        found.buffers[path] = source.encode(text)


def _new(told: str | None) -> SourceText:
    """What a file that is not on disk yet will be written as."""
    if not told:
        return SourceText("")
    plain = re.sub(r"[^a-z0-9]", "", told.lower())
    return SourceText("", MARK.encode() if plain in MARKED else b"", codec_name(told))


def _read(disk: bytes, shown: str, told: str | None) -> SourceText:
    """The file as the editor read it."""
    if told:
        return decode(disk, told)
    try:
        return decode(disk)
    except UndecodableError:
        for guess in GUESSES:
            try:
                source = decode(disk, guess)
            except UndecodableError:
                continue
            if same_text(source.text, shown):
                return source
        raise


def _mixed(source: SourceText) -> bool:
    return len({line[len(line.rstrip("\r\n")) :] for line in source.lines} - {""}) > 1


def _plain(text: str) -> str:
    return ANY_END.sub("\n", text.removeprefix(MARK))
