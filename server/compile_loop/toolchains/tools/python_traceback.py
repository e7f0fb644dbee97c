"""Python: syntax errors as the compiler prints them, tracebacks with their chains, compileall's and py_compile's lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Phase, Range, Related, Severity
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.tools.python_caret import syntax_range, underlined
from compile_loop.toolchains.tree import Place

_TRACEBACK = re.compile(r"^\s*(?:\+ )?(?:Exception Group )?Traceback \(most recent call last\):$")
_GROUP = re.compile(r"^ *[|] ?")
_MEMBER = re.compile(r"^\s*\+(?:-\+)?-{8,}.*-$|^\s*\+-{8,}$")
_FRAME = re.compile(r'^ {2}File "(?P<file>.+)", line (?P<line>\d{1,9})(?:, in (?P<function>.+))?$')
_EXCEPTION = re.compile(r"^(?P<name>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?$")
_CHAINS = ("The above exception was the direct cause", "During handling of the above exception")
_MARKS = re.compile(r"^ {4}[ ~^]*[~^][ ~^]*$")
_COMPILING = re.compile(r"^\*\*\* Error compiling '(?P<file>.+)'\.\.\.$")
_SORRY = re.compile(r"^(?:\*\*\* )?Sorry: (?P<message>(?P<name>\w+): .*) \((?P<file>[^()]+), line (?P<line>\d{1,9})\)")
_WARNING = re.compile(r"^(?P<file>\S.*?\.pyw?):(?P<line>\d{1,9}): (?P<message>(?P<name>\w*Warning): .*)$")
_SYNTAX = frozenset({"SyntaxError", "IndentationError", "TabError"})
_RESOLVING = frozenset({"ImportError", "ModuleNotFoundError", "NameError"})
_MOST_LINES = 200
_MOST_RELATED = 24
_FOREIGN = re.compile(r"(?:^|/)(?:site-packages|dist-packages|\.?venv|\.tox|\.nox|lib/python[\d.]+)/")


def phase_of(exception: str) -> Phase:
    """How far Python had come when it raised an exception of this name."""
    if exception in _SYNTAX:
        return Phase.PARSE
    return Phase.TYPE if exception in _RESOLVING else Phase.TEST


def is_foreign(shown: str) -> bool:
    """Whether a path belongs to an installed package or to Python itself."""
    return _FOREIGN.search(shown) is not None


@dataclass(slots=True)
class _Frame:
    name: str
    path: str | None
    line: int
    function: str | None
    source: str | None = None
    marks: str | None = None


@dataclass(slots=True)
class _Block:
    frames: list[_Frame] = field(default_factory=list)
    earlier: list[_Frame] = field(default_factory=list)
    exception: re.Match[str] | None = None
    lines: list[str] = field(default_factory=list)
    chained: bool = False
    members: list[_Block] = field(default_factory=list)
    """The exceptions of a group that are complete; the group itself is then only their frame."""


class Traceback(Reader):
    """Reads tracebacks and syntax errors.

    The diagnostic stands at the innermost frame of ours of the last traceback of a chain; all others are related.
    """

    source = "python"
    triggers = ("Traceback (most recent", '  File "', "Error compiling '", "Sorry: ", "Warning: ")

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._block: _Block | None = None
        self._single: Diagnostic | None = None
        self._compiling: str | None = None

    def begin(self, line: Line) -> bool:
        """Take the head of a traceback, a bare frame, or one of compileall's lines."""
        text = line.text
        self._single = None
        if compiling := _COMPILING.match(text):
            self._compiling = self.tree.resolve(compiling["file"])
            return True
        if (sorry := _SORRY.match(text)) or (sorry := _WARNING.match(text)):
            self._single = self._line_only(sorry, text)
            return self._single is not None
        if _TRACEBACK.match(text):
            self._block = _Block(lines=[text])
            return True
        if frame := _FRAME.match(_GROUP.sub("", text)):
            self._block = _Block([self._frame(frame)], lines=[text])
            return True
        return False

    def _line_only(self, found: re.Match[str], text: str) -> Diagnostic | None:
        """compileall's `Sorry`, which names only the base name, and warnings: a line and no column."""
        warning = found.re is _WARNING
        path = self.tree.resolve(found["file"])
        if not warning and self._compiling and self._compiling.endswith(found["file"]):
            path = self._compiling
        if warning and path is None:
            return None
        line = int(found["line"]) - 1
        return Diagnostic(
            message=found["message"],
            file=self.tree.shown(path),
            range=self.tree.whole_line(path, line) if path else NOWHERE,
            severity=Severity.WARNING if warning else Severity.ERROR,
            source=self.source,
            phase=Phase.PARSE if not warning or found["name"] == "SyntaxWarning" else Phase.TEST,
            rendered=text,
        )

    def _frame(self, found: re.Match[str]) -> _Frame:
        path = self.tree.resolve(found["file"])
        return _Frame(found["file"], path, int(found["line"]) - 1, found["function"])

    def go_on(self, line: Line) -> bool:
        """Take frames, their source and marks, the exception, and the traceback that follows in a chain."""
        block = self._block
        if block is None:
            return False
        text = line.text
        if _MEMBER.match(text):
            self._next_member(block)
            return True
        plain = _GROUP.sub("", text) if text.lstrip().startswith(("|", "+")) else text
        if not self._takes(block, plain):
            return False
        if len(block.lines) < _MOST_LINES:
            block.lines.append(text)
        return True

    def _takes(self, block: _Block, text: str) -> bool:
        if block.exception is not None:
            return self._takes_after(block, text)
        if frame := _FRAME.match(text):
            block.frames.append(self._frame(frame))
        elif block.frames and _MARKS.match(text) and block.frames[-1].marks is None:
            block.frames[-1].marks = text[4:]
        elif block.frames and text.startswith("    "):
            block.frames[-1].source = block.frames[-1].source or text[4:]
        elif _TRACEBACK.match(text) or text.startswith("  [Previous line repeated"):
            pass
        elif exception := _EXCEPTION.match(text):
            block.exception = exception
        else:
            return not text.strip()
        return True

    @staticmethod
    def _takes_after(block: _Block, text: str) -> bool:
        """After an exception only a chain goes on."""
        if text.startswith(_CHAINS):
            block.chained = True
        elif _TRACEBACK.match(text) and block.chained:
            block.earlier += block.frames
            block.frames, block.exception, block.chained = [], None, False
        else:
            return not text.strip()
        return True

    @staticmethod
    def _next_member(block: _Block) -> None:
        """A rule in the tree of a group: what came before it is complete, the next exception starts."""
        if block.exception is not None:
            # An exception that was never raised has no frames of its own: the group's stand for it.
            frames = block.frames or (block.members[0].frames if block.members else [])
            block.members.append(_Block(frames, block.earlier, block.exception, block.lines))
        block.frames, block.earlier, block.exception, block.lines = [], [], None, []

    def end(self) -> list[Diagnostic]:
        """The error as a diagnostic."""
        single, self._single = self._single, None
        block, self._block = self._block, None
        if single is not None:
            return [single]
        if block is None:
            return []
        if block.members:
            self._next_member(block)
        parts = [part for part in block.members if not _is_group(part)] if block.members else [block]
        return [self._diagnostic(part, part.exception) for part in parts if part.exception and part.frames]

    @property
    def complete(self) -> bool:
        """Lines that stand for themselves need no further one."""
        return self._single is not None

    def _diagnostic(self, block: _Block, exception: re.Match[str]) -> Diagnostic:
        name = exception["name"].rsplit(".", 1)[-1]
        ours = [frame for frame in block.frames if self._is_ours(frame)]
        main = ours[-1] if ours else None
        syntax = name in _SYNTAX
        found = NOWHERE
        if main is not None:
            found = self._syntax_range(main) if syntax and main is block.frames[-1] else self._range(main)
        related = []
        for frame in [*reversed(block.frames), *reversed(block.earlier)]:
            if frame is not main and self._is_ours(frame):
                message = f"in {frame.function}" if frame.function else "here"
                related.append(Related(self.tree.shown(frame.path), self._range(frame), message))
        return Diagnostic(
            message=exception[0],
            file=self.tree.shown(main.path) if main else None,
            range=found,
            source=self.source,
            phase=phase_of(name),
            related=tuple(dict.fromkeys(related))[:_MOST_RELATED],
            rendered="\n".join(block.lines).rstrip(),
        )

    def _is_ours(self, frame: _Frame) -> bool:
        if frame.path is None:
            return False
        shown = self.tree.shown(frame.path) or ""
        return shown != frame.path and not is_foreign(shown)

    def _range(self, frame: _Frame) -> Range:
        path = frame.path or ""
        line = self.tree.line(path, frame.line)
        if line is not None and frame.marks and (span := underlined(line, frame.marks)):
            return self.tree.between(Place(path, frame.line, span[0]), Place(path, frame.line, span[1]))
        return self.tree.whole_line(path, frame.line)

    def _syntax_range(self, frame: _Frame) -> Range:
        path = frame.path or ""
        line = self.tree.line(path, frame.line)
        if line is not None and frame.marks and (span := syntax_range(line, frame.marks)):
            return self.tree.between(Place(path, frame.line, span[0]), Place(path, frame.line, span[1]))
        return self.tree.whole_line(path, frame.line)


def _is_group(block: _Block) -> bool:
    return block.exception is not None and " sub-exception" in block.exception[0]
