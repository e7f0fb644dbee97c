"""What makes two failures the same one: content, never line numbers (SPEC K4, L7)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from compile_loop.contracts.checks import ContractResult
from compile_loop.contracts.diagnostics import Diagnostic

Fingerprint = tuple[str, ...]

_NOISE = re.compile(
    r"(?P<colour>\x1b\[[0-9;?]*[ -/]*[@-~])"
    r"|(?P<quoted>‘[^’/\n]*’|`[^`'/\n]*['`]|\"[^\"/\n]*\"|'[^'/\n]*')"
    r"|(?P<TIME>\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*|\b\d\d:\d\d:\d\d\b)"
    r"|(?P<ADDR>\b0x[0-9a-fA-F]+)"
    r"|(?P<PATH>(?:[A-Za-z]:)?(?:[\\/][\w.+@-]+){2,})"
    r"|(?P<N>\b\d+(?:\.\d+)*(?:ms|s|us|ns)?\b)"
    r"|(?P<space>\s+)"
)


def _stand_in(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    return {"colour": "", "quoted": match.group(), "space": " "}.get(kind, kind)


def normalise(message: str) -> str:
    """A message without numbers, paths, addresses, times and colours; quoted symbols and values stay as they are."""
    return _NOISE.sub(_stand_in, message).strip()


def quoted(message: str) -> list[str]:
    """The symbols and values that a message quotes."""
    return [match.group()[1:-1] for match in _NOISE.finditer(message) if match.lastgroup == "quoted"]


def fingerprint(diagnostic: Diagnostic) -> Fingerprint:
    """The identity of one failure: tool, code, file and normalised message."""
    return (diagnostic.source, diagnostic.code or "", diagnostic.file or "", normalise(diagnostic.message))


def fingerprints(diagnostics: Iterable[Diagnostic]) -> Counter[Fingerprint]:
    """An order-free multiset of failures."""
    return Counter(fingerprint(d) for d in diagnostics)


def state(result: ContractResult) -> frozenset[tuple[Fingerprint, int]]:
    """The identity of a whole state of failures, exit codes included (SPEC L7)."""
    counted: Counter[Fingerprint] = fingerprints(result.errors)
    for check in result.results:
        if not check.ok:
            counted["exit", check.check, str(check.exit_code)] += 1
            if not check.errors:
                counted["output", check.check, normalise(check.stdout[-2000:]), normalise(check.stderr[-2000:])] += 1
    return frozenset(counted.items())
