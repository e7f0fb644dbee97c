"""make and ninja: the directories that names are relative to, and their own errors."""

from __future__ import annotations

import re
from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Phase
from compile_loop.toolchains.manifest import first_file, manifest_check
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.tools.gcc import CPP, C

_DIRECTORY = re.compile(
    r"^(?P<who>\S*(?:make|ninja)(?:\.exe)?(?:\[\d+\])?): (?P<what>Entering|Leaving) directory [`'\"](?P<directory>.*)['\"]$"
)
_STOPPED = re.compile(
    r"^(?:(?P<file>[^:\s][^:]*):(?P<line>\d{1,9})|\S*make(?:\.exe)?(?:\[\d+\])?): \*\*\* (?P<message>.*)$"
)
_RECIPE_FAILED = re.compile(
    r"^(?:Deleting |Waiting for unfinished jobs)"
    r"|^\[?[^\[\]]*\]? ?(?:Error \d+|.*\b(?:Terminated|Killed|Interrupt|Segmentation fault))"
)
_NINJA = re.compile(r"^ninja: error: (?:(?P<file>[^:\s]+):(?P<line>\d{1,9}): )?(?P<message>.*)$")
_NAMES = ("Makefile", "makefile", "GNUmakefile")


class Make(Reader):
    """Follows `Entering directory`, and reads what make says about its own files.

    A recipe that failed (`*** [target] Error 1`) is no diagnostic: the tool that failed has said why.
    """

    source = "make"
    triggers = ("ing directory ", ": *** ", "ninja: error: ")
    apart = True
    order = 10

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._found: list[Diagnostic] = []

    def begin(self, line: Line) -> bool:
        """Take a line of make's."""
        text = line.text
        if moved := _DIRECTORY.match(text):
            self._move(moved)
            return True
        if (stopped := _STOPPED.match(text)) or (stopped := _NINJA.match(text)):
            if _RECIPE_FAILED.match(stopped["message"]):
                return True
            path = self.tree.resolve(stopped["file"]) if stopped["file"] else None
            message = re.sub(r"\s+Stop\.$", "", stopped["message"])
            self._found = [
                Diagnostic(
                    message=message,
                    file=self.tree.shown(path),
                    range=self.tree.whole_line(path, int(stopped["line"]) - 1) if path else NOWHERE,
                    source="ninja" if text.startswith("ninja") else self.source,
                    phase=Phase.CONFIGURE,
                    rendered=text,
                )
            ]
            return True
        return False

    def _move(self, moved: re.Match[str]) -> None:
        names = self.tree.names
        base = names.directories[-1] if names.directories else names.cwd
        directory = names.join(base, moved["directory"])
        if moved["what"] == "Entering":
            names.directories.append(directory)
            return
        for index in range(len(names.directories) - 1, -1, -1):
            if names.directories[index] == directory:
                del names.directories[index]
                return

    def end(self) -> list[Diagnostic]:
        """What make itself complained about."""
        found, self._found = self._found, []
        return found


def _notice(directory: Path, root: Path) -> Check | None:
    if first_file(directory, "build.ninja"):
        return manifest_check("ninja", ("ninja",), "build.ninja", directory, root)
    name = first_file(directory, *_NAMES)
    return manifest_check("make", ("make",), name, directory, root) if name else None


TOOLCHAIN = Toolchain(
    name="make",
    readers=(Make,),
    programs=(Program("make", "make"), Program("ninja", "ninja-build")),
    builds=(*C, *CPP, ".s", ".l", ".y", ".mk", *_NAMES),
    order=40,
    notice=_notice,
)
