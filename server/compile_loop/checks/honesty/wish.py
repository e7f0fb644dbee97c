"""What the user's words ask for, so that a deletion or a suppression that they want passes (SPEC K7)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from compile_loop.checks.honesty.spoken_rules import lets_pass

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
    r"\b(?:[A-Za-z]\w*_\w+|_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Z]{1,4}\d{2,5}|[A-Za-z_]\w*(?=\(\)))|"
    r"[\w./-]+\.[a-z]{1,4}\b"
)
_NO_NAMES = frozenset({"javascript", "typescript", "github", "pypi", "openssl", "e.g", "i.e"})

_REMOVE = (
    r"\b(?:delet|remov|drop|get(?:ting)? rid of|retir|prun|strip|eliminat|clean\w* up|merg|consolidat|obsolete|"
    r"no longer need|tak\w+ out)"
)
_OFF = r"\b(?:turn|switch)\w*(?: \S+){0,6}? off\b"
_FOLD = (
    r"\b(?:fold|combin|collaps|unif(?:y|ied)|join|rewrit|paramet(?:e?)ri[sz]|table[- ]driven|(?:in)?to (?:a|one) table)"
)
_CHANGE = (
    r"\b(?:updat|chang|adjust|adapt|relax|loosen|accept|allow|expect|now return|should (?:be|return)|must (?:be|"
    r"return)|renam)"
)

_ASKS: dict[str, tuple[str, str]] = {
    "suppression": (
        rf"{_OFF}|\b(?:suppress|silenc|ignor|disabl|mut|allow|waiv|exempt|opt out|noqa|nolint|exclud)|ts-ignore|ts-expect-error|"
        r"type:\s*ignore|@Suppress",
        r"warning|lint|error|rule|check|diagnostic|noqa|nolint|pragma|annotation|attribute|comment|ignore|complain|"
        r"parameter|variable|import|dead|unused|deprecat|suppress",
    ),
    "moved_place": (
        r"#\s*line\b|line (?:marker|directive)|source ?map|source ?url|trace ?back|stack ?trace|back ?trace|generat",
        r"",
    ),
    "disabled_warning": (
        rf"{_OFF}|\b(?:suppress|silenc|ignor|disabl|allow|relax|exclud|exempt|waiv|remov|drop|non-?strict|not strict)|-Wno|"
        r"skipLibCheck",
        r"warning|lint|error|rule|check|flag|strict|option|setting|-W|lib",
    ),
    "skipped_test": (
        rf"{_OFF}|\b(?:skip|xfail|disabl|ignor|quarantin|mark\w*|park|exclud)",
        r"test|spec|case|suite|skip|xfail",
    ),
    "deleted_test": (f"{_REMOVE}|{_FOLD}", r"test|spec|case|suite"),
    "fewer_tests": (rf"{_REMOVE}|{_FOLD}|\bskip|\bdisabl|\bxfail|\bquarantin", r"test|spec|case|suite"),
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
        r"\b(?:ignor|swallow|tolerat|suppress|best.?effort|falls? ?back|falling back|defaults? to|"
        r"(?:must|should|shall|may|does|do|can)(?:\s+not|n[’']t) "
        r"(?:\w+ )?(?:fail|crash|raise|throw|abort|stop|propagate|block|matter)|never (?:fail|crash|raise|throw|abort)|optional)",
        r"",
    ),
    "any_cast": (r"\b(?:any|cast|untyped|dynamic|opaque|unsafe|transmut|reinterpret|unknown)", r""),
    "exit_zero": (
        r"\b(?:exit (?:code |status |with )*(?:0|zero)|always succe|never fail|non-?blocking|allowed to fail|continue-on-error|"
        r"best.?effort|(?:must|should) not (?:fail|block|stop)|advisory|optional|ignor)",
        r"",
    ),
    "special_case": (r"\b(?:special[- ]cas|hard-?cod|edge case|base case|look-?up table|answer\w* from a table)", r""),
    "disabled_code": (
        rf"{_OFF}|\b(?:disabl|comment\w* out|turn(?:ing)? off|switch off|feature flag|gate|ifdef)|" + _REMOVE,
        r"",
    ),
    "deleted_code": (_REMOVE, r""),
}
_COMPILED = {
    kind: (re.compile(verb, re.IGNORECASE), re.compile(thing, re.IGNORECASE)) for kind, (verb, thing) in _ASKS.items()
}
_SHORTEST = 3
"""Shorter names meet by chance."""
_REMOVALS = frozenset({"deleted_code", "emptied_body", "disabled_code"})
"""What may go is what the words name: `remove the debug output` asks for no other removal."""
_TESTS = frozenset({"skipped_test", "deleted_test", "weakened_test"})
_TITLE = re.compile(r"[\"\u201c]([^\"\u201c\u201d]{3,80})[\"\u201d]")
"""A test by its title."""
_PATH = re.compile(r"\.[a-z]{1,4}$|/")
_WORD = re.compile(r"[A-Za-z]{4,}")
_VAGUE = frozenset(
    re.findall(
        r"\w+",
        "code dead unused unneeded useless broken obsolete feature function functions method methods part parts thing "
        "things this that them those these whole entire completely everything again with from into which where when "
        "then also just only must should does have been will make pass needs nobody used uses using longer need needed "
        "anymore altogether simply please line lines call calls block branch failing rather than fixing instead other "
        "unless file files module modules class classes ",
    )
)
"""Words that name nothing."""


_SAID = re.compile(r"\"([^\"\n]+)\"|\u201c([^\u201d\n]+)\u201d|`([^`\n]+)`|(?<!\w)'([^'\n]+)'(?!\w)")
_HOLE = re.compile(r"%[-+\d.]*[a-zA-Z]|\{[^{}]*\}|<[^<>]+>|\.\.\.|\u2026")
_SAYING = 6
"""Shorter texts meet by chance."""


def _shape(text: str) -> re.Pattern[str]:
    """A message of the user's as a pattern: `unknown unit: %s` is that of `unknown unit: xx`."""
    return re.compile(".*".join(re.escape(part) for part in _HOLE.split(text)))


class Wish:
    """The user's words, clause by clause."""

    def __init__(self, spec: str) -> None:
        self.text = spec
        self._clauses = [clause for clause in _CLAUSE.split(spec) if clause and clause.strip()]

    def asks(self, kind: str, names: Iterable[str], text: str, path: str = "") -> bool:
        """Whether some clause asks for such a change, unnegated, and names none or one of these symbols.

        `names` are the symbols around the change, `text` its line and `path` its file.
        """
        if kind not in _COMPILED:
            return False
        verb, thing = _COMPILED[kind]
        near = {name.lower() for name in names if len(name) >= _SHORTEST}
        text = text.lower()
        return any(
            _clause_asks(clause, verb, thing, near, text, kind)
            or (kind in _RULED and lets_pass(clause, near, f"{path} {text} {' '.join(near)}".lower()))
            or (kind in _TESTS and _of_the_removed(clause, near, text))
            for clause in self._clauses
        )

    def mentions(self, literal: str) -> bool:
        """Whether the words hold this literal."""
        if not literal:
            return False
        if re.search(rf"(?<![\w.]){re.escape(literal)}(?![\w]|\.\d)", self.text):
            return True
        bare = re.sub(r"\\([^\w\s])", r"\1", literal)
        return any(len(text) >= _SAYING and _shape(text).search(bare) for text in self._sayings)

    @cached_property
    def _sayings(self) -> list[str]:
        """What the words quote, and what they give between backticks."""
        return [text for groups in _SAID.findall(self.text) for text in groups if text]


def _clause_asks(
    clause: str, verb: re.Pattern[str], thing: re.Pattern[str], near: set[str], text: str, kind: str
) -> bool:
    found = next((m for m in verb.finditer(clause) if not _NOT.search(clause, 0, m.start())), None)
    if found is None:
        return False
    if kind == "fewer_tests":
        return thing.search(clause) is not None  # which tests those may be is asked for each of them
    titles = {title.lower() for title in _TITLE.findall(clause)} if kind in _TESTS else set()
    if titles:
        return _any_meets(titles, near, text)
    named = _names(clause)
    files = {name for name in named if _PATH.search(name)}
    here = not files or _any_meets(files, near, text)
    if here and any(_spoken(name, clause) for name in near if "-" in name or "/" in name):
        return True  # a rule by its own name: `no-console`
    if named:
        return _any_meets(named - files or files, near, text)
    if kind in _REMOVALS:
        return _means(clause[found.end() :], f"{text} {' '.join(near)}")
    return thing.search(clause) is not None


_RULED = frozenset({"suppression", "disabled_warning"})
_PART = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+\d*(?![a-z])|\d+")
_ACTS = frozenset(
    re.findall(r"\w+", "get set read write parse make do is has to from load save run handle on test tests")
)


def _of_the_removed(clause: str, near: set[str], text: str) -> bool:
    """Whether a clause has something removed with its tests, and this test is called after that.

    `Drop the v1 format (idx_read_v1) and its test` means `idx_v1_test.c`.
    """
    found = re.search(_REMOVE, clause, re.IGNORECASE)
    if found is None or _NOT.search(clause, 0, found.start()) or not re.search(r"\btests?\b", clause):
        return False
    for name in {*_QUOTED.findall(clause), *_NAME.findall(clause)}:
        parts = {part.lower() for part in _PART.findall(name)} - _ACTS
        if sum(map(len, parts)) >= 2 * _SHORTEST - 1 and any(
            all(part in other for part in parts) for other in (*near, *re.findall(r"[\w.-]+", text))
        ):
            return True
    return False


def _any_meets(named: set[str], near: set[str], text: str) -> bool:
    return any(name in text or any(name in other or other in name for other in near) for name in named)


def _spoken(name: str, clause: str) -> bool:
    return re.search(rf"(?<![\w/-]){re.escape(name)}(?![\w/-])", clause, re.IGNORECASE) is not None


def _means(words: str, text: str) -> bool:
    """Whether words that are no code speak of this piece of code, or of none in particular."""
    said = {word.lower() for word in _WORD.findall(words)} - _VAGUE
    return not said or any(word[: max(4, len(word) - 2)] in text for word in said)


def _names(clause: str) -> set[str]:
    names = {word for quoted in _QUOTED.findall(clause) for word in re.findall(r"[\w.-]*\w", quoted)}
    names |= set(_NAME.findall(_QUOTED.sub(" ", clause)))
    return {name.lower() for name in names if len(name) >= _SHORTEST} - _NO_NAMES
