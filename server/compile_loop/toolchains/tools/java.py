"""Java's javac: plain text with a caret, and `-XDrawDiagnostics`."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Phase, Range, Severity
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.single import relative_names, scratch
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.tools.java_stack import JavaStack

_HEADER = re.compile(
    r"^(?P<file>\S.*?\.java):(?P<line>\d{1,9}): (?P<kind>error|warning): (?:\[(?P<code>[\w-]+)\] )?(?P<message>.*)$"
)
_RAW = re.compile(
    r"^(?:(?P<file>\S.*?\.java):(?P<line>\d{1,9}):(?P<column>\d{1,9}):|-) compiler\.(?P<kind>err|warn|note)\."
    r"(?P<code>[\w.-]+)(?:: (?P<message>.*))?$"
)
_PLACELESS = re.compile(
    r"^(?P<kind>error|warning): (?:\[(?P<code>[\w-]+)\] )?(?P<message>(?:warnings found and -Werror|file not found: .*\.java"
    r"|invalid (?:flag|target release|source release)|no source files|release version .* not supported|class file "
    r"|Source option |Target option |.*[Aa]nnotation process|cannot access |module not found|Class names, ).*)$"
)
_ANY_PLACELESS = re.compile(r"^(?P<kind>error|warning): (?:\[(?P<code>[\w-]+)\] )?(?P<message>.*)$")
_CARET = re.compile(r"^\s*\^\s*$")
_SYNTAX = re.compile(
    r"expected$|^illegal (?:start|character|text)|^not a statement|^reached end of file|^unclosed |^malformed "
    r"|^(?:class|orphaned|'else' without|'catch' without|'try' without|empty character|unmappable |invalid method decl"
    r"|missing (?:return type|method body)|.*expected\b)|^(?:expected|premature|illegal|not\.stmt|unclosed|orphaned|else\.)"
)
_CONFIGURE = re.compile(r"^(?:invalid |no source files|release version|file not found|Source option|Target option)")
_MOST_LINES = 60


@dataclass(slots=True)
class _Block:
    kind: str
    code: str | None
    message: list[str]
    lines: list[str]
    path: str | None = None
    line: int = 0
    range: Range = NOWHERE
    seen_caret: bool = False
    held: list[str] = field(default_factory=list)


class Javac(Reader):
    """Reads javac's plain text. The caret's index in its row is the column: UTF-16 units, tabs kept."""

    source = "javac"
    triggers = ("error: ", "warning: ")
    order = 20

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._block: _Block | None = None

    def begin(self, line: Line) -> bool:
        """Take a header in a Java file, or one of javac's without a file."""
        text = line.text
        if header := _HEADER.match(text):
            path, number = self.tree.resolve(header["file"]), int(header["line"]) - 1
            message = header["message"] if path else f"{header['file']}:{header['line']}: {header['message']}"
            self._block = _Block(header["kind"], header["code"], [message], [text], path, number)
            if path is not None:
                self._block.range = self.tree.whole_line(path, number)
            self.context.seen.add("javac")
            return True
        header = (_ANY_PLACELESS if "javac" in self.context.words else _PLACELESS).match(text)
        if header is None:
            return False
        self._block = _Block(header["kind"], header["code"], [header["message"]], [text])
        return True

    def go_on(self, line: Line) -> bool:
        """Take the source line, the caret, and what is indented below it."""
        text, block = line.text, self._block
        if block is None or block.path is None or len(block.lines) > _MOST_LINES:
            return False
        if _CARET.match(text) and not block.seen_caret:
            block.seen_caret = True
            start = self.tree.place(block.path, block.line, text.index("^"), Unit.UTF16)
            block.range = self.tree.token(start)
            block.message += block.held[:-1]  # the last one before the caret is the source
        elif not block.seen_caret:
            if len(block.held) > 30 or (text and not text[0].isspace() and not self._is_source(block, text)):
                return False
            block.held.append(text.rstrip())
        elif text.startswith("  ") and text.strip():
            block.message.append(text.rstrip())
        else:
            return False
        block.lines.append(text)
        return True

    def _is_source(self, block: _Block, text: str) -> bool:
        source = self.tree.line(block.path or "", block.line)
        return source is not None and source.rstrip() == text.rstrip()

    def end(self) -> list[Diagnostic]:
        """The block as a diagnostic."""
        block, self._block = self._block, None
        if block is None:
            return []
        return [
            Diagnostic(
                message="\n".join(block.message),
                file=self.tree.shown(block.path),
                range=block.range,
                severity=Severity.ERROR if block.kind == "error" else Severity.WARNING,
                code=block.code,
                source=self.source,
                phase=phase_of(block.message[0]),
                rendered="\n".join(block.lines),
            )
        ]


class JavacRaw(Reader):
    """Reads `-XDrawDiagnostics`: base names only; columns are UTF-16 units with tabs to eight."""

    source = "javac"
    triggers = (" compiler.",)
    order = 10
    apart = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._found: list[Diagnostic] = []

    def begin(self, line: Line) -> bool:
        """Take a raw line."""
        raw = _RAW.match(line.text)
        if raw is None:
            return False
        self.context.seen.add("javac")
        if raw["kind"] == "note":
            return True
        path, found = self._where(raw)
        code = f"compiler.{raw['kind']}.{raw['code']}"
        self._found = [
            Diagnostic(
                message=f"{raw['code']}: {raw['message']}" if raw["message"] else raw["code"].replace(".", " "),
                file=self.tree.shown(path),
                range=found,
                severity=Severity.ERROR if raw["kind"] == "err" else Severity.WARNING,
                code=code,
                source=self.source,
                phase=phase_of(raw["code"]),
                rendered=line.text,
            )
        ]
        return True

    def _where(self, raw: re.Match[str]) -> tuple[str | None, Range]:
        name = raw["file"]
        if name is None:
            return None, NOWHERE
        named = [word for word in self.context.arguments if word == name or word.endswith("/" + name)]
        path = self.tree.resolve(named[0]) if len(named) == 1 else self.tree.resolve(name)
        if path is None:
            return None, NOWHERE
        place = self.tree.place(path, int(raw["line"]) - 1, int(raw["column"]) - 1, Unit.UTF16_TAB8)
        return path, self.tree.token(place)

    def end(self) -> list[Diagnostic]:
        """The line's diagnostic."""
        found, self._found = self._found, []
        return found


def phase_of(message: str) -> Phase:
    """How far javac had come, from its message or its key for it."""
    if _CONFIGURE.match(message):
        return Phase.CONFIGURE
    return Phase.PARSE if _SYNTAX.search(message) else Phase.TYPE


_PACKAGE = re.compile(rb"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)


def _source_root(file: Path) -> Path:
    """The folder that the file's package starts in."""
    try:
        package = _PACKAGE.search(file.read_bytes())
    except OSError:
        package = None
    parts = package[1].decode().split(".") if package else []
    root = file.parent
    return root.parents[len(parts) - 1] if parts and root.parts[-len(parts) :] == tuple(parts) else root


def _compile(files: Sequence[Path], root: Path) -> Check | None:
    if not files:
        return None
    roots = relative_names(sorted({_source_root(file) for file in files}), root)
    return Check(
        name="javac",
        command=(
            *("javac", "-Xlint:all", "-implicit:none", "-d", scratch("javac")),
            *("-sourcepath", os.pathsep.join(roots), *relative_names(files, root)),
        ),
        reason="no build file above: the files are compiled with javac",
    )


TOOLCHAIN = Toolchain(
    name="javac",
    readers=(JavacRaw, Javac, JavaStack),
    programs=(Program("javac", "default-jdk-headless"),),
    endings=(".java",),
    order=60,
    compile=_compile,
)
