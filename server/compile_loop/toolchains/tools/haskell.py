"""Haskell: what to run, and ghc's text and JSON. Columns are characters, with tabs to eight."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Phase, Range
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.headed import Block, HeadedReader, severity_of
from compile_loop.toolchains.json_documents import JsonShape
from compile_loop.toolchains.manifest import first_file, manifest_check
from compile_loop.toolchains.single import relative_names
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.toolchain import Program, Toolchain

_SYNTAX = re.compile(r"^\s*(?:parse error|lexical error|unterminated|missing block|Unexpected |The last statement)")
_ROW = re.compile(r"^ *(?P<number>\d*) \|(?P<text>.*)$")
_MARKS = re.compile(r"^ *(?P<marks>\^+)(?:\.\.\.)?$")
_PAGE = "https://errors.haskell.org/messages/{}"


def _phase(message: str) -> Phase:
    return Phase.PARSE if _SYNTAX.match(message) else Phase.TYPE


class GhcText(HeadedReader):
    """Reads `File.hs:line:column: error: [code] message`, the message mostly on indented lines below."""

    source = "ghc"
    triggers = ("rror:", "arning:")
    order = 30
    unit = Unit.CODEPOINTS_TAB8
    header = re.compile(
        r"^(?P<file>\S.*?\.(?:l?hs|hsc|hs-boot|chs)):(?:(?P<line>\d{1,9}):(?P<column>\d{1,9})(?:-(?P<last>\d{1,9}))?"
        r"|\((?P<line1>\d{1,9}),(?P<column1>\d{1,9})\)-\((?P<line2>\d{1,9}),(?P<column2>\d{1,9})\)): (?P<kind>error|warning):"
        r"(?: \[(?P<code>GHC-\d+)\])?(?: \[(?P<flag>-W[^\]]+)\])?(?: \[.*\])?(?P<message>.*)$"
    )

    def open(self, found: re.Match[str], line: Line) -> Block | None:
        """All forms of the place as one; ends are inclusive."""
        path = self.tree.resolve(found["file"])
        if path is None:
            return None
        first = (int(found["line"] or found["line1"]) - 1, int(found["column"] or found["column1"]) - 1)
        place = self.tree.place(path, *first, self.unit)
        where = self.tree.token(place)
        if found["line2"] or found["last"]:
            last = (
                (int(found["line2"]) - 1, int(found["column2"])) if found["line2"] else (first[0], int(found["last"]))
            )
            where = self.tree.between(place, self.tree.place(path, *last, self.unit))
        code = found["code"] or (found["flag"] or "").split(",")[0] or None
        message = found["message"].strip()
        lines = [message] if message else []
        return Block(found, path, place, where, lines, severity_of(found["kind"]), code, [line.text])

    def belongs(self, block: Block, text: str) -> bool:
        """Take the message, then the snippet with its underline."""
        if row := _ROW.match(text):
            block.extra = 1
            marks = _MARKS.match(row["text"])
            if marks and block.place is not None and not (block.header["last"] or block.header["line2"]):
                width = len(marks["marks"])
                block.range = self.tree.cells(block.place, width)
            return True
        if text.startswith("    ") and not block.extra:
            block.message.append(text[4:].rstrip())
            return True
        return not text.strip() and not block.extra

    def phase(self, block: Block) -> Phase:
        """The parser's words, else names and types."""
        return _phase(block.message[0] if block.message else "")


class GhcJson(JsonShape):
    """Reads `-ddump-json` (up to 9.8) and `-fdiagnostics-as-json` (from then on): an object a line."""

    depths = (0,)
    marks = ('"span"', '"severity"')

    def read(self, entry: dict[str, Any]) -> Iterator[Diagnostic]:
        """One finding; what only reports progress is none."""
        severity = str(entry["severity"]).removeprefix("Sev")
        if severity not in ("Error", "Warning"):
            return
        message = entry["doc"] if "doc" in entry else "\n".join([*entry["message"], *entry.get("hints", [])])
        path, where = self._where(entry["span"]) if entry["span"] else (None, NOWHERE)
        code = f"GHC-{int(entry['code']):05}" if entry.get("code") else None
        yield Diagnostic(
            message=message.replace("\u2022 ", "", 1) if message.count("\u2022") == 1 else message,
            file=self.tree.shown(path),
            range=where,
            severity=severity_of(severity),
            code=code,
            code_href=_PAGE.format(code) if code else None,
            source="ghc",
            phase=_phase(message),
            rendered=message,
        )

    def _where(self, span: dict[str, Any]) -> tuple[str | None, Range]:
        path = self.tree.resolve(span["file"])
        if path is None:
            return None, NOWHERE
        edges: tuple[tuple[Any, Any], ...]
        if "startLine" in span:
            edges = ((span["startLine"], span["startCol"]), (span["endLine"], span["endCol"]))
        else:
            edges = tuple((span[edge]["line"], span[edge]["column"]) for edge in ("start", "end"))
        first, last = (self.tree.place(path, int(line) - 1, int(column) - 1, GhcText.unit) for line, column in edges)
        return path, self.tree.between(first, last)


def _notice(directory: Path, root: Path) -> Check | None:
    if stack := first_file(directory, "stack.yaml"):
        return manifest_check("stack build", ("stack", "build", "--fast"), stack, directory, root)
    manifest = first_file(directory, "cabal.project") or next((file.name for file in directory.glob("*.cabal")), None)
    return (
        manifest_check("cabal build", ("cabal", "build", "-v1", "all"), manifest, directory, root) if manifest else None
    )


def _compile(files: Sequence[Path], root: Path) -> Check | None:
    if not files:
        return None
    command = ("ghc", "-v1", "-fno-code", *relative_names(files, root))
    return Check(name="ghc", command=command, reason="no package above: the files are checked, nothing is written")


TOOLCHAIN = Toolchain(
    name="haskell",
    readers=(GhcText,),
    shapes=(GhcJson,),
    programs=(Program("ghc", "ghc"),),
    endings=(".hs", ".lhs"),
    builds=(".hs", ".lhs", ".cabal"),
    order=18,
    notice=_notice,
    compile=_compile,
    sources=("typecheck", "parser"),
)
