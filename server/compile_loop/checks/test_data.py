"""Data files that tests read by their names, outside the usual folders too (SPEC K6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from compile_loop.checks.expectations import SOURCE, SURE_NAME, Doubt, is_product
from compile_loop.checks.named_paths import existing, files_below, files_in_folder, start_of
from compile_loop.checks.protected import is_protected
from compile_loop.checks.read_by_code import Named, files_in

_TEST_FOLDERS = ("tests", "test", "__tests__", "spec", "specs")


class TestData:
    """Which data files tests near them read: those in the folders from the file's up to `root`, and in their folders of tests.

    A file that a test writes, or that may be a program's own output, is none. Each folder is looked at once.
    """

    __test__ = False

    def __init__(self, root: Path, doubt: Doubt) -> None:
        self._root = root
        self._doubt = doubt
        self._known: dict[Path, tuple[set[str], set[str], set[str]]] = {}

    def has(self, path: str) -> bool:
        """Whether a workspace-relative path names one."""
        place = self._root / path
        if SOURCE.search(path) or is_product(path) or not place.is_file():
            return False
        folder, was_read = place.parent, False
        while folder.is_relative_to(self._root):
            embedded, read, written = self._of(folder)
            if path in embedded:
                return True
            if path in written:
                return False
            was_read = was_read or path in read
            folder = folder.parent
        return was_read and (SURE_NAME.search(path) is not None or self._doubt.is_expectation(path))

    def _of(self, folder: Path) -> tuple[set[str], set[str], set[str]]:
        if folder not in self._known:
            embedded: set[str] = set()
            read: set[str] = set()
            written: set[str] = set()
            for test, said in self._tests(folder):
                places = (test.parent, folder, self._root)
                embedded |= existing(said.embedded, places, self._root)
                read |= existing(said.read, places, self._root)
                written |= existing(said.written, places, self._root)
            self._known[folder] = embedded, read, written
        return self._known[folder]

    def _tests(self, folder: Path) -> Iterator[tuple[Path, Named]]:
        for test in self._files(folder):
            yield test, files_in(_of_tests(test, start_of(test).decode("utf-8", "replace")))

    def _files(self, folder: Path) -> Iterator[Path]:
        """Files of tests, and sources that may hold tests of their own, directly in a folder or in its folders of tests."""
        for place in files_in_folder(folder):
            is_source = SOURCE.search(place.name) is not None
            if place.suffix == ".rs" or (is_source and is_protected(place.relative_to(self._root).as_posix())):
                yield place
        for name in _TEST_FOLDERS:
            yield from (place for place in files_below(folder / name) if SOURCE.search(place.name))


def _of_tests(place: Path, text: str) -> str:
    """The part of a file that is a test: in Rust what follows `#[cfg(test)]`, elsewhere all of it."""
    if place.suffix != ".rs" or is_protected(place.name) or _in_folder_of_tests(place.parts):
        return text
    return text[at:] if (at := text.find("#[cfg(test)]")) >= 0 else ""


def _in_folder_of_tests(parts: Sequence[str]) -> bool:
    return not set(parts).isdisjoint(_TEST_FOLDERS)
