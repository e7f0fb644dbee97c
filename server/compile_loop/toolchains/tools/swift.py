"""Swift: what to run, and swiftc's text. Columns are bytes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import Phase
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.headed import Block, SnippetReader
from compile_loop.toolchains.manifest import first_file, manifest_check
from compile_loop.toolchains.single import relative_names
from compile_loop.toolchains.toolchain import Program, Toolchain

_SYNTAX = re.compile(
    r"^(?:expected |unexpected |consecutive |unterminated |extraneous |invalid (?:character|escape)|closure expression)"
)


class Swift(SnippetReader):
    """Reads `file.swift:line:column: error: message` with snippets of old and new, and notes."""

    source = "swiftc"
    triggers = ("rror: ", "arning: ")
    order = 30
    unit = Unit.BYTES
    header = re.compile(
        r"^(?P<file>\S.*?\.swift):(?P<line>\d{1,9}):(?P<column>\d{1,9}): (?P<kind>error|warning|note): (?P<message>.*)$"
    )

    def phase(self, block: Block) -> Phase:
        """The parser's words, else types."""
        return Phase.PARSE if _SYNTAX.match(block.message[0]) else Phase.TYPE


def _notice(directory: Path, root: Path) -> Check | None:
    manifest = first_file(directory, "Package.swift")
    return manifest_check("swift build", ("swift", "build"), manifest, directory, root) if manifest else None


def _compile(files: Sequence[Path], root: Path) -> Check | None:
    if not files:
        return None
    command = ("swiftc", "-typecheck", *relative_names(files, root))
    return Check(name="swiftc", command=command, reason="no Package.swift above: the files are type-checked together")


TOOLCHAIN = Toolchain(
    name="swift",
    readers=(Swift,),
    programs=(Program("swiftc", "see https://www.swift.org/install"),),
    endings=(".swift",),
    builds=(".swift",),
    order=17,
    notice=_notice,
    compile=_compile,
    sources=("sourcekitd", "sourcekit-lsp"),
)
