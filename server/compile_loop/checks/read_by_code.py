"""Which files a program's text names as read, written or run, whatever its language (SPEC K6).

A statement is looked at as a whole: the strings in it, and those of the constants that it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_STRING = re.compile(r'"""|\'\'\'|[frbFRB]{0,2}"((?:[^"\\\n]|\\.)*)"|[frbFRB]{0,2}\'((?:[^\'\\\n]|\\.)*)\'|`([^`\n]*)`')
_READS = re.compile(
    r"\b(?:f?open|\w*[rR]ead(?!y)\w*|[lL]oad\w*|slurp|include_(?:str|bytes)|i?fstream|ifstream|File|FileInputStream|Open(?:Text|Read)?|require|"
    r"genfromtxt|cmp|filecmp|getResource\w*|file_get_contents|file|newBufferedReader|lines|Scanner|from_(?:file|path)|fromFile|FromFile|"
    r"i?glob|iterdir|listdir|rglob|scandir|readdir\w*|import)\s*!?\s*\(|^\s*import\b[^(]*\bfrom\b|^\s*import\s+['\"]|\bopen\s+(?:my\s+)?[$\w]"
)
_WRITES = re.compile(
    r"\b(?:[wW]rite\w*|dumps?|save\w*|to_csv|to_json|Create\w*|unlink\w*|remove\w*|rename\w*|copy\w*|move|touch|ofstream|mkdir\w*|createWriteStream|"
    r"FileWriter|FileOutputStream|PrintWriter|File::create|file_put_contents|rmSync)\s*\(|"
    r"\bopen\([^()]*(?:\([^()]*\)[^()]*)*,\s*(?:mode\s*=\s*)?['\"][rbt]?[wax+][bt+]*['\"]|['\"]>"
)
_RUNS = re.compile(
    r"\b(?:run|call|check_call|check_output|Popen|system|exec\w*|spawn\w*|Command|popen|shell|getoutput|getstatusoutput)\s*\("
)
_CONSTANT = re.compile(
    r"^\s*(?:(?:export|const|let|var|final|static|private|public|auto|val|my|our|String|Path|File|char)\b[\s*]*)*[$@]?([A-Za-z_]\w*)(?:\[\])?"
    r"\s*(?::\s*[^=]+?)?\s*:?=(?!=)"
)
_BUILT_IN = re.compile(r"\binclude_(?:str|bytes)\s*!|^\s*import\b.*\bfrom\b|\brequire\s*\(")
_EMBED = re.compile(r"^//go:embed\s+(.+)$")
_OPENS_BLOCK = re.compile(r"(?:\{|=>|:)\s*(?://.*|#.*)?$")
_MOST_LINES = 15
_MOST_STATEMENT = 4000
_MOST_TEXT = 300


@dataclass
class Named:
    """What a text names: alternatives of one path each, and commands as lines or as words."""

    read: set[str] = field(default_factory=set)
    embedded: set[str] = field(default_factory=set)
    """Read when it is built: no program writes that."""
    written: set[str] = field(default_factory=set)
    run: list[str | tuple[str, ...]] = field(default_factory=list)


def files_in(text: str) -> Named:
    """The files that a program's text names. Paths are as they stand there, with `*` for what is put in."""
    found = Named()
    constants: dict[str, set[str]] = {}
    for statement in _statements(text):
        if embed := _EMBED.match(statement):
            found.embedded |= {word.strip('"`') for word in embed.group(1).split()}
            continue
        if len(statement) > _MOST_STATEMENT:
            continue
        strings = list(_strings(statement))
        bare = _STRING.sub('""', statement)
        paths = _paths(statement, strings)
        for name in set(re.findall(r"[A-Za-z_]\w*", bare)) & constants.keys():
            paths |= constants[name]
        writes, reads, runs = _WRITES.search(statement), _READS.search(statement), _RUNS.search(bare)
        if (constant := _CONSTANT.match(bare)) and not (writes or reads or runs):
            constants[constant.group(1)] = paths
        if runs and strings:
            found.run.append(strings[0] if len(strings) == 1 or " " in strings[0] else tuple(strings))
        if writes:
            found.written |= paths
        elif _BUILT_IN.search(statement):
            found.embedded |= paths
        elif reads:
            found.read |= paths
    return found


def _statements(text: str) -> Iterator[str]:
    """Lines, put together where a bracket is still open; the head of a block stands for itself."""
    held: list[str] = []
    depth = 0
    for line in text.splitlines():
        if _EMBED.match(line):
            yield line
            continue
        bare = _STRING.sub('""', line)
        depth += sum(map(bare.count, "([")) - sum(map(bare.count, ")]"))
        held.append(line)
        if depth <= 0 or len(held) >= _MOST_LINES or _OPENS_BLOCK.search(bare):
            yield "\n".join(held)
            held, depth = [], 0
    if held:
        yield "\n".join(held)


def _strings(statement: str) -> Iterator[str]:
    for made in _STRING.finditer(statement):
        value = made.group(1) or made.group(2) or made.group(3) or ""
        if value and len(value) <= _MOST_TEXT:
            yield re.sub(r"\$?\{[^{}]*\}|%[sd]", "*", value).replace("\\\\", "/")


def _paths(statement: str, strings: list[str]) -> set[str]:
    """The strings that may be paths, and those that are put together: `join("a", "b")`, `"a" / "b"`."""
    single = [each for each in strings if re.search(r"\w", each) and not re.search(r"[\s<>|;]{2}|\n", each)]
    found = set(single)
    parts = [made for made in _STRING.finditer(statement) if made.group(1) or made.group(2) or made.group(3)]
    together: list[str] = []
    for at, made in enumerate(parts):
        value = made.group(1) or made.group(2) or made.group(3)
        between = statement[parts[at - 1].end() : made.start()] if at else None
        together = [*together, value] if between is not None and re.fullmatch(r"[\s/,+]*", between) else [value]
        if len(together) > 1:
            found.add("/".join(part.strip("/") for part in together))
    return found
