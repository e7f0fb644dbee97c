"""What Node prints when a program dies or does not parse: a place, its source, a caret, the error, its stack."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Phase, Range, Related
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.tokens import token_end
from compile_loop.toolchains.tree import Place, Tree

_HEAD = re.compile(
    r"^(?P<file>(?:file:|node:|/|[A-Za-z]:[\\/]|<anonymous)\S.*?):(?P<line>\d{1,9})$|^<anonymous_script>:\d+$"
)
_CARET = re.compile(r"^\s*(?P<carets>\^+)\s*$")
FRAME = re.compile(
    r"^\s*(?:at )?(?:async )?(?:(?P<function>[^()]*?(?:\[as \S+\])?) \()?"
    r"(?P<file>(?:file:///?|/|[A-Za-z]:[\\/]|node:)[^()]*?):(?P<line>\d{1,9}):(?P<column>\d{1,9})\)?$"
)
_AFTER = re.compile(r"^(?:\s+at .*|\s+\.\.\. \d+ lines matching.*|\s+\S.*|\}|- .*|Require stack:|)$")
_NOT_FOUND = re.compile(
    r"Cannot find (?:module|package) '(?P<name>[^']+)'(?: imported from (?P<from>.+?))?"
    r"(?:\nRequire stack:\n- (?P<first>.+?))?(?:\n|$)"
)
_RESOLVING = re.compile(
    r"ERR_MODULE_NOT_FOUND|Cannot find (?:module|package) |does not provide an export|is not defined$"
)
_FOREIGN = re.compile(r"(?:^|/)node_modules/")
_MOST_LINES = 120
_MOST_RELATED = 16
_MOST_SEARCHED = 5000


@dataclass(slots=True)
class _Block:
    head: re.Match[str]
    lines: list[str]
    caret: re.Match[str] | None = None
    message: list[str] = field(default_factory=list)
    frames: list[str] = field(default_factory=list)
    source_seen: bool = False


def places(tree: Tree, frames: Sequence[str]) -> Iterator[tuple[str, Range, str]]:
    """The frames of a stack that lie in the project's own files: path, range and function, innermost first."""
    for frame in frames:
        found = FRAME.match(frame)
        path = tree.resolve(found["file"]) if found and not found["file"].startswith("node:") else None
        shown = tree.shown(path) or ""
        if found and path and not tree.names.is_absolute(shown) and not _FOREIGN.search(shown):
            at = tree.place(path, int(found["line"]) - 1, int(found["column"]) - 1, Unit.UTF16)
            yield path, name_at(tree, at), found["function"] or ""


def name_at(tree: Tree, place: Place) -> Range:
    """The token at a place; a dot takes the member's name with it."""
    line = tree.line(place.path, place.line) or ""
    if line[place.index : place.index + 1] == "." and place.index + 1 < len(line):
        return tree.between(place, Place(place.path, place.line, token_end(line, place.index + 1)))
    return tree.token(place)


class NodeStack(Reader):
    """Reads the block that begins with `/path/file.js:line`. Carets count UTF-16 units, tabs kept."""

    source = "node"
    triggers = ("js:", "ts:", "jsx:", "tsx:", "node:", "<anonymous_script>:")
    order = 45

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._block: _Block | None = None

    def begin(self, line: Line) -> bool:
        """Take a line that is nothing but a place."""
        head = _HEAD.match(line.text)
        if head is None:
            return False
        self._block = _Block(head, [line.text])
        return True

    def go_on(self, line: Line) -> bool:
        """Take source, caret, error and stack, in this order."""
        block, text = self._block, line.text
        if block is None or len(block.lines) > _MOST_LINES or text.startswith("Node.js v"):
            return False
        if not block.message:
            if not block.source_seen:
                block.source_seen = True
            elif caret := _CARET.match(text):
                block.caret = block.caret or caret
            elif text.strip():
                block.message.append(text)
        elif not block.frames and not text.startswith(("    at ", "(Use `node ")):
            block.message.append(text)
        elif _AFTER.match(text):
            block.frames.append(text)
        else:
            return False
        block.lines.append(text)
        return True

    def end(self) -> list[Diagnostic]:
        """The error as a diagnostic; a place with nothing after it was none."""
        block, self._block = self._block, None
        if block is None or not block.message:
            return []
        message = "\n".join(block.message).strip()
        stack = list(places(self.tree, block.frames))
        file, found = self._where(block, message, stack)
        related = [
            Related(self.tree.shown(path), where, f"in {function}" if function else "called from here")
            for path, where, function in stack
            if (path, where.start) != (file, found.start)
        ]
        return [
            Diagnostic(
                message=message,
                file=self.tree.shown(file),
                range=found,
                source=self.source,
                phase=self._phase(message, stack),
                related=tuple(dict.fromkeys(related))[:_MOST_RELATED],
                rendered="\n".join(block.lines).rstrip(),
            )
        ]

    def _where(self, block: _Block, message: str, stack: list[tuple[str, Range, str]]) -> tuple[str | None, Range]:
        name = block.head["file"]
        path = self.tree.resolve(name) if name and not name.startswith("node:") else None
        if path is not None and not _FOREIGN.search(path):
            line = int(block.head["line"]) - 1
            same = next((found for at, found, _ in stack if at == path and found.start.line == line), None)
            if same is not None:
                return path, same
            if block.caret is None:
                return path, self.tree.whole_line(path, line)
            start = self.tree.place(path, line, block.caret.start("carets"), Unit.UTF16)
            width = len(block.caret["carets"])
            if width == 1:
                return path, name_at(self.tree, start)
            end = self.tree.place(path, line, block.caret.end("carets"), Unit.UTF16)
            return path, self.tree.between(start, end)
        if (missing := _NOT_FOUND.search(message)) and (place := self._import(missing)) is not None:
            return place
        return stack[0][:2] if stack else (None, NOWHERE)

    def _import(self, missing: re.Match[str]) -> tuple[str, Range] | None:
        """Where the importing file names the module that is not there."""
        importer = missing["from"] or missing["first"]
        path = self.tree.resolve(importer) if importer else None
        text = self.tree.text(path) if path else None
        if path is None or text is None:
            return None
        base = missing["name"].replace("\\", "/").rsplit("/", 1)[-1]
        wanted = re.compile(rf"(?<=['\"`])[^'\"`]*{re.escape(base)}(?=['\"`])")
        for number, line in enumerate(text.lines[:_MOST_SEARCHED]):
            if found := wanted.search(line):
                span = self.tree.between(Place(path, number, found.start()), Place(path, number, found.end()))
                return path, span
        return path, NOWHERE

    @staticmethod
    def _phase(message: str, stack: list[tuple[str, Range, str]]) -> Phase:
        if _RESOLVING.search(message):
            return Phase.TYPE
        return Phase.PARSE if message.startswith("SyntaxError") and not stack else Phase.TEST
