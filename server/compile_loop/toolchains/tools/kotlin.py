"""Kotlin: kotlinc's text, and the form in which Gradle and the daemon print it. Columns are UTF-16 units."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import Phase
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.headed import Block, SnippetReader
from compile_loop.toolchains.single import relative_names, scratch
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.toolchain import Program, Toolchain

_SYNTAX = re.compile(r"^(?:syntax error|expecting |unexpected |illegal |unresolved token|missing ')", re.IGNORECASE)


class Kotlinc(SnippetReader):
    """Reads `file.kt:line:column: error: message`, since version 2 with `[CODE]` if asked for."""

    source = "kotlinc"
    triggers = ("rror: ", "arning: ")
    order = 30
    unit = Unit.UTF16
    header = re.compile(
        r"^(?P<file>\S.*?\.kts?):(?P<line>\d{1,9}):(?P<column>\d{1,9}): (?P<kind>error|warning): "
        r"(?:\[(?P<code>[A-Z][A-Z_]+)\] )?(?P<message>.*)$"
    )

    def phase(self, block: Block) -> Phase:
        """The parser's words, else types."""
        return Phase.PARSE if _SYNTAX.match(block.message[0]) else Phase.TYPE


class KotlinGradle(Kotlinc):
    """Reads `e: file:///path/file.kt:line:column message`, and `e: path/file.kt: (line, column): message` of old."""

    triggers = ("e: ", "w: ")
    header = re.compile(
        r"^(?P<kind>[ew]): (?P<file>\S.*?\.kts?)"
        r"(?::(?P<line>\d{1,9}):(?P<column>\d{1,9}):?|: \((?P<old_line>\d{1,9}), (?P<old_column>\d{1,9})\):)"
        r" (?:\[(?P<code>[A-Z][A-Z_]+)\] )?(?P<message>.*)$"
    )

    def open(self, found: re.Match[str], line: Line) -> Block | None:
        """Both forms as one."""
        if found["line"] is None:
            old = f"e: {found['file']}:{found['old_line']}:{found['old_column']} {found['message']}"
            again = self.header.match(f"{found['kind']}{old[1:]}")
            return None if again is None else self.open(again, line)
        return super().open(found, line)


def _compile(files: Sequence[Path], root: Path) -> Check | None:
    if not files:
        return None
    command = ("kotlinc", *relative_names(files, root), "-d", scratch("kotlin"))
    return Check(name="kotlinc", command=command, reason="no build file above: the files are compiled with kotlinc")


TOOLCHAIN = Toolchain(
    name="kotlin",
    readers=(Kotlinc, KotlinGradle),
    programs=(Program("kotlinc", "kotlin"),),
    endings=(".kt", ".kts"),
    order=60,
    compile=_compile,
)
