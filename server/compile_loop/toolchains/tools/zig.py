"""Zig: what to run, and its text. Columns are bytes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import Phase
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.headed import Block, SnippetReader
from compile_loop.toolchains.manifest import first_file, manifest_check, text_of
from compile_loop.toolchains.single import relative_names
from compile_loop.toolchains.toolchain import Program, Toolchain

_MAIN = re.compile(r"^\s*pub fn main\s*\(", re.MULTILINE)
_SYNTAX = re.compile(
    r"^(?:expected (?!type )|unexpected |invalid (?:token|byte|character)|unclosed |unterminated |extra )"
)


class Zig(SnippetReader):
    """Reads `file.zig:line:column: error: message` with its snippet and notes; `referenced by:` is left out."""

    source = "zig"
    triggers = ("rror: ",)
    order = 30
    unit = Unit.BYTES
    header = re.compile(
        r"^(?P<file>\S.*?\.z(?:ig|on)):(?P<line>\d{1,9}):(?P<column>\d{1,9}): (?P<kind>error|note): (?P<message>.*)$"
    )

    def phase(self, block: Block) -> Phase:
        """The parser's words, else the analysis of types."""
        return Phase.PARSE if _SYNTAX.match(block.message[0]) else Phase.TYPE


def _notice(directory: Path, root: Path) -> Check | None:
    manifest = first_file(directory, "build.zig")
    return manifest_check("zig build", ("zig", "build"), manifest, directory, root) if manifest else None


def _compile(files: Sequence[Path], root: Path) -> Check | None:
    if len(files) != 1:
        return None
    kind = "build-exe" if _MAIN.search(text_of(files[0])) else "build-obj"
    (name,) = relative_names(files, root)
    command = ("zig", kind, "-fno-emit-bin", name)
    return Check(
        name=f"zig {name}", command=command, reason="no build.zig above: the file is analysed, nothing is written"
    )


TOOLCHAIN = Toolchain(
    name="zig",
    readers=(Zig,),
    programs=(Program("zig", "see https://ziglang.org/download"),),
    endings=(".zig",),
    builds=(".zig", ".zon"),
    order=16,
    notice=_notice,
    compile=_compile,
    sources=("zls",),
)
