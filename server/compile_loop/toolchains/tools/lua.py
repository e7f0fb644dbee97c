"""Lua: what to run for single files, and what luac, lua and luajit print: `luac: file.lua:3: message`."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import Phase, Related
from compile_loop.toolchains.headed import Block, HeadedReader
from compile_loop.toolchains.single import relative_names
from compile_loop.toolchains.toolchain import Program, Toolchain

_FRAME = re.compile(r"^\t(?P<file>[^\[\s].*?):(?P<line>\d{1,9}): in (?P<function>.*)$")
_STACK = "stack traceback:"
_VERSIONS = ("luac", "luac5.4", "luac5.3", "luac5.2", "luac5.1")


class Lua(HeadedReader):
    """Reads the error, and the stack below it if the program ran."""

    source = "lua"
    triggers = (".lua:",)
    order = 38
    header = re.compile(r"^(?:\S*lua\S*: )(?P<file>\S.*?\.lua):(?P<line>\d{1,9}): (?P<message>\S.*)$")

    def belongs(self, block: Block, text: str) -> bool:
        """Take the stack, and the list of places where a module was looked for."""
        if text == _STACK:
            block.extra = 1
        elif not text.startswith("\t"):
            return False
        elif block.extra and (frame := _FRAME.match(text)) and (path := self.tree.resolve(frame["file"])) is not None:
            where = self.tree.whole_line(path, int(frame["line"]) - 1)
            if (self.tree.shown(path), where.start.line) != (self.tree.shown(block.path), block.range.start.line):
                block.related.append(Related(self.tree.shown(path), where, f"in {frame['function']}"))
        return True

    def phase(self, block: Block) -> Phase:
        """With a stack the program ran; else it was not even parsed."""
        if not block.extra:
            return Phase.PARSE
        return Phase.TYPE if re.match(r"module '.*' not found", block.message[0]) else Phase.TEST


def _compile(files: Sequence[Path], root: Path) -> Check | None:
    if len(files) != 1:
        return None  # luac stops at the first file that does not parse
    program = next((name for name in _VERSIONS if shutil.which(name)), _VERSIONS[0])
    (name,) = relative_names(files, root)
    return Check(
        name=f"{program} -p {name}", command=(program, "-p", name), reason="the file is parsed, nothing is written"
    )


TOOLCHAIN = Toolchain(
    name="lua",
    readers=(Lua,),
    programs=(Program("luac", "lua5.4"),),
    endings=(".lua",),
    interpreters=("lua",),
    order=60,
    compile=_compile,
    sources=("lua diagnostics", "lua syntax check"),
)
