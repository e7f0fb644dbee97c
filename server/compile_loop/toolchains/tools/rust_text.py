"""The text that rustc and cargo print for people: `error[E0308]: message`, ` --> file:line:column`, a snippet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Phase, Range, Related, Severity
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.tokens import quoted
from compile_loop.toolchains.tools.rust_phase import error_page, is_configure, is_summary, phase_of, with_details
from compile_loop.toolchains.tools.rust_snippet import Mark, Snippet
from compile_loop.toolchains.tools.rust_workspace import bases, referenced
from compile_loop.toolchains.tree import Place

_HEADER = re.compile(r"^(?P<level>error|warning)(?:\[(?P<code>[\w:]+)\])?: (?P<message>.+)$")
_ARROW = re.compile(r"^ *(?P<kind>-->|:::) (?P<file>.+?):(?P<line>\d{1,9}):(?P<column>\d{1,9})$")
_SUB = re.compile(r"^(?P<level>note|help)(?:: (?P<message>.*))$")
_DETAIL = re.compile(r"^ *= (?P<level>note|help): (?P<message>.*)$")
_MANIFEST = re.compile(r"`(?P<file>[^`]*Cargo\.(?:toml|lock))`|package `[^`]+ \((?P<package>[^()`]+)\)`")
_PANIC = re.compile(r"panicked at (?P<file>[^:\s]+):(?P<line>\d{1,9}):(?P<column>\d{1,9}):")
_DEPENDENCY = re.compile(r"[\w-]+")
_LINT = re.compile(r"#\[(?:warn|deny|forbid)\((?P<lint>[\w:]+)\)\]")
_MOST_LINES = 80


@dataclass(slots=True)
class _Block:
    """A header and what was read below it. `sub` is the snippet of the note or help that is being read."""

    level: str
    code: str | None
    message: str
    lines: list[str]
    main: Snippet
    place: Place | None = None
    located: bool = False
    details: list[str] = field(default_factory=list)
    sub: Snippet | None = None
    notes: list[tuple[str, Snippet]] = field(default_factory=list)
    done: bool = False


class RustText(Reader):
    """Reads rustc's and cargo's text.

    `error: message` is what many tools print, so without a code it counts only if a place follows or cargo is known to
    have run.
    """

    source = "rustc"
    triggers = ("error: ", "error[", "warning: ", "warning[")
    order = 80

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._block: _Block | None = None

    def begin(self, line: Line) -> bool:
        """Take a header that is no summary."""
        header = _HEADER.match(line.text)
        if header is None:
            return False
        if is_summary(header["message"]):
            self.context.seen.add("cargo")
            return False
        self._block = _Block(header["level"], header["code"], header["message"], [line.text], Snippet(self.tree))
        return True

    def go_on(self, line: Line) -> bool:
        """Take what belongs below the header, up to a blank line."""
        text, block = line.text, self._block
        if block is None or _HEADER.match(text):
            return False
        taken = self._takes(block, text)
        if taken and len(block.lines) < _MOST_LINES:
            block.lines.append(text)
        return taken

    def _takes(self, block: _Block, text: str) -> bool:
        if not text.strip():
            block.done = block.located
            return True
        if arrow := _ARROW.match(text):
            self._take_arrow(block, arrow)
            return True
        if detail := _DETAIL.match(text):
            block.details.append(detail["message"])
            return True
        if block.located and (sub := _SUB.match(text)):
            block.sub = Snippet(self.tree)
            block.notes.append((sub["message"], block.sub))
            return True
        if block.located or text.lstrip().startswith("|"):
            return (block.sub or block.main).take(text)
        # cargo's own errors, and messages of several lines
        if text.startswith((" ", "Caused by:")) or (is_configure(block.message) and not text.startswith("{")):
            block.details.append(text.strip())
            return True
        return False

    def _take_arrow(self, block: _Block, arrow: re.Match[str]) -> None:
        tree = self.tree
        path = tree.resolve(arrow["file"], *bases(tree, tree.names.cwd))
        (block.sub or block.main).path = path
        if not block.located and path is not None:
            block.place = tree.place(path, int(arrow["line"]) - 1, int(arrow["column"]) - 1, Unit.CODEPOINTS)
        block.located = True

    @property
    def complete(self) -> bool:
        """A blank line ends a diagnostic that has a place."""
        return self._block is not None and self._block.done

    def end(self) -> list[Diagnostic]:
        """Put the block together, if it turned out to be rustc's or cargo's."""
        block, self._block = self._block, None
        if block is None:
            return []
        sure = block.located or block.code is not None or self.context.hinted("cargo", "rustc")
        return [self._diagnostic(block)] if sure else []

    def _diagnostic(self, block: _Block) -> Diagnostic:
        message = block.message if block.place else with_details(block.message, block.details)
        found, primary = self._primary(block)
        path = block.place.path if block.place else None
        if path is None:
            path, found = self._named(message)
        cargo = path is not None and path.endswith((".toml", ".lock"))
        code = block.code or self._lint(block)
        phase = phase_of(block.message, code)
        if cargo or (block.place is None and is_configure(block.message)):
            phase = Phase.CONFIGURE
        return Diagnostic(
            message=message,
            file=self.tree.shown(path),
            range=found,
            severity=Severity.ERROR if block.level == "error" else Severity.WARNING,
            code=code,
            code_href=error_page(code),
            source="cargo" if cargo or phase is Phase.CONFIGURE else "rustc",
            phase=phase,
            related=tuple(dict.fromkeys(self._related(block, primary))),
            rendered="\n".join(block.lines).rstrip(),
        )

    def _named(self, message: str) -> tuple[str | None, Range]:
        """The place that cargo's own errors only mention: a build script's panic, a manifest, a dependency in it."""
        if panic := _PANIC.search(message):
            path = self.tree.resolve(panic["file"], *bases(self.tree, self.tree.names.cwd))
            if path is not None:
                place = self.tree.place(path, int(panic["line"]) - 1, int(panic["column"]) - 1, Unit.CODEPOINTS)
                return path, self.tree.token(place, bang=True)
        if not (manifest := _MANIFEST.search(message)):
            return referenced(self.tree, message)
        path = self.tree.resolve(manifest["file"] or f"{manifest['package']}/Cargo.toml")
        text = self.tree.text(path) if path else None
        if path is None or text is None:
            return path, NOWHERE
        names = [name for name in quoted(message) if _DEPENDENCY.fullmatch(name)]
        for number, line in enumerate(text.lines):
            if line.partition("=")[0].strip() in names and "=" in line:
                return path, self.tree.whole_line(path, number)
        return path, NOWHERE

    def _primary(self, block: _Block) -> tuple[Range, Mark | None]:
        place = block.place
        if place is None:
            return NOWHERE, None
        for mark in block.main.marks:
            if (mark.path, mark.line, mark.start) == (place.path, place.line, place.index) and mark.primary:
                return mark.range(self.tree), mark
        for mark in block.main.marks:  # several lines: only the last character is marked
            if mark.primary and mark.path == place.path and mark.line > place.line and mark.start == mark.end:
                return self.tree.between(place, Place(mark.path, mark.line, mark.end)), mark
        return self.tree.token(place, bang=True), None

    def _related(self, block: _Block, primary: Mark | None) -> Iterator[Related]:
        for mark in block.main.marks:
            if mark is not primary and mark.label:
                yield Related(self.tree.shown(mark.path), mark.range(self.tree), mark.label)
        for message, snippet in block.notes:
            for mark in snippet.marks:
                if mark.primary or mark.label:
                    yield Related(self.tree.shown(mark.path), mark.range(self.tree), mark.label or message)

    @staticmethod
    def _lint(block: _Block) -> str | None:
        """The lint's name, which the text gives only in a note that says where its level comes from."""
        for detail in block.details:
            if named := _LINT.search(detail):
                return named["lint"]
        return None
