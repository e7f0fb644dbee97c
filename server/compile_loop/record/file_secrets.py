"""The values that a workspace's secret-like files hold, wherever they turn up (SPEC Q26, R1).

A program under test may copy, rename or print such a file, so its name alone keeps nothing back. What would be missed
nowhere else is taken for a secret: no everyday word, number, path, host or short name, and nothing that stands in the
workspace's other files as well, where a model may read it anyway.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from compile_loop.contracts.secret_names import is_secret, is_secret_file

_SHORTEST = 8
_LARGEST = 1 << 18
"""Bytes of a secret-like file that are read."""
_MOST_FOLDERS = 2_000
_MOST_FILES = 5_000
_LARGEST_OTHER = 1 << 20
"""Bytes of another file that is searched for a value."""
_PASSED_OVER = frozenset(
    {".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", "target", "build", "dist", ".tox", ".cache"}
)
_PAIR = re.compile(r"""^\s*(?:export\s+|set\s+|-\s+)?["']?(?P<name>[\w./:@-]+?)["']?\s*[=:]\s*(?P<value>.+)$""")
_LOGIN = re.compile(r"://[^\s/:@\"']*:(?P<password>[^\s/\"']+)@")
_NETRC = re.compile(r"\b(?:password|account)\s+(\S+)")
_CONNECTION = re.compile(r"""(?i);\s*(?:password|pwd)\s*=\s*([^;"'\s]{8,})""")
_PGPASS = re.compile(r"^[^:\s]+:(?:\d+|\*):[^:\s]+:[^:\s]+:(\S{8,})$")
_INSIDE = re.compile(
    r"""(?:define\(\s*["'](?P<constant>\w+)["']\s*,|(?<![\w.-])["']?(?P<name>[A-Za-z_][\w.-]*)["']?\s*(?:=>|[:=]))"""
    r"""\s*(?P<quote>["'])(?P<value>(?:(?!(?P=quote)).){8,})(?P=quote)"""
)
"""A name and its value further in: JSON on one line, a map of Terraform's, a constant of PHP's."""
_STATEMENTS = re.compile(r"(?:^|/)(?:\.envrc[^/]*|[^/]*\.(?:php|ovpn))$", re.IGNORECASE)
"""Files of commands with secrets among them: a line of several words is a command."""
_NAME = r"\d{0,4}[a-z]{0,12}\d{0,4}"
_EVERYDAY = re.compile(
    r"[a-z]+|[A-Z][a-z]+|[\d.,:_x-]+|~?\.{0,2}/\S*|[A-Za-z]:\\\S*|[\w+.-]+://[^\s@]*|[\w.+-]+@[\w.-]+"
    r"|[a-z\d.-]+\.[a-z]{2,6}(?::\d+)?(?:/\S*)?"
    rf"|{_NAME}(?:[-_.:]{_NAME}){{0,3}}(?<!.{{16}})|[a-z]{{2}}_[A-Z]{{2}}(?:\.\S+)?|-{{3,}}.*"
)
"""A word, a number, a path, an address without a log-in, a host, a short name in small letters, a locale."""


class FileSecrets:
    """What the secret-like files below `root` hold; `buffers` are unsaved texts by workspace-relative path."""

    def __init__(self, root: Path, buffers: Mapping[str, bytes] | None = None) -> None:
        """Begin to look for them, beside other work: a large workspace takes some tenths of a second."""
        self._root = root
        self._buffers = dict(buffers or {})
        self._values: tuple[str, ...] = ()
        self._looking = threading.Thread(target=self._look, name="secret files", daemon=True)
        self._looking.start()
        self.is_public = lru_cache(maxsize=None)(self._is_public)

    @property
    def values(self) -> tuple[str, ...]:
        """What was found; waits until all was looked at."""
        self._looking.join()
        return self._values

    def _look(self) -> None:
        texts = [(path, data) for path, data in self._buffers.items() if is_secret_file(path)]
        texts += [
            (path, data)
            for path in _files(self._root)
            if is_secret_file(path) and (data := _start_of(self._root / path))
        ]
        self._values = tuple(dict.fromkeys(value for path, data in texts for value in values_in(data, path)))

    def _is_public(self, value: str) -> bool:
        """Whether another file of the workspace holds a value, which then is no secret to whoever may read that."""
        wanted = value.encode()
        for number, path in enumerate(_files(self._root)):
            if number >= _MOST_FILES:
                break
            place = self._root / path
            if not is_secret_file(path) and wanted in _start_of(place, _LARGEST_OTHER):
                return True
        return False


def values_in(data: bytes, path: str = "") -> Iterator[str]:
    """The values in a secret-like file that would be missed nowhere else; `path` says of what kind it is."""
    statements = _STATEMENTS.search(path) is not None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return
    for line in text.splitlines():
        if line.lstrip().startswith(("#", ";", "//", "[")):
            continue
        pair = _PAIR.match(line)
        said = _bare(pair["value"]) if pair else line.strip()
        yield from _NETRC.findall(line)
        yield from (match["password"] for match in _LOGIN.finditer(line) if len(match["password"]) >= _SHORTEST)
        yield from _CONNECTION.findall(line) + _PGPASS.findall(line.strip())
        for inner in _INSIDE.finditer(line):
            if _is_one(inner["name"] or inner["constant"], inner["value"]):
                yield inner["value"]
        if statements and pair is None and " " in said:
            continue
        if len(said) < _SHORTEST or not re.search(r"\w", said):
            continue
        if _is_one(pair["name"] if pair else None, said):
            yield said


def _is_one(name: str | None, value: str) -> bool:
    return _EVERYDAY.fullmatch(value) is None or (name is not None and _is_kept(name, value))


def _is_kept(name: str, value: str) -> bool:
    """Whether a name says that even an everyday word is a secret, and no place where one lies."""
    return is_secret(name) and not re.match(r"[~./]|\w+://|\d+$", value)


def _bare(value: str) -> str:
    value = value.strip().rstrip(",")
    quoted = re.match(r"""(["'])(.*?)\1""", value)
    return quoted[2] if quoted else re.sub(r"\s+[#;].*$", "", value).strip()


def _files(root: Path) -> Iterator[str]:
    """Files below `root`, those nearest to it first; of so many folders at most, and no links into others."""
    pending = [""]
    for number, below in enumerate(pending):
        if number >= _MOST_FOLDERS:
            return
        try:
            with os.scandir(root / below) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in listed:
            path = f"{below}/{entry.name}" if below else entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _PASSED_OVER:
                    pending.append(path)
            elif entry.is_file():
                yield path


def _start_of(place: Path, most: int = _LARGEST) -> bytes:
    try:
        with place.open("rb") as file:
            return file.read(most)
    except OSError:
        return b""
