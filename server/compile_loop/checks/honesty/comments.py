"""Comments that tell a tool to look away, by language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from compile_loop.checks.honesty.survey import Mark

_PYTHON_TYPES = frozenset({"mypy", "pyright", "pyre", "pytype", "basedpyright", "ty"})
_PYTHON_LINT = frozenset({"ruff", "flake8", "pylint", "pycodestyle", "pyflakes", "bandit"})
_SCRIPT_LINT = frozenset({"eslint", "tslint", "biome", "oxlint", "deno"})
_C_LINT = frozenset({"clang-tidy", "cppcheck", "cpplint", "sonar", "coverity"})
_GO_LINT = frozenset({"golangci", "staticcheck", "lint", "vet", "revive", "gosec", "errcheck"})
_JAVA_LINT = frozenset({"sonar", "checkstyle", "pmd", "spotbugs", "errorprone", "idea"})


@dataclass(frozen=True, slots=True)
class CommentRule:
    """A form of comment. Its group `codes` holds the rules it names; `scope` is what it reaches, `file` where it opens one."""

    pattern: re.Pattern[str]
    tools: frozenset[str]
    scope: str = "line"
    certain: bool = True
    only_if: str = ""


def _rule(pattern: str, tools: frozenset[str] = frozenset(), scope: str = "line") -> CommentRule:
    return CommentRule(re.compile(pattern, re.IGNORECASE), tools, scope)


def _coverage(pattern: str) -> CommentRule:
    """Keeps lines out of the coverage; counts only where the coverage was too low."""
    return CommentRule(re.compile(pattern, re.IGNORECASE), frozenset(), "line", False, r"\bcover")


_CODES = r"(?P<codes>[\w@/,:\s.-]*)"

RULES: dict[str, tuple[CommentRule, ...]] = {
    "python": (
        _rule(r"#\s*(?:ruff|flake8)\s*:\s*noqa(?:\s*:\s*(?P<codes>[\w,\s]+))?", _PYTHON_LINT, "file"),
        _rule(r"#\s*noqa\b(?:\s*:\s*(?P<codes>[A-Z]+\d+(?:[,\s]+[A-Z]+\d+)*))?", _PYTHON_LINT),
        _rule(r"#\s*type\s*:\s*ignore(?:\s*\[(?P<codes>[\w,\s-]+)\])?", _PYTHON_TYPES),
        _rule(r"#\s*(?:basedpyright|pyright|ty)\s*:\s*ignore(?:\s*\[(?P<codes>[\w,\s-]+)\])?", _PYTHON_TYPES),
        _rule(r"#\s*pyright\s*:\s*(?:basic|off|\w+\s*=\s*(?:false|none|off))", _PYTHON_TYPES, "file"),
        _rule(
            r"#\s*mypy\s*:\s*(?:ignore[-_]errors|disable[-_]error[-_]code|allow[-_]|no[-_]|follow[-_]imports|ignore[-_])",
            _PYTHON_TYPES,
            "file",
        ),
        _rule(r"#\s*pylint\s*:\s*(?:skip-file|disable(?:-next)?\s*=\s*(?P<codes>[\w,\s-]+))", _PYTHON_LINT, "block"),
        _rule(r"#\s*(?:pyre-(?:ignore|fixme)|pytype\s*:\s*disable)", _PYTHON_TYPES),
        _rule(r"#\s*nosec\b", frozenset({"bandit"})),
        _coverage(r"#\s*pragma\s*:\s*no (?:cover|branch)"),
    ),
    "ecmascript": (
        _rule(r"@ts-nocheck\b", frozenset({"tsc", "ts"}), "file"),
        _rule(r"@ts-ignore\b", frozenset({"tsc", "ts"})),
        _rule(r"@ts-expect-error\b", frozenset({"tsc", "ts"}), "file"),  # without an error it would be one
        _rule(rf"\b(?:eslint|oxlint|tslint)[-:]disable-(?:next-)?line\b{_CODES}", _SCRIPT_LINT),
        _rule(rf"\b(?:eslint|oxlint|tslint)[-:]disable\b(?!-){_CODES}", _SCRIPT_LINT, "file"),
        _rule(r"\bbiome-ignore(?:-all|-start)?\b", _SCRIPT_LINT),
        _rule(r"\bdeno-lint-ignore(?:-file)?\b", _SCRIPT_LINT),
        _rule(r"\$Flow(?:FixMe|Issue|IgnoreTheError)", frozenset({"flow"})),
        _rule(r"\bNOSONAR\b", frozenset({"sonar"})),
        _rule(r"^\s*/?\*?\s*eslint\s+[\w@/-]+\s*:\s*(?:0|[\"']?off)", _SCRIPT_LINT, "file"),
        _coverage(r"\b(?:istanbul|c8|v8) ignore\b"),
    ),
    "c": (
        _rule(r"\bNOLINT(?:NEXTLINE|BEGIN)?\b(?:\((?P<codes>[\w,*.\s-]+)\))?", _C_LINT),
        _rule(r"\bcppcheck-suppress(?:-\w+)?\b(?:\s*\[?(?P<codes>\w+))?", _C_LINT),
        _rule(r"\bNOSONAR\b|\bcoverity\s*\[|\blint\s+-e\d+|\bfallthrough\s+unchecked\b", _C_LINT),
        _coverage(r"\b(?:GCOVR?|LCOV)_EXCL"),
    ),
    "rust": (_coverage(r"\bNOLINT\b|\bgrcov-excl"),),
    "java": (
        _rule(r"\bNOSONAR\b|\bCHECKSTYLE[:.\s]*(?:OFF|IGNORE)|\bNOPMD\b|\bSPOTBUGS:?\s*OFF", _JAVA_LINT),
        _rule(r"//\s*noinspection\s+(?P<codes>[\w,\s]+)", _JAVA_LINT),
    ),
    "go": (
        _rule(r"//\s*nolint\b(?::(?P<codes>[\w,\s-]+))?", _GO_LINT),
        _rule(r"//\s*lint:(?:ignore|file-ignore)\s+(?P<codes>[\w,]+)", _GO_LINT),
        _rule(r"//\s*revive:disable|#nosec\b", _GO_LINT),
        _rule(r"^//\s*(?:go:build|\+build)\s+(?:ignore|never|disabled|none|!\w+)\b", frozenset(), "file"),
    ),
}

GUARDS: dict[str, tuple[tuple[re.Pattern[str], frozenset[str]], ...]] = {
    "python": (
        (re.compile(r"#\s*mypy\s*:\s*(?:strict|disallow|check|warn|enable)"), frozenset({"mypy"})),
        (re.compile(r"#\s*pyright\s*:\s*(?:strict|standard|report\w+\s*=\s*(?:true|error))"), frozenset({"pyright"})),
    ),
    "ecmascript": (
        (re.compile(r"@ts-check\b"), frozenset({"tsc", "ts"})),
        (re.compile(r"^/[/*]\s*@flow\b"), frozenset({"flow"})),
        (re.compile(r"^/\*\s*eslint\s+[\w@/-]+\s*:\s*\[?\s*(?:2|1|[\"']?(?:error|warn))"), _SCRIPT_LINT),
    ),
}
"""Comments that ask a tool to look; what counts is that they went."""

EVERYWHERE = (
    *(rule for rules in RULES.values() for rule in rules),
    _rule(r"#\s*shellcheck\s+disable=|\brubocop:disable\b|@phpstan-ignore|@psalm-suppress|\bphpcs:(?:disable|ignore)"),
    _rule(
        r"\bswiftlint:disable|\bktlint-disable|#pragma\s+warning\s+disable|\bReSharper\s+disable|##?\s*no critic|luacheck:\s*ignore"
    ),
    _rule(r"\bHLINT ignore\b|OPTIONS_GHC\s+-(?:w|Wno|fno-warn)|\bNOLINT\b|\bcredo:disable|zig fmt: off"),
)


def comment_marks(language: str, comment: str, row: int, *, first_code_row: int = 0) -> Iterator[Mark]:
    """The marks in one comment, which begins at `row` of its file.

    A `type: ignore` that stands alone above all code is the whole file's.
    """
    for pattern, tools in GUARDS.get(language, ()):
        if pattern.search(comment):
            yield Mark(
                "disabled_warning",
                row,
                f"removed {comment.strip()}",
                needs_failure=True,
                scope="file",
                tools=tools,
                removed=True,
            )
    for rule in RULES.get(language, EVERYWHERE):
        for found in rule.pattern.finditer(comment):
            codes = found.groupdict().get("codes") or ""
            scope = rule.scope
            at = row + comment.count("\n", 0, found.start())
            if scope == "line" and "type" in found[0] and at < first_code_row:
                scope = "file"
            skips = "build" in found[0] and language == "go"
            yield Mark(
                "disabled_code" if skips else "suppression",
                at,
                comment.split("\n")[comment.count("\n", 0, found.start())].strip(),
                certain=rule.certain,
                needs_failure=True,
                scope=scope,
                codes=_codes(codes),
                tools=rule.tools,
                only_if=rule.only_if,
            )
            break


def _codes(listed: str) -> frozenset[str]:
    return frozenset(
        word
        for word in re.split(r"[\s,]+", listed.split("--", maxsplit=1)[0])
        if re.search(r"\w", word) and len(word) > 1
    )
