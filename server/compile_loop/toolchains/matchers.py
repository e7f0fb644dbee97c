"""VS Code's problem matchers: what a `tasks.json` or an extension declares, and the lines that it finds (SPEC D2).

The declarations are data from a workspace or an extension, so nothing is believed: a regular expression that cannot be
translated is refused with a sentence, and one that runs away is ended by the clock. That is why they run on the `regex`
package, whose matching takes a timeout: the standard library's cannot be stopped, a process of its own for each check
would cost more than all matching, and RE2 does not know what JavaScript's expressions may hold (lookaround, back
references).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import regex

from compile_loop.contracts.diagnostics import Severity
from compile_loop.toolchains.matcher_names import MATCHERS, PATTERNS
from compile_loop.toolchains.matcher_regexp import translated

Variables = Callable[[str], str]
"""Puts values in the place of `${workspaceFolder}` and the like; raises `ValueError` for one that has none."""

_MOST_PATTERNS = 20
SEVERITIES = {
    "e": Severity.ERROR,
    "error": Severity.ERROR,
    "fatal error": Severity.ERROR,
    "w": Severity.WARNING,
    "warn": Severity.WARNING,
    "warning": Severity.WARNING,
    "i": Severity.INFORMATION,
    "info": Severity.INFORMATION,
    "note": Severity.INFORMATION,
    "hint": Severity.HINT,
}
"""The words for severities that matchers and the lines that they find use, in lower case."""
_GROUPS = ("file", "location", "line", "column", "endLine", "endColumn", "code", "severity", "message")


class MatcherError(ValueError):
    """A declaration cannot be used; the message is a sentence that names it."""


class UnknownMatcherError(MatcherError):
    """A matcher of this name is declared nowhere that can be seen from here."""


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """One line of a matcher: its expression, and which group is what."""

    expression: regex.Pattern[str]
    groups: Mapping[str, int]
    whole_file: bool = False
    loop: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Matcher:
    """A matcher that is ready to run. `prefix` is the absolute directory that names are relative to; None: absolute."""

    name: str
    source: str
    patterns: tuple[Pattern, ...]
    severity: Severity
    prefixes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contributed:
    """What extensions declare, by name without the `$`. Unless it is `complete`, an unknown matcher is left out."""

    matchers: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    patterns: Mapping[str, object] = field(default_factory=dict)
    complete: bool = True

    @classmethod
    def of(cls, matchers: Sequence[Mapping[str, object]], patterns: Sequence[Mapping[str, object]]) -> Contributed:
        """What manifests of extensions say under `problemMatchers` and `problemPatterns`; what has no name is left out."""
        return cls(
            {_declared(each): each for each in matchers if _declared(each)},
            {_declared(each): each.get("patterns", each) for each in patterns if _declared(each)},
        )


def plainly(declared: object, variables: Variables, contributed: Contributed | None = None) -> list[dict[str, object]]:
    """A task's `problemMatcher` (a name, an object, or a list of these) as objects that need nothing else.

    Names and bases are replaced by what they stand for, and folders are absolute. Raises `MatcherError`.
    """
    if declared is None or declared in ("", []):
        return []
    if isinstance(declared, Sequence) and not isinstance(declared, str):
        return [matcher for one in declared for matcher in plainly(one, variables, contributed)]
    reading = _Reading(variables, contributed or Contributed())
    try:
        plain = reading.plain(declared)
    except UnknownMatcherError:
        if contributed is None or contributed.complete:
            raise
        return []
    reading.matcher(plain)
    return [plain]


def matchers_of(plain: Sequence[Mapping[str, object]]) -> list[Matcher]:
    """The matchers that plain declarations stand for, ready to run. Raises `MatcherError`."""
    reading = _Reading(lambda text: text, Contributed())
    return [reading.matcher(one) for one in plain]


class _Reading:
    """Turns declarations into matchers."""

    def __init__(self, variables: Variables, contributed: Contributed) -> None:
        self._variables = variables
        self._matchers: dict[str, Mapping[str, object]] = {**MATCHERS, **contributed.matchers}
        self._patterns: dict[str, object] = {**PATTERNS, **contributed.patterns}

    def plain(self, declared: object) -> dict[str, object]:
        entry = self._merged(declared, 0)
        name = _name(entry)
        pattern = entry.get("pattern")
        if isinstance(pattern, str):
            entry["pattern"] = self._patterns.get(pattern.removeprefix("$"))
        prefixes = self._prefixes(entry.get("fileLocation"), name)
        entry["fileLocation"] = ["search", {"include": list(prefixes)}] if prefixes else "absolute"
        wanted = ("name", "owner", "source", "severity", "fileLocation", "pattern")
        return {key: entry[key] for key in wanted if key in entry}

    def matcher(self, entry: Mapping[str, object]) -> Matcher:
        name = _name(entry)
        severity = str(entry.get("severity") or "error").lower()
        return Matcher(
            name=name,
            source=str(entry.get("source") or entry.get("owner") or name),
            patterns=self._lines(entry.get("pattern"), name),
            severity=SEVERITIES.get(severity, Severity.ERROR),
            prefixes=self._prefixes(entry.get("fileLocation"), name),
        )

    def _merged(self, declared: object, depth: int) -> dict[str, object]:
        if isinstance(declared, str):
            named = self._matchers.get(declared.removeprefix("$"))
            if named is None:
                raise UnknownMatcherError(
                    f"The problem matcher {declared} is not known: its extension is not installed here."
                )
            return self._merged({"name": declared.removeprefix("$"), **named}, depth + 1)
        if not isinstance(declared, Mapping):
            raise MatcherError(f"A problem matcher is a name or an object, not {type(declared).__name__}.")
        base = declared.get("base")
        if not isinstance(base, str) or depth > 8:
            return dict(declared)
        return {**self._merged(base, depth + 1), **{key: value for key, value in declared.items() if key != "base"}}

    def _lines(self, declared: object, name: str) -> tuple[Pattern, ...]:
        entries = declared if isinstance(declared, Sequence) and not isinstance(declared, str) else [declared]
        if not entries or len(entries) > _MOST_PATTERNS or not all(isinstance(entry, Mapping) for entry in entries):
            raise MatcherError(f"The problem matcher {name} has no pattern that is known here.")
        patterns = tuple(
            self._pattern(entry, name, single=len(entries) == 1) for entry in entries if isinstance(entry, Mapping)
        )
        known = set().union(*(pattern.groups for pattern in patterns))
        whole = patterns[0].whole_file
        if "message" not in known or "file" not in known or not (whole or known & {"line", "location"}):
            raise MatcherError(f"The problem matcher {name} names no group for the file, the line or the message.")
        if any(pattern.loop for pattern in patterns[:-1]):
            raise MatcherError(f"The problem matcher {name} repeats a pattern that is not its last.")
        return patterns

    def _pattern(self, entry: Mapping[str, object], name: str, *, single: bool) -> Pattern:
        expression = entry.get("regexp")
        if not isinstance(expression, str):
            raise MatcherError(f"The problem matcher {name} has a pattern without a regular expression.")
        groups = {
            key: value for key in _GROUPS if isinstance(value := entry.get(key), int) and not isinstance(value, bool)
        }
        whole = entry.get("kind") == "file"
        if single:
            defaults = (
                {"file": 1, "message": 0}
                if whole or "location" in groups
                else {"file": 1, "line": 2, "column": 3, "message": 0}
            )
            groups = {**defaults, **groups}
        try:
            compiled = regex.compile(translated(expression))
        except (regex.error, ValueError) as error:
            raise MatcherError(
                f"The problem matcher {name} has a regular expression that cannot be used here: {error}."
            ) from error
        groups = {key: number for key, number in groups.items() if number <= compiled.groups}
        return Pattern(compiled, groups, whole, loop=not single and entry.get("loop") is True)

    def _prefixes(self, declared: object, name: str) -> tuple[str, ...]:
        parts = [declared] if isinstance(declared, str) else list(declared) if isinstance(declared, Sequence) else []
        kind = parts[0] if parts else "relative"
        try:
            if kind == "absolute":
                return ()
            if kind == "search":
                include = parts[1].get("include") if len(parts) > 1 and isinstance(parts[1], Mapping) else None
                folders = [include] if isinstance(include, str) else list(include or ())
                return tuple(self._variables(str(folder)) for folder in folders or ("${workspaceFolder}",))
            return (self._variables(str(parts[1]) if len(parts) > 1 else "${workspaceFolder}"),)
        except ValueError as error:
            raise MatcherError(f"The problem matcher {name} cannot say where its files are: {error}") from error


def _declared(entry: Mapping[str, object]) -> str:
    """The name under which an extension's manifest declares something."""
    return str(entry.get("name") or "").removeprefix("$")


def _name(entry: Mapping[str, object]) -> str:
    return str(entry.get("name") or entry.get("owner") or "problemMatcher")
