"""The gate that every path from a model passes (SPEC E10, Q11). The half that needs no disk; links are the caller's.

A path is workspace-relative with forward slashes once it is through.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Resolve = Callable[[str], "str | None"]
"""A workspace-relative path → the same with every link resolved; None where that leads out of the workspace."""

_PROTECTED_NAMES = frozenset(
    (
        ".git",
        ".hg",
        ".svn",
        ".jj",
        ".bzr",
        ".gitmodules",
        ".gitattributes",
        ".vscode",
        ".vscode-server",
        ".idea",
        ".vs",
        ".fleet",
        ".zed",
        ".devcontainer",
        ".github",
        ".gitlab",
        ".gitlab-ci.yml",
        ".gitlab-ci.yaml",
        ".circleci",
        ".travis.yml",
        ".drone.yml",
        ".woodpecker",
        ".woodpecker.yml",
        ".buildkite",
        ".teamcity",
        ".azure-pipelines",
        "azure-pipelines.yml",
        "azure-pipelines.yaml",
        "appveyor.yml",
        ".appveyor.yml",
        "bitbucket-pipelines.yml",
        "jenkinsfile",
        ".gitea",
        ".forgejo",
        ".husky",
        ".pre-commit-config.yaml",
        "lefthook.yml",
        ".devcontainer.json",
        "git~1",
    )
)
_PROTECTED_ENDINGS = (".code-workspace",)
NEVER = frozenset({"compile-loop.toml"})
"""Files that no run may write, listed or not (SPEC Q6)."""

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")
_DRIVE = re.compile(r"[A-Za-z]:")
_DEVICES = frozenset(["con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10))])


class PathError(ValueError):
    """A path that a model may not write; the message is a sentence for the model."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """A path that may be written. `new`: it is no listed target, and the run allows new files."""

    path: str
    new: bool = False


def normalise(raw: str) -> str:
    """A workspace-relative path with forward slashes. Raises `PathError` for one that leads out or is no path."""
    path = raw.strip().strip("`'\"").strip().replace("\\", "/")
    if not path or any(ord(c) < 32 or ord(c) == 127 or 0xD800 <= ord(c) < 0xE000 for c in path):
        raise PathError(f"{raw!r} is no path")
    if path.startswith(("/", "~")) or _DRIVE.match(path):
        raise PathError(f"{raw!r} is not relative to the workspace")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts or not parts:
        raise PathError(f"{raw!r} leads out of the workspace")
    for part in parts:
        if ":" in part or part.split(".")[0].lower() in _DEVICES:
            raise PathError(f"{raw!r} names a device or a stream, not a file")
    return "/".join(parts)


def protected_part(path: str) -> str | None:
    """The part of a normalised path that no model may write under, compared as the laxest file system would."""
    parts = [_INVISIBLE.sub("", part).casefold().rstrip(". ") for part in path.split("/")]
    for part, original in zip(parts, path.split("/"), strict=True):
        if part in _PROTECTED_NAMES or part.endswith(_PROTECTED_ENDINGS):
            return original
    return None


def admit(
    raw: str,
    targets: Sequence[str],
    *,
    root: str | None = None,
    allow_new_files: bool = False,
    protected: Iterable[str] = (),
    resolve: Resolve | None = None,
) -> Admitted:
    """Let a path through, or raise `PathError`.

    `targets` are the listed files as given; a path is one of them if it is spelled the same, or the same once both are
    normalised. `root`, the workspace's absolute path, lets absolute spellings through. `protected` are further
    workspace-relative paths, such as the check's scripts, that only a listing opens.
    """
    spelled = raw.strip().strip("`'\"").strip()
    wanted = relative(spelled, root)
    listed = next((target for target in targets if spelled == target), None)
    if listed is None and wanted is not None:
        listed = next((target for target in targets if relative(target, root) == wanted), None)
    if listed is not None:
        path = relative(listed, root) or listed
    else:
        path = wanted if wanted is not None else normalise(_within(spelled, root))
    if path.rsplit("/", 1)[-1].casefold() in NEVER:
        raise PathError(f"{path} is the run's own configuration and may not be edited")
    if listed is not None:
        if resolve is not None and relative(listed, root) is not None:
            _check_link(path, resolve(path), [relative(target, root) or target for target in targets])
        return Admitted(listed)
    names = ", ".join(targets[:20])
    closed = {other.casefold() for other in protected}
    if (part := protected_part(path)) is not None:
        raise PathError(f"{path} may not be edited: {part} is out of bounds")
    if path.casefold() in closed:
        raise PathError(f"{path} may not be edited: it is protected")
    if not allow_new_files:
        raise PathError(f"{path} is none of the files that may be edited ({names})")
    if resolve is not None:
        real = resolve(path)
        if real is None:
            raise PathError(f"{path} leads out of the workspace through a link")
        if real != path:
            raise PathError(f"{path} is {real} through a link; name that")
    return Admitted(path, new=True)


def _check_link(path: str, real: str | None, listed: Sequence[str]) -> None:
    """A listed path may be a link, but not one that leads out, or into a protected place that is not listed itself."""
    if real is None:
        raise PathError(f"{path} is a link that leads out of the workspace")
    never = real.rsplit("/", 1)[-1].casefold() in NEVER
    if real != path and (never or (protected_part(real) is not None and real not in listed)):
        raise PathError(f"{path} is a link to {real}, which may not be edited")


def _within(path: str, root: str | None) -> str:
    """`path` without `root` before it, where it is absolute and inside."""
    if root:
        base = root.replace("\\", "/").rstrip("/") + "/"
        plain = path.replace("\\", "/")
        if plain.startswith(base):
            return plain[len(base) :]
    return path


def relative(path: str, root: str | None) -> str | None:
    """The normalised path, taken out of `root` where it is absolute and inside; None where it is none or leads out."""
    try:
        return normalise(_within(path, root))
    except PathError:
        return None
