"""ruff: its JSON with fixes, and the two forms of its text. Columns are characters from one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import Diagnostic, Phase, Range, SuggestedEdit, Suggestion
from compile_loop.toolchains.advice import Question, lacking
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.headed import Block, HeadedReader, severity_of
from compile_loop.toolchains.json_documents import JsonShape
from compile_loop.toolchains.manifest import first_file, holds, manifest_check, own_program
from compile_loop.toolchains.single import relative_names
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.toolchain import Program, Toolchain

_SYNTAX = "invalid-syntax"
_CODE = r"(?P<code>[A-Z]{1,8}\d{1,5}|invalid-syntax|[a-z]+(?:-[a-z]+)+):?(?: \[\*\])? (?P<message>\S.*)$"
_TITLE = re.compile(f"^{_CODE}")
_UNDERLINE = re.compile(r"^ *\| {1,2}(?P<blank> *)(?P<marks>\^+)\s*$")
_GUTTER = re.compile(r"^ *\d* +[|+-]|^ *[|+-]|^ *\d+ [|+-]")


class RuffJson(JsonShape):
    """Reads the findings of `--output-format json` and `json-lines`."""

    depths = (0, 1)
    marks = ('"filename"', '"end_location"', '"noqa_row"')

    def read(self, entry: dict[str, Any]) -> Iterator[Diagnostic]:
        """One finding; a safe fix is one that ruff itself calls so."""
        path = self.tree.resolve(entry["filename"])
        if path is None:
            return
        yield Diagnostic(
            message=entry["message"],
            file=self.tree.shown(path),
            range=self._range(path, entry),
            severity=severity_of(entry.get("severity")),
            code=entry["code"],
            code_href=entry.get("url"),
            source="ruff",
            phase=Phase.PARSE if entry["code"] in (None, _SYNTAX) else Phase.TYPE,
            suggestions=tuple(self._suggestions(path, entry)),
            rendered=f"{entry['filename']}:{entry['location']['row']}: {entry['code']} {entry['message']}",
        )

    def _range(self, path: str, entry: dict[str, Any]) -> Range:
        first, last = (
            self.tree.place(path, int(entry[edge]["row"]) - 1, int(entry[edge]["column"]) - 1, Unit.CODEPOINTS)
            for edge in ("location", "end_location")
        )
        return self.tree.between(first, last)

    def _suggestions(self, path: str, entry: dict[str, Any]) -> Iterator[Suggestion]:
        fix = entry.get("fix")
        if not fix or entry.get("cell") is not None or fix.get("applicability") == "display":
            return
        file = self.tree.shown(path) or ""
        edits = tuple(SuggestedEdit(file, self._range(path, edit), edit["content"]) for edit in fix["edits"])
        yield Suggestion(fix.get("message") or entry["message"], edits, fix["applicability"] == "safe")


class RuffConcise(HeadedReader):
    """Reads `file.py:line:column: F821 message`, which flake8 prints, too."""

    source = "ruff"
    triggers: ClassVar[tuple[str, ...]] = (".py:", ".pyi:", ".ipynb:")
    order = 32
    header = re.compile(rf"^(?P<file>\S.*?\.(?:pyi?|ipynb|toml)):(?P<line>\d{{1,9}}):(?P<column>\d{{1,9}}): {_CODE}")

    def phase(self, block: Block) -> Phase:
        """Syntax is told apart; flake8 calls it E9."""
        return Phase.PARSE if block.code == _SYNTAX or (block.code or "").startswith("E9") else Phase.TYPE

    @property
    def complete(self) -> bool:
        """One line is all."""
        return True


class RuffFull(RuffConcise):
    """Reads the form with snippets: a title, then ` --> file.py:line:column`, then the source with an underline."""

    triggers = (" --> ",)
    header = re.compile(
        r"^ *--> (?P<file>\S.*?\.(?:pyi?|ipynb|toml)):(?P<line>\d{1,9}):(?P<column>\d{1,9})(?P<message>)$"
    )

    def open(self, found: re.Match[str], line: Line) -> Block | None:
        """The title stands on the line before."""
        title = _TITLE.match(self.context.before())
        block = super().open(found, line) if title else None
        if block is not None and title is not None:
            block.code, block.message = title["code"], [title["message"]]
            block.lines.insert(0, title[0])
        return block

    def belongs(self, block: Block, text: str) -> bool:
        """Take the snippet, help and notes."""
        if self.header.match(text):
            return False
        if text.startswith(("help: ", "note: ")):
            block.extra = 1  # what follows shows the fix
        elif not _GUTTER.match(text):
            return False
        elif (marks := _UNDERLINE.match(text)) and not block.extra and block.place is not None:
            block.range = self.tree.cells(block.place, len(marks["marks"]))
        return True

    @property
    def complete(self) -> bool:
        """A snippet follows."""
        return False


_FORMAT = ("check", "--output-format", "json")


def _notice(directory: Path, root: Path) -> Check | None:
    manifest = first_file(directory, "ruff.toml", ".ruff.toml")
    if manifest is None and holds(directory, "pyproject.toml", r"^\[tool\.ruff[\].]"):
        manifest = "pyproject.toml"
    if manifest is None:
        return None
    return manifest_check("ruff", (own_program("ruff", directory, root), *_FORMAT), manifest, directory, root)


def _recheck(files: Sequence[Path], root: Path) -> Check | None:
    if not files:
        return None
    command = (own_program("ruff", root, root), *_FORMAT, *relative_names(files, root))
    return Check(name="ruff", command=command, reason="the finding is ruff's")


def _advise(diagnostics: Sequence[Diagnostic], root: Path) -> Iterator[Question]:
    about = [one for one in lacking(diagnostics, "ruff") if one.code and one.code != _SYNTAX]
    if about:
        # Rules that the user's own command line chose may be missing from the configuration.
        rules = ",".join(sorted({str(one.code) for one in about}))
        files = relative_names(sorted({root / str(one.file) for one in about}), root)
        yield Question((own_program("ruff", root, root), *_FORMAT, "--select", rules, *files), tuple(about))


TOOLCHAIN = Toolchain(
    name="ruff",
    readers=(RuffConcise, RuffFull),
    shapes=(RuffJson,),
    programs=(Program("ruff", "pip install ruff"),),
    builds=(".py", ".pyi", "ruff.toml", ".ruff.toml"),
    order=36,
    notice=_notice,
    recheck=_recheck,
    advise=_advise,
    only_compiles=True,
)
