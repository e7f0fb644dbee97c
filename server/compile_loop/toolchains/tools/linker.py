"""Linkers: GNU ld and gold, lld, Apple's ld, Microsoft's link. They know object files, and rarely a line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Phase, Range, Related, Severity
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.toolchain import Program, Toolchain

_LD = r"(?:(?:\S*/)?(?:[\w.-]*ld(?:\.\w+)?|link)(?:\.exe)?: )"
# `main.c:(.text+0xa): …`: what is in brackets is an offset into a section, never a line.
_PLACED = re.compile(
    rf"^{_LD}?(?:\S+\.(?:o|obj|a|so)(?:\(\S+\))?:)?\s?(?P<file>[^\s:(][^:(]*?):"
    r"(?:\((?P<section>[^)]*)\)|function [^:]+(?:::[^:]+)*|(?P<line>\d{1,9})): "
    r"(?P<message>(?:error: |warning: )?(?:undefined reference to |multiple definition of |relocation truncated|the .* is dangerous"
    r"|dangerous relocation|.* defined in discarded section).*)$"
)
_UNPLACED = re.compile(
    rf"^{_LD}(?P<severity>(?:fatal )?error: |warning: )?(?P<object>\S+\.(?:o|obj|a|so)\S*: )?"
    r"(?P<message>(?:(?:fatal )?error: |warning: )?(?:cannot (?:find|open) "
    r"|library not found|undefined (?:reference|symbol)|duplicate symbol|multiple definition|unable to find|relocation "
    r"|file not recognized|symbol\(s\) not found|unresolved).*)$"
)
_APPLE = re.compile(r"^Undefined symbols for architecture (?P<arch>\w+):$")
_APPLE_SYMBOL = re.compile(r'^ +"(?P<symbol>.+)", referenced from:$')
_LINK_EXE = re.compile(
    r"^(?:\s*\d+>)?(?P<object>\S.*?) : (?P<kind>fatal error|error|warning) (?P<code>LNK\d+): (?P<message>.*)$"
)
_REFERENCED = re.compile(
    r"^>>> (?:referenced by|defined at) (?P<file>.+?)(?::(?P<line>\d{1,9}))?(?: \((?P<full>.+?)(?::\d+)?\))?$"
)
_FIRST = re.compile(r"; (?:\S+\.(?:o|a)\S*?:)?(?P<file>[^:;]+?):(?:\(\S+\)|(?P<line>\d{1,9})): first defined here")
_IN_FUNCTION = re.compile(rf"^{_LD}.*: in function .*:$")


@dataclass(slots=True)
class _Block:
    message: str
    lines: list[str]
    path: str | None = None
    range: Range = NOWHERE
    severity: Severity = Severity.ERROR
    code: str | None = None
    related: list[Related] = field(default_factory=list)


class Linker(Reader):
    """Reads linkers' text. Summaries such as `collect2: error` are left out."""

    source = "ld"
    triggers = (
        *("ld: ", "ld.lld: ", "undefined reference to ", "undefined symbol", "Undefined symbol", "duplicate symbol"),
        *(
            "multiple definition of ",
            "warning LNK",
            "error LNK",
            "cannot find ",
            "relocation truncated",
            "warning: the ",
        ),
    )
    order = 30

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._block: _Block | None = None
        self._function = ""

    def begin(self, line: Line) -> bool:
        """Take a linker's complaint, or the line that names the function it is about."""
        text = line.text
        if _IN_FUNCTION.match(text):
            self._block, self._function = None, text
            return True
        lines, self._function = [part for part in (self._function, text) if part], ""
        if found := _LINK_EXE.match(text):
            severity = Severity.WARNING if found["kind"] == "warning" else Severity.ERROR
            message = f"{found['object']}: {found['message']}"
            self._block = _Block(message, lines, severity=severity, code=found["code"])
        elif found := _PLACED.match(text):
            self._block = self._placed(found, lines)
        elif (found := _UNPLACED.match(text)) or (found := _APPLE.match(text)):
            parts = found.groupdict()
            message = (parts.get("severity") or "") + (parts.get("message") or text)
            message, severity = _plain(message)
            self._block = _Block(message, lines, severity=severity)
        else:
            return False
        return True

    def _placed(self, found: re.Match[str], lines: list[str]) -> _Block:
        message, severity = _plain(found["message"])
        block = _Block(message, lines, self.tree.resolve(found["file"]), severity=severity)
        if block.path is not None and found["line"]:
            block.range = self.tree.whole_line(block.path, int(found["line"]) - 1, message)
        if first := _FIRST.search(message):
            path = self.tree.resolve(first["file"])
            where = self.tree.whole_line(path, int(first["line"]) - 1) if path and first["line"] else NOWHERE
            block.related.append(Related(self.tree.shown(path), where, "first defined here"))
            block.message = message[: first.start()]
        return block

    def go_on(self, line: Line) -> bool:
        """Take lld's `>>>` lines and the names below Apple's headline."""
        text, block = line.text, self._block
        if block is None:
            return False
        if reference := _REFERENCED.match(text):
            path = self.tree.resolve(reference["full"] or reference["file"]) or self.tree.resolve(reference["file"])
            if path is not None:
                where = self.tree.whole_line(path, int(reference["line"]) - 1) if reference["line"] else NOWHERE
                if block.path is None:
                    block.path, block.range = path, where
                else:
                    block.related.append(Related(self.tree.shown(path), where, text.removeprefix(">>> ")))
        elif symbol := _APPLE_SYMBOL.match(text):
            block.message = f"{block.message.rstrip(':')}: {symbol['symbol']}"
        elif not text.startswith((">>>", "      ")):
            return False
        block.lines.append(text)
        return True

    def end(self) -> list[Diagnostic]:
        """The complaint as a diagnostic."""
        block, self._block = self._block, None
        if block is None:
            return []
        return [
            Diagnostic(
                message=block.message,
                file=self.tree.shown(block.path),
                range=block.range,
                severity=block.severity,
                code=block.code,
                source="link" if block.code else self.source,
                phase=Phase.LINK,
                related=tuple(dict.fromkeys(block.related)),
                rendered="\n".join(block.lines),
            )
        ]


def _plain(message: str) -> tuple[str, Severity]:
    """The message without the word that says how bad it is."""
    severity = Severity.WARNING if message.startswith("warning: ") else Severity.ERROR
    return re.sub(r"^(?:fatal error|error|warning): ", "", message), severity


TOOLCHAIN = Toolchain(name="linker", readers=(Linker,), programs=(Program("ld", "binutils"),), order=70)
