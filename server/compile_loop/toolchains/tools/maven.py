"""Maven: what to run for a project; compilers' findings, failed tests and broken POMs in its log."""

from __future__ import annotations

import os
import re
from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import Phase, Severity
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.headed import Block, HeadedReader
from compile_loop.toolchains.manifest import first_file, manifest_check
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.tools.java import phase_of

_REST = re.compile(r"^(?:\[(?:ERROR|WARNING)\] ?)?(?P<text>\s{2,}(?:symbol|location|required|found|reason)\s*:.*)$")
_POM = re.compile(
    r"^\[(?:ERROR|FATAL)\]\s+(?P<message>(?:Non-parseable|Malformed) POM (?P<file>\S.*?): .*?@ *"
    r"(?:\S+, )?line (?P<line>\d{1,9}), column (?P<column>\d{1,9}).*?)(?: -> \[Help \d+\])?$"
)
_TEST = re.compile(
    r"^\[ERROR\]\s+(?:Tests? in error: )?(?P<class>[A-Z]\w*)(?:[.>]\w+)*\.(?P<test>\w+):(?P<line>\d{1,9})(?: »)? (?P<message>.*)$"
)


class Maven(HeadedReader):
    """Reads `[ERROR] /path/File.java:[line,column] message`; columns are UTF-16 units with tabs to eight."""

    source = "maven"
    triggers = ("[ERROR] ", "[WARNING] ", "[FATAL] ")
    order = 26
    unit = Unit.UTF16_TAB8
    header = re.compile(
        r"^\[(?P<kind>ERROR|WARNING)\] (?P<file>\S.*?):\[(?P<line>\d{1,9}),(?P<column>\d{1,9})\] "
        r"(?:(?:error|warning): )?(?:\[(?P<code>[\w-]+)\] )?(?P<message>.*)$"
    )

    def begin(self, line: Line) -> bool:
        """Take a compiler's finding, a failed test of the summary, or a POM that cannot be read."""
        return super().begin(line) or self._take_other(line)

    def _take_other(self, line: Line) -> bool:
        found = _POM.match(line.text)
        path = self.tree.resolve(found["file"]) if found else None
        if found is None and (found := _TEST.match(line.text)) is not None:
            path = self.tree.resolve(f"{found['class']}.java") or self.tree.resolve(f"{found['class']}.kt")
        if found is None or path is None:
            return False
        parts = {**found.groupdict(), "end_column": None}
        place = self.place(path, parts, found["message"]) if "column" in parts else None
        message = f"{found['class']}.{found['test']}: {found['message']}" if "test" in parts else found["message"]
        self._block = Block(
            header=found,
            path=path,
            place=place,
            range=self.span(path, parts, place, ""),
            message=[message],
            severity=Severity.ERROR,
            code=None,
            lines=[line.text],
        )
        return True

    def belongs(self, block: Block, text: str) -> bool:
        """Take what javac adds below its message."""
        if block.header.re is not self.header or (rest := _REST.match(text)) is None:
            return False
        block.message.append(rest["text"].rstrip())
        return True

    def phase(self, block: Block) -> Phase:
        """POM, then tests, else as javac's message says."""
        if block.header.re is _POM:
            return Phase.CONFIGURE
        return Phase.TEST if block.header.re is _TEST else phase_of(block.message[0])

    def tool(self, block: Block) -> str:
        """Findings in Java are javac's."""
        return "javac" if block.header.re is self.header and (block.path or "").endswith(".java") else self.source


def _notice(directory: Path, root: Path) -> Check | None:
    manifest = first_file(directory, "pom.xml")
    if manifest is None:
        return None
    wrapper = "mvnw.cmd" if os.name == "nt" else "mvnw"
    program = f"./{wrapper}" if (directory / wrapper).is_file() else "mvn"
    command = (program, "-B", "-q", "-Dstyle.color=never", "--fail-at-end", "test-compile")
    return manifest_check("maven", command, manifest, directory, root)


TOOLCHAIN = Toolchain(
    name="maven",
    readers=(Maven,),
    programs=(Program("mvn", "maven"),),
    builds=(".java", ".kt", ".scala", ".groovy", "pom.xml"),
    order=27,
    notice=_notice,
)
