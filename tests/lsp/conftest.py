"""Fixtures of the ring that drives a real server process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.lsp.editor import Editor
from tests.lsp.program import BROKEN

Start = Callable[..., Awaitable[Editor]]


@pytest_asyncio.fixture
async def start() -> AsyncIterator[Start]:
    """Start an editor on folders; it is closed with the test."""
    editors: list[Editor] = []

    async def begin(*folders: Path, **how: Any) -> Editor:
        editor = await Editor.start(*folders, **how)
        editors.append(editor)
        return editor

    yield begin
    for editor in editors:
        await editor.close()


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A file with one error, in a folder whose name has a space and is not ASCII."""
    folder = tmp_path / "wörk space"
    folder.mkdir()
    path = folder / "a.c"
    path.write_text(BROKEN)
    return path
