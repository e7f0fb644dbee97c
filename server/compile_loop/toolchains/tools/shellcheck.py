"""shellcheck: JSON of both versions with fixes, the form of gcc, and the form for people."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from compile_loop.contracts.diagnostics import Diagnostic, Phase, Range, Severity, SuggestedEdit, Suggestion
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.headed import Block, HeadedReader, severity_of
from compile_loop.toolchains.json_documents import JsonShape
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.tree import Place, Tree

_PAGE = "https://www.shellcheck.net/wiki/{}"
_IN = re.compile(r"^In (?P<file>.+) line (?P<line>\d{1,9}):$")
_MARK = re.compile(r"^(?P<blank>\s*)(?P<marks>\^(?:-+\^?)?) (?P<code>SC\d+)(?: \((?P<kind>\w+)\))?: (?P<message>.*)$")


def _finding(
    tree: Tree, path: str, where: Range, code: str, level: str, message: str, fix: Suggestion | None
) -> Diagnostic:
    return Diagnostic(
        message=message,
        file=tree.shown(path),
        range=where,
        severity=severity_of(level),
        code=code,
        code_href=_PAGE.format(code),
        source="shellcheck",
        phase=Phase.PARSE if code.startswith("SC1") and severity_of(level) is Severity.ERROR else Phase.TYPE,
        suggestions=(fix,) if fix else (),
        rendered=f"{path}:{where.start.line + 1}: {level}: {message} [{code}]",
    )


class ShellcheckJson1(JsonShape):
    """Reads `-f json1`: columns are characters from one, ends are exclusive."""

    depths: ClassVar[tuple[int, ...]] = (2,)
    marks = ('"level"', '"endColumn"', '"code"')
    unit: ClassVar[Unit] = Unit.CODEPOINTS

    def read(self, entry: dict[str, Any]) -> Iterator[Diagnostic]:
        """One comment."""
        path = self.tree.resolve(entry["file"])
        if path is None:
            return
        fix = self._fix(path, entry) if entry.get("fix") else None
        yield _finding(
            self.tree, path, self._range(path, entry), f"SC{entry['code']}", entry["level"], entry["message"], fix
        )

    def _range(self, path: str, entry: dict[str, Any]) -> Range:
        first = self.tree.place(path, int(entry["line"]) - 1, int(entry["column"]) - 1, self.unit)
        last = self.tree.place(path, int(entry["endLine"]) - 1, int(entry["endColumn"]) - 1, self.unit)
        return (
            self.tree.token(first) if first == last and "replacement" not in entry else self.tree.between(first, last)
        )

    def _fix(self, path: str, entry: dict[str, Any]) -> Suggestion:
        file = self.tree.shown(path) or ""
        edits = [
            SuggestedEdit(file, self._range(path, one), one["replacement"]) for one in entry["fix"]["replacements"]
        ]
        return Suggestion(entry["message"], tuple(edits))


class ShellcheckJson(ShellcheckJson1):
    """Reads `-f json`, the older one, whose columns have tabs to eight."""

    depths = (1,)
    unit = Unit.CODEPOINTS_TAB8


class ShellcheckGcc(HeadedReader):
    """Reads `file:line:column: warning: message [SC2086]`."""

    source = "shellcheck"
    triggers = ("[SC",)
    order = 25
    header = re.compile(
        r"^(?P<file>\S.*?):(?P<line>\d{1,9}):(?P<column>\d{1,9}): (?P<kind>error|warning|note): "
        r"(?P<message>.*) \[(?P<code>SC\d+)\]$"
    )

    def diagnostic(self, block: Block) -> Diagnostic:
        """As the other forms give it."""
        kind = "info" if block.header["kind"] == "note" else block.header["kind"]
        return _finding(self.tree, block.path or "", block.range, block.code or "", kind, block.message[0], None)


class ShellcheckText(Reader):
    """Reads `In file line 3:`, the line, and below it each finding with its mark."""

    source = "shellcheck"
    triggers = ("In ",)
    order = 37

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._path: str | None = None
        self._line = 0
        self._found: list[Diagnostic] = []

    def begin(self, line: Line) -> bool:
        """Take the place."""
        place = _IN.match(line.text)
        self._path = self.tree.resolve(place["file"]) if place else None
        if place is None or self._path is None:
            return False
        self._line = int(place["line"]) - 1
        return True

    def go_on(self, line: Line) -> bool:
        """Take the line and its findings, up to the blank line."""
        if self._path is None or not line.text.strip():
            return False
        if mark := _MARK.match(line.text):
            start = self.tree.place(self._path, self._line, len(mark["blank"]), Unit.CODEPOINTS_TAB8)
            width = len(mark["marks"])
            where = (
                self.tree.between(start, Place(start.path, start.line, start.index + width))
                if mark["marks"].endswith("^") and width > 1
                else self.tree.token(start)
            )
            level = mark["kind"] or "warning"
            self._found.append(_finding(self.tree, self._path, where, mark["code"], level, mark["message"], None))
        return True

    def end(self) -> list[Diagnostic]:
        """The line's findings."""
        found, self._found, self._path = self._found, [], None
        return found
