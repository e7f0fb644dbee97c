"""What `go build` and `go vet` say: text, and vet's JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from compile_loop.contracts.diagnostics import Diagnostic, Phase
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.headed import Block, HeadedReader
from compile_loop.toolchains.json_documents import JsonShape
from compile_loop.toolchains.reader import Context
from compile_loop.toolchains.terminal import Line

_ITSELF = re.compile(
    r"^go: (?!downloading |finding |extracting |found |added |upgraded |downgraded |removed |creating |to add |warning: "
    r"|errors parsing |no module dependencies|updating )(?P<message>\S.*)$"
)
_CYCLE = re.compile(r"^\timports .*import cycle not allowed")
_POSITION = re.compile(r"^(?P<file>.+?):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?$")
_MANIFEST = re.compile(r"\.(?:mod|work|sum)$")


class GoBuild(HeadedReader):
    """Reads `file.go:line:column: message`; columns are bytes. Lines after it that begin with a tab belong to it."""

    source = "go"
    triggers = (".go:", "go.mod:", "go.work:", "go: ", "import cycle not allowed")
    order = 35
    unit = Unit.BYTES
    header = re.compile(
        r"^(?:vet: )?(?P<file>\S(?:.*?\S)??\.(?:go|mod|work|sum)):(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)? "
        r"(?P<message>(?!error: |warning: |note: ).*?)(?: \((?P<code>[A-Z]{1,3}\d{4})\))?$"
    )

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._about_itself: list[Diagnostic] = []

    def begin(self, line: Line) -> bool:
        """Take a header, or what go says about modules without a place."""
        if said := _ITSELF.match(line.text):
            self._say(said["message"], line.text)
            return True
        if _CYCLE.match(line.text):
            lines = [text for n in range(12, -1, -1) if (text := self.context.before(n)).startswith(("package ", "\t"))]
            self._say("\n".join(lines), "\n".join(lines))
            return True
        return super().begin(line)

    def _say(self, message: str, text: str) -> None:
        said = Diagnostic(message=message, source=self.source, phase=Phase.CONFIGURE, rendered=text)
        self._about_itself.append(said)

    def belongs(self, block: Block, text: str) -> bool:
        """Take the lines that go on with the message."""
        if not text.startswith("\t"):
            return False
        block.message.append(text.rstrip())
        return True

    def phase(self, block: Block) -> Phase:
        """Manifests, then syntax, then types."""
        if _MANIFEST.search(block.path or "") or block.message[0].startswith("no required module"):
            return Phase.CONFIGURE
        return Phase.PARSE if block.message[0].startswith(("syntax error", "expected ")) else Phase.TYPE

    def finish(self, exit_code: int) -> list[Diagnostic]:
        """What go said about itself counts only if it failed; else it was progress."""
        return self._about_itself if exit_code != 0 else []


class GoVetJson(JsonShape):
    """Reads `go vet -json`: package → analyzer → a list of findings."""

    depths = (3,)
    marks = ('"posn"', '"message"')

    def read(self, entry: dict[str, Any]) -> Iterator[Diagnostic]:
        """One finding."""
        found = _POSITION.match(entry["posn"])
        path = self.tree.resolve(found["file"]) if found else None
        if found is None or path is None:
            return
        place = self.tree.place(path, int(found["line"]) - 1, int(found["column"] or 1) - 1, Unit.BYTES)
        yield Diagnostic(
            message=entry["message"],
            file=self.tree.shown(path),
            range=self.tree.token(place),
            source="go vet",
            phase=Phase.TYPE,
            rendered=f"{entry['posn']}: {entry['message']}",
        )
