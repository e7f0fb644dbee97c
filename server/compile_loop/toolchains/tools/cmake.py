"""CMake: its own errors, with the call stack as related places."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Phase, Related, Severity
from compile_loop.toolchains.manifest import manifest_check
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.tools.gcc import CPP, C

_HEADER = re.compile(
    r"^CMake (?P<kind>Error|Warning|Deprecation Warning|Deprecation Error|Internal Error)(?: \(dev\))?"
    r"(?: (?:at|in) (?P<file>.+?)(?::(?P<line>\d{1,9}))?(?: \((?P<command>[^)]*)\))?)?:(?: (?P<message>\S.*))?$"
)
_FRAME = re.compile(r"^  (?P<file>\S.*?):(?P<line>\d{1,9}) \((?P<command>[^)]*)\)$")
_STACK = "Call Stack (most recent call first):"


@dataclass(slots=True)
class _Block:
    header: re.Match[str]
    lines: list[str]
    message: list[str] = field(default_factory=list)
    frames: list[re.Match[str]] = field(default_factory=list)
    in_stack: bool = False
    blanks: int = 0


class CMake(Reader):
    """Reads `CMake Error at file:line (command):` with the indented message below it."""

    source = "cmake"
    triggers = ("CMake ",)
    order = 20

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._block: _Block | None = None

    def begin(self, line: Line) -> bool:
        """Take a header."""
        header = _HEADER.match(line.text)
        if header is None:
            return False
        self._block = _Block(header, [line.text], [header["message"]] if header["message"] else [])
        return True

    def go_on(self, line: Line) -> bool:
        """Take the indented message and the call stack; two blank lines end it."""
        block, text = self._block, line.text
        if block is None or block.blanks >= 2:
            return False
        if not text.strip():
            block.blanks += 1
            if not block.in_stack and block.message:
                block.message.append("")
        elif text == _STACK:
            block.in_stack, block.blanks = True, 0
        elif not text.startswith(" "):
            return False
        elif block.in_stack and (frame := _FRAME.match(text)):
            block.frames.append(frame)
        elif not block.in_stack:
            block.blanks = 0
            block.message.append(text.strip())
        else:
            return False
        block.lines.append(text)
        return True

    @property
    def complete(self) -> bool:
        """Two blank lines end a message."""
        return self._block is not None and self._block.blanks >= 2

    def end(self) -> list[Diagnostic]:
        """The block as a diagnostic."""
        block, self._block = self._block, None
        if block is None:
            return []
        header = block.header
        message = "\n".join(block.message).strip() or header[0]
        path = self.tree.resolve(header["file"]) if header["file"] else None
        found = self.tree.whole_line(path, int(header["line"]) - 1) if path and header["line"] else NOWHERE
        related = []
        for frame in block.frames:
            if (caller := self.tree.resolve(frame["file"])) is not None:
                where = self.tree.whole_line(caller, int(frame["line"]) - 1)
                related.append(Related(self.tree.shown(caller), where, f"called from {frame['command']}"))
        return [
            Diagnostic(
                message=message,
                file=self.tree.shown(path),
                range=found,
                severity=Severity.ERROR if "Error" in header["kind"] else Severity.WARNING,
                source=self.source,
                phase=Phase.CONFIGURE,
                related=tuple(dict.fromkeys(related)),
                rendered="\n".join(block.lines).rstrip(),
            )
        ]


def _notice(directory: Path, root: Path) -> Check | None:
    lists = directory / "CMakeLists.txt"
    if not lists.is_file():
        return None
    # A folder of a larger project: the outermost of the chain is the project, and it alone can be configured.
    if directory != root and (directory.parent / "CMakeLists.txt").is_file():
        return _notice(directory.parent, root)
    configured = (directory / "build" / "CMakeCache.txt").is_file()
    command = "cmake --build build" if configured else "cmake -S . -B build && cmake --build build"
    return manifest_check("cmake", command, lists.name, directory, root)


TOOLCHAIN = Toolchain(
    name="cmake",
    readers=(CMake,),
    programs=(Program("cmake", "cmake"),),
    builds=(*C, *CPP, ".cmake", "CMakeLists.txt"),
    order=30,
    notice=_notice,
)
