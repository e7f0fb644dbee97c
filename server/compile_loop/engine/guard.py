"""Repeats that cannot help, and runs of steps that get nowhere (SPEC L10)."""

from __future__ import annotations

import json
import re
from collections import Counter
from enum import Enum

from compile_loop.contracts.json_text import value_in
from compile_loop.contracts.protocols import ToolCall
from compile_loop.tools.tool import ToolResult

SAME_CALL = 3
IDLE_STEPS = 6
SAME_RESULT = 3

_FILE_NAME = re.compile(
    r"(?<![\w./-])(?:[\w.-]+/)*[\w-]+\.(?:c|h|cc|cpp|cxx|hh|hpp|rs|ts|tsx|js|jsx|mjs|py|java|go|kt|rb|php|cs|swift|zig)\b"
)


class Strike(Enum):
    """What a step leads to; a stop outranks a re-ground."""

    NONE = 0
    REGROUND = 1
    STOP = 2


class LoopBreaker:
    """Counts identical calls within a round; the third is answered without being executed."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str]] = Counter()

    def refuse(self, call: ToolCall) -> str | None:
        """Why this call is not executed, or None where it is."""
        key = (call.name, _canonical(call.arguments))
        self._seen[key] += 1
        if self._seen[key] < SAME_CALL:
            return None
        return (
            f"Not executed: the same call of {call.name} was made {SAME_CALL - 1} times in this round already, and "
            "repeating it cannot help. Use what it gave you, read something else, make an edit, "
            "or answer without a call so that the check runs."
        )

    def edited(self) -> None:
        """After an edit the same reading may give something new; the same edit is still the same."""
        self._seen = Counter({key: count for key, count in self._seen.items() if key[0] == "apply_search_replace"})


class ProgressMonitor:
    """What the loop breaker misses. Two strikes end the round's run: first a re-grounding message, then a hard stop."""

    def __init__(self) -> None:
        self._strikes = 0
        self._idle = 0
        self._results: Counter[str] = Counter()
        self._shown: set[str] = set()
        self._unseen: Counter[str] = Counter()

    def shown(self, *paths: str) -> None:
        """Files whose text the model has seen, by a prompt or a tool."""
        self._shown.update(paths)

    def step(self, results: list[ToolResult], text: str, known: frozenset[str]) -> Strike:
        """Weigh one reply with its calls. `known` are all files that the prompt named."""
        applied = any(r.applied for r in results)
        new_files = {path for r in results for path in r.shown} - self._shown
        self._shown |= new_files
        self._idle = 0 if applied or new_files else self._idle + 1
        if applied:
            self._results.clear()
        for result in results:
            self._results[result.text] += 1
        self._unseen.update(_invented(text, self._shown | known))
        reworded = any(count >= SAME_RESULT and not applied for count in self._results.values())
        invented = any(count >= SAME_RESULT for count in self._unseen.values())
        if not (reworded or invented or self._idle >= IDLE_STEPS):
            return Strike.NONE
        self._strikes += 1
        self._idle = 0
        self._results.clear()
        self._unseen.clear()
        return Strike.STOP if self._strikes > 1 else Strike.REGROUND

    def verified(self) -> None:
        """A check ran: what it says is new."""
        self._idle = 0
        self._results.clear()


def _canonical(arguments: str) -> str:
    try:
        return json.dumps(value_in(arguments or "{}"), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments


def _invented(text: str, known: set[str] | frozenset[str]) -> set[str]:
    """Files that a reply names and nothing ever showed."""
    bases = {path.rpartition("/")[2] for path in known}
    return {name for name in _FILE_NAME.findall(text) if name not in known and name.rpartition("/")[2] not in bases}
