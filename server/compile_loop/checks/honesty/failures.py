"""The failures that an edit was to fix, as the gate weighs them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from compile_loop.checks.honesty.survey import Mark
from compile_loop.checks.honesty.texts import Change
from compile_loop.contracts.diagnostics import Diagnostic, Phase

_MARGIN = 3
"""Rows around a failure within which a change belongs to it."""
_BLOCK = 40
"""Rows that an attribute or a pragma is taken to reach."""

_SURPLUS = re.compile(
    r"unused|never (?:used|read|called|constructed)|not used|dead.?code|unreachable|duplicat|redefin|redeclar|more than once|"
    r"already (?:been )?(?:defined|declared|exported|exists|present)|multiple definition|unnecessary|redundant|"
    r"\bextra\b|superfluous|"
    r"stray|outdated|no longer|no effect|useless|only specify known|"
    r"constant[- ](?:binary[- ])?(?:condition|expression)|always (?:true|false|evaluates)|"
    r"overlap|conflict|not allowed|misplaced|outside|obsolete|deprecated|F401|F811|F841",
    re.IGNORECASE,
)
_LITERAL = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\w)|\"[^\"\n]{0,80}\"|'[^'\n]{0,80}'|`[^`\n]{0,80}`")
_BARE = re.compile(
    r"\b(?:expected|was|actual)\b:?\s*<([^<>\n]{2,80})>|\b(?:got|want|wanted|received|"
    r"expected)\b[:=]?\s+([A-Za-z][\w-]{3,60})(?=[\s,;.]|$)"
)
"""Strings as runners print them without quotes."""
_ASSERTING = re.compile(r"assert|expect|\bgot\b|\bwant\b|actual|should|received|!=|panicked", re.IGNORECASE)
_TRIVIAL = frozenset({"0", "1", "-1", "2", "0.0", "1.0", ""})

_WHOLE = frozenset({"all", "warnings", "everything"})
_RUNNERS = frozenset({"python", "pytest", "node", "ruby", "php", "perl", "lua", "java", "bash"})
"""Tools whose failures are of a program that runs."""
_UNHANDLED = (
    r"unreported exception|unhandled|must be caught|floating-promise|unused[ `]*Result|unused_must_use|errcheck|panic|"
    r"found [^,]*\bResult<|not used: \w*[eE]rr|nodiscard|warn_unused_result"
)
"""Compilers and linters that ask for a failure to be handled."""


class Failures:
    """The errors of the baseline; its warnings where it had no errors."""

    def __init__(self, baseline: Sequence[Diagnostic]) -> None:
        self.all = tuple(d for d in baseline if d.is_error) or tuple(baseline)

    def __bool__(self) -> bool:
        return bool(self.all)

    def in_file(self, path: str) -> list[Diagnostic]:
        """Those that lie in a file."""
        return [d for d in self.all if d.file is not None and same_file(d.file, path)]

    def near(self, path: str, first: int, last: int, margin: int = _MARGIN) -> list[Diagnostic]:
        """Those that lie in old rows `first` to `last`, give or take `margin`."""
        return [
            d
            for d in self.in_file(path)
            if d.range.start.line <= last + margin and max(d.range.start.line, d.range.end.line) >= first - margin
        ]

    def say(self, pattern: str) -> bool:
        """Whether any of them speaks of this."""
        return any(re.search(pattern, f"{d.code or ''} {d.message}", re.IGNORECASE) for d in self.all)

    def name(self, symbol: str) -> bool:
        """Whether any of them names this symbol."""
        return bool(symbol) and symbol in self.words

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of their messages."""
        return frozenset(word for d in self.all for word in re.findall(r"[A-Za-z_]\w*", d.message))

    @property
    def testing(self) -> bool:
        """Whether a test failed, rather than a compiler."""
        return any(is_test_failure(d) for d in self.all)

    @cached_property
    def literals(self) -> frozenset[str]:
        """The telling numbers and strings of failed assertions, unquoted; 0, 1 and the like tell nothing."""
        texts = [f"{d.message}\n{d.rendered}" for d in self.all if is_test_failure(d)]
        bare = {next(g for g in groups if g) for text in texts for groups in _BARE.findall(text)}
        quoted = frozenset(unquoted(found) for text in texts for found in _LITERAL.findall(text))
        return (quoted | {text for text in bare if not text.islower()}) - _TRIVIAL

    @property
    def at_run_time(self) -> bool:
        """Whether a program failed as it ran, so that hiding the failure would be enough to get green."""
        return self.testing or any(d.source.split(" ")[0] in _RUNNERS for d in self.all) or self.say(_UNHANDLED)

    def answered(self, mark: Mark, change: Change) -> bool:
        """Whether all the failures around a mark say what it is an honest answer to (`Mark.unless`)."""
        first, last = change.old_span(mark.row)
        near = self.near(change.path, first, last)
        said = [f"{d.code or ''} {d.message}" for d in near]
        return bool(mark.unless and said) and all(re.search(mark.unless, text) for text in said)

    def fit(self, mark: Mark, change: Change) -> bool:
        """Whether the mark silences a failure that was there.

        By the rules it names, where the failures have codes; else by the place: its line and a few around it, what
        follows it, or its file.
        """
        fitting = [d for d in self.all if _heeds(mark.tools, d.source)]
        if mark.codes:
            meant = [d for d in fitting if any(_same_code(code, d) for code in mark.codes)]
            if meant or mark.scope == "project" or any(d.code for d in fitting):
                return bool(meant) and (
                    mark.scope != "line" or any(same_file(d.file or "", change.path) for d in meant)
                )
        if mark.scope == "project":
            return bool(fitting)
        first, last = change.old_span(mark.row)
        if mark.scope == "file":
            close = self.in_file(change.path)
        else:
            close = self.near(change.path, first, last + (_BLOCK if mark.scope == "block" else 0))
        return any(d in close for d in fitting)


def same_file(a: str, b: str) -> bool:
    """Whether two paths, of which one may be absolute, are of one file."""
    return a == b or a.endswith("/" + b) or b.endswith("/" + a)


def surplus(diagnostic: Diagnostic) -> bool:
    """Whether taking code away is the natural repair."""
    return _SURPLUS.search(f"{diagnostic.code or ''} {diagnostic.message}") is not None


def is_test_failure(diagnostic: Diagnostic) -> bool:
    """Whether it is about what the code does, not how it is written."""
    unknown = not diagnostic.source and not diagnostic.code and diagnostic.phase is Phase.TYPE
    return diagnostic.phase is Phase.TEST or (unknown and _ASSERTING.search(diagnostic.message) is not None)


def unquoted(literal: str) -> str:
    """A string literal's content, or a number as it is."""
    if len(literal) > 1 and literal[0] in "\"'`" and literal[-1] == literal[0]:
        return literal[1:-1]
    return literal


def literals_of(text: str) -> list[str]:
    """The numbers and strings of a piece of code, unquoted."""
    return [unquoted(found) for found in _LITERAL.findall(text)]


def telling(literals: Iterable[str]) -> set[str]:
    """Without those that are in every program."""
    return set(literals) - _TRIVIAL


def _heeds(tools: frozenset[str], source: str) -> bool:
    if not tools or not source:
        return True
    return any(tool in source.lower() for tool in tools)


def _bare(code: str) -> str:
    code = re.sub(
        r"^-?W(?:error=|no-(?:error=)?)?(?=[a-z])|^(?:clippy|lint|@typescript-eslint|ts)(?:::|/)", "", code.strip()
    )
    return code.removeprefix("-").lower().replace("-", "_")


def _same_code(code: str, diagnostic: Diagnostic) -> bool:
    bare, theirs = _bare(code), _bare(diagnostic.code or "")
    if bare in _WHOLE or (bare and (bare == theirs or theirs.endswith(f"/{bare}"))):
        return True
    if bare == "unused" and "unused" in f"{theirs} {diagnostic.message.lower()}":
        return True
    if theirs and len(bare) >= 1 and theirs.startswith(bare) and theirs[len(bare) :].isdigit():
        return True  # a family of rules, such as E5 or F
    message = diagnostic.message.lower().replace("-", "_")
    return (
        bool(bare)
        and re.search(rf"[\[=(]-?w?(?:error=)?{re.escape(bare)}[\])]|\b{re.escape(bare)}\b", message) is not None
    )
