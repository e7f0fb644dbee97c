"""What the checks of single files share."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path


def relative_names(files: Sequence[Path], directory: Path) -> tuple[str, ...]:
    """The files as arguments of a command that runs in `directory`; none can be taken for an option."""
    names = []
    for file in files:
        name = os.path.relpath(file, directory).replace(os.sep, "/")
        names.append(f"./{name}" if name.startswith(("-", "@")) else name)
    return tuple(names)


def scratch(name: str) -> str:
    """A directory outside every source tree for what a compiler insists on writing; it may not exist yet."""
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    return str(Path(tempfile.gettempdir()) / f"compile-loop-{user}" / name)
