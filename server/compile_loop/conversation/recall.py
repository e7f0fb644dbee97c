"""Keyword search over a run's own earlier findings (SPEC T4)."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

BEST = 3
LENGTH = 600
_WORD = re.compile(r"[^\W_]{3,}")


@dataclass(frozen=True, slots=True)
class _Finding:
    text: str
    words: Counter[str]
    weight: int


@dataclass(slots=True)
class Findings:
    """What this run has found out: tool results, and a model's conclusions, which weigh twice."""

    _kept: list[_Finding] = field(default_factory=list)

    def add(self, text: str, *, conclusion: bool = False) -> None:
        """Keep a finding."""
        words = Counter(_words(text))
        if words:
            self._kept.append(_Finding(text.strip(), words, 2 if conclusion else 1))

    def search(self, query: str) -> list[str]:
        """The best 3 findings for the query's words of 3 or more letters or digits, 600 characters each.

        The newest first among equals.
        """
        wanted = set(_words(query))
        scored = [
            (finding.weight * sum(1 for word in wanted if word in finding.words), index, finding)
            for index, finding in enumerate(self._kept)
        ]
        best = sorted((s for s in scored if s[0] > 0), key=lambda s: (-s[0], -s[1]))[:BEST]
        return [_around(finding.text, wanted) for _, _, finding in best]


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _around(text: str, wanted: set[str]) -> str:
    """At most 600 characters of the text, about the first wanted word."""
    if len(text) <= LENGTH:
        return text
    at = next((m.start() for m in _WORD.finditer(text) if m.group().lower() in wanted), 0)
    start = max(0, min(at - LENGTH // 4, len(text) - LENGTH))
    return text[start : start + LENGTH]
