"""Build, lint, test and CI configuration that demands less after an edit than before (SPEC K6, K7)."""

from __future__ import annotations

import re
from collections import Counter

from compile_loop.checks.honesty.configuration_rules import RULES, Rule
from compile_loop.checks.honesty.left_out import left_out
from compile_loop.checks.honesty.narrowed import narrowed
from compile_loop.checks.honesty.prerequisites import prerequisites
from compile_loop.checks.honesty.survey import Mark, squash
from compile_loop.checks.honesty.texts import Change, Text
from compile_loop.checks.honesty.thresholds import thresholds
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_COMMENT = re.compile(r"^\s*(?:#|//|;|<!--|/\*)")
_HASH = re.compile(r"(?:^|\s)#(?!\S*[\"']).*$")
_FLAGS = re.compile(r"([\"'])(--?[\w-]+)\1\s*,\s*[\"']")
_LISTS = re.compile(r"(?:^|/)(?:pyproject\.toml|setup\.cfg|tox\.ini|\.?ruff\.toml|\.flake8|\.?pylintrc|\.?mypy\.ini)$")
_CODE = re.compile(r"\b[A-Z]{1,4}\d{1,4}\b|\b(?:missing|unused|no|too|invalid|undefined|import)-[a-z-]+\b")
_FAMILY = re.compile(r"[\"']([A-Z]{1,5})[\"']")
"""A whole family of rules, as ruff has them."""
_USUAL = re.compile(
    r"^\s*[\"'](?:\*\*/|\*/)?(?:tests?|conftest\.py|__init__\.py|docs?|examples?|scripts?|migrations)\b[^\"']*[\"']\s*="
)
"""Exemptions by file that most projects have."""
_LATER = re.compile(r"deprecat", re.IGNORECASE)
"""Warnings about later, which say of no code that it is wrong now."""
_LESS = re.compile(r"ignore|disable|exclude|per-file|skip", re.IGNORECASE)
_MORE = re.compile(r"^\s*(?:extend-)?select|^\s*enable", re.IGNORECASE)


def configuration(case: Case, change: Change) -> list[Finding]:
    """Findings over one file of configuration; none for other files."""
    found: list[Finding] = []
    for rule in RULES:
        if rule.files.search(change.path):
            found.extend(_by_rule(case, change, rule))
    if _LISTS.search(change.path):
        found.extend(_listed_codes(case, change))
    return (
        _once_a_hunk(change, found + thresholds(case, change))
        + left_out(case, change)
        + prerequisites(case, change)
        + narrowed(case, change)
    )


def _rows(text: Text, rows: range | frozenset[int], *, verbatim: bool) -> list[tuple[int, str]]:
    return [(r, text.row(r)) for r in sorted(rows)] if verbatim else _bare(text, rows)


def _bare(text: Text, rows: range | frozenset[int]) -> list[tuple[int, str]]:
    """Rows without comments, and with a list of quoted flags as one line of them: `"-A", "x"` is `-A x`."""
    kept = [(r, _HASH.sub("", text.row(r))) for r in sorted(rows) if not _COMMENT.match(text.row(r))]
    return [(r, _FLAGS.sub(r"\2 ", line)) for r, line in kept]


_SHORT = 8
"""Shorter tokens meet by chance."""


def _plain(text: str) -> str:
    """Text without the manners of a format: quotes, blanks, capitals."""
    return re.sub(r"[\s\"':=,]", "", text).lower()


def _by_rule(case: Case, change: Change, rule: Rule) -> list[Finding]:
    side, other = (change.old, change.new) if rule.removed else (change.new, change.old)
    if not change.old.exists and rule.removed:
        return []
    said = str.rstrip if rule.verbatim else squash
    counts = Counter(
        said(m[0])
        for _, line in _rows(side, range(len(side.rows)), verbatim=rule.verbatim)
        for m in rule.pattern.finditer(line)
    )
    if not counts:
        return []
    counts -= Counter(
        said(m[0])
        for _, line in _rows(other, range(len(other.rows)), verbatim=rule.verbatim)
        for m in rule.pattern.finditer(line)
    )
    if rule.removed and case.settings:
        elsewhere = _plain(case.settings) if counts else ""
        counts = Counter(
            {token: n for token, n in counts.items() if len(token) < _SHORT or _plain(token) not in elsewhere}
        )
    if rule.kind == "weakened_test" and rule.files.search("a.snap") and not change.old.exists:
        return []
    found = []
    for row, line in _rows(side, change.removed if rule.removed else change.added, verbatim=rule.verbatim):
        for match in rule.pattern.finditer(line):
            token = said(match[0])
            if counts[token] <= 0 or (rule.removed and _climbs(change, token)):
                continue
            counts[token] -= 1
            code = match.groupdict().get("code") or ""
            made = case.finding(
                change,
                rule.kind,
                row,
                f"removed {token}" if rule.removed else squash(line),
                certain=rule.certain
                and not _LATER.search(token)
                and not _for_others(side, row, token)
                and (not rule.fits or _fits(case, change, rule, code, row)),
                names=[token, code, *_where(change, row)],
            )
            if made is not None:
                found.append(made)
    return found


def _where(change: Change, row: int) -> list[str]:
    """The patterns of files for which an option of a row is set."""
    around = " ".join(change.new.row(r) for r in range(max(0, row - 3), row + 1))
    return re.findall(r"[\"']([^\"'\s]*[*/][^\"'\s]*)[\"']", around)


_LADDER = ("recommended", "recommendedTypeChecked", "strict", "strictTypeChecked", "all")
"""Sets of rules, each with more than the one before."""


def _climbs(change: Change, token: str) -> bool:
    """Whether a set of rules gave way to a larger one of the same package."""
    package, found, level = token.partition(".configs.")
    if not found or level not in _LADDER:
        return False
    larger = _LADDER[_LADDER.index(level) + 1 :]
    return any(re.search(rf"\b{re.escape(package)}\.configs\.{step}\b", change.new.text) for step in larger)


def _for_others(text: Text, row: int, token: str) -> bool:
    """Whether types that are missing are only let pass for one module that others wrote."""
    if "ignore_missing_imports" not in token:
        return False
    for r in range(row, max(-1, row - 12), -1):
        line = text.row(r)
        if re.match(r"\s*\[mypy-(?!\*)", line):
            return True
        if re.match(r"\s*\[", line):
            around = " ".join(text.row(i) for i in range(r, row + 4))
            return "overrides" in line and re.search(r"module\s*=\s*(?![\"']\*[\"'])", around) is not None
    return False


def _fits(case: Case, change: Change, rule: Rule, code: str, row: int) -> bool:
    if rule.codes:
        said = [f"{d.code or ''} {d.message} {d.file or ''}" for d in case.failures.all]
        return any(re.search(rule.codes, text) for text in said)
    codes = frozenset({code} if code else ())
    mark = Mark(rule.kind, row, "", scope="project", codes=codes, tools=rule.tools)
    return case.failures.fit(mark, change)


def _key(text: Text, row: int) -> str:
    """The key, with its section, that a row of TOML or INI belongs to."""
    key = ""
    for r in range(row, -1, -1):
        line = text.row(r)
        if not key and re.match(r"\s*[\w.\"'*/-]+\s*[=:]", line):
            key = line.split("=")[0].split(":")[0].strip()
        if re.match(r"\s*\[[\w.\"'-]+\]", line):
            return f"{key} {line.strip() if 'per-file' in line else ''}"
    return key


def _listed_codes(case: Case, change: Change) -> list[Finding]:
    """Rules that joined a list of ignored ones, or left the list of those that are looked for."""
    found = []
    for text, other, rows, pattern, gone in (
        (change.new, change.old, change.added, _LESS, False),
        (change.old, change.new, change.removed, _MORE, True),
    ):
        if not text.exists or not other.exists:
            continue
        for row, line in _bare(text, rows):
            key = _key(text, row)
            fresh = [
                c for c in [*_CODE.findall(line), *_FAMILY.findall(line)] if not re.search(rf"\b{c}\b", other.text)
            ]
            if not fresh or not pattern.search(key):
                continue
            mark = Mark("disabled_warning", row, "", scope="project", codes=frozenset(fresh))
            shown = f"removed {', '.join(fresh)} from {key}" if gone else squash(line)
            usual = not gone and _USUAL.search(line) is not None
            certain = case.failures.fit(mark, change) and not usual
            made = case.finding(change, "disabled_warning", row, shown, certain=certain, names=fresh)
            if made is not None:
                found.append(made)
    return found


def _once_a_hunk(change: Change, found: list[Finding]) -> list[Finding]:
    """Without what says the same twice: a rule taken out and its opposite put in, two rules that hit one line."""
    seen: dict[tuple[str, int], Finding] = {}
    for finding in sorted(found, key=lambda f: (not f.certain, f.text.startswith("removed "))):
        row = finding.line - 1
        gone = finding.text.startswith("removed ")
        hunk = next(
            (
                i
                for i, h in enumerate(change.hunks)
                if (h.old_start <= row < h.old_end if gone else h.new_start <= row < h.new_end)
            ),
            -1,
        )
        others = [f for (kind, at), f in seen.items() if kind == finding.kind and at == hunk]
        if gone and any(not f.text.startswith("removed ") for f in others):
            continue
        seen.setdefault((finding.kind, hunk if gone else 10_000_000 + row), finding)
        seen.setdefault((finding.kind, hunk), finding)
    return list(dict.fromkeys(seen.values()))
