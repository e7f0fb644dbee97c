"""What compiler drivers say without a place: a file that is not there, an option that they do not know."""

from __future__ import annotations

import re

from compile_loop.contracts.diagnostics import Diagnostic, Phase, Severity
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.terminal import Line

_DRIVER = re.compile(
    r"^(?:\S*[/\\])?(?P<program>(?:[\w.]+-)*(?:gcc|g\+\+|cc|c\+\+|cpp|cc1|cc1plus|cc1obj|lto1|clang|clang\+\+|as)(?:-[\d.]+)?)"
    r"(?:\.exe)?: (?P<kind>fatal error|error|warning): (?P<message>.*)$"
)
_REPEATS = re.compile(
    r"^(?:no input files|linker command failed|ld returned|all warnings being treated as errors|unable to execute command"
    r"|clang frontend command failed)"
)


class GnuDriver(Reader):
    """Reads `gcc: error: message`; what only repeats an error that was told is left out."""

    source = "gcc"
    triggers = (": error: ", ": fatal error: ", ": warning: ")
    order = 40
    apart = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._found: list[Diagnostic] = []

    def begin(self, line: Line) -> bool:
        """Take a driver's line."""
        said = _DRIVER.match(line.text)
        if said is None:
            return False
        if not _REPEATS.match(said["message"]):
            self._found = [
                Diagnostic(
                    message=said["message"],
                    severity=Severity.WARNING if said["kind"] == "warning" else Severity.ERROR,
                    source="clang" if "clang" in said["program"] else self.source,
                    phase=Phase.CONFIGURE,
                    rendered=line.text,
                )
            ]
        return True

    def end(self) -> list[Diagnostic]:
        """What the driver said."""
        found, self._found = self._found, []
        return found
