"""Perl: what to run for single files, and its text: `message at file.pl line 3.`"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import Diagnostic, Phase, Severity
from compile_loop.toolchains.headed import Block, HeadedReader
from compile_loop.toolchains.reader import Context
from compile_loop.toolchains.single import relative_names
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.toolchain import Program, Toolchain

_PERL_FILE = re.compile(r"\.(?:pl|pm|t|psgi|cgi|PL)$")
_SUMMARY = re.compile(
    r"^(?:BEGIN (?:failed|not safe)|Compilation failed in|Execution of|.* had (?:compilation|too many) errors)"
)
_WARNING = re.compile(
    r"^(?:Useless use |Name \".*\" used only once|Subroutine .* redefined|Use of uninitialized|\"(?:my|our|state)\" variable"
    r"|Scalar value .* better written|Found = in conditional|Statement unlikely|Possible |Unquoted string|Odd number of"
    r"|Argument \".*\" isn't|Applying |Parentheses missing|Unrecognized escape|Variable \".*\" (?:is not|will not)|Deep recursion"
    r"|.* (?:is|are) (?:deprecated|experimental|interpreted as)|Reference found where|Misplaced _|Redundant argument)"
)
_SYNTAX = re.compile(
    r"^(?:syntax error|Can't find string terminator|Missing right |Unmatched |Unrecognized character|Bareword found)"
)
_MOST = 1000


class Perl(HeadedReader):
    """Reads `message at file line 3, near "…"`. Warnings look like errors; a check that passed had none of the latter."""

    source = "perl"
    triggers = (" line ",)
    order = 39
    header = re.compile(
        r"^(?P<message>\S.*?) at (?P<file>\S.*?) line (?P<line>\d{1,9})(?P<rest>\.|, (?:near|at|<).*|)$"
    )

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._held: list[Diagnostic] = []

    def open(self, found: re.Match[str], line: Line) -> Block | None:
        """A file of Perl's, or any file if perl was named."""
        if _SUMMARY.match(found["message"]) or not (_PERL_FILE.search(found["file"]) or self.context.hinted("perl")):
            return None
        block = super().open(found, line)
        if block is not None:
            block.message = [f"{found['message']}{found['rest'].removesuffix('.')}"]
            block.extra = 1 if found["rest"].startswith(', near "') and not found["rest"].endswith('"') else 0
        return block

    def belongs(self, block: Block, text: str) -> bool:
        """Take the rest of a `near` that goes over several lines."""
        if not block.extra or len(block.lines) > 8:
            return False
        block.message.append(text)
        block.extra = 0 if text.endswith('"') else 1
        return True

    @property
    def complete(self) -> bool:
        """Most are one line."""
        return self._block is not None and not self._block.extra

    def phase(self, block: Block) -> Phase:
        """The parser's words, what strict mode refuses, and what happens when it runs."""
        if _SYNTAX.match(block.message[0]):
            return Phase.PARSE
        compiled = block.message[0].startswith(
            ("Global symbol", "Can't locate", "Bareword", "Type of arg", "Not enough", "Too many")
        )
        return Phase.TYPE if compiled else Phase.TEST

    def end(self) -> list[Diagnostic]:
        """Held back until the exit code tells errors from warnings."""
        self._held += super().end()[: max(_MOST - len(self._held), 0)]
        return []

    def finish(self, exit_code: int) -> list[Diagnostic]:
        """Everything, now that it is known whether perl gave up."""
        return [
            replace(
                one,
                severity=Severity.WARNING if exit_code == 0 or _WARNING.match(one.message) else Severity.ERROR,
            )
            for one in self._held
        ]


def _compile(files: Sequence[Path], root: Path) -> Check | None:
    if len(files) != 1:
        return None
    (name,) = relative_names(files, root)
    library = ("-Ilib",) if (root / "lib").is_dir() else ()
    return Check(
        name=f"perl -c {name}", command=("perl", "-w", *library, "-c", name), reason="the file is compiled, not run"
    )


TOOLCHAIN = Toolchain(
    name="perl",
    readers=(Perl,),
    programs=(Program("perl", "perl"),),
    endings=(".pl", ".pm", ".t"),
    interpreters=("perl",),
    order=60,
    compile=_compile,
)
