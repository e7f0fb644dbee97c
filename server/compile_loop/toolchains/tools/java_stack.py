"""Stack traces of a Java program that died: the innermost frame of ours of the last cause."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Phase, Range, Related
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.terminal import Line

_HEAD = re.compile(r'^Exception in thread ".*" (?P<message>[\w.$]+(?:: .*)?)$')
_CAUSE = re.compile(r"^Caused by: (?P<message>[\w.$]+(?:: .*)?)$")
_FRAME = re.compile(r"^\s+at (?:[\w.@-]*/)*(?P<method>[\w.$<>]+)\((?P<file>[\w$]+\.java):(?P<line>\d{1,9})\)$")
_OTHER = re.compile(r"^\s+(?:at \S.*\)|\.\.\. \d+ (?:more|common frames omitted)|Suppressed: .*)$")
_MOST_RELATED = 16
_MOST_LINES = 120


@dataclass(slots=True)
class _Block:
    messages: list[str]
    lines: list[str]
    frames: list[list[re.Match[str]]] = field(default_factory=lambda: [[]])


class JavaStack(Reader):
    """Reads `Exception in thread` with its frames and causes; a frame's package says in which folder its file lies."""

    source = "java"
    triggers = ("Exception in thread",)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._block: _Block | None = None

    def begin(self, line: Line) -> bool:
        """Take the headline."""
        head = _HEAD.match(line.text)
        if head is None:
            return False
        self._block = _Block([head["message"]], [line.text])
        return True

    def go_on(self, line: Line) -> bool:
        """Take frames and causes."""
        block, text = self._block, line.text
        if block is None:
            return False
        if frame := _FRAME.match(text):
            block.frames[-1].append(frame)
        elif cause := _CAUSE.match(text):
            block.messages.append(cause["message"])
            block.frames.append([])
        elif not _OTHER.match(text):
            return False
        if len(block.lines) < _MOST_LINES:
            block.lines.append(text)
        return True

    def end(self) -> list[Diagnostic]:
        """The trace as a diagnostic."""
        block, self._block = self._block, None
        if block is None:
            return []
        ours = [[place for frame in part if (place := self._where(frame))] for part in block.frames]
        which = next((i for i in range(len(ours) - 1, -1, -1) if ours[i]), len(ours) - 1)
        file, found = ours[which][0][:2] if ours[which] else (None, NOWHERE)
        others = [Related(*place) for part in reversed(ours) for place in part if place[:2] != (file, found)]
        return [
            Diagnostic(
                message=block.messages[which],
                file=file,
                range=found,
                source=self.source,
                phase=Phase.TEST,
                related=tuple(dict.fromkeys(others))[:_MOST_RELATED],
                rendered="\n".join(block.lines),
            )
        ]

    def _where(self, frame: re.Match[str]) -> tuple[str | None, Range, str] | None:
        package = frame["method"].split(".")[:-2]
        path = self.tree.resolve("/".join([*package, frame["file"]]))
        if path is None or self.tree.names.is_absolute(self.tree.shown(path) or ""):
            return None
        return self.tree.shown(path), self.tree.whole_line(path, int(frame["line"]) - 1), f"in {frame['method']}"
