"""Read a check's output while it runs (SPEC D4): lines in, diagnostics out.

Every reader that is known sees every output, so that a user's own `make` or shell line works as well as a compiler that
was called by name.
"""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Sequence

from compile_loop.contracts.diagnostics import Diagnostic, Phase, Severity
from compile_loop.toolchains.flood import Flood
from compile_loop.toolchains.interest import DOCUMENT, Interest
from compile_loop.toolchains.json_documents import JsonDocuments
from compile_loop.toolchains.matcher_reader import MatcherReader
from compile_loop.toolchains.matchers import Matcher
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.registry import reader_types, shape_types
from compile_loop.toolchains.sources import Sources
from compile_loop.toolchains.suggestions import ready
from compile_loop.toolchains.tail import Tail
from compile_loop.toolchains.terminal import Line, clean
from compile_loop.toolchains.tree import Tree

_PATIENCE = 4
"""How many lines that belong to nobody a block survives."""
_LONGEST = 64 * 1024
"""Characters of a line that is not JSON; the rest of it is not looked at."""
_CHANGE_DIRECTORY = re.compile(r"""^\s*(?:\(\s*)?cd\s+(?:"([^"]+)"|'([^']+)'|([^\s;&|]+))\s*(?:&&|;)""")


class OutputReader:
    """Reads one command's output, both streams' text interleaved line by line.

    `root` and `cwd` are absolute directories of the user's tree, and so are the paths in the text. `hint` is the tool's
    name or the command line. `matchers` get the lines that no reader takes. Memory stays bounded whatever the length of
    the output.
    """

    def __init__(
        self, *, root: str, cwd: str, sources: Sources, hint: str | None = None, matchers: Sequence[Matcher] = ()
    ) -> None:
        tree = Tree(root=root, cwd=cwd, sources=sources)
        if hint and (moved := _CHANGE_DIRECTORY.match(hint)):
            tree.names.cwd = tree.names.join(cwd, next(part for part in moved.groups() if part))
        self._tail = Tail()
        self._context = Context(tree, hint or "", recent=self._tail.lines)
        self._readers = [reader(self._context) for reader in reader_types()]
        self._interest = Interest()
        self._documents = JsonDocuments(shape_types(), self._context)
        self._matchers = MatcherReader(matchers, tree, time.monotonic) if matchers else None
        self._open: Reader | None = None
        self._taken = False
        self._patience = _PATIENCE
        self._flood = Flood()
        self._header = self._last_header = ""

    @property
    def total(self) -> int:
        """How many different diagnostics the output held so far, those left out included."""
        return self._flood.total

    @property
    def total_errors(self) -> int:
        """How many of `total` are errors."""
        return self._flood.total_errors

    def feed(self, line: str) -> list[Diagnostic]:
        """Take one line without its end, control sequences still in it; returns the diagnostics that are complete now."""
        if len(line) > _LONGEST:
            self._tail.add(line[-_LONGEST:])
            if not line.lstrip().startswith(("{", "[")):
                line = line[:_LONGEST]
        else:
            self._tail.add(line)
        cleaned = clean(line) if "\x1b" in line or "\r" in line else None
        text = line if cleaned is None else cleaned.text
        bits = self._interest.of(text)
        if not bits and self._open is None and not self._documents.open and not _is_bracket(text):
            return self._admit(self._matchers.feed(text)) if self._matchers else []
        self._taken = True
        if bits and self._flood.full and self._flood.repeats(text):
            return self._admit(self._end())
        found = self._take(cleaned or Line(text), bits)
        if not self._taken and self._matchers:
            found += self._matchers.feed(text)
        return self._admit(found)

    def _admit(self, found: list[Diagnostic]) -> list[Diagnostic]:
        admitted = self._flood.admit(found)
        if found and not admitted and len(found) == 1 and self._flood.full:
            self._flood.refused(self._last_header, found[0])
        return [ready(diagnostic, self._context.tree) for diagnostic in admitted]

    def so_far(self) -> list[Diagnostic]:
        """What the block that is open would give if nothing more came; it stays open, and may still come to more."""
        if self._open is None:
            return []
        context, tree = self._context, self._context.tree
        copied: Reader = copy.deepcopy(self._open, {id(context): context, id(tree): tree})
        return [ready(diagnostic, tree) for diagnostic in copied.end()]

    def close(self, exit_code: int) -> list[Diagnostic]:
        """The output is over. Returns the rest, or the output's tail where nothing of a failed command was readable."""
        rest = self._end()
        for reader in self._readers:
            rest += reader.finish(exit_code)
        for sentence in self._matchers.dropped if self._matchers else ():
            rest.append(Diagnostic(sentence, severity=Severity.WARNING, phase=Phase.CONFIGURE))
        admitted = self._admit(rest)
        if exit_code != 0 and self._flood.total_errors == 0:
            admitted += self._tail.diagnostics(exit_code, self._context.hint)
        return admitted

    def _take(self, line: Line, bits: int) -> list[Diagnostic]:
        may_be_json = bits & DOCUMENT or self._documents.open or _is_bracket(line.text)
        if may_be_json and (found := self._documents.take(line.text)) is not None:
            return found
        if self._open is not None and self._open.go_on(line):
            self._patience = _PATIENCE
            return self._end() if self._open.complete else []
        done: list[Diagnostic] = []
        for number in self._interest.readers(line.text, bits):
            reader = self._readers[number]
            if reader.apart:
                if reader.begin(line):
                    self._last_header = line.text
                    self._flood.began(line.text)
                    return done + reader.end()
                continue
            if reader is self._open:
                done += self._end()
            if reader.begin(line):
                done += self._end()
                self._open, self._patience, self._header = reader, _PATIENCE, line.text
                self._flood.began(line.text)
                return done + self._end() if reader.complete else done
        self._taken = False
        if self._open is not None:
            self._patience -= 1
            if self._patience <= 0:
                done += self._end()
        return done

    def _end(self) -> list[Diagnostic]:
        if self._open is None:
            return []
        reader, self._open, self._last_header = self._open, None, self._header
        return reader.end()


def _is_bracket(text: str) -> bool:
    """Whether a line is nothing but the start of a JSON document."""
    return len(text) < 4 and text.strip() in ("[", "{")


def parse(
    data: bytes,
    *,
    root: str,
    cwd: str,
    sources: Sources,
    hint: str | None = None,
    exit_code: int = 1,
    matchers: Sequence[Matcher] = (),
) -> list[Diagnostic]:
    """Read a whole output at once; the arguments are those of `OutputReader`."""
    reader = OutputReader(root=root, cwd=cwd, sources=sources, hint=hint, matchers=matchers)
    found: list[Diagnostic] = []
    for line in data.decode("utf-8", "replace").split("\n"):
        found += reader.feed(line)
    return found + reader.close(exit_code)
