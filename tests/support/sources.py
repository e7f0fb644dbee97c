"""A tree of files in memory, for readers."""

from __future__ import annotations

from collections.abc import Mapping

from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.toolchains.reading import parse


class Tree:
    """Files by absolute path; `find` looks at those below `root`."""

    def __init__(self, files: Mapping[str, str | bytes], root: str = "/w") -> None:
        self.root = root
        self.files = {
            (path if path.startswith("/") or ":" in path else f"{root}/{path}"): text.encode()
            if isinstance(text, str)
            else text
            for path, text in files.items()
        }

    def read(self, path: str) -> bytes | None:
        return self.files.get(path)

    def exists(self, path: str) -> bool:
        return path in self.files

    def find(self, suffix: str) -> list[str]:
        return sorted(path for path in self.files if path.endswith("/" + suffix) and path.startswith(self.root + "/"))

    def spelling(self, path: str) -> str:
        return path


def diagnose(
    output: str | bytes,
    files: Mapping[str, str | bytes],
    *,
    hint: str = "",
    cwd: str = "/w",
    root: str = "/w",
    exit_code: int = 1,
) -> list[Diagnostic]:
    """Read an output whose tool saw `files`, relative to the root or absolute."""
    data = output.encode() if isinstance(output, str) else output
    return parse(data, root=root, cwd=cwd, sources=Tree(files, root), hint=hint, exit_code=exit_code)


def spot(diagnostic: Diagnostic) -> tuple[str | None, int, int, int, int]:
    """File and the four numbers of the range."""
    start, end = diagnostic.range.start, diagnostic.range.end
    return diagnostic.file, start.line, start.character, end.line, end.character
