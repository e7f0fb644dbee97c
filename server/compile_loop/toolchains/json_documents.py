"""The machine-readable modes of tools that print JSON documents, found in any output while they stream."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.toolchains.json_scan import JsonScanner
from compile_loop.toolchains.reader import Context

_HEAD = 4096


class JsonShape(ABC):
    """One kind of object in a tool's JSON.

    It lies as many containers deep as one of `depths` says, and each of `marks` stands in its first 4096 characters;
    that is how it is told from other tools' objects. `begins` are texts with which a document begins that does not begin
    on a line of its own.
    """

    depths: ClassVar[tuple[int, ...]]
    marks: ClassVar[tuple[str, ...]]
    begins: ClassVar[tuple[str, ...]] = ()

    def __init__(self, context: Context) -> None:
        self.context = context
        self.tree = context.tree

    @abstractmethod
    def read(self, entry: dict[str, Any]) -> Iterable[Diagnostic]:
        """The diagnostics of one object. `KeyError`, `TypeError` and `ValueError` mean that it is another tool's."""


class JsonDocuments:
    """Takes the lines that are JSON of a known shape. A document may be open while other streams' lines come between."""

    def __init__(self, shapes: Sequence[type[JsonShape]], context: Context) -> None:
        self._shapes = [shape(context) for shape in shapes]
        self._begins = [begin for shape in shapes for begin in shape.begins]
        self._scanner: JsonScanner | None = None

    def take(self, text: str) -> list[Diagnostic] | None:
        """The diagnostics that a line completes; None where the line is no part of a document."""
        if self._scanner is not None and self._scanner.complete:
            self._scanner = None
        if self._scanner is None or not self._scanner.continues(text):
            start = self._start(text)
            if start is None:
                return None
            self._scanner = JsonScanner(self._wanted)
            text = text[start:]
        found = [diagnostic for entry in self._scanner.feed(text) for diagnostic in self._read(*entry)]
        if self._scanner.complete:
            self._scanner = None
        return found

    @property
    def open(self) -> bool:
        """Whether a document has begun and not ended."""
        return self._scanner is not None

    def _start(self, text: str) -> int | None:
        bare = text.strip()
        if bare.startswith(("{", "[")):
            if len(bare) == 1:
                return 0
            head = bare[:_HEAD]
            return 0 if any(all(mark in head for mark in shape.marks) for shape in self._shapes) else None
        found = [index for begin in self._begins if (index := text.find(begin)) >= 0]
        return min(found, default=None)

    def _matching(self, depth: int, head: str) -> Iterator[JsonShape]:
        return (shape for shape in self._shapes if depth in shape.depths and all(mark in head for mark in shape.marks))

    def _wanted(self, depth: int, head: str) -> bool:
        return next(self._matching(depth, head), None) is not None

    def _read(self, depth: int, entry: str) -> Iterable[Diagnostic]:
        for shape in self._matching(depth, entry[:_HEAD]):
            try:
                return list(shape.read(json.loads(entry)))
            except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
                continue
        return ()
