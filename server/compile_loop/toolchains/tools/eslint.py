"""ESLint: its JSON with fixes, and the text that it prints for people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import Diagnostic, Phase, Position, Range, SuggestedEdit, Suggestion
from compile_loop.toolchains.advice import Question, lacking
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.headed import severity_of
from compile_loop.toolchains.json_documents import JsonShape
from compile_loop.toolchains.manifest import first_file, json_of, manifest_check, own_program
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.single import relative_names
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.tools.npm import BUILDING

_ROW = re.compile(
    r"^\s+(?P<line>\d{1,9}):(?P<column>\d{1,9})\s+(?P<kind>error|warning)\s+(?P<message>\S.*?)"
    r"(?:\s{2,}(?P<code>[@\w-]+(?:/[\w-]+)*))?\s*$"
)
_PARSING = "Parsing error"
_CORE = re.compile(r"[a-z]+(?:-[a-z]+)*$")
_CONFIGURATIONS = tuple(
    f"{name}{ending}"
    for name in ("eslint.config.", ".eslintrc.")
    for ending in ("js", "mjs", "cjs", "ts", "json", "yml")
)
_ENDINGS = (".js", ".jsx", ".mjs", ".cjs")


def _finding(message: str, code: str | None) -> dict[str, Any]:
    """What both forms have in common."""
    return {
        "message": message,
        "code": code,
        "code_href": f"https://eslint.org/docs/latest/rules/{code}" if code and _CORE.match(code) else None,
        "source": "eslint",
        "phase": Phase.PARSE if message.startswith(_PARSING) else Phase.TYPE,
    }


class EslintJson(JsonShape):
    """Reads one file's findings of `eslint -f json`; lines and columns are UTF-16 units from one."""

    depths = (1,)
    marks = ('"filePath"', '"messages"')

    def read(self, entry: dict[str, Any]) -> Iterator[Diagnostic]:
        """Every finding of a file."""
        path = self.tree.resolve(entry["filePath"])
        for said in entry["messages"]:
            yield Diagnostic(
                **_finding(said["message"], said.get("ruleId")),
                file=self.tree.shown(path),
                range=self._range(path, said) if path else Range.of(0, 0, 0, 0),
                severity=severity_of("error" if said["severity"] == 2 else "warning"),
                suggestions=tuple(self._suggestions(path, said)) if path else (),
                rendered=f"{said.get('line', 1)}:{said.get('column', 1)} {said['message']} {said.get('ruleId') or ''}",
            )

    def _range(self, path: str, said: dict[str, Any]) -> Range:
        start = self.tree.place(path, int(said.get("line") or 1) - 1, int(said.get("column") or 1) - 1, Unit.UTF16)
        if said.get("endLine") is None:
            return self.tree.token(start)
        last, column = int(said["endLine"]) - 1, int(said["endColumn"]) - 1
        if column == 0 and last > start.line:  # only the line's end is meant
            last -= 1
            column = len(self.tree.line(path, last) or "") * 2
        return self.tree.between(start, self.tree.place(path, last, column, Unit.UTF16))

    def _suggestions(self, path: str, said: dict[str, Any]) -> Iterator[Suggestion]:
        offers = [("", said["fix"], True)] if said.get("fix") else []
        offers += [(offer["desc"], offer["fix"], False) for offer in said.get("suggestions") or []]
        for words, fix, safe in offers:
            first, last = (self.tree.position_of_utf16(path, int(offset)) for offset in fix["range"])
            if isinstance(first, Position) and isinstance(last, Position):
                edit = SuggestedEdit(self.tree.shown(path) or "", Range(first, last), fix["text"])
                yield Suggestion(words or said["message"], (edit,), safe)


class EslintText(Reader):
    """Reads the `stylish` form: a file's name on a line of its own, then a row for each finding."""

    source = "eslint"
    triggers = ("  error  ", "  warning  ")
    order = 30
    apart = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._path: str | None = None
        self._found: list[Diagnostic] = []

    def begin(self, line: Line) -> bool:
        """Take a row; the line before the first one names the file."""
        row = _ROW.match(line.text)
        if row is None:
            return False
        before = self.context.before()
        if not _ROW.match(before):
            self._path = self.tree.resolve(before.strip())
        if self._path is None:
            return False
        place = self.tree.place(self._path, int(row["line"]) - 1, int(row["column"]) - 1, Unit.UTF16)
        self._found = [
            Diagnostic(
                **_finding(row["message"], row["code"]),
                file=self.tree.shown(self._path),
                range=self.tree.named(place, row["message"]),
                severity=severity_of(row["kind"]),
                rendered=line.text.strip(),
            )
        ]
        return True

    def end(self) -> list[Diagnostic]:
        """The row's finding."""
        found, self._found = self._found, []
        return found


def _notice(directory: Path, root: Path) -> Check | None:
    manifest = first_file(directory, *_CONFIGURATIONS, ".eslintrc")
    if manifest is None or BUILDING & json_of(directory / "package.json").get("scripts", {}).keys():
        return None  # a build finds more than a linter
    return manifest_check(
        "eslint", (own_program("eslint", directory, root), "-f", "json", "."), manifest, directory, root
    )


def check_files(files: Sequence[Path], root: Path) -> Check | None:
    """Lint just these files."""
    if not files:
        return None
    command = (own_program("eslint", root, root), "-f", "json", *relative_names(files, root))
    return Check(name="eslint", command=command, reason="the finding is ESLint's")


def _advise(diagnostics: Sequence[Diagnostic], root: Path) -> Iterator[Question]:
    about = lacking(diagnostics, "eslint")
    check = check_files([root / str(one.file) for one in about], root)
    if check is not None and not isinstance(check.command, str):
        yield Question(tuple(dict.fromkeys(check.command)), tuple(about))


TOOLCHAIN = Toolchain(
    name="eslint",
    readers=(EslintText,),
    shapes=(EslintJson,),
    programs=(Program("eslint", "npm install --save-dev eslint"),),
    builds=(*_ENDINGS, *_CONFIGURATIONS),
    order=24,
    notice=_notice,
    recheck=check_files,
    advise=_advise,
    only_compiles=True,
)
