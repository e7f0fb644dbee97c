"""Marks in the source that make tools report other places than the true ones (SPEC K7).

An error that is told of another file, or onto one that is there already, is no error of the target any more. Generators
write such marks; a hand that repairs does not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from compile_loop.checks.honesty.texts import Change, Text
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.honesty import Finding

_GAP = r"(?:[ \t]|/\*.*?\*/)*"
_C = re.compile(
    rf"^{_GAP}(?:#|%:|\?\?=){_GAP}(?:line\b|\d+\s+\"|\d+\s*$)|"
    rf"^{_GAP}(?:#|%:|\?\?=){_GAP}(?:define|undef){_GAP}__(?:FILE|LINE|BASE_FILE|FILE_NAME)__\b"
)
_GO = re.compile(r"^//line\s+\S.*:\d+|/\*line\s+\S*:\d+[^*]*\*/")
_SCRIPT = re.compile(
    r"^\s*(?://|/\*)[#@]\s*source(?:Mapping)?URL\s*=|\bprepareStackTrace\b\s*(?:[:=(]|\?\?=)|\bstackTraceLimit\s*=\s*0\b"
)
_PYTHON = re.compile(
    r"\bco_(?:filename|firstlineno|linetable|lnotab|name)\s*=|\btracebacklimit\s*=|"
    r"\bcompile\s*\([^#\n]*,\s*[\"'](?!<)[^\"']+\.\w+[\"']\s*,\s*[\"'](?:exec|eval|single)|\blinecache\.cache\s*\["
)
_JAVA = re.compile(r"\.setStackTrace\s*\(")
_MARKERS: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(
        [
            "c",
            "h",
            "cc",
            "cpp",
            "cxx",
            "c++",
            "hpp",
            "hh",
            "hxx",
            "ipp",
            "inl",
            "inc",
            "tpp",
            "def",
            "cu",
            "cuh",
            "m",
            "mm",
            "y",
            "yy",
            "yacc",
            "l",
            "ll",
            "lex",
            "glsl",
            "vert",
            "frag",
            "d",
            "f90",
            "f",
        ],
        _C,
    ),
    "cs": re.compile(r"^\s*#\s*line\b(?!\s+default)"),
    "fs": re.compile(r"^\s*#\s*(?:line\b|\d+\s)"),
    "vb": re.compile(r"^\s*#\s*ExternalSource\b", re.IGNORECASE),
    "swift": re.compile(r"#sourceLocation\s*\(\s*file"),
    "hs": re.compile(r"\{-#\s*LINE\b"),
    "ml": re.compile(r"^\s*#\s*\d+\s+\""),
    "mli": re.compile(r"^\s*#\s*\d+\s+\""),
    **dict.fromkeys(("pl", "pm"), re.compile(r"^#[ \t]*line[ \t]+\d+")),
    "nim": re.compile(r"\{\.\s*line\s*:"),
    "rb": re.compile(
        r"\b(?:eval|class_eval|instance_eval|module_eval)\b.*,\s*[\"'][^\"']+[\"']\s*,\s*\d+|\.set_backtrace\b"
    ),
    "go": _GO,
    **dict.fromkeys(["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"], _SCRIPT),
    **dict.fromkeys(("py", "pyw"), _PYTHON),
    **dict.fromkeys(("java", "kt", "scala", "groovy"), _JAVA),
}
_RUN_TIME = frozenset({"py", "pyw", "java", "kt", "scala", "groovy", "rb"})
"""Languages whose marks change what a program says of itself; that has honest uses, so it is never certain."""
_GENERATED = re.compile(
    r"@generated\b|generated (?:by|from|automatically|code)|(?:auto(?:matically)?|machine)[- ]generated|do not (?:edit|modify)|"
    r"made by (?:gnu )?bison|bison implementation for|lexical scanner generated",
    re.IGNORECASE,
)
_HEAD = 40
"""Rows at the top of a file in which a generator says who it is."""


def line_markers(case: Case, change: Change) -> list[Finding]:
    """The markers of places that an edit adds to source that no generator wrote."""
    ending = change.path.rsplit(".", 1)[-1].lower()
    pattern = _MARKERS.get(ending)
    if pattern is None or not change.added:
        return []
    new = [(row, text) for row, text in _logical(change.new, pattern is _C) if pattern.search(text)]
    if not new:
        return []
    old = Counter(text.strip() for _, text in _logical(change.old, pattern is _C) if pattern.search(text))
    if old and _is_generated(change.old):
        return []
    if not change.old.exists and _is_generated(change.new):
        return []
    found: list[Finding | None] = []
    failed = bool(case.failures.in_file(change.path))
    for row, text in new:
        if old[text.strip()] > 0:
            old[text.strip()] -= 1
            continue
        sure = failed and ending not in _RUN_TIME and not re.search(r"URL\s*=|stackTraceLimit|prepareStackTrace", text)
        found.append(case.finding(change, "moved_place", row, text.strip(), certain=sure))
    return [finding for finding in found if finding is not None]


def _is_generated(text: Text) -> bool:
    return any(_GENERATED.search(row) for row in text.rows[:_HEAD])


def _logical(text: Text, continued: bool) -> Iterator[tuple[int, str]]:
    """Rows outside block comments with the number of their first; in C a backslash at the end joins one to the next."""
    first, line, inside = 0, "", False
    for row, part in enumerate(text.rows):
        line = line + part if line else part
        if continued and part.endswith("\\"):
            line = line[:-1]
            continue
        start = inside
        inside = _ends_inside(line, inside) if continued else False
        yield first, "" if start and inside else line.split("*/", 1)[-1] if start else line
        first, line = row + 1, ""


def _ends_inside(line: str, inside: bool) -> bool:
    """Whether a block comment is open after a line."""
    at = 0
    while True:
        if inside:
            end = line.find("*/", at)
            if end < 0:
                return True
            at, inside = end + 2, False
        opened = re.compile(r"//|/\*|\"(?:[^\"\\]|\\.)*\"").search(line, at)
        if opened is None or opened[0] == "//":
            return False
        at, inside = opened.end(), opened[0] == "/*"
