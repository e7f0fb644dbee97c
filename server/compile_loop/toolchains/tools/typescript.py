"""TypeScript's tsc: plain lines `file(line,column): error TS2345: message`, and the pretty form for people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Phase, Range, Related, Severity
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.manifest import holds, manifest_check, own_program
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.single import relative_names
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.tools.npm import script_tests
from compile_loop.toolchains.tree import Place
from compile_loop.toolchains.typescript.code_fixes import code_fixes

_TAIL = r"(?P<kind>error|warning|message) (?P<code>TS\d{1,9}): (?P<message>.*)$"
_PLAIN = re.compile(rf"^(?P<file>\S.*?)\((?P<line>\d{{1,9}}),(?P<column>\d{{1,9}})\): {_TAIL}")
_PRETTY = re.compile(rf"^(?P<file>\S.*?):(?P<line>\d{{1,9}}):(?P<column>\d{{1,9}}) - {_TAIL}")
_GLOBAL = re.compile(rf"^(?:(?P<prefix>[^\s:]+): )?{_TAIL}")
_RELATED = re.compile(r"^ {2}(?P<file>\S.*?):(?P<line>\d{1,9}):(?P<column>\d{1,9})(?: - (?P<message>.*))?$")
_CONFIG = re.compile(r"'([^']+\.json)'")
_UNDERLINE = re.compile(r"^ *(?P<marks>~+) *$")
_ROW = re.compile(r"^ *\d+ ")
_CHECKER_GRAMMAR = frozenset(
    {1308, 1309, 1375, 1378, 1431, 1432, 1192, 1259, 1261, 1149, 1205, 1479, 1484, 1371, 1361, 1362}
)
"""Numbers below 2000 that the checker gives: the file was parsed."""
_ABOUT_PROJECTS = frozenset({6053, 6054, 6059, 6304, 6305, 6306, 6307, 6310, 6377, 6379, 18000, 18001, 18002, 18003})
"""Numbers from 6000 on that are about a project's files and references."""


_SOLUTION = r'^\s*"references"\s*:\s*\[\s*[^\]\s]'


@dataclass(slots=True)
class _Block:
    header: re.Match[str]
    path: str | None
    place: Place | None
    lines: list[str]
    pretty: bool
    message: list[str]
    range: Range = NOWHERE
    related: list[Related] = field(default_factory=list)
    snippet: bool = False


class TypeScript(Reader):
    """Reads both forms; columns are UTF-16 units from one."""

    source = "tsc"
    triggers = ("error TS", "warning TS")
    order = 20

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._block: _Block | None = None

    def begin(self, line: Line) -> bool:
        """Take a line that names a TS code."""
        text = line.text
        header = _PLAIN.match(text) or _PRETTY.match(text)
        if header is not None:
            path = self.tree.resolve(header["file"])
            place = None
            if path is not None:
                place = self.tree.place(path, int(header["line"]) - 1, int(header["column"]) - 1, Unit.UTF16)
            pretty = header.re is _PRETTY
            message = header["message"] if path else text[: header.start("kind")] + header["message"]
            self._block = _Block(header, path, place, [text], pretty, [message])
            if place is not None:
                self._block.range = self.tree.token(place)
            return True
        if header := _GLOBAL.match(text):
            named = _CONFIG.search(header["message"])
            path = self.tree.resolve(named[1]) if named else None
            self._block = _Block(header, path, None, [text], False, [header["message"]])
            return True
        return False

    def go_on(self, line: Line) -> bool:
        """Take indented lines of the message, and in the pretty form snippets and related places."""
        text, block = line.text, self._block
        if block is None or len(block.lines) > 120:
            return False
        if not text.strip():
            if not block.pretty:
                return False
            block.snippet = True
        elif related := _RELATED.match(text) if block.pretty else None:
            self._take_related(block, related)
        elif block.pretty and (marks := _UNDERLINE.match(text)):
            self._take_underline(block, len(marks["marks"]))
        elif block.pretty and block.snippet and (_ROW.match(text) or text.startswith("    ")):
            if block.related and text.startswith("    ") and not _ROW.match(text.lstrip() + " "):
                self._name_related(block, text.strip())
        elif text.startswith("  ") and not block.snippet:
            block.message.append(text.rstrip())
        elif not text.startswith(" "):
            return False
        block.lines.append(text)
        return True

    def _take_related(self, block: _Block, related: re.Match[str]) -> None:
        path = self.tree.resolve(related["file"])
        if path is not None:
            place = self.tree.place(path, int(related["line"]) - 1, int(related["column"]) - 1, Unit.UTF16)
            block.related.append(Related(self.tree.shown(path), self.tree.token(place), related["message"] or ""))
        block.snippet = True

    @staticmethod
    def _name_related(block: _Block, message: str) -> None:
        last = block.related[-1]
        if not last.message:
            block.related[-1] = Related(last.file, last.range, message)

    def _take_underline(self, block: _Block, width: int) -> None:
        start = block.range.start
        if block.place is None or block.related:
            return
        text = self.tree.line(block.place.path, block.place.line)
        if text is not None:
            end = self.tree.place(block.place.path, block.place.line, start.character + width, Unit.UTF16)
            block.range = self.tree.between(block.place, end)

    def end(self) -> list[Diagnostic]:
        """The block as a diagnostic."""
        block, self._block = self._block, None
        if block is None:
            return []
        header = block.header
        number = int(header["code"][2:])
        severities = {"error": Severity.ERROR, "warning": Severity.WARNING}
        return [
            Diagnostic(
                message="\n".join(block.message),
                file=self.tree.shown(block.path),
                range=block.range,
                severity=severities.get(header["kind"], Severity.INFORMATION),
                code=header["code"],
                source=self.source,
                phase=_phase(number),
                related=tuple(dict.fromkeys(block.related)),
                rendered="\n".join(block.lines).rstrip(),
            )
        ]


def _phase(number: int) -> Phase:
    if 5000 <= number < 6000 or number in _ABOUT_PROJECTS:
        return Phase.CONFIGURE
    return Phase.PARSE if number < 2000 and number not in _CHECKER_GRAMMAR else Phase.TYPE


def _notice(directory: Path, root: Path) -> Check | None:
    if not (directory / "tsconfig.json").is_file():
        return None
    how = ("-b",) if holds(directory, "tsconfig.json", _SOLUTION) else ("-p", ".", "--noEmit")
    command = (own_program("tsc", directory, root), *how, "--pretty", "false")
    return manifest_check("tsc", command, "tsconfig.json", directory, root)


def _compile(files: Sequence[Path], root: Path) -> Check | None:
    if not files:
        return None
    jsx = ("--jsx", "preserve") if any(file.suffix.lower() == ".tsx" for file in files) else ()
    options = (
        "--noEmit",
        "--pretty",
        "false",
        "--strict",
        "--skipLibCheck",
        "--target",
        "es2022",
        "--module",
        "nodenext",
    )
    return Check(
        name="tsc",
        command=(own_program("tsc", root, root), *options, *jsx, *relative_names(files, root)),
        reason="no tsconfig.json above: the files are checked by themselves",
    )


_ENDINGS = (".ts", ".tsx", ".mts", ".cts")

TOOLCHAIN = Toolchain(
    name="typescript",
    readers=(TypeScript,),
    programs=(Program("tsc", "npm install --save-dev typescript"),),
    endings=_ENDINGS,
    builds=(*_ENDINGS, "tsconfig.json"),
    order=20,
    notice=_notice,
    compile=_compile,
    sources=("ts",),
    advise=code_fixes,
    only_compiles=True,
    tests=script_tests,
)
