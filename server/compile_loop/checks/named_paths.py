"""Files of a workspace that a word of a command, or a string of a program, may mean; bounded (SPEC K6)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from compile_loop.toolchains.plain_files import data_of

_MOST_FILES = 2000
_MOST_BYTES = 1 << 18
_MOST_NAME = 4096


def existing(words: Iterable[str], folders: Sequence[Path], root: Path) -> set[str]:
    """The files that words or patterns may mean, relative to `root`; of a folder, the files in it."""
    return {path for word in words for path in _meant(word, folders, root)}


def named(words: Iterable[str], folders: Sequence[Path], root: Path) -> set[str]:
    """What plain words name, whether there is such a file or not, relative to `root`; without what lies elsewhere."""
    found: set[str] = set()
    for word in words:
        for folder in folders if re.search(r"\w", word) and not re.search(r"[*?{\0\n]", word) else ():
            place = Path(os.path.normpath(folder / word))
            if place != root and place.is_relative_to(root):
                found.add(place.relative_to(root).as_posix())
    return found


def _meant(word: str, folders: Sequence[Path], root: Path) -> Iterator[str]:
    literal = re.sub(r"[*?{}\[\],./]|\.\w+$", "", word)
    if not word or "\0" in word or "\n" in word or len(word) > _MOST_NAME or (not literal and "*" in word):
        return
    for folder in folders:
        for each in _braces(word):
            for spelled in places_of(folder, each):
                try:
                    place = spelled.resolve()
                    if place.is_relative_to(root) and place.is_file():
                        yield place.relative_to(root).as_posix()
                    elif place != root and place.is_relative_to(root) and place.is_dir():
                        yield from (file.relative_to(root).as_posix() for file in files_below(place))
                except (OSError, ValueError):
                    continue


def places_of(folder: Path, word: str) -> Iterator[Path]:
    """Where a word, which may be a pattern, leads from a folder; a plain word whether there is such a file or not."""
    if not re.search(r"[*?\[]", word):
        yield folder / word
        return
    if word.startswith("/"):
        base, _, pattern = word.partition("*")
        folder, word = Path(base.rpartition("/")[0] or "/"), f"{base.rpartition('/')[2]}*{pattern}"
    try:
        for count, place in enumerate(folder.glob(word)):
            if count >= _MOST_FILES:
                return
            yield place
    except (OSError, ValueError, NotImplementedError, IndexError):
        return


def _braces(word: str) -> list[str]:
    made = re.search(r"\{([^{}]*,[^{}]*)\}", word)
    if made is None:
        return [word]
    parts = made.group(1).split(",")
    return [each for part in parts for each in _braces(word[: made.start()] + part + word[made.end() :])][:_MOST_FILES]


def files_in_folder(folder: Path) -> list[Path]:
    """The files directly in a folder, by name; none where it cannot be read."""
    try:
        return [place for place in sorted(folder.iterdir())[:_MOST_FILES] if place.is_file()]
    except OSError:
        return []


def files_below(folder: Path) -> Iterator[Path]:
    """The files below a folder; links to folders are not followed."""
    count = 0
    waiting = [folder]
    while waiting and count < _MOST_FILES:
        try:
            places = sorted(waiting.pop().iterdir())
        except OSError:
            continue
        for place in places:
            count += 1
            if place.is_dir() and not place.is_symlink():
                waiting.append(place)
            elif place.is_file():
                yield place


def start_of(place: Path, most: int = _MOST_BYTES) -> bytes:
    """The first 256 KiB of a file, or as many bytes as asked; nothing where it cannot be read."""
    try:
        return data_of(place, start=most)
    except OSError:
        return b""
