"""A tool in the isolated copy: the files as it saw them, and its output as the user would have seen it."""

from __future__ import annotations

from compile_loop.contracts.protocols import Shadow
from compile_loop.toolchains.sources import spelling_on_disk


class ShadowSources:
    """Paths are absolute and in the user's terms."""

    def __init__(self, shadow: Shadow) -> None:
        self._shadow = shadow

    def read(self, path: str) -> bytes | None:
        """A file's bytes, or None where there is no such file."""
        return self._shadow.peek(path)

    def exists(self, path: str) -> bool:
        """Whether `path` is a file."""
        return self._shadow.peek(path) is not None

    def find(self, suffix: str) -> list[str]:
        """The files of the copy whose path ends in `suffix`."""
        return self._shadow.find(suffix)

    def spelling(self, path: str) -> str:
        """A file's path as the user's disk has it."""
        return spelling_on_disk(path)


def user_lines(shadow: Shadow, lines: list[str]) -> list[str]:
    """Lines of output with the copy's paths turned into the user's."""
    text = "\n".join(lines)
    theirs = shadow.user_text(text)
    return lines if theirs == text else theirs.split("\n")
