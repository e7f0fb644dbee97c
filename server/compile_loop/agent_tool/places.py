"""Which folder a call works in, and which files it names: nothing outside what was allowed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from compile_loop.agent_tool.asked import BadInputError


def folders_of(uris: Sequence[str]) -> list[Path]:
    """The folders among a client's roots; other kinds of address are left out."""
    folders = []
    for uri in uris:
        parts = urlsplit(uri)
        if parts.scheme == "file" and parts.netloc in ("", "localhost"):
            path = Path(url2pathname(parts.path))
            folders.append(path.parent if path.is_file() else path)
    return folders


def locate(roots: Sequence[Path], files: Sequence[str]) -> tuple[Path, tuple[Path, ...]]:
    """The one root that holds all `files`, and these as absolute paths. Raises `BadInputError`."""
    if not files:
        if len(roots) > 1:
            raise BadInputError(
                f"This workspace has {len(roots)} folders ({_names(roots)}). Name `files` in one of them."
            )
        return roots[0], ()
    for root in roots:
        targets = tuple(root / name for name in files)
        if all(_within(target, root) for target in targets) and (len(roots) == 1 or all(t.exists() for t in targets)):
            return root, targets
    where = f"the workspace {roots[0]}" if len(roots) == 1 else f"any one of the workspace's folders ({_names(roots)})"
    raise BadInputError(f"{', '.join(files)}: not all in {where}. Only files in it can be fixed, of one folder a call.")


def _within(path: Path, root: Path) -> bool:
    return path.resolve().is_relative_to(root.resolve())


def _names(roots: Sequence[Path]) -> str:
    return ", ".join(str(root) for root in roots)
