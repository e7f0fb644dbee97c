"""Rules of linters and compilers in a person's words: `allow console in scripts/` means `no-console` (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Iterable

_FINE = re.compile(
    r"\b(?:allow|permit|tolerat|accept|may\b|can (?:use|print|log|stay|be)\b|on purpose|"
    r"(?:is|are|be) (?:\w+ )?(?:fine|ok(?:ay)?|allowed|permitted|acceptable|wanted|intended|intentional|welcome|legitimate)\b|"
    r"(?:do|does|should|must|need)(?: not|n[’']t) (?:\w+ )?(?:complain|warn|flag|report|enforce|check|lint|bother)|"
    r"(?:no longer|stop) (?:warn|complain|flag|enforc|report)|(?:turn|switch)\w*(?: \S+){0,6}? off\b|disabl|ignor|silenc|suppress)",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"\b(?:do not|don[’']t|never|without|not|no|nor|avoid|instead of|rather than|mustn[’']t|shouldn[’']t|cannot|can[’']t)\b",
    re.IGNORECASE,
)
_FOLDER = re.compile(r"(?<![\w./-])([\w.-]+(?:/[\w.-]+)*)/(?=[\s,;:)]|$)")
_FILE = re.compile(
    r"[\w./-]+\.(?:[cm]?[jt]sx?|py|[ch](?:c|pp|xx|h)?|rs|go|java|kts?|rb|sh|json|toml|ya?ml|vue)\b(?!\()"
)
_RULE = re.compile(r"(?:[@\w-]+/)*[a-z]+(?:-[a-z]+)+$")
_NO_WORDS = frozenset({"no", "not", "prefer", "the", "error", "warn"})
_MEANT = {
    "t20": ("print",),
    "t201": ("print",),
    "e501": ("line",),
    "s101": ("assert",),
    "f401": ("import",),
    "f841": ("variable",),
    "ble001": ("except",),
    "c901": ("complex",),
    "plr2004": ("magic",),
    "arg001": ("argument",),
    "arg002": ("argument",),
    "missing-module-docstring": ("docstring",),
}
"""Rules that have a number for a name."""


def lets_pass(clause: str, rules: Iterable[str], place: str) -> bool:
    """Whether a clause lets pass what one of these rules forbids, in this place or everywhere.

    `place` is all that tells where the rule is set: the file, its line, the folders that it is set for.
    """
    found = next((m for m in _FINE.finditer(clause) if not _REFUSED.search(clause, 0, m.start())), None)
    if found is None:
        return False
    places = [*_FOLDER.findall(clause), *_FILE.findall(clause)]
    if places and not any(folder.lower() in place for folder in places):
        return False
    said = [word.lower() for word in re.findall(r"[A-Za-z]{3,}", clause)]
    return any(_said(words, said) for words in map(_words, rules) if words)


def _words(rule: str) -> tuple[str, ...]:
    if rule in _MEANT:
        return _MEANT[rule]
    if not _RULE.match(rule):
        return ()
    return tuple(word for word in rule.rsplit("/", 1)[-1].split("-") if word not in _NO_WORDS)


def _said(words: tuple[str, ...], said: list[str]) -> bool:
    """Whether each word of a rule is said, whatever its ending."""
    return all(any(other.startswith(word[: max(3, len(word) - 2)]) for other in said) for word in words)
