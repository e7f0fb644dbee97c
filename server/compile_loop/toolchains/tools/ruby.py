"""Ruby: what to run for single files; syntax errors of old and new parsers, warnings, and exceptions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import Diagnostic, Phase, Range, Related
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.headed import Block, HeadedReader
from compile_loop.toolchains.single import relative_names
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.tree import Place

_CARET = re.compile(r"^\s*(?P<marks>[~^]*\^[~^]*)\s*$")
_FROM = re.compile(r"^\s+(?:\d+: )?from (?P<file>\S.*?):(?P<line>\d{1,9}):in [`'](?P<function>.*)'$")
_NAMED = re.compile(r"^(?P<message>.*) \((?P<name>[A-Z]\w*(?:::\w+)*)\)$")
_INNER = re.compile(r"^(?P<file>/\S.*?\.rb):(?P<line>\d{1,9}): (?P<message>syntax error.*)$")
_PRISM_ROW = re.compile(r"^> *(?P<line>\d{1,9}) \| ")
_PRISM_MARK = re.compile(r"^(?P<gutter> +\| )(?P<blank> *)(?P<marks>\^~*) (?P<message>\S.*)$")
_PRISM_OTHER = re.compile(r"^(?:> | {2})? *\d* ?\|")
_FOREIGN = re.compile(r"/(?:gems|rubygems|vendor_ruby|vendor)/|^<internal:")
_RESOLVING = frozenset({"NameError", "LoadError"})


class RubySyntax(HeadedReader):
    """Reads `file.rb:2: syntax error, unexpected ')'` and warnings; below it the source, and a caret that counts bytes."""

    source = "ruby"
    triggers = (".rb:", "Rakefile:", "Gemfile:", ".gemspec:", ".rake:", ".ru:")
    order = 38
    default_phase = Phase.PARSE
    header = re.compile(
        r"^(?P<file>\S.*?):(?P<line>\d{1,9}): (?P<kind>warning)?(?(kind): )(?P<message>(?(kind)\S|(?:syntax error|formal argument"
        r"|unterminated|dynamic constant|class definition|Invalid|invalid|numeric literal|unknown regexp|can't find string"
        r"|unmatched|duplicated|embedded document|odd number|both block)).*?)(?P<more> found)?(?: \(SyntaxError\))?$"
    )

    def belongs(self, block: Block, text: str) -> bool:
        """Take the source and the caret."""
        line = int(block.header["line"]) - 1
        if caret := _CARET.match(text):
            if block.place is None and block.path is not None:
                block.place = self.tree.place(block.path, line, caret.start("marks"), Unit.BYTES)
                block.range = self.tree.token(block.place)
            return True
        source = self.tree.line(block.path or "", line)
        return source is not None and bool(text.strip()) and source.split() == text.split()


class RubyPrism(HeadedReader):
    """Reads the form of 3.4 and later: `file.rb:3: syntax errors found`, then rows of source, each error below its own."""

    source = "ruby"
    triggers = ("syntax error found", "syntax errors found")
    order = 37
    header = re.compile(
        r"^(?:\S+: )?(?P<file>\S.*?):(?P<line>\d{1,9}): (?P<message>syntax errors? found)(?: \(SyntaxError\))?$"
    )

    def begin(self, line: Line) -> bool:
        """Take the headline."""
        self._errors: list[Diagnostic] = []
        self._row = 0
        return super().begin(line)

    def belongs(self, block: Block, text: str) -> bool:
        """Take rows of source and the errors between them."""
        if row := _PRISM_ROW.match(text):
            self._row = int(row["line"]) - 1
        elif (mark := _PRISM_MARK.match(text)) and block.path is not None:
            start = self.tree.place(block.path, self._row, len(mark["blank"]), Unit.CODEPOINTS)
            end = Place(start.path, start.line, start.index + len(mark["marks"]))
            self._errors.append(
                Diagnostic(
                    message=mark["message"],
                    file=self.tree.shown(block.path),
                    range=self.tree.between(start, end),
                    source=self.source,
                    phase=Phase.PARSE,
                    rendered=text.strip(),
                )
            )
        elif not _PRISM_OTHER.match(text):
            return False
        return True

    def phase(self, block: Block) -> Phase:
        """All of it is syntax."""
        return Phase.PARSE

    def end(self) -> list[Diagnostic]:
        """The errors, or the headline where none is shown."""
        headline = super().end()
        return self._errors or headline


class RubyException(HeadedReader):
    """Reads ``file.rb:3:in `f': message (NoMethodError)`` with the frames below it."""

    source = "ruby"
    triggers = (":in `", ":in '")
    order = 37
    header = re.compile(r"^(?P<file>\S.*?):(?P<line>\d{1,9}):in [`'](?P<function>.*?)': (?P<message>\S.*)$")

    def begin(self, line: Line) -> bool:
        """Take the headline; its place may lie in Ruby itself, then the first frame of ours counts."""
        found = self.header.match(line.text)
        if found is None:
            return False
        named = _NAMED.match(found["message"])
        message = named["message"] if named else found["message"]
        path, number = self.tree.resolve(found["file"]), int(found["line"]) - 1
        if inner := _INNER.match(message):
            path, number, message = self.tree.resolve(inner["file"]), int(inner["line"]) - 1, inner["message"]
        if path is not None and _FOREIGN.search(self.tree.shown(path) or ""):
            path = None
        where = self.tree.whole_line(path, number, message) if path else Range.of(0, 0, 0, 0)
        severity = Diagnostic("").severity
        self._block = Block(
            found, path, None, where, [message], severity, named["name"] if named else None, [line.text]
        )
        return True

    def belongs(self, block: Block, text: str) -> bool:
        """Take frames, and the snippet that newer versions add."""
        if found := _FROM.match(text):
            path = self.tree.resolve(found["file"])
            shown = self.tree.shown(path)
            if path is not None and shown is not None and not _FOREIGN.search(shown):
                where = self.tree.whole_line(path, int(found["line"]) - 1)
                if block.path is None:
                    block.path, block.range = path, where
                else:
                    block.related.append(Related(shown, where, f"in {found['function']}"))
            return True
        if (caret := _CARET.match(text)) and block.path and not block.related:
            line = self.tree.line(block.path, block.range.start.line) or ""
            source = block.lines[-1]
            shift = len(line) - len(line.lstrip()) - (len(source) - len(source.lstrip()))
            start = self.tree.place(block.path, block.range.start.line, caret.start("marks") + shift, Unit.CODEPOINTS)
            block.range = self.tree.between(start, Place(start.path, start.line, start.index + len(caret["marks"])))
            return True
        return not text.strip() or (text.startswith(" ") and not block.related) or text.startswith("Did you mean?")

    def phase(self, block: Block) -> Phase:
        """By the exception's name."""
        if block.code == "SyntaxError" or block.message[0].startswith("syntax error"):
            return Phase.PARSE
        return Phase.TYPE if block.code in _RESOLVING else Phase.TEST


def _compile(files: Sequence[Path], root: Path) -> Check | None:
    if len(files) != 1:
        return None  # only the first file of several is looked at
    (name,) = relative_names(files, root)
    return Check(name=f"ruby -wc {name}", command=("ruby", "-wc", name), reason="the file is parsed, not run")


TOOLCHAIN = Toolchain(
    name="ruby",
    readers=(RubySyntax, RubyPrism, RubyException),
    programs=(Program("ruby", "ruby"),),
    endings=(".rb", ".rake", ".gemspec", ".ru"),
    interpreters=("ruby",),
    order=60,
    compile=_compile,
    sources=("ruby-lsp", "prism"),
)
