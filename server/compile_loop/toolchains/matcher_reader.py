"""Problem matchers at work: lines in, diagnostics out, in bounded time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence

from compile_loop.contracts.diagnostics import Diagnostic, Phase, Range
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.matchers import SEVERITIES, Matcher, Pattern
from compile_loop.toolchains.tree import Tree

_SECONDS_A_LINE = 0.05
_SECONDS_IN_ALL = 2.0
_LONGEST = 4000
"""Characters of a line that are looked at."""
_UNITS = (Unit.UTF16, Unit.CODEPOINTS, Unit.BYTES, Unit.DISPLAY)


class MatcherReader:
    """Runs matchers over the lines of one output. Each has so much time in all; one that used it up is dropped."""

    def __init__(self, matchers: Sequence[Matcher], tree: Tree, clock: Callable[[], float]) -> None:
        self._tree = tree
        self._clock = clock
        self._left = dict.fromkeys(matchers, _SECONDS_IN_ALL)
        self._recent: deque[str] = deque(maxlen=max((len(matcher.patterns) for matcher in matchers), default=1))
        self._repeating: tuple[Matcher, dict[str, str]] | None = None
        self.dropped: list[str] = []
        """Sentences about matchers that took too long."""

    def feed(self, line: str) -> list[Diagnostic]:
        """The diagnostic that a line completes, if it does."""
        line = line[:_LONGEST]
        if self._repeating is not None:
            matcher, shared = self._repeating
            if (values := self._match(matcher, matcher.patterns[-1], line)) is not None:
                return self._diagnostic(matcher, [shared, values], [line])
            self._repeating = None
        self._recent.append(line)
        for matcher in list(self._left):
            size = len(matcher.patterns)
            if size > len(self._recent):
                continue
            lines = list(self._recent)[-size:]
            found = self._all(matcher, lines)
            if found is not None:
                self._recent.clear()
                if matcher.patterns[-1].loop:
                    shared = {key: value for values in found[:-1] for key, value in values.items()}
                    self._repeating = (matcher, shared)
                return self._diagnostic(matcher, found, lines)
        return []

    def _all(self, matcher: Matcher, lines: Sequence[str]) -> list[dict[str, str]] | None:
        found = []
        # From the last line on, which differs most from all others.
        for pattern, line in zip(reversed(matcher.patterns), reversed(lines), strict=True):
            values = self._match(matcher, pattern, line)
            if values is None:
                return None
            found.append(values)
        return found[::-1]

    def _match(self, matcher: Matcher, pattern: Pattern, line: str) -> dict[str, str] | None:
        if matcher not in self._left:
            return None
        began = self._clock()
        try:
            match = pattern.expression.search(line, timeout=min(_SECONDS_A_LINE, self._left[matcher]), concurrent=False)
        except TimeoutError:
            match = None
        self._left[matcher] -= self._clock() - began
        if self._left[matcher] <= 0:
            del self._left[matcher]
            self.dropped.append(
                f"The problem matcher {matcher.name} took too long and was left out: its regular expression runs away."
            )
            return None
        if match is None:
            return None
        return {key: match[number] for key, number in pattern.groups.items() if match[number]}

    def _diagnostic(
        self, matcher: Matcher, parts: Sequence[Mapping[str, str]], lines: Sequence[str]
    ) -> list[Diagnostic]:
        values: dict[str, str] = {}
        for part in parts:
            for key, value in part.items():
                if key == "message" and key in values:
                    values[key] += "\n" + value.strip()
                else:
                    values.setdefault(key, value.strip() if key in ("message", "file") else value)
        if "file" not in values:
            return []
        path = self._tree.resolve(values["file"], *matcher.prefixes)
        message = values.get("message", lines[-1]).strip()
        severity = SEVERITIES.get(values.get("severity", "").strip().lower(), matcher.severity)
        return [
            Diagnostic(
                message=message if path else f"{values['file']}: {message}",
                file=self._tree.shown(path),
                range=self._range(path, values, message) if path else Range.of(0, 0, 0, 0),
                severity=severity,
                code=values.get("code"),
                source=matcher.source,
                phase=Phase.TYPE,
                rendered="\n".join(lines),
            )
        ]

    def _range(self, path: str, values: Mapping[str, str], message: str) -> Range:
        numbers = [int(part) for part in values.get("location", "").split(",") if part.strip().isdigit()]
        line, column, end_line, end_column = (
            _number(values, "line", numbers, 0),
            _number(values, "column", numbers, 1),
            _number(values, "endLine", numbers, 2 if len(numbers) > 3 else 9),
            _number(values, "endColumn", numbers, 3),
        )
        if line is None:
            return Range.of(0, 0, 0, 0)
        if column is None:
            return self._tree.whole_line(path, line - 1, message)
        start = self._tree.place_by_units(path, line - 1, column - 1, _UNITS, message)
        if end_column is None:
            return self._tree.named(start, message)
        return self._tree.between(start, self._tree.place(path, (end_line or line) - 1, end_column - 1, Unit.UTF16))


def _number(values: Mapping[str, str], key: str, location: Sequence[int], index: int) -> int | None:
    """A number by its own group, else by its place in a `location`."""
    text = values.get(key, "").strip()
    if text.isdigit() and len(text) < 10:
        return int(text)
    return location[index] if index < len(location) else None
