"""Runs that begin with a save, a failed task or other extensions' errors, over a real server (SPEC V3)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.lsp.conftest import Start
from tests.lsp.editor import Editor
from tests.lsp.person import Person
from tests.lsp.program import BROKEN, FIXED, REPLY, asks
from tests.support.model_server import ModelServer, says

OPTIONS = {"clientHandlesCommands": True}


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def at(start: Start, folder: Path, settings: dict[str, Any]) -> Person:
    return Person(await start(folder, settings={"triggerCooldownSeconds": 0, **settings}, options=OPTIONS))


def fails(person: Person, path: Path, message: str = "y is not declared") -> None:
    """Another extension shows an error."""
    item = {"uri": path.as_uri(), "line": 1, "message": message, "source": "gcc"}
    person.tells("problems", {"files": [{"uri": path.as_uri(), "items": [item]}]})


@pytest.mark.spec("V3")
async def test_errors_that_stay_are_offered_and_fixed_on_demand(start: Start, broken: Path) -> None:
    with ModelServer(says(REPLY)) as server:
        person = await at(start, broken.parent, asks(server, trigger="offer"))
        document = person.editor.open(broken)
        person.answers("message", "does not compile", {"choice": "Fix"})
        person.answers("message", "Apply 1 file?", {"choice": "Apply"})
        fails(person, broken)
        offer = await person.hears("a.c does not compile. Fix it?")
        await person.hears("Applied to 1 file.")
    assert offer["choices"] == ["Fix", "Not Now", "Never for This File"]
    assert document.text == FIXED
    assert [q for q in person.questions("diff") if q["files"]] == [], "a diff opened by itself"


@pytest.mark.spec("V3")
async def test_many_files_are_one_offer_and_never_means_never(start: Start, broken: Path) -> None:
    other = broken.with_name("b.c")
    other.write_text(BROKEN)
    person = await at(start, broken.parent, {"trigger": "offer"})
    person.answers("message", "2 files do not compile", {"choice": "Never for These Files"})
    items = [
        {"uri": path.as_uri(), "items": [{"uri": path.as_uri(), "line": 1, "message": "no y"}]}
        for path in (broken, other)
    ]
    person.tells("problems", {"files": items})
    await person.hears("2 files do not compile")
    third = broken.with_name("c.c")
    third.write_text(BROKEN)
    for path in (broken, third):
        fails(person, path, "something else")
    await person.hears("c.c does not compile")
    assert not any(text.startswith("a.c") for text in person.words())


@pytest.mark.spec("V3")
@pytest.mark.spec("Q22")
async def test_auto_asks_for_consent_once_then_runs_within_its_budget(start: Start, broken: Path) -> None:
    with ModelServer(says(REPLY)) as server:
        settings = asks(server, trigger="auto", apply="auto", autoRunsPerDay=1)
        person = await at(start, broken.parent, settings)
        document = person.editor.open(broken)
        person.answers("message", "May Compile Loop start runs by itself", {"choice": "Allow"})
        fails(person, broken)
        consent = await person.hears("May Compile Loop start runs by itself")
        assert "At most 1 a day" in consent["text"] and "openai:test" in consent["text"]
        await person.hears("Applied to 1 file.")
        assert document.text == FIXED
        person.editor.replace(document, "x + x", "x + y")
        fails(person, broken, "y is not declared again")
        await person.hears("a.c does not compile. Fix it?")
    assert len([text for text in person.words() if "May Compile Loop" in text]) == 1


@pytest.mark.spec("V3")
async def test_own_edits_and_own_findings_set_nothing_off(start: Start, broken: Path) -> None:
    with ModelServer(says(REPLY)) as server:
        person = await at(start, broken.parent, asks(server, trigger="offer"))
        document = person.editor.open(broken)
        person.answers("message", "Apply 1 file?", {"choice": "Apply"})
        await person.gives("fix", active=document.uri)
        await person.hears("Applied to 1 file.")
        fails(person, broken, "a late error about the old text")
        other = broken.with_name("b.c")
        other.write_text(BROKEN)
        fails(person, other)
        await person.hears("b.c does not compile")
    assert not any(text.startswith("a.c does not") for text in person.words())


@pytest.mark.spec("V3")
async def test_a_failed_build_task_is_offered_and_its_command_is_the_check(start: Start, broken: Path) -> None:
    with ModelServer(says(REPLY)) as server:
        person = await at(start, broken.parent, asks(server, check="", trigger="offer"))
        task = {
            "name": "build",
            "group": "build",
            "folder": broken.parent.as_uri(),
            "commandLine": "gcc -fsyntax-only a.c",
            "shell": True,
        }
        person.tells("taskEnded", {"task": task, "exitCode": 0})
        person.tells("taskEnded", {"task": {**task, "name": "lint", "group": "test"}, "exitCode": 1})
        person.answers("message", "The task “build” failed", {"choice": "Fix"})
        person.tells("taskEnded", {"task": task, "exitCode": 2})
        await person.hears("The task “build” failed. Fix it?")
        await person.hears("Apply 1 file?")
    assert not any("lint" in text for text in person.words())
    assert any("gcc -fsyntax-only a.c" in line for line in person.editor.logged())


@pytest.mark.spec("V3")
@pytest.mark.parametrize("how", ["fixed by hand", "a run by command", "the task passes"])
async def test_an_offer_that_no_longer_holds_is_put_away(how: str, start: Start, broken: Path) -> None:
    person = await at(start, broken.parent, {"trigger": "offer", "check": "sleep 60", "model": "none"})
    document = person.editor.open(broken)
    unanswered: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
    person.answers("message", "Fix it?", lambda _offer: unanswered)
    task = {"name": "build", "group": "build", "folder": broken.parent.as_uri(), "commandLine": "false", "shell": True}
    if how == "the task passes":
        person.tells("taskEnded", {"task": task, "exitCode": 2})
    else:
        fails(person, broken)
    await person.hears("Fix it?")
    other = broken.with_name("other.c")
    person.tells("problems", {"files": [{"uri": other.as_uri(), "items": []}]})
    await person.editor.request("compileLoop/tree", {})  # by its answer the server has heard that
    assert person.questions("execute") == [], "it still holds"
    if how == "fixed by hand":
        person.tells("problems", {"files": [{"uri": broken.as_uri(), "items": []}]})
    elif how == "the task passes":
        person.tells("taskEnded", {"task": task, "exitCode": 0})
    else:
        command = asyncio.ensure_future(person.gives("fix", active=document.uri))
    await person.editor.until(lambda: person.questions("execute"))
    assert [each["command"] for each in person.questions("execute")] == ["notifications.hideToasts"]
    unanswered.set_result({})
    if how == "a run by command":
        await person.gives("stop")
        await command


@pytest.mark.spec("V3")
async def test_off_is_off_and_an_untrusted_folder_is_left_alone(start: Start, broken: Path) -> None:
    person = await at(start, broken.parent, {"trigger": "off"})
    fails(person, broken)
    await person.editor.until(lambda: person.editor.said("workspace/configuration"))
    person.editor.settings = {"trigger": "offer", "triggerCooldownSeconds": 0}
    person.tells("trust", {"trusted": False})
    other = broken.with_name("b.c")
    other.write_text(BROKEN)
    fails(person, other)
    await person.editor.until(lambda: len(person.editor.said("workspace/configuration")) >= 2)
    await person.editor.request("compileLoop/tree", {})  # by its answer the server has made up its mind
    person.tells("trust", {"trusted": True})
    third = broken.with_name("c.c")
    third.write_text(BROKEN)
    fails(person, third)
    await person.hears("c.c does not compile")
    assert len(person.words()) == 1


@pytest.mark.spec("V3")
@pytest.mark.spec("S1")
async def test_a_save_in_another_editor_begins_a_run_after_consent(start: Start, broken: Path) -> None:
    """It tells of no errors and has no commands of ours; what it has is the save and a message with buttons."""
    with ModelServer(says(REPLY)) as server:
        editor: Editor = await start(broken.parent, settings=asks(server, trigger="auto", apply="auto"))
        editor.answer = "Allow"
        document = editor.open(broken)
        editor.save(document)
        assert await editor.until(editor.messages) == ["Applied to 1 file."]
        assert document.text == FIXED
