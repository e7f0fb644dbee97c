"""Folders that files of hidden checks lie in: what is new there is found by them before the code they test (SPEC K5, K6)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from compile_loop.checks.named_paths import files_below


@dataclass(frozen=True, slots=True)
class HiddenFolders:
    """Workspace-relative folders of hidden files; of each, whether nothing but hidden files lies in and below it."""

    of: Mapping[str, bool] = field(default_factory=dict)

    def take_in(self, path: str) -> bool | None:
        """Whether a new file is certainly, or only perhaps, for hidden checks; None where it is not among theirs."""
        found = [sure for folder, sure in self.of.items() if path.startswith(f"{folder}/")]
        return any(found) if found else None


def hidden_folders(root: Path, hidden: Collection[str], targets: Collection[str]) -> HiddenFolders:
    """The folders of `hidden` files, all relative to `root`.

    Not the workspace itself, nor a folder that a target lies in or below: new files belong there.
    """
    folders = {path.rpartition("/")[0] for path in hidden} - {""}
    own = {folder for folder in folders if not any(target.startswith(f"{folder}/") for target in targets)}
    return HiddenFolders({folder: not _in_sight(root, folder, hidden) for folder in own})


def _in_sight(root: Path, folder: str, hidden: Collection[str]) -> bool:
    names = (place.relative_to(root).as_posix() for place in files_below(root / folder))
    return any(name not in hidden and "__pycache__/" not in name for name in names)
