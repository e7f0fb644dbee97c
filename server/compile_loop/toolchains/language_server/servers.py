"""A language server as data, and which errors of a check it is asked about."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from compile_loop.contracts.diagnostics import Diagnostic, Phase
from compile_loop.toolchains.advice import Question, is_inside
from compile_loop.toolchains.language_server.quick_fixes import quick_fixes
from compile_loop.toolchains.manifest import own_program


@dataclass(frozen=True, slots=True)
class LanguageServer:
    """A server that a user may have.

    `command` starts it on standard input and output; its program is looked for in the project and on PATH. `package` is
    the Debian package that has it, or a sentence, for people. `languages` are the protocol's names of languages by
    endings of files, in lower case. `sources` are whose errors it is asked about. `options` are its
    `initializationOptions`: leave out what costs time or writes files. `seconds` is what one question may take, from its
    start to its end.
    """

    command: tuple[str, ...]
    package: str
    languages: Mapping[str, str]
    sources: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 15.0

    def knows(self, one: Diagnostic) -> bool:
        """Whether an error is of a kind that it may have fixes for: what it sees without linking or running anything."""
        return (
            one.is_error
            and one.source in self.sources
            and one.phase <= Phase.TYPE
            and is_inside(one.file)
            and PurePath(str(one.file)).suffix.lower() in self.languages
        )


def server_question(servers: Sequence[LanguageServer], about: Sequence[Diagnostic], root: Path) -> Iterator[Question]:
    """The question to the first of these servers that the user has; none where none of the errors is for it."""
    for server in servers:
        known = [one for one in about if server.knows(one)]
        program = server_program(server.command[0], root) if known else None
        if program is not None:
            here = replace(server, command=(program, *server.command[1:]))
            yield quick_fixes(here.command, known, languages=here.languages, options=here.options, seconds=here.seconds)
            return


def server_program(name: str, root: Path) -> str | None:
    """The project's own copy, else the one on PATH: what lies in folders above the workspace is nobody's that was trusted."""
    own = own_program(name, root, root)
    return str(root / own) if "/" in own else shutil.which(own)
