"""Where a text names a file: by its name, or by the name of the module that it is (SPEC K6). Pure; any language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from compile_loop.checks.modules import is_program

_LOOKS_FIRST = re.compile(
    r"(?i:exists)|\bis_?file\b|\bis_?dir\b|\baccess(?:Sync)?\s*\(|\bl?stat(?:Sync)?\s*\(|\bwildcard\b|\[\s+(?:!\s+)?-[a-zA-Z]\s|"
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
    base = path.rpartition("/")[2]
    module = _module_of(path)
    if base not in text and (module is None or not module.search(text)):
        return
    plain = _plain_of(path)
    told_apart = re.search(r"\w[.-]\w|^\.\w", base) is not None
    rows = text.split("\n")
    for at, row in enumerate(rows):
        if len(row) > _MOST_LINE or _COMMENT.match(row):
            continue
        asks = _LOOKS_FIRST.search(row) is not None
        if made := plain.search(row):
            named = told_apart or "/" in made.group() or asks or _TAKES.search(row) is not None
        else:
            named = module is not None and module.search(row) is not None and _TAKES_MODULE.search(row) is not None
        if named and path != by:
            yield Naming(at + 1, row.strip(), asks or _is_tried(rows, at))


def takes_in(path: str, by: str, text: str) -> bool:
    """Whether a program takes a file in as a module of its own, or as a header."""
    base = path.rpartition("/")[2]
    include = re.compile(rf"#\s*(?:include|import)\s*[\"<](?:[^\">\n]*/)?{re.escape(base)}[\">]")
    module = _module_of(path)
    if module is None:
        return include.search(text) is not None
    if not module.search(text):
        return False
    return any(module.search(row) and _TAKES_MODULE.search(row) and not _COMMENT.match(row) for row in text.split("\n"))


def _plain_of(path: str) -> re.Pattern[str]:
    """The file's name as a word; a folder that is said before it must be the file's."""
    folder, _, base = path.rpartition("/")
    last = re.escape(folder.rpartition("/")[2])
    before = (
        rf"(?:(?<![\w.*-])|(?<=\./)|(?<=[\s\"'=:(,<>|])/|(?<![\w-]){last}/|[)}}\"'$]/|\$\w+/)"
        if folder
        else (r"(?:(?<![\w.*/-])|(?<![\w.])\.{1,2}/|[)}\"']/|\$\w+/)")
    )
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
