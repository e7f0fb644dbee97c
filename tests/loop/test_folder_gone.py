"""The workspace's folder is taken away while a run goes on: nothing is written in its place (SPEC W1, L3)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.loop.running import block, snapshot, workspace

from compile_loop.assemble import Job, start
from compile_loop.contracts.events import RunFinished
from compile_loop.contracts.outcome import FailureKind
from compile_loop.settings import Settings

BROKEN = "int one(void) { return 1 }\n"
REPLY = block(BROKEN, "int one(void) { return 1; }\n")
AWAY = {
    "removed": "rm -r {root}",
    "renamed": "mv {root} {root}.moved",
    "replaced": "rm -r {root}; mkdir {root}; echo theirs > {root}/a.c",
}


@pytest.mark.spec("W1", "L3")
@pytest.mark.parametrize("isolation", ["overlay", "copy"])
@pytest.mark.parametrize("way", AWAY)
async def test_a_folder_that_goes_away_is_not_made_again(tmp_path: Path, isolation: str, way: str) -> None:
    """While the model thinks, somebody clears up. What lies at the path afterwards is theirs alone."""
    root = workspace(tmp_path / "ws", a_c=BROKEN)
    script = tmp_path / "model.sh"
    script.write_text(f"cat > /dev/null\n{AWAY[way].format(root=root)}\ncat <<'END'\n{REPLY}END\n")
    settings = Settings(model=f"command:sh {script}", isolation=isolation, suggestions=False, record=False)  # type: ignore[arg-type]
    check = "gcc -fsyntax-only a.c"
    last = [event async for event in start(Job(root, (root / "a.c",), settings, checks=(check,)))][-1]
    assert isinstance(last, RunFinished)
    theirs = {"removed": {}, "renamed": {"ws.moved/a.c": BROKEN}, "replaced": {"ws/a.c": "theirs\n"}}[way]
    left = {name: data.decode() for name, data in snapshot(tmp_path).items() if name.startswith("ws")}
    assert left == theirs and (root.exists() == (way == "replaced"))
    if isolation == "overlay" or way != "replaced":
        failure = last.outcome.failure
        assert failure is not None and failure.kind is FailureKind.ENVIRONMENT, last.outcome
        gone = f"{root} was removed, renamed or replaced" if isolation == "overlay" else f"{root} is not there any more"
        assert gone in failure.message
