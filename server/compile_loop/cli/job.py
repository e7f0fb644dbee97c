"""From words on the command line to a job: files, workspace, settings."""

from __future__ import annotations

import os
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
    """The current folder where it holds every file; else the folder that does."""
    here = Path.cwd()
    if all(path.resolve().is_relative_to(here.resolve()) for path in targets):
        return here
    try:
        return Path(os.path.commonpath([path.resolve().parent for path in targets]))
    except ValueError as error:
        raise ConfigurationError("The files lie on different drives. Fix them one workspace at a time.") from error
