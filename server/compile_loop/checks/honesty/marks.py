"""Marks that an edit brought, or guards that it took, over all its files (SPEC K7)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from compile_loop.checks.honesty.failures import literals_of, telling
from compile_loop.checks.honesty.gaps import gap_elsewhere, meant_wrong
from compile_loop.checks.honesty.grammar import Tree
from compile_loop.checks.honesty.languages.names import is_test_path
from compile_loop.checks.honesty.pairing import Pairs, pair_functions
from compile_loop.checks.honesty.survey import Function, Language, Mark, row_of
from compile_loop.checks.honesty.texts import Change
from compile_loop.checks.honesty.the_failure import hides_the_failure
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding


@dataclass
class Sheet:
    """One changed file with a grammar, parsed before and after."""

    change: Change
    language: Language
    old: Tree
    new: Tree
    candidates: list[Mark] = field(default_factory=list)

    @property
    def mended(self) -> bool:
        """Whether nothing was done but to close, open or separate what the parser could not make out before."""
        if not self.change.punctuates or not self.old.root.has_error:
            return False
        return not self.new.root.has_error or len(self.new.error_rows) < len(self.old.error_rows)

    @cached_property
    def old_functions(self) -> list[Function]:
        """The functions and tests of the text before."""
        return list(self.language.functions(self.old, self.change.path))

    @cached_property
    def new_functions(self) -> list[Function]:
        """The functions and tests of the text after."""
        return list(self.language.functions(self.new, self.change.path))

    @cached_property
    def pairs(self) -> Pairs:
        """Functions that stayed, went and came; tests among them."""
        return pair_functions(self.old_functions, self.new_functions)

    @cached_property
    def all_old(self) -> list[Mark]:
        """Every mark of the text before."""
        return list(self.language.marks(self.old, lambda _: True, self.change.path))

    @cached_property
    def all_new(self) -> list[Mark]:
        """Every mark of the text after."""
        return list(self.language.marks(self.new, lambda _: True, self.change.path))

    def look(self) -> None:
        """Collect the marks that the edit touched: new ones in the text after, guards in the text before."""
        change, path = self.change, self.change.path
        new = self.new.focused([(max(0, h.new_start - 1), h.new_end) for h in change.hunks])
        old = self.old.focused([(h.old_start, h.old_end) for h in change.hunks if h.old_end > h.old_start])
        came = self.language.marks(new, lambda n: change.touches(row_of(n), int(n.end_point[0])), path)
        gone = self.language.marks(old, lambda n: row_of(n) in change.removed, path) if change.removed else ()
        self.candidates = [m for m in came if not m.removed] + [m for m in gone if m.removed]


def weigh_marks(case: Case, sheets: Sequence[Sheet]) -> list[Finding]:
    """Findings for marks that there are more of after the edit than before, and for guards that there are fewer of.

    What was only moved, within a file or between files, is none.
    """
    if not any(sheet.candidates for sheet in sheets):
        return []
    before = Counter(mark.key for sheet in sheets for mark in sheet.all_old)
    after = Counter(mark.key for sheet in sheets for mark in sheet.all_new)
    findings = []
    for sheet in sheets:
        for mark in sheet.candidates:
            more, fewer = (before, after) if mark.removed else (after, before)
            if more[mark.key] <= fewer[mark.key] or _narrowed(sheet, mark):
                continue
            if mark.only_if and not case.failures.say(mark.only_if):
                continue
            if case.failures.answered(mark, sheet.change):
                continue
            hides = hides_the_failure(case.failures, sheet.change, mark, case.wish.text)
            if mark.only_near and not hides and not case.failures.fit(mark, sheet.change):
                continue
            more[mark.key] -= 1
            certain = mark.certain or hides
            certain = certain and (not mark.needs_failure or _fits(case, sheet, mark))
            certain = certain and (mark.kind != "swallowed_exception" or case.failures.at_run_time)
            if mark.kind == "any_cast" and certain and mark.needs_failure and mark.scope == "line":
                certain = not any(f.row <= mark.row <= f.end_row for f in sheet.pairs[2])
            if mark.kind == "stub" and certain:
                certain = _wanted(case, sheet, mark)
            certain = certain and not gap_elsewhere(case.failures, sheet.change, mark)
            if mark.kind == "swallowed_exception" and _is_wished(case, mark):
                continue
            certain = certain and not meant_wrong(sheet.change, mark)
            names = [*mark.names, *mark.codes]
            found = case.finding(sheet.change, mark.kind, mark.row, mark.text, certain=certain, names=names)
            if found is not None:
                findings.append(found)
    return findings


_LOOSE = re.compile(r"^\s*(?:const |let |var )?(\w+)\s*:\s*(?:typing\.)?(?:any|Any)\b")


def _fits(case: Case, sheet: Sheet, mark: Mark) -> bool:
    """Whether a mark silences a failure: about here, or where the variable that it takes the type from is used."""
    if case.failures.fit(mark, sheet.change):
        return True
    loose = _LOOSE.match(mark.text) if mark.kind == "any_cast" else None
    if loose is None:
        return False
    rows = [
        d.range.start.line for d in case.failures.in_file(sheet.change.path) if d.source.split(" ")[0] in mark.tools
    ]
    return any(re.search(rf"\b{loose[1]}\b", sheet.change.old.row(row)) for row in rows)


def _is_wished(case: Case, mark: Mark) -> bool:
    """Whether what is answered instead is what the user's words say."""
    literals = telling(literals_of(mark.text))
    return bool(literals) and all(case.wish.mentions(literal) for literal in literals)


def _narrowed(sheet: Sheet, mark: Mark) -> bool:
    """Whether the mark stands where a wider one of its kind stood, or a guard went for a wider one."""
    if mark.removed and mark.codes:
        return any(new.removed and new.kind == mark.kind and mark.codes <= new.codes for new in sheet.all_new)
    if mark.kind == "swallowed_exception":
        return _swallowed_before(sheet, mark)
    if mark.kind == "special_case" and is_test_path(sheet.change.path):
        return _mocked_before(sheet, mark)
    if mark.kind != "suppression" or mark.removed or not mark.codes:
        return False
    first, last = sheet.change.old_span(mark.row)
    return any(
        old.kind == mark.kind
        and (first <= old.row <= last or _reached(sheet, old, mark))
        and old.tools == mark.tools
        and (not old.codes or mark.codes <= old.codes)
        for old in sheet.all_old
    )


_REACH = ("line", "block", "file")


def _reached(sheet: Sheet, old: Mark, new: Mark) -> bool:
    """Whether a mark that went was one for more code, this place among it."""
    if old.row not in sheet.change.removed or old.scope not in _REACH[1:] or new.scope not in _REACH:
        return False
    if _REACH.index(new.scope) > _REACH.index(old.scope):
        return False
    if old.scope == "file":
        return True
    column = [len(row) - len(row.lstrip()) for row in (sheet.change.old.row(old.row), sheet.change.new.row(new.row))]
    return old.row <= sheet.change.old_span(new.row)[1] and column[0] < column[1]


_HANDLER = 15
"""Rows between a `try` and its handler within which the one may have become the other."""


def _swallowed_before(sheet: Sheet, mark: Mark) -> bool:
    """Whether a handler that went from about here swallowed the same exceptions, or more."""
    first, last = sheet.change.old_span(mark.row)
    return any(
        old.kind == mark.kind
        and old.row in sheet.change.removed
        and first - _HANDLER <= old.row <= last + _HANDLER
        and (not old.codes or (mark.codes and mark.codes <= old.codes))
        for old in sheet.all_old
    )


_OF_THE_WORLD = re.compile(
    r"(?:\(|\.|,\s*)[\"']?(?:[\w.]+\.)?(?:now|utcnow|today|time|time_ns|monotonic|perf_counter|sleep|hrtime|"
    r"random|randint|choice|shuffle|uuid[14]?|randomUUID|"
    r"fetch\w*|urlopen|request|requests|httpx|axios|got|getenv|environ|env|hostname|gethostname|getpid|cwd|getcwd|"
    r"platform|isatty|system|popen|Popen|"
    r"check_output|connect|create_connection|smtplib|SMTP|stdin|input|getpass|print|log|warn|error|info|"
    r"setTimeout|nextTick|exec|spawn)[\"']?\s*[,)]"
)
"""Clocks, chance, the network, other programs and the like."""


def _mocked_before(sheet: Sheet, mark: Mark) -> bool:
    """Whether a double stands in a new test, or where another for as much stood."""
    inside = [f for f in sheet.new_functions if f.test and f.row <= mark.row <= f.end_row]
    if inside and all(f in sheet.pairs[2] for f in inside):
        return True
    first, last = sheet.change.old_span(mark.row)
    call = mark.text.split("(", 1)[0]
    if _OF_THE_WORLD.search(mark.text):
        return True  # what a test asks of its subject shall not hang on where it runs
    return any(
        old.kind == mark.kind
        and first <= old.row <= last
        and old.row in sheet.change.removed
        and old.text.split("(", 1)[0] == call
        for old in sheet.all_old
    )


def _wanted(case: Case, sheet: Sheet, mark: Mark) -> bool:
    """Whether a stub stands where something was missing, or was there; a new one may be there to be overridden."""
    inside = [f for f in sheet.pairs[2] if f.row <= mark.row <= f.end_row]
    if not inside:
        return True
    called = {name for f in inside for name in re.findall(r"\w+", f.name)}
    first, last = sheet.change.old_span(mark.row)
    return any(case.failures.name(name) for name in called) or bool(
        case.failures.near(sheet.change.path, first, last, 1)
    )
