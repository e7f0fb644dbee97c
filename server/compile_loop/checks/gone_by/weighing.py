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
from compile_loop.checks.gone_by.judging import COMPLAINS, Judge, judges_in
from compile_loop.checks.gone_by.naming import Naming, names, takes_in
from compile_loop.checks.gone_by.texts import COMMAND, Deciding, DecidingTexts, Role
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.modules import imports, is_program
from compile_loop.checks.protected import is_found_by_name, is_protected
from compile_loop.contracts.diagnostics import Diagnostic, Phase
from compile_loop.contracts.edits import FileChange
from compile_loop.contracts.honesty import Finding

_WALKS = re.compile(
    r"\br?i?glob\w*\s*\(|\bos\.walk\b|\bwalk\w*\s*\(|\bfind\b|\bscandir\b|\biterdir\b|\blistdir\b|\breaddir\w*\b|\bls-files\b|\*\*/|WalkDir|Dir\["
)
_READS = re.compile(r"\bopen\w*\s*\(|\bread\w*\s*\(|\bslurp\b|\bargv\b|\bARGV\b|\bargs\b")
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
            return self._judge(change, failures) or self._module(change.path, failures)
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
        for text in self._texts.all:
            for naming in names(path, text.path, text.text):
                if not naming.optional and (text.role is Role.PLAIN or (text.role is Role.CONFIGURES and not is_data)):
                    continue
                if here and (text.role is not Role.RUNS or not _is_beside(text, path, failures)):
                    continue
                if is_data and not naming.optional and self._is_the_codes(path):
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

    # --- modules of the check's own programs

    def _module(self, path: str, failures: Sequence[Diagnostic]) -> Finding | None:
        """A module of a program that looks at the code, where what it complains of lies in others."""
        places = {error.file for error in failures if error.file is not None}
        if not is_program(path) or path in places or not places or self._is_asked_for(path, failures):
            return None
        for program in self._texts.programs:
            own = self._modules_of(program)
            if path not in own or program.path in places or not _looks(program):
                continue
            code = [s for s in self._texts.sources if s.path not in own or s.path in places]
            if any(takes_in(path, source.path, source.text) for source in code):
                continue
            naming = next(names(path, program.path, program.text), None)
            return self._finding(path, "it is edited", (program, naming or Naming(1, "", False)))
        return None

    def _modules_of(self, program: Deciding) -> set[str]:
        found: set[str] = set()
        waiting = [program.path]
        while waiting and len(found) < 50:
            path = waiting.pop()
            place = self._root / path
            more = imports(place, self._texts.text_of(path), (place.parent, self._root), self._root) - found
            found |= more
            waiting += [each for each in more if not is_protected(each)]
        return found

    # --- helpers that judge

    def _judge(self, change: FileChange, failures: Sequence[Diagnostic]) -> Finding | None:
        rows = Change(change)
        judges = [j for j in judges_in(change.path, rows.old.text) if j.rows & _touched(rows)]
        if not judges or not self._only_told(change.path, judges, failures):
            return None
        for text in self._texts.all:
            if (
                text.role is Role.RUNS
                and takes_in(change.path, text.path, text.text)
                and self._tests_more(text, change.path)
            ):
                row = min(judges[0].rows & _touched(rows))
                new = next(
                    (h.new_start for h in rows.hunks if h.old_start <= row < max(h.old_end, h.old_start + 1)), row
                )
                shown = f"{rows.old.row(row).strip()} became {rows.new.row(new).strip()}"
                said = (
                    f"{judges[0].name} is what {text.path} judges by, and it holds less or more for the same: {shown}"
                )
                return Finding(change.path, new + 1, "weakened_test", said[:300], False)
        return None

    def _only_told(self, path: str, judges: Sequence[Judge], failures: Iterable[Diagnostic]) -> bool:
        """Whether the failures that lie in a file lie where it tells of them."""
        rows = self._texts.text_of(path).split("\n")
        for failure in failures:
            for file, at in ((failure.file, failure.range), *((r.file, r.range) for r in failure.related)):
                row = at.start.line
                told = row < len(rows) and COMPLAINS.search(rows[row]) is not None and not _is_compiled(path, failure)
                if file == path and not (told and any(judge.first <= row <= judge.last for judge in judges)):
                    return False
        return True

    def _tests_more(self, text: Deciding, helper: str) -> bool:
        """Whether what takes a helper in is a test of something else."""
        if not is_program(text.path):
            return True
        place = self._root / text.path
        return any(
            each != helper and not is_protected(each) for each in imports(place, text.text, (self._root,), self._root)
        )

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


def _is_compiled(path: str, failure: Diagnostic) -> bool:
    """Whether a compiler complains of the file itself."""
    return failure.phase is not Phase.TEST and not is_program(path)


def _is_demanded(path: str, line: str) -> bool:
    """Whether a command fails where a file is not there, and does no more with it than that."""
    asks = rf"(?:test|\[)\s+-[a-z]\s+[\"']?(?:\./)?{re.escape(path)}[\"']?(?:\s+\])?\s*"
    more = re.search(r"\|\||;|\bif\b|!|\bexit\b", line)
    return more is None and any(re.fullmatch(rf"\s*{asks}", part) for part in line.split("&&"))


def _looks(program: Deciding) -> bool:
    """Whether a program looks at the code instead of calling it; a test that reads a file may well do both."""
    if is_found_by_name(program.path):
        return _WALKS.search(program.text) is not None
    return _WALKS.search(program.text) is not None or _READS.search(program.text) is not None


def _touched(rows: Change) -> frozenset[int]:
    """The old rows that went or that something came between."""
    return rows.removed | {h.old_start for h in rows.hunks if h.old_start == h.old_end}
