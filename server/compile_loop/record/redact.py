"""Keys and secrets out of everything that a record keeps (SPEC R1, Z1).

Four kinds go: the values of the environment's secret variables and of keys that were given otherwise, those in the
workspace's secret-like files, strings that are shaped like keys, and what an Authorization header carries. Each becomes
`[redacted]`, as plain text and inside JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

from compile_loop.contracts.inline_secrets import MARK
from compile_loop.contracts.secret_names import holds_key, is_secret, may_be_secret
from compile_loop.record.file_secrets import FileSecrets

SHORTEST = 8
"""Characters; a shorter value is no secret that could be told from other text."""
_RANDOM, _TURNS = 16, 4
"""Characters of a key at least, and how often letters and digits take turns in it."""
_LINE = 16
"""Characters from which on a line of a secret of several lines is one by itself."""

_START = r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrtbf]))"  # a key may follow a line end that JSON wrote as two characters
_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("sk-", re.compile(_START + r"sk-[A-Za-z0-9_-]{16,}")),
    *((f"gh{kind}_", re.compile(_START + rf"gh{kind}_[A-Za-z0-9]{{20,}}")) for kind in "pousr"),
    ("github_pat_", re.compile(_START + r"github_pat_[A-Za-z0-9_]{20,}")),
    ("glpat-", re.compile(_START + r"glpat-[A-Za-z0-9_-]{16,}")),
    ("xox", re.compile(_START + r"xox[abeoprs]-[A-Za-z0-9-]{10,}")),
    ("AKIA", re.compile(_START + r"AKIA[0-9A-Z]{16}\b")),
    ("ASIA", re.compile(_START + r"ASIA[0-9A-Z]{16}\b")),
    ("AIza", re.compile(_START + r"AIza[0-9A-Za-z_-]{30,}")),
    ("ya29.", re.compile(_START + r"ya29\.[0-9A-Za-z_-]{20,}")),
    ("gsk_", re.compile(_START + r"gsk_[A-Za-z0-9]{20,}")),
    ("hf_", re.compile(_START + r"hf_[A-Za-z0-9]{20,}")),
    ("r8_", re.compile(_START + r"r8_[A-Za-z0-9]{20,}")),
    ("npm_", re.compile(_START + r"npm_[A-Za-z0-9]{30,}")),
    ("pypi-", re.compile(_START + r"pypi-[A-Za-z0-9_-]{30,}")),
    ("xai-", re.compile(_START + r"xai-[A-Za-z0-9]{20,}")),
    ("nvapi-", re.compile(_START + r"nvapi-[A-Za-z0-9_-]{20,}")),
    ("_live_", re.compile(_START + r"[rsp]k_live_[A-Za-z0-9]{16,}")),
    ("eyJ", re.compile(_START + r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}")),
    (
        "PRIVATE KEY-----",
        re.compile(
            r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[^-\"\\]|\\+[nrt]|-(?!----)){0,20000}"
            r"(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?"
        ),
    ),
)
_HEADERS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (hint, re.compile(pattern, re.IGNORECASE))
    for hint, pattern in (
        (
            "authorization",
            r"(?P<head>authorization\\*[\"']?\s*[:=]\s*\\*[\"']?(?:bearer|basic|token|apikey|digest|negotiate)\s+)"
            r"(?P<secret>[A-Za-z0-9._~+/=-]{6,})",
        ),
        (
            "authorization",
            r"(?P<head>authorization\\*[\"']?\s*[:=]\s*\\*[\"']?)"
            r"(?P<secret>(?=[A-Za-z._~+/=-]*\d)[A-Za-z0-9._~+/=-]{16,})",
        ),
        ("bearer", r"(?P<head>\bbearer\s+)(?P<secret>(?=[A-Za-z._~+/=-]*\d)[A-Za-z0-9._~+/=-]{16,})"),
        *(
            (
                name,
                rf"(?P<head>\b{name}\\*[\"']?\s*[:=]\s*\\*[\"']?)(?P<secret>[A-Za-z0-9._~+/=-]{{8,}})",
            )
            for name in ("x-api-key", "api-key", "x-goog-api-key", "x-auth-token", "private-token")
        ),
        ("://", r"(?P<head>://[^\s/:@\"'\\]{0,200}:)(?P<secret>[^\s/\"'\\]{3,200})(?=@)"),
        (
            "://",
            r"(?P<head>://)(?P<secret>(?=[A-Za-z._~%+-]{0,200}\d)[A-Za-z0-9._~%+-]{16,200})(?=(?::[^\s/@\"'\\]{0,200})?@)",
        ),
    )
)


_TAIL = 2
_SIGNS = "-_"


def _split(hint: str) -> tuple[str, str] | None:
    """The first dash or underline of a hint that has two characters before it, and those, in small letters."""
    for at, sign in enumerate(hint):
        if sign in _SIGNS and at >= _TAIL:
            return sign, hint[at - _TAIL : at].lower()
    return None


_FOLDED = frozenset(hint for hint, _ in _HEADERS)
_SPLIT = {hint: _split(hint) for hint, _ in (*_SHAPES, *_HEADERS)}


class _Hints:
    """Which hints a text has. Those around a dash or an underline are looked up in what stands before the text's own:
    one walk through a large text for many of them.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._folded = text.lower()
        self._tails = {sign: {piece[-_TAIL:].lower() for piece in text.split(sign)[:-1]} for sign in _SIGNS}

    def may_have(self, hint: str) -> bool:
        """Whether the text has a hint, in capital letters or not; never no where it has it as it is."""
        if (split := _SPLIT[hint]) is not None:
            return split[1] in self._tails[split[0]]
        return hint in (self._folded if hint in _FOLDED else self._text)


class Redactor:
    """Takes secrets out of text. `values` are secrets as they are; short ones are left alone."""

    def __init__(self, values: Iterable[str] = (), files: FileSecrets | None = None) -> None:
        self._files = files
        self._sure = {form for value in values if len(value.strip()) >= SHORTEST for form in _forms(value.strip())}

    @cached_property
    def _doubtful(self) -> dict[str, str]:
        """Forms of values that are secrets unless another file of the workspace holds them, each with its value."""
        found = self._files.values if self._files is not None else ()
        return {form: value for value in found for form in _forms(value) - self._sure}

    @cached_property
    def _values(self) -> list[str]:
        return sorted({*self._sure, *self._doubtful}, key=len, reverse=True)

    @classmethod
    def of(cls, environment: Mapping[str, str], more: Iterable[str] = (), files: FileSecrets | None = None) -> Redactor:
        """For the values of `environment`'s secret variables, by their names, `more` secrets, and those of `files`."""
        named = [value for name, value in environment.items() if _is_named_secret(name, value)]
        logins = [login for value in environment.values() for login in (*_logins(value), *_pairs(value))]
        return cls([*named, *logins, *more], files)

    def known(self, text: str) -> str:
        """The text without the values that are known to be secrets; what is only shaped like one stays."""
        for value in self._values:
            if value in text and not self._is_public(value):
                text = text.replace(value, MARK)
        return text

    def known_bytes(self, data: bytes) -> bytes:
        """A file without the values that are known to be secrets."""
        return _in_bytes(data, self.known)

    def _is_public(self, form: str) -> bool:
        value = self._doubtful.get(form)
        return value is not None and self._files is not None and self._files.is_public(value)

    def text(self, text: str) -> str:
        """The text without secrets; it may be plain or JSON, which stays well-formed."""
        text = self.known(text)
        hints = _Hints(text)
        for hint, shape in _SHAPES:
            if hints.may_have(hint):
                text = shape.sub(MARK, text)
        for hint, header in _HEADERS:
            if hints.may_have(hint):
                text = header.sub(_keep_head, text)
        return text

    def bytes(self, data: bytes) -> bytes:
        """A file without secrets; all its other bytes stay as they are."""
        return _in_bytes(data, self.text)


def _in_bytes(data: bytes, redact: Callable[[str], str]) -> bytes:
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "latin-1"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        encoding, text = "latin-1", data.decode("latin-1")
    kept = redact(text)
    if kept == text:
        return data
    if encoding == "latin-1":
        return kept.encode(encoding)
    mark, order = (b"\xff\xfe", "utf-16-le") if data.startswith(b"\xff\xfe") else (b"\xfe\xff", "utf-16-be")
    return mark + kept.encode(order)


def _forms(value: str) -> set[str]:
    """A secret as it may stand in text, in JSON and in JSON inside of JSON, in a URL, and in bytes read as Latin-1."""
    forms = {value, quote(value, safe=""), *(line.strip() for line in value.splitlines() if len(line.strip()) >= _LINE)}
    for _ in range(2):
        forms |= {json.dumps(form, ensure_ascii=plain)[1:-1] for form in forms for plain in (True, False)}
    return forms | {form.encode().decode("latin-1") for form in forms}


def given_secrets(environment: Mapping[str, str]) -> list[str]:
    """Secrets in what a user gave to a check: of secret names, and whatever is no everyday word, number, option or path."""
    return [value for name, value in environment.items() if _is_named_secret(name, value) or _is_strange(value)]


def _is_named_secret(name: str, value: str) -> bool:
    named = holds_key(name) or is_secret(name) or (may_be_secret(name) and looks_random(value))
    return named and not _is_path(value)


def looks_random(value: str) -> bool:
    """Whether a value is one long word in which letters and digits take turns, as in keys and in no names of things."""
    if len(value) < _RANDOM or not re.fullmatch(r"[\w+/=~.:-]+", value) or "://" in value:
        return False
    turns = sum(a.isdigit() != b.isdigit() for a, b in pairwise(re.sub(r"\W", "", value)))
    return turns >= _TURNS


def _is_strange(value: str) -> bool:
    """Whether a value would be missed nowhere in a check's output: letters and digits, and no path that errors name."""
    letters = any(sign.isalpha() for sign in value)
    return letters and any(sign.isdigit() for sign in value) and not re.search(r"[\s/\\]|^-|\.\w{1,4}$", value)


def _logins(value: str) -> list[str]:
    if "://" not in value or "@" not in value:
        return []
    return [match["secret"] for hint, header in _HEADERS if hint == "://" for match in header.finditer(value)]


def _pairs(value: str) -> list[str]:
    """The secrets in a connection string, such as `host=db password=…` or `…?sig=…`."""
    pairs = re.findall(r"(?:^|[;&?\s])([A-Za-z][\w ]*)=([^;&\s]+)", value)
    return [each for name, each in pairs if _is_named_secret(name.replace(" ", "_"), each)]


def _is_path(value: str) -> bool:
    """Whether a variable says where a secret lies instead of what it is."""
    try:
        return value.startswith(("/", "~")) and Path(value).expanduser().exists()
    except (OSError, ValueError, RuntimeError):
        return False


def _keep_head(match: re.Match[str]) -> str:
    return f"{match['head']}{MARK}"
