"""What a model's code leaves in the caches of the home folder is there neither at the clean start nor after (SPEC L2, Q13)."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.loop.running import block, fix, workspace

from compile_loop.contracts.events import RunStarted
from compile_loop.contracts.outcome import Ending

SOURCE = "def total(prices):\n    return prices\n"
CHECK = "python3 -B -c 'import a; assert a.total([1, 2]) == 3'"
CACHE = "~/.cache/answers"
FIRST = f"    import os\n    open(os.path.expanduser('{CACHE}'), 'w').write('3')\n    return 0\n"
SECOND = f"    import os\n    return int(open(os.path.expanduser('{CACHE}')).read())\n"


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A home folder that lies in no temporary folder, with a workspace beside it."""
    base = Path("/var/lib") if os.access("/var/lib", os.W_OK) else Path.home()
    folder = Path(tempfile.mkdtemp(prefix="loop-test-", dir=base))
    (folder / "home/.cache").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    workspace(folder / "ws", a_py=SOURCE)
    yield folder / "home"
    shutil.rmtree(folder)


@pytest.mark.spec("L2", "Q13", "Q14")
@pytest.mark.skipif(sys.platform != "linux", reason="an overlay")
async def test_a_cache_that_the_model_s_code_filled_makes_nothing_green(home: Path) -> None:
    """Its first edit leaves the answer there, its second reads it; the untouched tree's own run may keep what it fetched."""
    check = f"test -e ~/.cache/fetched || echo once >> ~/.cache/fetched; {CHECK}"
    replies = [block("    return prices\n", FIRST), block(FIRST, SECOND), "That is all.", "Really."]
    told = await fix(home.parent / "ws", replies, targets=["a.py"], checks=(check,), settings={"max_rounds": 4})
    if "overlay" not in told.of(RunStarted)[0].isolation:
        pytest.skip(told.of(RunStarted)[0].isolation)
    assert told.outcome.ending is Ending.FAILED and "No such file" in told.asked[2], told.outcome
    assert {p.name: p.read_text() for p in (home / ".cache").iterdir() if p.is_file()} == {"fetched": "once\n"}
