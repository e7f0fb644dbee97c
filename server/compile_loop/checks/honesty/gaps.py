"""Suppressions for a person to judge: of gaps in others' types, of wrong calls on purpose, of names handed on (SPEC K7)."""

from __future__ import annotations

import re

from compile_loop.checks.honesty.failures import Failures
from compile_loop.checks.honesty.languages.names import is_test_path
from compile_loop.checks.honesty.survey import Mark
from compile_loop.checks.honesty.texts import Change

_LACKING = re.compile(
    r"missing library stubs|py\.typed|stub file|library stubs|untyped module|declaration file for module|TS7016|import-untyped",
    re.IGNORECASE,
)
_NO_ATTRIBUTE = re.compile(
    r"Module (?:\"[\w.]+\" )?has no attribute \"(\w+)\"|is not (?:a known attribute of module|exported from module)"
)
_NO_MEMBER = re.compile(
    r"^\S* ?\"(\w+)\" has no attribute|[Cc]annot access attribute \"\w+\" for class \"(?:type\[)?(\w+)|"
    r"does not exist on type '(\w+)"
)
_NO_STUBS = re.compile(r"missing library stubs or py\.typed", re.IGNORECASE)
"""That a package of others says nothing of its types; where stubs could be installed the message is another."""
_DIRECTIVE = re.compile(r"(?:type|pyright|ty|mypy)\s*:\s*ignore\s*(?:\[[^\]]*\])?|@ts-(?:ignore|expect-error)")
_REASON = re.compile(r"[A-Za-z]{2,}\W+(?:\S+\s+)?[A-Za-z]{2,}")


def gap_elsewhere(failures: Failures, change: Change, mark: Mark) -> bool:
    """Whether a narrow suppression, with its reason beside it, meets a gap in the types of a package that is not ours."""
    if mark.kind != "suppression" or not _one_line(mark):
        return False
    directive = _DIRECTIVE.search(mark.text)
    if directive is None or not (mark.codes or "@ts" in directive[0]):
        return False
    first, last = change.old_span(mark.row)
    near = failures.near(change.path, first, last, 1)
    said = [f"{d.code or ''} {d.message}" for d in near]
    if said and mark.codes and all(_NO_STUBS.search(text) for text in said):
        return True  # there is nothing else to be done in this file
    if not _REASON.search(mark.text[directive.end() :]) and not _told_above(change, mark.row):
        return False
    return bool(near) and all(
        _LACKING.search(text)
        or (_NO_ATTRIBUTE.search(text) and _foreign(change, mark.row))
        or ((found := _NO_MEMBER.search(text)) and _imported(change, next(g for g in found.groups() if g)))
        for text in said
    )


def _one_line(mark: Mark) -> bool:
    return mark.scope == "line" or "@ts-expect-error" in mark.text


def _told_above(change: Change, row: int) -> bool:
    """Whether a comment right above gives the reason."""
    above = re.match(r"\s*(?:#|//|/?\*)\s*(?!@|type:|eslint|noqa|pylint)(.*)", change.new.row(row - 1))
    return above is not None and len(re.findall(r"[A-Za-z]{2,}", above[1])) > _WORDS


def _imported(change: Change, name: str) -> bool:
    """Whether a class comes from a package that is not the file's own."""
    own = {part for part in change.path.split("/")[:-1] if part != "src"}
    python = re.search(
        rf"^\s*from\s+(?P<module>[A-Za-z_]\w*)[\w.]*\s+import\s[^\n]*\b{re.escape(name)}\b",
        change.new.text,
        re.MULTILINE,
    )
    script = re.search(
        rf"import\b[^;]*\b{re.escape(name)}\b[^;]*\bfrom\s*[\"'](?P<module>[^.~/\"'][^\"']*)[\"']", change.new.text
    )
    found = python or script
    return found is not None and found["module"].split("/")[0] not in own and not found["module"].startswith("@/")


def _foreign(change: Change, row: int) -> bool:
    """Whether a name of the row is a module that was imported whole and lies outside the file's own package."""
    words = set(re.findall(r"[A-Za-z_]\w*", change.new.row(row)))
    modules = re.findall(
        r"^\s*import\s+([A-Za-z_]\w*)\s*$|^\s*from\s+([A-Za-z_]\w*)[\w.]*\s+import\b", change.new.text, re.MULTILINE
    )
    own = set(change.path.split("/")[:-1])
    return any(name in words and name not in own for pair in modules for name in pair if name)


_REFUSED = re.compile(
    r"\braises\(|assertRaises|toThrow|rejects|assert\.throws|throws\(|fails with|invalid", re.IGNORECASE
)


_TASTE = re.compile(
    r"(?:no-await-in-loop|(?:react-hooks/)?exhaustive-deps|no-console|no-param-reassign|max-\w[\w-]*|complexity|"
    r"no-plusplus|no-continue|no-bitwise|"
    r"no-underscore-dangle|no-restricted-syntax|camelcase|func-names|class-methods-use-this|no-constant-condition|no-control-regex|"
    r"PLR09\d\d|PLR2004|C901|BLE001|S1\d\d|S[36]\d\d|T201|T20|E501|N8\d\d|D\d{3}|FBT\d*|ARG\d+|SLF001|PLC0415|PLW0603|A00\d|ERA001|"
    r"too-many-[\w-]+|too-few-[\w-]+|line-too-long|invalid-name|broad-except|broad-exception-caught|"
    r"protected-access|import-outside-toplevel|"
    r"global-statement|unused-argument|missing-[\w-]*docstring|fixme|duplicate-code)$"
)
"""Rules about manners, which a careful person breaks now and then."""


def _matter_of_taste(mark: Mark) -> bool:
    """Whether only such rules are named, on one line, with a reason in words."""
    if mark.scope != "line" or not all(_TASTE.match(code) for code in mark.codes):
        return False
    last = max(mark.text.rfind(code) + len(code) for code in mark.codes)
    return len(re.findall(r"[A-Za-z]{2,}", mark.text[last:])) >= _WORDS


_WORDS = 3
"""A reason has so many."""


def meant_wrong(change: Change, mark: Mark) -> bool:
    """Whether a test makes a wrong call on purpose, or makes up part of a value; or a package hands on what it imports."""
    if mark.kind == "suppression" and mark.codes and _matter_of_taste(mark):
        return True
    if mark.kind == "suppression" and change.path.endswith("__init__.py"):
        return bool(mark.codes) and mark.codes <= {"F401", "unused-import", "W0611"}
    if not is_test_path(change.path):
        return False
    if mark.kind == "any_cast":
        return re.search(r"\bas unknown as\b", mark.text) is not None
    if mark.kind != "suppression" or not _one_line(mark) or not (mark.codes or "@ts-expect-error" in mark.text):
        return False
    around = " ".join(change.new.row(r) for r in range(max(0, mark.row - 2), mark.row + 4))
    return _REFUSED.search(around) is not None
