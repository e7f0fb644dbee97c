"""Whether two runs on the same files said the same (SPEC K9, Q8).

What differs from run to run by its nature is left out: the order of words, and what is made up anew each time, such as
names of temporary files and ids.
"""

from __future__ import annotations

import re
from collections import Counter

from compile_loop.contracts.checks import ContractResult
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.engine.fingerprint import Fingerprint, normalise

_WORD = re.compile(r"[\w.-]+|[^\w\s]")
_MADE_UP = re.compile(r"(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{8,}|\b[0-9a-fA-F]{8,}\b")


def same(one: ContractResult, other: ContractResult) -> bool:
    """Whether both failed alike: by the same checks and exit codes, with the same failures."""
    return _seen(one) == _seen(other)


def vanished(one: ContractResult, other: ContractResult) -> list[Diagnostic]:
    """The failures of `one` that a tool told of by itself, and that `other` no longer has."""
    left = Counter(_identity(error) for error in other.errors)
    gone = []
    for error in filter(_is_told, one.errors):
        key = _identity(error)
        left[key] -= 1
        if left[key] < 0:
            gone.append(error)
    return gone


def _seen(result: ContractResult) -> Counter[Fingerprint]:
    seen: Counter[Fingerprint] = Counter()
    for check in result.results:
        if not check.ok:
            seen["exit", check.check, str(check.exit_code)] += 1
            seen.update(map(_identity, check.errors))
            if not check.errors:
                output: Fingerprint = ("output", check.check, *_unordered(check.stdout[-2000:] + check.stderr[-2000:]))
                seen[output] += 1
    return seen


def _identity(error: Diagnostic) -> Fingerprint:
    return (error.source, error.code or "", error.file or "", *_unordered(error.message))


def _is_told(error: Diagnostic) -> bool:
    """Whether it is more than the end of an output that nobody could read."""
    return bool(error.source or error.file)


def _unordered(text: str) -> list[str]:
    """The words and signs of a text, sorted: what runs side by side, and a set, come in another order each time."""
    return sorted(word for line in text.splitlines() for word in _WORD.findall(_MADE_UP.sub("ID", normalise(line))))
