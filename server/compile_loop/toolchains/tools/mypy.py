"""mypy: its text and its JSON lines. Columns are bytes, or what the native parser makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Phase, Range, Related, Severity
from compile_loop.toolchains.headed import Block, HeadedReader, severity_of
from compile_loop.toolchains.json_documents import JsonShape
from compile_loop.toolchains.manifest import first_file, holds, manifest_check, own_program
from compile_loop.toolchains.reader import Context
from compile_loop.toolchains.single import relative_names
from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.tools.mypy_columns import Columns
from compile_loop.toolchains.tree import Place, Tree

_SYNTAX = "syntax"
_WRAPPED_CODE = re.compile(r"^(?P<rest>.*?) ?\[(?P<code>[a-z][a-z-]+)\]$")
_UNDERLINE = re.compile(r"^ {4}(?P<blank> *)(?P<marks>\^~*)$")
_PRETTY_INDENT = 4


def _page(code: str | None) -> str | None:
    return f"https://mypy.readthedocs.io/en/stable/_refs.html#code-{code}" if code else None


class _Places:
    """Turns mypy's numbers into ranges, for one output."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._columns = Columns()

    def range(self, path: str, start: tuple[int, int], end: tuple[int, int] | None, message: str) -> Range:
        """The range of zero-based (line, column) pairs as mypy counts them; `end` is exclusive."""
        line = self._tree.line(path, start[0])
        if line is None:
            return self._tree.whole_line(path, start[0])
        last = end[1] if end is not None and end[0] == start[0] else None
        first, until = self._columns.span(line, start[1], last, message)
        return self._tree.between(Place(path, start[0], first), Place(path, start[0], until))


class MypyText(HeadedReader):
    """Reads `file.py:line:column:end line:end column: error: message  [code]`; what is left out is not there."""

    source = "mypy"
    triggers = ("rror: ", "arning: ")
    order = 30
    header = re.compile(
        r"^(?P<file>\S.*?\.(?:pyi?|ini|cfg|toml)):(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):"
        r"(?:(?P<end_line>\d{1,9}):(?P<end_column>\d{1,9}):)?)? (?P<kind>error|warning|note): "
        r"(?P<message>.*?)(?:  \[(?P<code>[a-z][a-z-]*)\])?$"
    )

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._places = _Places(context.tree)

    def span(self, path: str, parts: dict[str, str | None], place: Place | None, message: str) -> Range:
        """Columns count from one; the end is inclusive."""
        if parts["column"] is None:
            return super().span(path, parts, None, message)
        start = (int(parts["line"] or 1) - 1, int(parts["column"]) - 1)
        end = (int(parts["end_line"]) - 1, int(parts["end_column"] or 1)) if parts["end_line"] else None
        return self._places.range(path, start, end, message)

    def belongs(self, block: Block, text: str) -> bool:
        """Take notes, and in the pretty form wrapped words, the source and the underline."""
        if (note := self.header.match(text)) and note["kind"] == "note":
            path = self.tree.resolve(note["file"])
            if path is not None:
                where = self.span(path, note.groupdict(), None, note["message"])
                block.related.append(Related(self.tree.shown(path), where, note["message"]))
            return True
        if note or not block.path:
            return False
        if marks := _UNDERLINE.match(text):
            place = Place(block.path, int(block.header["line"]) - 1, len(marks["blank"]))
            if block.header["column"] is None:
                block.range = self.tree.between(place, Place(place.path, place.line, place.index + len(marks["marks"])))
            return True
        if text.startswith("    "):
            return True
        if block.code is None and not block.related and (wrapped := _WRAPPED_CODE.match(text)):
            block.code = wrapped["code"]
            block.message[0] = f"{block.message[0]} {wrapped['rest']}".strip()
            return True
        return False

    def phase(self, block: Block) -> Phase:
        """Syntax is told apart."""
        return Phase.PARSE if block.code == _SYNTAX else Phase.TYPE

    def diagnostic(self, block: Block) -> Diagnostic:
        """With the page that explains the code."""
        found = super().diagnostic(block)
        return replace(found, code_href=_page(found.code))


class MypyJson(JsonShape):
    """Reads `mypy --output json`: one object a finding; columns count from zero, ends are exclusive."""

    depths = (0,)
    marks = ('"file"', '"line"', '"hint"', '"severity"')

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._places = _Places(context.tree)

    def read(self, entry: dict[str, Any]) -> Iterator[Diagnostic]:
        """One finding."""
        path = self.tree.resolve(entry["file"])
        line, column = int(entry["line"]) - 1, int(entry["column"])
        end = (int(entry["end_line"]) - 1, int(entry["end_column"])) if entry.get("end_line") is not None else None
        found = NOWHERE
        if path is not None and line >= 0:
            found = self._places.range(path, (line, max(column, 0)), end, entry["message"])
        code = entry.get("code")
        message = entry["message"] + (f"\n{entry['hint']}" if entry.get("hint") else "")
        severity = severity_of(entry["severity"])
        yield Diagnostic(
            message=message,
            file=self.tree.shown(path),
            range=found,
            severity=severity,
            code=code if severity is not Severity.INFORMATION else None,
            code_href=_page(code),
            source="mypy",
            phase=Phase.PARSE if code == _SYNTAX else Phase.TYPE,
            rendered=f"{entry['file']}:{entry['line']}: {entry['severity']}: {message}",
        )


_FLAGS = ("--show-column-numbers", "--show-error-end", "--no-error-summary", "--no-pretty")


def _notice(directory: Path, root: Path) -> Check | None:
    manifest = first_file(directory, "mypy.ini", ".mypy.ini")
    for name, table in (("pyproject.toml", r"^\[tool\.mypy\]"), ("setup.cfg", r"^\[mypy\]")):
        if manifest is None and holds(directory, name, table):
            manifest = name
    if manifest is None:
        return None
    named = holds(directory, manifest, r"^\s*(?:files|packages|modules)\s*=")
    command = (own_program("mypy", directory, root), *_FLAGS, *(() if named else (".",)))
    return manifest_check("mypy", command, manifest, directory, root)


def _recheck(files: Sequence[Path], root: Path) -> Check | None:
    if not files:
        return None
    command = (own_program("mypy", root, root), *_FLAGS, *relative_names(files, root))
    return Check(name="mypy", command=command, reason="the finding is mypy's")


TOOLCHAIN = Toolchain(
    name="mypy",
    readers=(MypyText,),
    shapes=(MypyJson,),
    programs=(Program("mypy", "pip install mypy"),),
    builds=(".py", ".pyi", "mypy.ini"),
    order=33,
    notice=_notice,
    recheck=_recheck,
    only_compiles=True,
)
