"""Folders beside a workspace that checks leave as they are, though temporary folders are open to them (SPEC Q14, R4)."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

from compile_loop.shadow.confinement import confinement_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")


@pytest.mark.spec("R4", "Q14")
def test_the_outermost_folder_that_can_have_a_layer_is_kept(tmp_path: Path) -> None:
    """Not the temporary folder itself, nor one that holds a folder that checks are to write to."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        first, second = Path(one).resolve(), Path(other).resolve()
        (first / "ws").mkdir()
        temporary = first.parent
        environment = {"TMPDIR": str(temporary)}
        beside = confinement_of(first, environment, keep=[temporary, second, first, first / "ws"])
        assert beside.layered == (second,)
        inside = confinement_of(first / "ws", environment, keep=[first, first / "ws", second, Path("/usr")])
        assert set(inside.layered) == {first, second}
        assert confinement_of(first, environment).layered == ()
