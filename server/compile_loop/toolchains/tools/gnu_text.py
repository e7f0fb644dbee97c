"""The text that gcc, g++, clang and those who copied them print: `file:line:column: error: message`.

What comes before a header ("In file included from", "required from") belongs to it as related places, and so do the
notes after it. Source snippets give the end of the range, `fix-it:` lines the suggestions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Range, Related, Severity
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.tools.gnu_fixits import FixIts
from compile_loop.toolchains.tools.gnu_phase import phase_of
from compile_loop.toolchains.tree import Place

_HEADER = re.compile(
    r"^(?P<file>\S(?:.*?\S)??):(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)?(?:(?P<ranges>(?:\{\d+:\d+-\d+:\d+\})+):)? "
    r"(?P<kind>fatal error|internal compiler error|sorry, unimplemented|[Ee]rror|[Ww]arning|note|remark): "
    r"(?P<message>.*)$"
)
_OPTION = re.compile(r" \[(?P<option>-[Wf][^\]]+)\]$")
_INCLUDED = re.compile(
    r"^(?:In file included| {2,})\s*from (?P<file>.+?):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?[,:]$"
)
_REQUIRED = re.compile(
    r"^(?P<file>\S.*?):(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)? +"
    r"(?P<message>(?:recursively )?required (?:from|by|for)\b.*|in .*expansion of .*)$"
)
_SCOPE = re.compile(r"^\S.*: (?:In|At) .*:$")
_SNIPPET = re.compile(r"^ {0,9}(?P<number>\d*)(?: \+\+\+)? \|(?P<text>.*)$")
_CARET = re.compile(r"^[ ~\-|]*(?P<caret>\^)(?P<tail>~*)[ ~\-|]*$")
_RANGE = re.compile(r"\{(\d{1,9}):(\d{1,9})-(\d{1,9}):(\d{1,9})\}")
_SEVERITIES = {"warning": Severity.WARNING, "remark": Severity.INFORMATION, "note": Severity.INFORMATION}
_DROPPED = ("each undeclared identifier is reported only once",)
_CLANG_COUNT = re.compile(r"^\d+ (?:warnings?|errors?)(?: and \d+ errors?)? generated\.$")
_C = re.compile(r"\.(?:c|h|inl|inc|m|s|S|cu|i|l|y)$|/include/")
_CPP = re.compile(r"\.(?:cc|cp|cxx|cpp|c\+\+|hh|hpp|hxx|h\+\+|ipp|tcc|mm|ii)$|/c\+\+/")
_OTHER_UNITS = {
    **dict.fromkeys(("kt", "kts", "java", "scala", "ts", "tsx", "js", "jsx", "cs"), Unit.UTF16),
    **dict.fromkeys(("zig", "go", "swift"), Unit.BYTES),
}
"""What compilers of other languages that print this shape count in."""
_SOURCE_LIKE = re.compile(r"^[^:]*(?:[/\\][^:]*|\.[a-zA-Z]\w{0,3})$")
_INCLUDE = re.compile(
    r"include ‘<[^’]+>’ or provide a declaration|‘.+’ is defined in header ‘<[^’]+>’; did you forget to"
)
"""The one kind of note whose fix-it is no matter of taste: a header of the language's own library."""
_INCLUDED_FROM = "included from here"
_MOST_RELATED = 24
_MOST_LINES = 80


@dataclass(slots=True)
class _Header:
    """One header line and what the lines after it added. `name` is the file's as printed."""

    name: str
    place: Place | None
    range: Range
    message: str
    kind: str
    option: str | None = None
    href: str | None = None
    fixits: FixIts = field(default_factory=FixIts)

    @property
    def severity(self) -> Severity:
        return _SEVERITIES.get(self.kind.lower(), Severity.ERROR)


@dataclass(slots=True)
class _Before:
    """What was printed ahead of a header: include chains and instantiations."""

    related: list[Related] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Block:
    """A header with all that belongs to it. `on_the_way` are the instantiations that were printed ahead of its notes."""

    main: _Header
    before: _Before
    lines: list[str]
    notes: list[_Header] = field(default_factory=list)
    on_the_way: list[Related] = field(default_factory=list)
    caret: int | None = None

    @property
    def last(self) -> _Header:
        return self.notes[-1] if self.notes else self.main


class GnuText(Reader):
    """Reads `file:line:column: kind: message` with snippets, notes, include chains and fix-its."""

    source = "gcc"
    triggers = (
        *("rror: ", "arning: ", "sorry, unimplemented: ", "In file included", "required "),
        *("error generated.", "errors generated.", "warning generated.", "warnings generated."),
    )

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._block: _Block | None = None
        self._before = _Before()
        self._next_follows = False

    def begin(self, line: Line) -> bool:
        """Take a header that is no note, or the start of what comes before one."""
        if _CLANG_COUNT.match(line.text):
            self.context.seen.add("clang")
            return False
        if self._takes_before(line.text):
            return True
        header = self._header(line)
        if header is None or header.kind == "note":
            return False
        self._start(header, line.text)
        return True

    def _start(self, header: _Header, text: str) -> None:
        self._block = _Block(header, self._before, [*self._before.lines, text])
        self._before = _Before()

    def go_on(self, line: Line) -> bool:
        """Take notes, snippets, fix-its and what comes before the next header."""
        text = line.text
        if self._takes_before(text):
            return True
        header, block = self._header(line), self._block
        if header is not None and header.kind != "note":
            if block is None:
                self._start(header, text)
                return True
            self._next_follows = True
            return False
        if block is None:
            return False
        if header is not None:
            self._take_note(block, header)
        elif not self._takes_snippet(block, text):
            return False
        if len(block.lines) < _MOST_LINES:
            block.lines.append(text)
        return True

    def _take_note(self, block: _Block, note: _Header) -> None:
        """What was printed ahead of a note is about the note: not about the next error, nor how this one came about."""
        block.notes.append(note)
        block.caret = None
        block.on_the_way += [one for one in self._before.related if one.message != _INCLUDED_FROM]
        block.lines += self._before.lines[: max(0, _MOST_LINES - len(block.lines))]
        self._before = _Before()

    def end(self) -> list[Diagnostic]:
        """Put the block together."""
        block, self._block = self._block, None
        if not self._next_follows:
            self._before = _Before()
        self._next_follows = False
        return [] if block is None else [self._diagnostic(block)]

    def _takes_before(self, text: str) -> bool:
        before = self._before
        if found := _INCLUDED.match(text):
            if text.startswith(" ") and not before.related:
                return False
            message = _INCLUDED_FROM
        elif found := _REQUIRED.match(text):
            message = found["message"].strip()
        elif (self._block is not None and _SCOPE.match(text)) or (before.related and _SNIPPET.match(text)):
            before.lines.append(text)  # newer versions show the source of each place on the way
            return True
        else:
            return False
        before.lines.append(text)
        place = self._place(found["file"], int(found["line"]), found["column"], "")
        if place is not None:
            before.related.append(Related(self.tree.shown(place.path), self._token(place, found["column"]), message))
        return True

    def _header(self, line: Line) -> _Header | None:
        found = _HEADER.match(line.text)
        if found is None:
            return None
        name, message, kind = found["file"], found["message"], found["kind"]
        place = self._place(name, int(found["line"]), found["column"], message)
        if place is None and ("://" in name or not _SOURCE_LIKE.match(name)):
            return None
        option = href = None
        if flag := _OPTION.search(message):
            option = flag["option"].split(",")[-1]
            href = line.link(flag["option"]) or line.link(option)
            message = message[: flag.start()]
        if place is None:
            return _Header(name, None, NOWHERE, f"{line.text[: found.start('kind')]}{message}", kind, option, href)
        header = _Header(name, place, self._token(place, found["column"], message), message, kind, option, href)
        for l1, c1, l2, c2 in _RANGE.findall(found["ranges"] or ""):
            start = self.tree.place(place.path, int(l1) - 1, int(c1) - 1, Unit.BYTES)
            if start == place:
                header.range = self.tree.between(
                    start, self.tree.place(place.path, int(l2) - 1, int(c2) - 1, Unit.BYTES)
                )
        return header

    def _place(self, name: str, line: int, column: str | None, message: str) -> Place | None:
        path = self.tree.resolve(name)
        if path is None:
            return None
        if column is None:
            return self.tree.place(path, line - 1, 0, Unit.CODEPOINTS)
        if not (_C.search(path) or _CPP.search(path)):
            likely = _OTHER_UNITS.get(path.rpartition(".")[2], Unit.CODEPOINTS)
            units: tuple[Unit, ...] = (likely, Unit.CODEPOINTS, Unit.UTF16, Unit.BYTES)
        elif self._clang:
            units = (Unit.BYTES, Unit.DISPLAY)
        else:  # gcc counts bytes up to version 10 and cells from then on
            units = (Unit.DISPLAY, Unit.BYTES)
        at = int(column) - 1
        if self._clang and line == 1 and (text := self.tree.text(path)) is not None:
            at -= len(text.source.bom)  # clang counts the byte order mark
        return self.tree.place_by_units(path, line - 1, at, units, message)

    @property
    def _clang(self) -> bool:
        return self.context.hinted("clang", "clang++")

    def _token(self, place: Place, column: str | None, message: str = "") -> Range:
        return self.tree.token(place) if column else self.tree.whole_line(place.path, place.line, message)

    def _takes_snippet(self, block: _Block, text: str) -> bool:
        header = block.last
        if header.fixits.take(text):
            return True
        if found := _SNIPPET.match(text):
            row = found["text"]
            if found["number"]:
                block.caret = None
            elif caret := _CARET.match(row):
                block.caret = caret.start("caret")
                if header.place is not None and caret["tail"] and not self._clang:
                    header.range = self.tree.cells(header.place, 1 + len(caret["tail"]))
            elif block.caret is not None and header.place is not None and row.strip():
                header.fixits.take_row(row, block.caret, self.tree, header.place, header.message)
            return True
        if _CARET.match(text):
            block.caret = text.index("^")
            return True
        if block.caret is not None and text.startswith(" "):
            return True
        place = header.place
        source = None if place is None else self.tree.line(place.path, place.line)
        return source is not None and bool(text.strip()) and source.split() == text.split()

    def _diagnostic(self, block: _Block) -> Diagnostic:
        main = block.main
        related = list(block.before.related)
        for note in block.notes:
            if note.place is not None and not note.message.startswith(_DROPPED):
                related.append(Related(self.tree.shown(note.place.path), note.range, note.message))
        related += block.on_the_way
        file, found = self.tree.shown(main.place.path) if main.place else None, main.range
        if main.place is not None and not self._is_ours(file) and (home := self._home(block, related)) is not None:
            related.insert(0, Related(file, found, main.message))
            related.remove(home)
            file, found = home.file, home.range
        suggestions = [main.fixits.suggestion(self.tree, main.message, safe=True)]
        suggestions += [
            note.fixits.suggestion(self.tree, note.message, safe=_INCLUDE.match(note.message) is not None)
            for note in block.notes
        ]
        return Diagnostic(
            message=main.message,
            file=file,
            range=found,
            severity=main.severity,
            code=main.option,
            code_href=main.href,
            source=self._source(main),
            phase=phase_of(main.message),
            related=self._bounded(related),
            suggestions=tuple(suggestion for suggestion in suggestions if suggestion),
            rendered="\n".join(block.lines),
        )

    def _is_ours(self, file: str | None) -> bool:
        """Whether a file as diagnostics name it lies in the workspace."""
        return file is not None and not self.tree.names.is_absolute(file)

    def _home(self, block: _Block, related: list[Related]) -> Related | None:
        """Where our code asked for what failed in a library's header, if it did: an instantiation before an include."""
        chain = related[: len(block.before.related)]
        asked = [*chain, *(one for one in related[len(chain) :] if "instantiation of" in one.message)]
        ours = [one for one in asked if self._is_ours(one.file)]
        return next((one for one in ours if one.message != _INCLUDED_FROM), next(iter(ours), None))

    def _bounded(self, related: list[Related]) -> tuple[Related, ...]:
        """Not too many, those in our own files before all others."""
        distinct = list(dict.fromkeys(related))
        if len(distinct) > _MOST_RELATED:
            distinct.sort(key=lambda one: not self._is_ours(one.file))
        return tuple(distinct[:_MOST_RELATED])

    def _source(self, header: _Header) -> str:
        path = header.place.path if header.place else header.name
        if self._clang:
            return "clang"
        if _CPP.search(path):
            return "g++"
        return "gcc" if _C.search(path) else ""
