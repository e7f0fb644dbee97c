"""pytest: each failed test or broken module at the innermost frame of ours, from any of its traceback styles."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Phase, Range, Related
from compile_loop.toolchains.manifest import first_file, holds, installed, manifest_check, own_program
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.single import relative_names
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.tools.python_caret import underlined
from compile_loop.toolchains.tools.python_traceback import Traceback, is_foreign, phase_of
from compile_loop.toolchains.tree import Place

_PART = re.compile(r"^=+ (?:FAILURES|ERRORS|short test summary info|warnings summary.*|.* in [\d.]+s.*) =+$")
_SECTION = re.compile(r"^_{2,} (?P<name>\S.*?) _{2,}$")
_CONFTEST = "ImportError while "
_FRAME = re.compile(r"^(?P<file>[^\s:][^:]*|[A-Za-z]:[^:]*):(?P<line>\d{1,9}): ?(?P<what>.*)$")
_ERROR = re.compile(r"^E(?: {3}|$)")
_MARKS = re.compile(r"^\s+\^+\s*$")
_CHAINS = ("The above exception was the direct cause", "During handling of the above exception")
_CAPTURED = re.compile(r"^-+ Captured .* -+$")
_SUMMARY = re.compile(r"^(?:FAILED|ERROR) (?P<file>\S+?\.py)(?:::(?P<test>\S+))?(?: - (?P<message>.*))?$")
_NAME = re.compile(r"^(?:\[.*\] )?(?P<name>[A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit|Failed|Interrupt))\b")
_MOST_LINES = 400
_MOST_RELATED = 16
_MOST_SUMMARISED = 1000


@dataclass(slots=True)
class _Frame:
    path: str | None
    line: int
    what: str
    marks: str | None = None


@dataclass(slots=True)
class _Section:
    lines: list[str]
    frames: list[_Frame] = field(default_factory=list)
    earlier: list[_Frame] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    marks: str | None = None
    """The row of `^` below a row of source, from where the source's first character stands; that is at `body`."""
    body: int = 0
    over: bool = False


class Pytest(Reader):
    """Reads the sections of failures and errors; where there are none (`--tb=no`), the summary's lines."""

    source = "pytest"
    triggers = ("= FAILURES =", "= ERRORS =", "___", _CONFTEST, "FAILED ", "ERROR ")
    order = 28

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._section: _Section | None = None
        self._told = False
        self._summary: list[re.Match[str]] = []

    def begin(self, line: Line) -> bool:
        """Take the head of a section, or a line of the summary."""
        text = line.text
        if _PART.match(text):
            self.context.seen.add("pytest")
            return False
        if summary := _SUMMARY.match(text):
            if len(self._summary) < _MOST_SUMMARISED:
                self._summary.append(summary)
            return False
        if text.startswith(_CONFTEST) or (_SECTION.match(text) and self.context.hinted("pytest")):
            self._section = _Section([text])
            return True
        return False

    def go_on(self, line: Line) -> bool:
        """Take everything up to the next section; a plain traceback in it is read as one."""
        section, text = self._section, line.text
        if section is None or len(section.lines) > _MOST_LINES or _PART.match(text) or _SECTION.match(text):
            return False
        if text.startswith("Traceback (most recent"):
            self._told = True
            return False
        section.lines.append(text)
        section.over = section.over or _CAPTURED.match(text) is not None
        if not section.over:
            self._take(section, text)
        return True

    def _take(self, section: _Section, text: str) -> None:
        if _ERROR.match(text):
            section.errors.append(" " + text[1:])
        elif frame := _FRAME.match(text):
            # Short tracebacks name a frame before its source and marks, long ones after them.
            marks = section.marks if not frame["what"].startswith("in ") else None
            path = self.tree.resolve(frame["file"])
            section.frames.append(_Frame(path, int(frame["line"]) - 1, frame["what"], marks))
            section.marks = None
        elif _MARKS.match(text):
            section.marks = text[section.body :]
            if section.frames and section.frames[-1].what.startswith("in "):
                section.frames[-1].marks = section.marks
        elif text.startswith(_CHAINS):
            section.earlier += section.frames
            section.frames, section.errors = [], []
        section.body = len(text) - len(text.lstrip(" >"))

    def end(self) -> list[Diagnostic]:
        """The section as a diagnostic."""
        section, self._section = self._section, None
        if section is None or not section.errors:
            return []
        self._told = True
        message = textwrap.dedent("\n".join(section.errors)).strip("\n")
        if (syntax := self._syntax(message)) is not None:
            return syntax
        ours = [frame for frame in section.frames if self._is_ours(frame)]
        main = ours[-1] if ours else None
        related = [
            Related(self.tree.shown(frame.path), self._range(frame), frame.what or "called from here")
            for frame in [*reversed(section.frames), *reversed(section.earlier)]
            if frame is not main and self._is_ours(frame)
        ]
        named = _NAME.match(message)
        return [
            Diagnostic(
                message=message,
                file=self.tree.shown(main.path) if main else None,
                range=self._range(main) if main else NOWHERE,
                source=self.source,
                phase=phase_of(named["name"]) if named else Phase.TEST,
                related=tuple(dict.fromkeys(related))[:_MOST_RELATED],
                rendered="\n".join(section.lines).rstrip(),
            )
        ]

    def _syntax(self, message: str) -> list[Diagnostic] | None:
        """A module that does not parse: what the compiler printed stands in the message."""
        if '  File "' not in message:
            return None
        inner = Traceback(self.context)
        lines = [Line(line) for line in message.split("\n")]
        if not inner.begin(lines[0]):
            return None
        for line in lines[1:]:
            inner.go_on(line)
        return inner.end() or None

    def _is_ours(self, frame: _Frame) -> bool:
        shown = self.tree.shown(frame.path)
        return shown is not None and not self.tree.names.is_absolute(shown) and not is_foreign(shown)

    def _range(self, frame: _Frame) -> Range:
        path = frame.path or ""
        line = self.tree.line(path, frame.line)
        if line is not None and frame.marks and (found := underlined(line, frame.marks)):
            return self.tree.between(Place(path, frame.line, found[0]), Place(path, frame.line, found[1]))
        return self.tree.whole_line(path, frame.line)

    def finish(self, exit_code: int) -> list[Diagnostic]:
        """Without sections the summary is all there is: the test's file, and the line where it is defined."""
        if self._told or exit_code == 0:
            return []
        return [self._summarised(line) for line in self._summary]

    def _summarised(self, line: re.Match[str]) -> Diagnostic:
        path = self.tree.resolve(line["file"])
        text = self.tree.text(path) if path else None
        name = re.sub(r"\[.*$", "", (line["test"] or "").rsplit("::", 1)[-1])
        where = NOWHERE
        if path is not None and text is not None and name:
            defined = re.compile(rf"^\s*(?:async )?def {re.escape(name)}\b")
            where = next(
                (self.tree.whole_line(path, n) for n, row in enumerate(text.lines) if defined.match(row)), NOWHERE
            )
        return Diagnostic(
            message=line["message"] or f"{line['test'] or line['file']} failed",
            file=self.tree.shown(path),
            range=where,
            source=self.source,
            phase=Phase.TEST,
            rendered=line[0],
        )


_FLAGS = ("-q", "--tb=short", "--no-header", "-p", "no:cacheprovider")
_TEST = re.compile(r"^(?:test_.*|.*_test)\.py$")


def _notice(directory: Path, root: Path) -> Check | None:
    manifest = first_file(directory, "pytest.ini", "conftest.py")
    for name, table in (
        ("pyproject.toml", r"^\[tool\.pytest"),
        ("setup.cfg", r"^\[tool:pytest\]"),
        ("tox.ini", r"^\[pytest\]"),
    ):
        if manifest is None and holds(directory, name, table):
            manifest = name
    if manifest is None:
        return None
    return manifest_check("pytest", (own_program("pytest", directory, root), *_FLAGS), manifest, directory, root)


def is_test(file: Path) -> bool:
    """Whether pytest takes a file for tests, by its name."""
    return _TEST.match(file.name) is not None


def check_tests(files: Sequence[Path], root: Path) -> Check | None:
    """Run those of the files that are tests by their name; None where none is, or pytest is not installed."""
    tests = [file for file in files if is_test(file)]
    if not tests or installed("pytest", root) is None:
        return None
    command = (own_program("pytest", root, root), *_FLAGS, *relative_names(tests, root))
    return Check(name="pytest", command=command, reason="no manifest above, and the files are tests")


TOOLCHAIN = Toolchain(
    name="pytest",
    readers=(Pytest,),
    programs=(Program("pytest", "pip install pytest"),),
    builds=(".py", "pytest.ini", "conftest.py"),
    order=35,
    notice=_notice,
)
