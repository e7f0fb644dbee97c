"""Gradle: what to run for a project, and what it says about its own build files."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Phase
from compile_loop.toolchains.manifest import first_file, manifest_check
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.toolchain import Program, Toolchain

_WHERE = re.compile(r"^(?:Build|Settings|Script) file '(?P<file>.+)' line: (?P<line>\d{1,9})$")
_WRONG = "* What went wrong:"
_ABOUT_A_TASK = re.compile(r"^Execution failed for task ")
_SETTINGS = ("settings.gradle", "settings.gradle.kts")
_BUILDS = ("build.gradle", "build.gradle.kts")


@dataclass(slots=True)
class _Block:
    lines: list[str]
    where: re.Match[str] | None = None
    message: list[str] = field(default_factory=list)
    in_message: bool = False


class Gradle(Reader):
    """Reads the report of a build that failed before its tasks ran; a task that failed has said why."""

    source = "gradle"
    triggers = ("' line: ", _WRONG)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._block: _Block | None = None

    def begin(self, line: Line) -> bool:
        """Take the place, or the headline of the reason."""
        where = _WHERE.match(line.text)
        if where is None and line.text != _WRONG:
            return False
        self._block = _Block([line.text], where, in_message=where is None)
        return True

    def go_on(self, line: Line) -> bool:
        """Take the reason up to the next headline."""
        block, text = self._block, line.text
        if block is None or len(block.lines) > 60:
            return False
        if text == _WRONG:
            block.in_message = True
        elif text.startswith("* "):
            block.in_message = False
        elif block.in_message and text.strip():
            block.message.append(text)
        block.lines.append(text)
        return True

    def end(self) -> list[Diagnostic]:
        """The reason as a diagnostic."""
        block, self._block = self._block, None
        if block is None or not block.message or _ABOUT_A_TASK.match(block.message[0]):
            return []
        path = self.tree.resolve(block.where["file"]) if block.where else None
        return [
            Diagnostic(
                message="\n".join(block.message),
                file=self.tree.shown(path),
                range=self.tree.whole_line(path, int(block.where["line"]) - 1) if path and block.where else NOWHERE,
                source=self.source,
                phase=Phase.CONFIGURE,
                rendered="\n".join(block.lines).rstrip(),
            )
        ]


def _notice(directory: Path, root: Path) -> Check | None:
    manifest = first_file(directory, *_SETTINGS, *_BUILDS)
    if manifest is None:
        return None
    above = directory.parent
    # A project of a larger build: the settings above name it, and the wrapper lies there.
    if manifest in _BUILDS and directory != root and (first_file(above, *_SETTINGS) or _notice(above, root)):
        return _notice(above, root)
    wrapper = "gradlew.bat" if os.name == "nt" else "gradlew"
    program = f"./{wrapper}" if (directory / wrapper).is_file() else "gradle"
    # A daemon would outlive the check, and builds the tree that it was started in (SPEC Q14).
    command = (program, "--no-daemon", "--console=plain", "-q", "--continue", "testClasses")
    return manifest_check("gradle", command, manifest, directory, root)


TOOLCHAIN = Toolchain(
    name="gradle",
    readers=(Gradle,),
    programs=(Program("gradle", "gradle"),),
    builds=(".java", ".kt", ".kts", ".groovy", ".scala", ".gradle"),
    order=28,
    notice=_notice,
)
