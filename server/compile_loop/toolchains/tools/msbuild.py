"""The shape of Microsoft's tools: `file(line,column): error C2065: message [project]`; clang has it, too."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Range, Related, Severity
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.toolchain import Toolchain
from compile_loop.toolchains.tools.gnu_phase import phase_of

_HEADER = re.compile(
    r"^\s*(?:\d+>)?\s*(?P<file>\S[^()]*?(?:\([^()]*\)[^()]*?)*?)\((?P<line>\d{1,9})(?:-\d+)?(?:,(?P<column>\d{1,9})(?:-\d+)?"
    r"(?:,(?P<end_line>\d{1,9}),(?P<end_column>\d{1,9}))?)?\)\s?: (?P<kind>fatal error|error|warning|note|info)"
    r"(?: (?P<code>(?!TS)[A-Z]{1,6}\d+))?: (?P<message>.*?)(?: \[(?P<project>[^\[\]]+proj)\])?$"
)
_SEVERITIES = {"warning": Severity.WARNING, "info": Severity.INFORMATION}
_PAGES = {
    "C": "https://learn.microsoft.com/cpp/error-messages/compiler-errors-1/compiler-error-{}",
    "CS": "https://learn.microsoft.com/dotnet/csharp/misc/{}",
}


@dataclass(slots=True)
class _Block:
    header: re.Match[str]
    path: str | None
    range: Range
    lines: list[str]
    related: list[Related] = field(default_factory=list)


class MsBuild(Reader):
    """Reads cl, csc, msbuild and clang's `-fdiagnostics-format=msvc`."""

    source = "msbuild"
    triggers = ("): error", ") : error", "): fatal error", ") : fatal error", "): warning", ") : warning")
    order = 40

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._block: _Block | None = None

    def begin(self, line: Line) -> bool:
        """Take a header that is no note."""
        header = _HEADER.match(line.text)
        if header is None or header["kind"] == "note":
            return False
        path, found = self._where(header)
        self._block = _Block(header, path, found, [line.text])
        return True

    def go_on(self, line: Line) -> bool:
        """Take notes, and the snippet that clang prints."""
        block, text = self._block, line.text
        if block is None:
            return False
        if header := _HEADER.match(text):
            if header["kind"] != "note":
                return False
            path, found = self._where(header)
            if path is not None:
                block.related.append(Related(self.tree.shown(path), found, header["message"]))
        elif not text.startswith(" ") or len(block.lines) > 12:
            return False
        block.lines.append(text)
        return True

    def _where(self, header: re.Match[str]) -> tuple[str | None, Range]:
        project = (header["project"] or "").replace("\\", "/").rpartition("/")[0]
        path = self.tree.resolve(header["file"], *([project] if project else []))
        if path is None:
            return None, NOWHERE
        line = int(header["line"]) - 1
        if header["column"] is None:
            return path, self.tree.whole_line(path, line, header["message"])
        units = (Unit.UTF16, Unit.BYTES) if (header["code"] or "").startswith("CS") else (Unit.BYTES, Unit.UTF16)
        start = self.tree.place_by_units(path, line, int(header["column"]) - 1, units, header["message"])
        if header["end_line"]:
            end = self.tree.place(path, int(header["end_line"]) - 1, int(header["end_column"]) - 1, units[0])
            return path, self.tree.between(start, end)
        return path, self.tree.token(start)

    def end(self) -> list[Diagnostic]:
        """The block as a diagnostic."""
        block, self._block = self._block, None
        if block is None:
            return []
        header = block.header
        code = header["code"]
        family = re.sub(r"\d+", "", code or "")
        page = _PAGES.get(family)
        message = header["message"]
        if block.path is None:
            message = f"{header['file']}({header['line']}): {message}"
        return [
            Diagnostic(
                message=message,
                file=self.tree.shown(block.path),
                range=block.range,
                severity=_SEVERITIES.get(header["kind"], Severity.ERROR),
                code=code,
                code_href=page.format(code.lower()) if page and code else None,
                source={"C": "cl", "CS": "csc", "": "clang"}.get(family, self.source),
                phase=phase_of(message),
                related=tuple(dict.fromkeys(block.related)),
                rendered="\n".join(block.lines),
            )
        ]


TOOLCHAIN = Toolchain(name="msbuild", readers=(MsBuild,), order=70)
