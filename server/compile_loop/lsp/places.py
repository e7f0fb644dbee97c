"""From the URIs of a request to a folder and files on disk, or a sentence why not."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pygls.uris import to_fs_path

from compile_loop.lsp.documents import SafeWorkspace
from compile_loop.lsp.rpc import Refused

_LONGEST_NAME = 120
"""Characters of a file's name that a sentence shows."""
NOT_ON_DISK = {
    "untitled": "It has no file yet: save it first.",
    "vscode-vfs": "It lies in a virtual workspace; Compile Loop needs a folder on disk, where compilers can run.",
    "vscode-notebook-cell": "Notebooks are not supported.",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run works: `root` is the workspace folder, or the file's own directory where it lies in none."""

    root: Path
    targets: tuple[Path, ...]


def file_of(uri: str) -> Path:
    """The absolute path of a `file:` URI. Raises `Refused`."""
    name = _shown(unquote(uri.rsplit("/", 1)[-1]) or uri) or "What has no address"
    try:
        scheme = urlsplit(uri).scheme
        path = to_fs_path(uri) if scheme == "file" else None
        unusable = b"\0" in os.fsencode(path or "")
    except ValueError:
        scheme, path, unusable = "", None, True
    if unusable:
        raise Refused(f"{name} cannot be fixed. No file can have this address.")
    if not path:
        raise Refused(f"{name} cannot be fixed. {NOT_ON_DISK.get(scheme, 'It is not a file on disk.')}")
    return Path(path)


def _shown(name: str) -> str:
    """A name as a sentence can hold it."""
    told = "".join(c if c.isprintable() else "\ufffd" for c in name)
    return told if len(told) <= _LONGEST_NAME else f"{told[:_LONGEST_NAME]}…"


def locate(workspace: SafeWorkspace, uris: Sequence[str], scope: str) -> Place:
    """The folder and the targets of a run. Raises `Refused` with a sentence."""
    folders = _folders(workspace)
    if scope == "workspace":
        return Place(_only_folder(folders, uris), ())
    if not uris:
        raise Refused("No file was named. Open a file, or choose the files to fix.")
    paths = [file_of(uri) for uri in dict.fromkeys(uris)]
    for path in paths:
        _refuse_if_no_text(path)
    roots = {path: _root_of(folders, path) for path in paths}
    if len(set(roots.values())) > 1:
        names = ", ".join(path.name for path in paths)
        raise Refused(f"{names} lie in different workspace folders. Fix the files of one folder at a time.")
    return Place(roots[paths[0]], tuple(paths))


def _folders(workspace: SafeWorkspace) -> list[Path]:
    paths = (to_fs_path(uri) for uri in workspace.folder_uris)
    return [Path(path) for path in paths if path]


def _root_of(folders: Sequence[Path], path: Path) -> Path:
    holding = [folder for folder in folders if path.is_relative_to(folder)]
    return max(holding, key=lambda folder: len(folder.parts), default=path.parent)


def _only_folder(folders: Sequence[Path], uris: Sequence[str]) -> Path:
    named = {_root_of(folders, file_of(uri)) for uri in uris}
    choice = list(named or folders)
    if len(choice) == 1:
        return choice[0]
    if not choice:
        raise Refused("No folder is open. Open the folder that holds the project.")
    names = ", ".join(sorted(folder.name for folder in choice))
    raise Refused(f"Several folders are open ({names}). Open a file of the one to fix, or fix its files.")


def refuse_absent(workspace: SafeWorkspace, paths: Sequence[Path]) -> None:
    """Raise `Refused` for a file that is neither on disk nor open."""
    for path in paths:
        if not path.exists() and workspace.open_document(path) is None:
            raise Refused(f"{path.name} does not exist any more. It may have been deleted or renamed.")


def _refuse_if_no_text(path: Path) -> None:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass  # It may be open all the same.
    except OSError as error:
        raise Refused(f"{_shown(path.name)} cannot be fixed: {error.strerror or error}.") from None
    if path.suffix == ".ipynb":
        raise Refused(f"{path.name} is a notebook; notebooks are not supported.")
    if path.is_dir():
        raise Refused(f"{path.name or path} is a folder. Choose the files to fix, or fix the whole workspace.")


def label_of(workspace: SafeWorkspace, path: Path) -> str:
    """A file's path for people: counted from its workspace folder, which is named where there are several."""
    folders = _folders(workspace)
    root = _root_of(folders, path)
    if root not in folders:
        return str(path)
    inside = path.relative_to(root).as_posix()
    return f"{root.name}/{inside}" if len(folders) > 1 else inside


def root_near(workspace: SafeWorkspace, uris: Sequence[str]) -> Path:
    """The folder of the first file, else the only or first one that is open. Raises `Refused` where there is none."""
    folders = _folders(workspace)
    if uris:
        return _root_of(folders, file_of(uris[0]))
    if not folders:
        raise Refused("No folder and no file is open. Open one first.")
    return folders[0]
