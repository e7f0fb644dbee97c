"""Shell: `bash -n` and its relatives, and shellcheck in all its forms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import Phase, Range
from compile_loop.toolchains.headed import Block, HeadedReader
from compile_loop.toolchains.manifest import first_file, text_of
from compile_loop.toolchains.single import relative_names
from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.tools.shellcheck import ShellcheckGcc, ShellcheckJson, ShellcheckJson1, ShellcheckText
from compile_loop.toolchains.tree import Place

_SHELLS = ("bash", "sh", "dash", "ksh", "zsh")
_SYNTAX = r"syntax error|unexpected |Syntax error: |parse error|conditional binary"
_RUNNING = (
    r"\S+: (?:command )?not found|\S+: unbound variable|\S+: parameter not set|\S+: bad substitution"
    r"|\S+: No such file or directory"
)
_SHEBANG = re.compile(r"^#!.*?\b(?P<shell>bash|dash|ksh|zsh|sh)\b")


class Shell(HeadedReader):
    """Reads bash's `script: line 3: message`, dash's `script: 3: message` and zsh's `script:3: message`."""

    source = "bash"
    triggers = (": line ", ": Syntax error: ", "not found", "parse error")
    order = 37
    header = re.compile(
        rf"^(?P<file>\S[^:]*):(?: line (?P<line>\d{{1,9}}):| ?(?P<short>\d{{1,9}}):) (?P<message>(?:{_SYNTAX}|{_RUNNING}).*)$"
    )

    def span(self, path: str, parts: dict[str, str | None], place: Place | None, message: str) -> Range:
        """A line, or the token that the message quotes."""
        return self.tree.whole_line(path, int(parts["line"] or parts["short"] or 1) - 1, message)

    def belongs(self, block: Block, text: str) -> bool:
        """bash prints the line itself once more."""
        start = f"{block.header['file']}: line {block.header['line']}: `"
        return text.startswith(start)

    def phase(self, block: Block) -> Phase:
        """Syntax, or what happens when it runs."""
        return Phase.PARSE if re.match(_SYNTAX, block.message[0]) else Phase.TEST


def _compile(files: Sequence[Path], root: Path) -> Check | None:
    if len(files) != 1:
        return None  # only the first file of several is looked at
    shebang = _SHEBANG.match(text_of(files[0]))
    shell = shebang["shell"] if shebang else "bash" if files[0].suffix != ".zsh" else "zsh"
    (name,) = relative_names(files, root)
    if first_file(root, ".shellcheckrc") and shell != "zsh":
        return recheck(files, root)
    return Check(name=f"{shell} -n {name}", command=(shell, "-n", name), reason="the file is parsed, not run")


def recheck(files: Sequence[Path], root: Path) -> Check | None:
    """Lint just these files."""
    if not files:
        return None
    command = ("shellcheck", "-f", "json1", *relative_names(files, root))
    return Check(name="shellcheck", command=command, reason="shellcheck is set up here, or the finding is its own")


TOOLCHAIN = Toolchain(
    name="shell",
    readers=(ShellcheckGcc, ShellcheckText, Shell),
    shapes=(ShellcheckJson1, ShellcheckJson),
    programs=(Program("bash", "bash"), Program("shellcheck", "shellcheck")),
    endings=(".sh", ".bash", ".ksh", ".zsh"),
    interpreters=_SHELLS,
    order=60,
    compile=_compile,
    recheck=recheck,
    sources=("shellcheck",),
)
