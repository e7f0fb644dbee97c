"""What the user's words ask for, so that a deletion or a suppression that they want passes (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Iterable

_CLAUSE = re.compile(
    r"[.;:!?](?:\s+|$)|\n|\s+(?:but|however|although)\s+|(?:,|\s+and)\s+(?=(?:do\s+not|don't|never|without)\b)",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:do not|don[’']t|dont|never|without|not|no|nor|avoid|instead of|rather than|mustn[’']t|shouldn[’']t|cannot|can[’']t)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"`([^`]+)`")
_NAME = re.compile(
    r"\b(?:[A-Za-z]\w*_\w+|_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Z]{1,4}\d{2,5}|[A-Za-z_]\w*(?=\(\)))|[\w./-]+\.[a-z]{1,4}\b"
)
_NO_NAMES = frozenset({"javascript", "typescript", "github", "pypi", "openssl", "e.g", "i.e"})

_REMOVE = (
    r"\b(?:delet|remov|drop|get(?:ting)? rid of|retir|prun|strip|eliminat|clean\w* up|merg|consolidat|obsolete|"
    r"no longer need)"
)
_CHANGE = (
    r"\b(?:updat|chang|adjust|adapt|relax|loosen|accept|allow|expect|now return|should (?:be|return)|must (?:be|"
    r"return)|renam)"
)

_ASKS: dict[str, tuple[str, str]] = {
    "suppression": (
        r"\b(?:suppress|silenc|ignor|disabl|mut|allow|waiv|exempt|opt out|noqa|nolint|exclud)|ts-ignore|ts-expect-error|"
        r"type:\s*ignore|@Suppress",
        r"warning|lint|error|rule|check|diagnostic|noqa|nolint|pragma|annotation|attribute|comment|ignore|complain|"
        r"parameter|variable|import|dead|unused|deprecat|suppress",
    ),
    "moved_place": (
        r"#\s*line\b|line (?:marker|directive)|source ?map|source ?url|trace ?back|stack ?trace|back ?trace|generat",
        r"",
    ),
    "disabled_warning": (
        r"\b(?:suppress|silenc|ignor|disabl|turn(?:ing)? off|switch off|allow|relax|exclud|remov|drop|non-?strict|not strict)|-Wno|"
        r"skipLibCheck",
        r"warning|lint|error|rule|check|flag|strict|option|setting|-W|lib",
    ),
    "skipped_test": (
        r"\b(?:skip|xfail|disabl|ignor|quarantin|mark\w*|park|exclud)",
        r"test|spec|case|suite|skip|xfail",
    ),
    "deleted_test": (_REMOVE, r"test|spec|case|suite"),
    "fewer_tests": (_REMOVE + r"|\bskip|\bdisabl", r"test|spec|case|suite"),
    "weakened_test": (_CHANGE + "|" + _REMOVE, r"test|assert|expect|spec|case|snapshot"),
    "emptied_body": (
        r"\b(?:stub|placeholder|no-?op|empty|do(?:es)? nothing|not implemented|unimplemented|skeleton|scaffold|always return|"
        r"simply return|just return|disabl)|" + _REMOVE,
        r"",
    ),
    "stub": (
        r"\b(?:stub|placeholder|no-?op|empty|do(?:es)? nothing|not implemented|unimplemented|skeleton|scaffold|todo|abstract|"
        r"always return|simply return|just return|unsupported)",
        r"",
    ),
    "swallowed_exception": (
        r"\b(?:ignor|swallow|tolerat|suppress|best.?effort|fall back|(?:must|should|shall|may|does|do|can)(?:\s+not|n[’']t) "
        r"(?:\w+ )?(?:fail|crash|raise|throw|abort|stop|propagate|block|matter)|never (?:fail|crash|raise|throw|abort)|optional)",
        r"",
    ),
    "any_cast": (r"\b(?:any|cast|untyped|dynamic|opaque|unsafe|transmut|reinterpret|unknown)", r""),
    "exit_zero": (
        r"\b(?:exit (?:code |status |with )*(?:0|zero)|always succe|never fail|non-?blocking|allowed to fail|continue-on-error|"
        r"best.?effort|(?:must|should) not (?:fail|block|stop)|advisory|optional|ignor)",
        r"",
    ),
    "special_case": (r"\b(?:special[- ]cas|hard-?cod|edge case|base case|when|if|for|return|maps? to|is|means)", r""),
    "disabled_code": (
        r"\b(?:disabl|comment\w* out|turn(?:ing)? off|switch off|feature flag|gate|ifdef)|" + _REMOVE,
        r"",
    ),
    "deleted_code": (_REMOVE, r""),
}
_COMPILED = {
    kind: (re.compile(verb, re.IGNORECASE), re.compile(thing, re.IGNORECASE)) for kind, (verb, thing) in _ASKS.items()
}
_SHORTEST = 3
"""Shorter names meet by chance."""


class Wish:
    """The user's words, clause by clause."""

    def __init__(self, spec: str) -> None:
        self.text = spec
        self._clauses = [clause for clause in _CLAUSE.split(spec) if clause and clause.strip()]

    def asks(self, kind: str, names: Iterable[str], text: str) -> bool:
        """Whether some clause asks for such a change, unnegated, and names none or one of these symbols.

        `names` are the symbols around the change and `text` its line.
        """
        if kind not in _COMPILED:
            return False
        verb, thing = _COMPILED[kind]
        near = {name.lower() for name in names if len(name) >= _SHORTEST}
        return any(_clause_asks(clause, verb, thing, near, text.lower()) for clause in self._clauses)

    def mentions(self, literal: str) -> bool:
        """Whether the words hold this literal."""
        return bool(literal) and re.search(rf"(?<![\w.]){re.escape(literal)}(?![\w]|\.\d)", self.text) is not None


def _clause_asks(clause: str, verb: re.Pattern[str], thing: re.Pattern[str], near: set[str], text: str) -> bool:
    found = next((m for m in verb.finditer(clause) if not _NOT.search(clause, 0, m.start())), None)
    if found is None:
        return False
    named = _names(clause)
    if named:
        return any(name in text or any(name in other or other in name for other in near) for name in named)
    return thing.search(clause) is not None


def _names(clause: str) -> set[str]:
    names = {word for quoted in _QUOTED.findall(clause) for word in re.findall(r"[\w.-]*\w", quoted)}
    names |= set(_NAME.findall(_QUOTED.sub(" ", clause)))
    return {name.lower() for name in names if len(name) >= _SHORTEST} - _NO_NAMES
