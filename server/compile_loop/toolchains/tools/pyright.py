"""pyright: its JSON, whose ranges are those of the Language Server Protocol, and its text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import Diagnostic, Phase
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.headed import Block, HeadedReader, severity_of
from compile_loop.toolchains.json_documents import JsonShape
from compile_loop.toolchains.manifest import first_file, holds, manifest_check, own_program
from compile_loop.toolchains.single import relative_names
from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.tree import Place, Tree

_RULE = re.compile(r" \((?P<code>report[A-Z]\w+)\)$")
_PAGE = "https://github.com/microsoft/pyright/blob/main/docs/configuration.md#{}"


def _phase(code: str | None) -> Phase:
    """Errors of syntax have no rule; nor have a few of types, which a model can tell apart as well."""
    return Phase.TYPE if code else Phase.PARSE


def _place(tree: Tree, path: str, line: int, character: int) -> Place:
    """pyright counts a byte order mark as a character of the first line."""
    if line == 0 and (text := tree.text(path)) is not None and text.source.bom:
        character -= 1
    return tree.place(path, line, character, Unit.UTF16)


class PyrightJson(JsonShape):
    """Reads the findings in `generalDiagnostics` of `pyright --outputjson`."""

    depths = (2,)
    marks = ('"file"', '"severity"', '"range"')

    def read(self, entry: dict[str, Any]) -> Iterator[Diagnostic]:
        """One finding."""
        path = self.tree.resolve(entry["file"])
        if path is None:
            return
        first, last = (
            _place(self.tree, path, entry["range"][edge]["line"], entry["range"][edge]["character"])
            for edge in ("start", "end")
        )
        code = entry.get("rule")
        yield Diagnostic(
            message=entry["message"].replace("\u00a0", " "),
            file=self.tree.shown(path),
            range=self.tree.between(first, last),
            severity=severity_of(entry["severity"]),
            code=code,
            code_href=_PAGE.format(code) if code else None,
            source="pyright",
            phase=_phase(code),
            rendered=f"{first.line + 1}: {entry['severity']}: {entry['message']}",
        )


class PyrightText(HeadedReader):
    """Reads `  file:line:column - error: message (rule)`; lines of the message that are indented further belong to it."""

    source = "pyright"
    triggers = (" - error: ", " - warning: ")
    order = 25
    unit = Unit.UTF16
    header = re.compile(
        r"^\s{2,}(?P<file>\S.*?):(?P<line>\d{1,9}):(?P<column>\d{1,9}) - (?P<kind>error|warning|information): (?P<message>.*)$"
    )

    def place(self, path: str, parts: dict[str, str | None], message: str) -> Place | None:
        """UTF-16 units from one."""
        return _place(self.tree, path, int(parts["line"] or 1) - 1, int(parts["column"] or 1) - 1)

    def belongs(self, block: Block, text: str) -> bool:
        """Take the lines of the message."""
        text = text.replace("\u00a0", " ")
        if not text.startswith("    ") or self.header.match(text):
            return False
        block.message.append(text[2:].rstrip())
        return True

    def diagnostic(self, block: Block) -> Diagnostic:
        """The rule stands at the end of the last line."""
        if rule := _RULE.search(block.message[-1]):
            block.code = rule["code"]
            block.message[-1] = block.message[-1][: rule.start()]
        return super().diagnostic(block)

    def phase(self, block: Block) -> Phase:
        """See `_phase`."""
        return _phase(block.code)


def _notice(directory: Path, root: Path) -> Check | None:
    manifest = first_file(directory, "pyrightconfig.json")
    if manifest is None and holds(directory, "pyproject.toml", r"^\[tool\.pyright\]"):
        manifest = "pyproject.toml"
    if manifest is None:
        return None
    return manifest_check(
        "pyright", (own_program("pyright", directory, root), "--outputjson"), manifest, directory, root
    )


def _recheck(files: Sequence[Path], root: Path) -> Check | None:
    if not files:
        return None
    command = (own_program("pyright", root, root), "--outputjson", *relative_names(files, root))
    return Check(name="pyright", command=command, reason="the finding is pyright's")


TOOLCHAIN = Toolchain(
    name="pyright",
    readers=(PyrightText,),
    shapes=(PyrightJson,),
    programs=(Program("pyright", "npm install --save-dev pyright"),),
    builds=(".py", ".pyi", "pyrightconfig.json"),
    order=32,
    notice=_notice,
    recheck=_recheck,
    sources=("pylance", "basedpyright"),
    only_compiles=True,
)
