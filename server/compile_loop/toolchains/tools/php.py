"""PHP: what to run for single files, and its text, which names lines only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import Phase, Range, Related
from compile_loop.toolchains.headed import Block, HeadedReader
from compile_loop.toolchains.single import relative_names
from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.tree import Place

_FRAME = re.compile(r"^#\d+ (?P<file>\S.*?)\((?P<line>\d{1,9})\): (?P<function>.*)$")
_AFTER = re.compile(r"^(?:Stack trace:|#\d+ .*|  thrown in .*|Next \S.*)$")


class Php(HeadedReader):
    """Reads `PHP Parse error:  message in file.php on line 3`, which is printed twice when two logs are on."""

    source = "php"
    triggers = (" on line ", "Uncaught ")
    order = 38
    header = re.compile(
        r"^(?:PHP )?(?P<kind>Parse error|Fatal error|Recoverable fatal error|Compile error|Warning|Notice|Deprecated): +"
        r"(?P<message>.*) (?:in|thrown in) (?P<file>\S.*?)(?: on line |:)(?P<line>\d{1,9})$"
    )

    def span(self, path: str, parts: dict[str, str | None], place: Place | None, message: str) -> Range:
        """The whole line: what the message quotes is often a token of the line before."""
        return self.tree.whole_line(path, int(parts["line"] or 1) - 1)

    def belongs(self, block: Block, text: str) -> bool:
        """Take the stack of an exception that nobody caught."""
        if "Uncaught " not in block.header["message"] or not _AFTER.match(text):
            return False
        if (frame := _FRAME.match(text)) and (path := self.tree.resolve(frame["file"])) is not None:
            where = self.tree.whole_line(path, int(frame["line"]) - 1)
            block.related.append(Related(self.tree.shown(path), where, f"in {frame['function']}"))
        return True

    def phase(self, block: Block) -> Phase:
        """Parse errors, what the compiler refuses, and what happens when it runs."""
        if block.header["kind"] == "Parse error":
            return Phase.PARSE
        return Phase.TEST if "Uncaught " in block.message[0] or block.header["kind"] == "Warning" else Phase.TYPE


def _compile(files: Sequence[Path], root: Path) -> Check | None:
    if len(files) != 1:
        return None  # before 8.3 only the first file of several is looked at
    (name,) = relative_names(files, root)
    command = ("php", "-d", "display_errors=stderr", "-d", "log_errors=0", "-l", name)
    return Check(name=f"php -l {name}", command=command, reason="the file is parsed, not run")


TOOLCHAIN = Toolchain(
    name="php",
    readers=(Php,),
    programs=(Program("php", "php-cli"),),
    endings=(".php", ".phtml"),
    interpreters=("php",),
    order=60,
    compile=_compile,
    sources=("intelephense",),
)
