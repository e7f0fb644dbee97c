"""One file of a green edit against all that decides: whether the check goes by it and no failure asked for it (SPEC K6, K7).

What a failure names, lies in, or shows as missing is honest work. So are the code under test and its data. That leaves
what only the check's own side takes in, which may be as good as the check itself: for a person to judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from compile_loop.checks.expectations import SOURCE
from compile_loop.checks.gone_by.asked_for import asked_for
from compile_loop.checks.gone_by.edited_judges import edited_judge
from compile_loop.checks.gone_by.naming import Naming, names, takes_in
from compile_loop.checks.gone_by.own_modules import own_module
from compile_loop.checks.gone_by.texts import COMMAND, Deciding, DecidingTexts, Role
from compile_loop.checks.modules import is_program
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.edits import FileChange
from compile_loop.contracts.honesty import Finding

_RUN_AS = re.compile(r"(?:^|\s)(?:-\w*f|--file|--from-file|-x|--script)[\s=]+[\"']?[^\s\"']*$")
_MOST_SHOWN = 100


class GoneBy:
    """Weighs the files of one run's edits. Nothing is run; the workspace's files are read as the user has them."""

    def __init__(self, root: Path, texts: DecidingTexts) -> None:
        self._root = root
        self._texts = texts

    def doubt(self, change: FileChange, failures: Sequence[Diagnostic]) -> Finding | None:
        """What is doubtful about one file of an edit; `failures` are those of all rounds."""
        if change.before is not None and change.after is not None and SOURCE.search(change.path):
            return edited_judge(change, failures, self._texts, self._root) or self._module(change.path, failures)
        if self._is_asked_for(change.path, failures):
            return None
        for how, said in self._said(change, failures):
            return self._finding(change.path, how, said)
        return None

    def _is_asked_for(self, path: str, failures: Iterable[Diagnostic]) -> bool:
        def is_new(folder: str) -> bool:
            return not (self._root / folder).exists()

        return asked_for(path, failures, self._texts.text_of, is_new)

    # --- files that come or go, and data

    def _said(
        self, change: FileChange, failures: Sequence[Diagnostic]
    ) -> Iterator[tuple[str, tuple[Deciding, Naming]]]:
        path = change.path
        here = change.before is not None and change.after is not None
        is_data = not SOURCE.search(path)
        how = "it is edited" if here else "it is new" if change.before is None else "it is gone"
        the_codes: bool | None = None
        for text in self._texts.all:
            for naming in names(path, text.path, text.text):
                if not naming.optional and (text.role is Role.PLAIN or (text.role is Role.CONFIGURES and not is_data)):
                    continue
                if here and (text.role is not Role.RUNS or not _is_beside(text, path, failures)):
                    continue
                if is_data and not naming.optional:
                    the_codes = self._is_the_codes(path) if the_codes is None else the_codes
                    if the_codes:
                        continue
                if text.path == COMMAND and change.before is None and _is_demanded(path, text.text):
                    continue
                yield how, (text, naming)
        if not here and not is_data and is_program(path):
            yield from ((how, said) for said in self._through_the_code(path))

    def _is_the_codes(self, path: str) -> bool:
        """Whether the code itself names data."""
        return any(True for source in self._texts.sources for _ in names(path, source.path, source.text))

    def _through_the_code(self, path: str) -> Iterator[tuple[Deciding, Naming]]:
        """Where a module that the check or a test takes in takes this one in if it is there."""
        for source in self._texts.sources:
            for naming in names(path, source.path, source.text):
                if naming.optional and any(
                    takes_in(source.path, text.path, text.text)
                    for text in self._texts.all
                    if text.role is not Role.CONFIGURES
                ):
                    yield source, naming

    def _module(self, path: str, failures: Sequence[Diagnostic]) -> Finding | None:
        if not is_program(path) or self._is_asked_for(path, failures):
            return None
        said = own_module(path, failures, self._texts, self._root)
        return None if said is None else self._finding(path, "it is edited", said)

    def _finding(self, path: str, how: str, said: tuple[Deciding, Naming]) -> Finding:
        text, naming = said
        where = text.path if text.path == COMMAND else f"{text.path}:{naming.line}"
        line = f": {naming.text[:_MOST_SHOWN]}" if naming.text else ""
        return Finding(path, 0, "gone_by", f"{how}, no failure asked for it, and {where} takes it in{line}", False)


def _is_beside(text: Deciding, path: str, failures: Sequence[Diagnostic]) -> bool:
    """Whether a file that a command names is more than what the command looks at: its failures lie in others."""
    if text.path != COMMAND or _RUN_AS.search(text.text[: max(0, text.text.find(path.rpartition("/")[2]))]):
        return True
    return any(error.file not in (None, path) for error in failures)


def _is_demanded(path: str, line: str) -> bool:
    """Whether a command fails where a file is not there, and does no more with it than that."""
    asks = rf"(?:test|\[)\s+-[a-z]\s+[\"']?(?:\./)?{re.escape(path)}[\"']?(?:\s+\])?\s*"
    more = re.search(r"\|\||;|\bif\b|!|\bexit\b", line)
    return more is None and any(re.fullmatch(rf"\s*{asks}", part) for part in line.split("&&"))
