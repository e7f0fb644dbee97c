"""From words on the command line to a job: files, workspace, settings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from compile_loop.assemble import ConfigurationError, Job
from compile_loop.settings import Settings


def make_job(
    files: Sequence[Path], root: Path | None, checks: Sequence[str], spec: str, settings: Settings, encoding: str = ""
) -> Job:
    """The job for `files` (none: the whole workspace). Raises `ConfigurationError`."""
    targets = tuple(path.absolute() for path in files)
    return Job(
        root=(root or _workspace_of(targets)).absolute(),
        targets=targets,
        settings=settings,
        scope="files" if targets else "workspace",
        checks=tuple(checks),
        spec=spec,
        encodings=dict.fromkeys(targets, encoding) if encoding else {},
    )


def _workspace_of(targets: Sequence[Path]) -> Path:
    """The current folder, which must hold every file: a check found elsewhere would run what nobody asked for."""
    here = Path.cwd()
    outside = next((path for path in targets if not path.resolve().is_relative_to(here.resolve())), None)
    if outside is not None:
        raise ConfigurationError(
            f"{outside} lies outside the current folder. Say with --root which workspace it is of."
        )
    return here
