"""A Go program that died: its message, and the innermost frame that is ours."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Phase, Related
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.terminal import Line

_HEAD = re.compile(r"^\s*(?:panic|fatal error): (?P<message>.*?)(?: \[recovered\].*)?$")
_FRAME = re.compile(r"^\t(?P<file>.+\.go):(?P<line>\d{1,9})(?: \+0x[0-9a-f]+)?$")
_OTHER = re.compile(
    r"^(?:goroutine \d+ .*\[.*\]:|\[signal .*\]|created by .*|exit status \d+|\.\.\.additional frames elided\.\.\."
    r"|\t?panic: .*|[\w./%@()*·\[\]{}-]+\(.*\)|)$"
)
_MOST_LINES = 200
_MOST_RELATED = 16


@dataclass(slots=True)
class _Block:
    message: str
    lines: list[str]
    frames: list[re.Match[str]] = field(default_factory=list)
    in_goroutine: bool = False


class GoPanic(Reader):
    """Reads `panic: message` with the stack of the goroutine that died."""

    source = "go"
    triggers = ("panic: ", "fatal error: all goroutines")
    order = 36

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._block: _Block | None = None

    def begin(self, line: Line) -> bool:
        """Take the headline."""
        head = _HEAD.match(line.text)
        if head is None:
            return False
        self._block = _Block(head["message"], [line.text])
        return True

    def go_on(self, line: Line) -> bool:
        """Take stacks; only the first goroutine's frames count."""
        block, text = self._block, line.text
        if block is None or len(block.lines) > _MOST_LINES:
            return False
        if frame := _FRAME.match(text):
            block.frames.append(frame)
        elif not _OTHER.match(text):
            return False
        block.in_goroutine = block.in_goroutine or text.startswith("goroutine ")
        block.lines.append(text)
        return True

    def end(self) -> list[Diagnostic]:
        """The panic as a diagnostic, if a goroutine's stack shows that it is Go's."""
        block, self._block = self._block, None
        if block is None or not block.in_goroutine:
            return []
        places = []
        for frame in block.frames:
            path = self.tree.resolve(frame["file"])
            shown = self.tree.shown(path)
            if path is not None and shown is not None and not self.tree.names.is_absolute(shown):
                places.append((shown, self.tree.whole_line(path, int(frame["line"]) - 1)))
        file, found = places[0] if places else (None, NOWHERE)
        related = [Related(shown, where, "called from here") for shown, where in places[1:]]
        return [
            Diagnostic(
                message=block.message,
                file=file,
                range=found,
                source=self.source,
                phase=Phase.TEST,
                related=tuple(dict.fromkeys(related))[:_MOST_RELATED],
                rendered="\n".join(block.lines).rstrip(),
            )
        ]
