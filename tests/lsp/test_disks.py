"""Disks that are full or read-only under the language server (SPEC L3, R1, W3)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lsp.conftest import Start
from tests.lsp.editor import SERVER
from tests.lsp.person import Person
from tests.lsp.program import BROKEN, FIXED, REPLY, asks
from tests.support.disks import needs_root, on_disks
from tests.support.model_server import ModelServer, says

pytestmark = needs_root


@pytest.mark.spec("L3", "R1")
@pytest.mark.parametrize(
    ("kind", "where"),
    [("read-only", "state"), ("4k", "state"), ("64k", "state"), ("4k", "scratch"), ("read-only", "state scratch ws")],
)
async def test_a_disk_that_takes_nothing(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, where: str
) -> None:
    """The result reaches the editor all the same; what could not be written down is said once, and is not under way."""
    for name in ("state", "scratch", "ws"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    path = tmp_path / "ws/a.c"
    path.write_text(BROKEN)
    command = (*on_disks(*((kind, tmp_path / name) for name in where.split())), *SERVER)
    with ModelServer(says(REPLY)) as server:
        options = {"clientHandlesCommands": True}
        person = Person(await start(path.parent, settings=asks(server), command=command, options=options))
        editor = person.editor
        opened = editor.open(path)
        result = await editor.run(path)
        assert result["ending"] == "green", result["message"]
        accepted = await editor.accept(result["runId"])
    assert accepted["applied"] and opened.text == FIXED and path.read_text() == BROKEN
    warned = [event["text"] for event in editor.events("warned") if "written down no further" in event["text"]]
    assert len(warned) == ("state" in where) and all(str(tmp_path / "state") in text for text in warned)
    for node in (await editor.request("compileLoop/tree", {}))["nodes"]:
        assert node["context"] == ("run.resumable" if "state" in where else "run.finished")
        person.answers("message", "Delete the record", {"choice": "Delete"})
        await person.gives("deleteRun", node["id"])
        await editor.until(lambda: editor.said("compileLoop/treeChanged"))
    assert not [text for text in person.words() if "fault" in text]
