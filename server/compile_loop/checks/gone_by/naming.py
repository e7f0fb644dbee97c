"""Where a text names a file: by its name, or by the name of the module that it is (SPEC K6). Pure; any language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from compile_loop.checks.expectations import SOURCE
from compile_loop.checks.modules import is_program

_LOOKS_FIRST = re.compile(
    r"(?i:exist)|\bis_?file\b|\bis_?dir\b|\baccess(?:Sync)?\s*\(|\bl?stat(?:Sync)?\s*\(|\bwildcard\b|\[\s+(?:!\s+)?-[a-zA-Z]\s|"
    r"\btest\s+(?:!\s+)?-[a-zA-Z]\s|\bfind_spec\b|\bimportorskip\b|\bsuppress\s*\(|2>\s*/dev/null|\|\|\s*(?:true|:)(?:\s|$)|\btry\b\s*[:{]|"
    r"-[efrsd]\s+[\"']"
)
"""What asks whether a file is there, or does without."""
_TAKES = re.compile(
    r"\b(?:f?open\w*|read\w*|load\w*|file\w*|cat|source|include|slurp|import|from|require\w*|use)\b|(?:^|\s)(?:-f|--file|-x|\.)[\s=]|<"
)
_TAKES_MODULE = re.compile(
    r"\b(?:import\w*|from|require\w*|use|load|include|dofile|loadfile|do|find_spec|spec_from\w*|__import__|run_path|run_module|pytest_plugins|"
    r"plugins?)\b|(?:^|[\s\"'])-p[\s=]?"
)
_COMMENT = re.compile(r"\s*(?:#(?!!|\s*include\b|\s*import\b|\s*embed\b)|//|/?\*(?!\w)|;|--(?!\w)|<!--)")
_TRY = re.compile(r"\s*(?:try\b|with\b.*\bsuppress\s*\()")
_ENDING = re.compile(r"(?:/(?:__init__|__main__|index|mod))?\.\w+(?:\.\w+)?$")
_PUT_IN = re.compile(r"\*+|\$?\{[^{}\s]*\}|\$\([^()\s]*\)|\$\w+|%[sd]")
_PATTERN = re.compile(r"(?:[\w./-]|\*|\$?\{[^{}\s]*\}|\$\([^()\s]*\)|\$\w|%[sd])+")
_LEAST = 3
"""Letters that a pattern must have to say anything."""
_MOST_LINE = 4000
_MOST_ROWS = 40


@dataclass(frozen=True, slots=True)
class Naming:
    """A line that names a file, counted from 1. `optional`: it asks whether the file is there, or does without."""

    line: int
    text: str
    optional: bool


def names(path: str, by: str, text: str) -> Iterator[Naming]:
    """The lines of `text`, which is that of the file `by`, that name the file `path`; comments name nothing."""
    sought = _sought(path)
    found = sorted(sought.places_in(text)) if path != by else []
    rows = text.split("\n") if found else []
    done = -1
    for place in found:
        at = text.count("\n", 0, place)
        row = rows[at]
        if at == done or len(row) > _MOST_LINE or _COMMENT.match(row):
            continue
        done = at
        asks = _LOOKS_FIRST.search(row) is not None
        if sought.is_named_in(row, asks=asks):
            yield Naming(at + 1, row.strip(), asks or _is_tried(rows, at))


class _Sought:
    """What to look for where a file may be named: made once for each file."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._base = path.rpartition("/")[2]
        self._told_apart = re.search(r"\w[.-]\w|^\.\w", self._base) is not None
        self._plain = _plain_of(path)
        self.module = _module_of(path)
        self._loose = None if SOURCE.search(path) else _loose_of(path)

    def places_in(self, text: str) -> set[int]:
        """Where in a text it may be named."""
        found: set[int] = set()
        if self._base in text:
            found |= {made.start() for made in self._plain.finditer(text)}
        for pattern in (self.module, self._loose):
            if pattern is not None:
                found |= {made.start() for made in pattern.finditer(text)}
        return found

    def is_named_in(self, row: str, *, asks: bool) -> bool:
        """Whether a row names it; `asks`: the row asks whether a file is there."""
        made = self._plain.search(row)
        if made and (self._told_apart or "/" in made.group() or asks or _TAKES.search(row)):
            return True
        if self.module is not None and self.module.search(row) and _TAKES_MODULE.search(row):
            return True
        return self._loose is not None and _PUT_IN.search(row) is not None and _fits(self._path, row)


@lru_cache(maxsize=64)
def _sought(path: str) -> _Sought:
    return _Sought(path)


def _loose_of(path: str) -> re.Pattern[str]:
    """Where a pattern, or a name with something put in, may end or begin as the file's does."""
    folder, _, base = path.rpartition("/")
    ends = "|".join(re.escape(base[at:]) for at in range(1, len(base) - 1))
    last = rf"(?<![\w-]){re.escape(folder.rpartition('/')[2])}/[\w.-]*[*{{$%]" if folder else r"(?!)"
    return re.compile(
        rf"(?:[*}})]|\$\w+|%[sd])(?:{ends or '(?!)'})(?![\w-])|{last}|{re.escape(base[:_LEAST])}[\w.-]*[*{{$%]"
    )


def _fits(path: str, row: str) -> bool:
    """Whether a row has a pattern for the file, or a name with something put in, that says more than an ending."""
    folder, _, base = path.rpartition("/")
    last = re.compile(rf"(?<![\w-]){re.escape(folder.rpartition('/')[2])}(?![\w-])")
    for said in _PATTERN.findall(row):
        parts = _PUT_IN.split(said.removeprefix("./"))
        literal = re.sub(r"\.\w+$", "", "".join(parts))
        told = len(re.findall(r"\w", literal)) >= _LEAST or (folder != "" and last.search(row) is not None)
        pattern = "[^/]*".join(map(re.escape, parts))
        if told and len(parts) > 1 and re.fullmatch(rf"(?:.*/)?{pattern}", path if "/" in said else base):
            return True
    return False


def takes_in(path: str, by: str, text: str) -> bool:
    """Whether a program takes a file in as a module of its own, or as a header."""
    base = path.rpartition("/")[2]
    include = re.compile(rf"#\s*(?:include|import)\s*[\"<](?:[^\">\n]*/)?{re.escape(base)}[\">]")
    module = _sought(path).module
    if module is None:
        return include.search(text) is not None
    if not module.search(text):
        return False
    return any(module.search(row) and _TAKES_MODULE.search(row) and not _COMMENT.match(row) for row in text.split("\n"))


def _plain_of(path: str) -> re.Pattern[str]:
    """The file's name as a word; a folder that is said before it must be the file's."""
    folder, _, base = path.rpartition("/")
    last = re.escape(folder.rpartition("/")[2])
    plain = r"(?<![\w.*/])(?<!\w-)"
    behind_another = (
        rf"(?<=\./)|(?<=[\s\"'=:(,<>|])/|(?<!\w)(?<!\w-){last}/|[)}}\"'$]/|\$\w+/"
        if folder
        else r"(?<![\w.])\.{1,2}/|[)}\"']/|\$\w+/"
    )
    before = f"(?:{plain}|{behind_another})"
    return re.compile(rf"{before}{re.escape(base)}(?![\w-]|\.\w)")


def _module_of(path: str) -> re.Pattern[str] | None:
    """The ways to name a module by its place; None for a file of a language that names none so."""
    if not is_program(path):
        return None
    parts = _ENDING.sub("", path).split("/")
    tails = (r"(?:\.|/|::|\\+)".join(map(re.escape, parts[at:])) for at in range(len(parts)))
    return re.compile(rf"(?<![\w$-])(?:{'|'.join(tails)})(?![\w-])")


def _is_tried(rows: list[str], at: int) -> bool:
    """Whether a row stands in a block whose failure is caught."""
    depth = len(rows[at]) - len(rows[at].lstrip())
    for above in range(at - 1, max(-1, at - _MOST_ROWS), -1):
        row = rows[above]
        if row.strip() and (indent := len(row) - len(row.lstrip())) < depth:
            if _TRY.match(row):
                return True
            depth = indent
    return False
