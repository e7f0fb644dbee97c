"""Names that are declared to exist somewhere else, so that a checker no longer misses them (SPEC K7)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator

from compile_loop.checks.honesty.survey import Mark

_COMMENT = re.compile(r"^/\*\s*(?:globals?|exported)\s+(?P<names>[^*]+)", re.IGNORECASE)
_DECLARED = re.compile(r"^\s*(?:export\s+)?declare\s+(?:const|let|var|function|class)\s+(?P<names>[\w$]+)")
_REACHED = re.compile(
    r"(?:\b(?:globalThis|window|self|global)(?:\s+as\s+\w+\s*\))?)\s*(?:\?\.|\.|\[[\"'])(?P<names>[A-Za-z_$][\w$]*)"
)
_MISSING = r"(?:is not defined|cannot find name|undefined name|undeclared|not found)"
_AROUND = frozenset(
    re.findall(
        r"\w+",
        "window document navigator location history screen localStorage sessionStorage process require module exports "
        "define global self globalThis console fetch alert confirm prompt describe it test expect jest vi vitest mocha "
        "before after beforeEach afterEach beforeAll afterAll suite assert cy page browser context chai sinon angular "
        "google chrome gapi grecaptcha dataLayer gtag ga jquery importScripts postMessage addEventListener setTimeout "
        "clearTimeout setInterval clearInterval setImmediate queueMicrotask requestAnimationFrame cancelAnimationFrame "
        "structuredClone atob btoa performance crypto caches clients skipWaiting event name status top parent opener "
        "acquireVsCodeApi webkit safari moment lodash axios ",
    )
)
"""Names that hosts, test runners and common scripts bring."""
_LONGER = 2
_LIKE = 0.8
"""Names as alike as this are one name and its misspelling."""


def declared_in_comment(comment: str, row: int, words: Iterable[str]) -> Iterator[Mark]:
    """Marks for `/* global name */`; `words` are those of the file."""
    found = _COMMENT.match(comment.strip())
    if found:
        yield from _marks(re.findall(r"[\w$]+(?=\s*(?:[,:]|$|\s))", found["names"]), comment, row, words)


def declared_in_line(line: str, row: int, text: str) -> Iterator[Mark]:
    """Marks for `declare const name: …` and for `globalThis.name` where nothing sets it."""
    found = _DECLARED.match(line)
    if found:
        yield from _marks([found["names"]], line, row, re.findall(r"[\w$]+", text))
    for asked in re.finditer(
        r"typeof\s+(?P<names>[A-Za-z_$][\w$]*)\s*[!=]==?\s*[\"'](?:undefined|function|object)", line
    ):
        yield from _marks([asked["names"]], line, row, ())
    for reached in _REACHED.finditer(line):
        name = reached["names"]
        if not re.search(rf"(?:globalThis|window|self|global)\W+{re.escape(name)}\b[\"'\]]*\s*=[^=]", text):
            yield from _marks([name], line, row, ())


def _marks(names: Iterable[str], text: str, row: int, words: Iterable[str]) -> Iterator[Mark]:
    known = frozenset(words)
    for name in names:
        if name in _AROUND or name in ("readonly", "writable", "true", "false", "off") or name.startswith(("__", "$")):
            continue
        near = [word for word in known - {name, f"{name}s"} if abs(len(word) - len(name)) <= _LONGER]
        misspelt = bool(difflib.get_close_matches(name, near, 1, _LIKE))
        if (name[:1].isupper() or len(name) < 2) and not misspelt:
            continue
        missing = rf"(?<![\w$]){re.escape(name)}(?![\w$]).*{_MISSING}|{_MISSING}.*(?<![\w$]){re.escape(name)}(?![\w$])"
        yield Mark("suppression", row, text, certain=misspelt, names=frozenset({name}), only_if=missing)
