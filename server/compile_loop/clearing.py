"""What killed runs left behind, cleared away at the next start (SPEC W4). Imports little, since a server starts with it."""

from __future__ import annotations

from pathlib import Path

import platformdirs

from compile_loop.checks.process_tree import end_orphans
from compile_loop.shadow.journal import recover
from compile_loop.shadow.leftovers import sweep


def state_folder() -> Path:
    """Where this user's journals, records and repair memory lie; they never leave the machine."""
    return platformdirs.user_state_path("compile-loop", appauthor=False)


def clear_up() -> list[Path]:
    """End and remove processes, mounts and temporary folders; returns the user's files that were put back."""
    end_orphans()  # first: they may write to what is then removed
    sweep()
    return recover(state_folder() / "journals")
