"""Rust tests that fail: a panic's place and message, the frames of ours in its backtrace, a returned error."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Phase, Range, Related
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.tools.rust_workspace import bases
from compile_loop.toolchains.tree import Place

_PANIC = re.compile(
    r"^thread '(?P<thread>.*)'(?: \(\d+\))? panicked at (?:'(?P<old>.*)', )?"
    r"(?P<file>\S.*?):(?P<line>\d{1,9}):(?P<column>\d{1,9}):?$"
)
_TEST = re.compile(r"^---- (?P<test>.+) stdout ----$")
_FRAME = re.compile(r"^ +at (?P<file>.+?):(?P<line>\d{1,9}):(?P<column>\d{1,9})$")
_NO_PANIC = re.compile(
    r"^(?:note: )?(?P<message>test did not panic as expected) at (?P<file>\S.*?):(?P<line>\d{1,9}):(?P<column>\d{1,9})$"
)
_DOC_TEST = re.compile(r"^(?P<file>\S+) - (?P<item>.*) \(line (?P<line>\d{1,9})\)$")
_AFTER = ("stack backtrace:", "note: run with", "note: Some details")
_MOST_LINES = 60
_MOST_FRAMES = 8


@dataclass(slots=True)
class _Block:
    test: str
    lines: list[str]
    panic: re.Match[str] | None = None
    message: list[str] = field(default_factory=list)
    frames: list[re.Match[str]] = field(default_factory=list)
    speaking: bool = True
    blank: bool = False


class RustPanic(Reader):
    """Reads `thread '…' panicked at file:line:column:` with the message on the lines below it."""

    source = "rustc"
    triggers = ("panicked at ", " stdout ----")

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._block: _Block | None = None

    def begin(self, line: Line) -> bool:
        """Take the head of a test's output, or a panic."""
        if test := _TEST.match(line.text):
            self._block = _Block(test["test"], [line.text])
            return True
        if panic := _PANIC.match(line.text):
            self._block = _Block(panic["thread"], [line.text])
            self._take_panic(self._block, panic)
            return True
        return False

    @staticmethod
    def _take_panic(block: _Block, panic: re.Match[str]) -> None:
        block.panic, block.message = panic, []
        block.speaking = panic["old"] is None
        if panic["old"]:
            block.message = [panic["old"]]

    def go_on(self, line: Line) -> bool:
        """Take the message, up to a blank line or the backtrace, and then the backtrace's frames."""
        text, block = line.text, self._block
        if block is None or _TEST.match(text):
            return False
        if panic := _PANIC.match(text):
            if block.panic is not None:
                return False
            self._take_panic(block, panic)
        elif frame := _FRAME.match(text):
            block.frames.append(frame)
        elif text.startswith(_AFTER):
            block.speaking = False
        elif not text.strip():
            # The head of a test is followed by a blank line; later ones end the message, and two end the block.
            if block.panic is not None or block.message:
                block.speaking = False
                block.blank = True
        elif block.speaking:
            block.message.append(text)
        elif block.blank or not text.startswith(" "):
            return False
        if len(block.lines) < _MOST_LINES:
            block.lines.append(text)
        return True

    def end(self) -> list[Diagnostic]:
        """The failure as a diagnostic."""
        block, self._block = self._block, None
        if block is None or not (block.panic or block.message):
            return []
        message = "\n".join(block.message) or f"{block.test} panicked"
        path, found = self._where(block.panic) if block.panic else (None, NOWHERE)
        if not block.panic and (quiet := _NO_PANIC.match(message)):
            message, (path, found) = quiet["message"], self._where(quiet)
        if example := _DOC_TEST.match(block.test):  # its panics count lines in the example, not in the file
            path = self.tree.resolve(example["file"])
            found = self.tree.whole_line(path, int(example["line"]) - 1) if path else NOWHERE
        places = [self._where(frame) for frame in block.frames]
        ours = [(p, r) for p, r in places if p is not None and self.tree.shown(p) != p]
        if path is None and ours:
            path, found = ours[0]
        calls = {(p, r.start.line): r for p, r in reversed(ours) if (p, r.start.line) != (path, found.start.line)}
        related = [Related(self.tree.shown(p), r, "called from here") for (p, _), r in reversed(calls.items())]
        return [
            Diagnostic(
                message=message if path is not None else f"{block.test}: {message}",
                file=self.tree.shown(path),
                range=found,
                source=self.source,
                phase=Phase.TEST,
                related=tuple(dict.fromkeys(related))[:_MOST_FRAMES],
                rendered="\n".join(block.lines).rstrip(),
            )
        ]

    def _where(self, place: re.Match[str]) -> tuple[str | None, Range]:
        path = self.tree.resolve(place["file"], *bases(self.tree, self.tree.names.cwd))
        if path is None:
            return None, NOWHERE
        at: Place = self.tree.place(path, int(place["line"]) - 1, int(place["column"]) - 1, Unit.CODEPOINTS)
        return path, self.tree.token(at, bang=True)
