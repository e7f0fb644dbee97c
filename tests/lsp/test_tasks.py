"""VS Code's tasks as checks over a real server: matchers of extensions, and what a task asks (SPEC D1, D2, Z1)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.lsp.conftest import Start
from tests.lsp.person import Person
from tests.lsp.program import BROKEN, REPLY, asks
from tests.support.model_server import ModelServer, says

OPTIONS = {"clientHandlesCommands": True}
COMPILE = "sh check.sh"
SCRIPT = """\
gcc -fsyntax-only a.c 2>/dev/null && exit 0
echo '!! a.c @ 2,16 (E7) the name is unknown'
exit 1
"""
"""A tool whose lines no reader of ours takes."""
DECLARED = {
    "matchers": [{"name": "odd", "label": "Odd", "owner": "oddly", "pattern": "$odd-line", "fileLocation": "relative"}],
    "patterns": [
        {
            "name": "odd-line",
            "regexp": r"^!! (\S+) @ (\d+),(\d+) \((\w+)\) (.*)$",
            **{"file": 1, "line": 2, "column": 3, "code": 4, "message": 5},
        },
        {"regexp": "no name"},
    ],
}


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def tasks_json(folder: Path, task: dict[str, Any], **document: Any) -> None:
    (folder / ".vscode").mkdir()
    entry = {"label": "build", "group": {"kind": "build", "isDefault": True}, **task}
    (folder / ".vscode" / "tasks.json").write_text(json.dumps({"version": "2.0.0", "tasks": [entry], **document}))
    (folder / "check.sh").write_text(SCRIPT)


async def at(start: Start, folder: Path, settings: dict[str, Any]) -> Person:
    person = Person(await start(folder, settings={"triggerCooldownSeconds": 0, **settings}, options=OPTIONS))
    person.declared = DECLARED
    return person


@pytest.mark.spec("D2")
@pytest.mark.parametrize("how", ["by default", "chosen", "failed", "of an extension"])
async def test_a_matcher_of_an_extension_reads_a_tasks_output(how: str, start: Start, broken: Path) -> None:
    folder = broken.parent
    if how == "of an extension":
        (folder / "check.sh").write_text(SCRIPT)
    else:
        tasks_json(folder, {"command": COMPILE, "problemMatcher": ["$odd", "$gcc"]})
    check = "task: build" if how == "chosen" else ""
    with ModelServer(says(REPLY)) as server:
        person = await at(start, folder, asks(server, check=check))
        document = person.editor.open(broken)
        if how in ("failed", "of an extension"):
            task = {"name": "build", "folder": folder.as_uri(), "commandLine": COMPILE, "matchers": ["$odd"]}
            person.tells("taskEnded", {"task": task, "exitCode": 1, "facts": {"active": document.uri}})
            await person.gives("fixTask", active=document.uri)
        else:
            await person.gives("fix", active=document.uri)
        await person.editor.until(lambda: person.editor.diagnostics(broken))
        (found,) = person.editor.diagnostics(broken)
        await person.hears("Apply 1 file?")
        prompt = json.dumps(server.requests[0].json)
    assert (found.message, found.code, found.source) == ("the name is unknown", "E7", "oddly")
    assert (found.range.start.line, found.range.start.character) == (1, 15)
    assert "the name is unknown" in prompt
    assert any("build: sh check.sh" in line for line in person.editor.logged())


@pytest.mark.spec("D2")
async def test_a_matcher_that_no_extension_has_is_named(start: Start, broken: Path) -> None:
    tasks_json(broken.parent, {"command": COMPILE, "problemMatcher": "$gone"})
    person = await at(start, broken.parent, {})
    await person.gives("fix", active=broken.as_uri())
    refused = await person.hears("The problem matcher $gone is not known")
    assert refused["choices"] == ["Choose Check…"]


@pytest.mark.spec("D1")
async def test_a_task_is_offered_as_a_check_and_remembered_by_its_name(start: Start, broken: Path) -> None:
    person = await at(start, broken.parent, {})
    person.tasks = [
        {"name": "compile", "source": "Workspace", "commandLine": "make ${input:what}"},
        {"name": "build", "source": "npm", "words": ["npm", "run", "build"]},
        {"name": "watch", "commandLine": "make -w", "background": True},
        {"name": "unknown"},
    ]
    person.answers("pick", "Check that decides", {"ids": ["task: npm: build"]})
    await person.gives("chooseCheck", active=broken.as_uri())
    await person.hears("is task: npm: build.")
    (asked,) = person.questions("pick")
    offered = [item["label"] for item in asked["items"] if item["id"].startswith("task")]
    assert offered == ["$(tools) compile", "$(tools) npm: build"]
    (kept,) = person.questions("configure")
    assert (kept["name"], kept["value"]) == ("check", "task: npm: build")


INPUTS = [
    {"id": "warn", "type": "promptString", "description": "Which warnings?", "default": "-Wall"},
    {"id": "word", "type": "promptString", "description": "Your pass phrase", "password": True},
    {"id": "std", "type": "pickString", "description": "Which C?", "options": ["c99", "c17"], "default": "c17"},
]
ASKING = {
    "command": 'echo "$WORD" | md5sum; gcc -fsyntax-only ${input:warn} -std=${input:std} a.c',
    "options": {"env": {"WORD": "${input:word}"}},
}


@pytest.mark.spec("D1")
@pytest.mark.spec("Z1")
async def test_what_a_task_asks_is_asked_and_a_password_is_written_nowhere(
    start: Start, broken: Path, tmp_path: Path
) -> None:
    leaking = {**ASKING, "command": f"echo leaked $WORD; {ASKING['command']}"}
    tasks_json(broken.parent, leaking, inputs=INPUTS)
    with ModelServer(says(REPLY)) as server:
        person = await at(start, broken.parent, asks(server, check=""))
        person.answers("input", "Which warnings?", {"value": "-Wextra"})
        person.answers("input", "Your pass phrase", {"value": "hunter22"})
        person.answers("pick", "Which C?", {"ids": ["c99"]})
        document = person.editor.open(broken)
        await person.gives("fix", active=document.uri)
        await person.hears("Apply 1 file?")
        prompt = json.dumps(server.requests[0].json)
    asked = [(name, params) for name, params in person.asked if name in ("input", "pick")]
    assert len(asked) == 3
    by_words = {params.get("prompt") or params["placeholder"]: params for _, params in asked}
    assert by_words["Which warnings?"]["value"] == "-Wall" and by_words["Your pass phrase"]["password"]
    assert [item["id"] for item in by_words["Which C?"]["items"]] == ["c17", "c99"], "the default first"
    assert "-Wextra -std=c99 a.c" in prompt
    written = "".join(path.read_text("utf-8", "replace") for path in (tmp_path / "state").rglob("*") if path.is_file())
    assert "-Wextra -std=c99" in written and "leaked [redacted]" in written
    for text in (written, prompt, "\n".join(person.editor.logged())):
        assert "hunter22" not in text


@pytest.mark.spec("D1")
async def test_a_question_that_is_dismissed_runs_nothing(start: Start, broken: Path) -> None:
    tasks_json(broken.parent, ASKING, inputs=INPUTS)
    person = await at(start, broken.parent, {})
    await person.gives("fix", active=broken.as_uri())
    await person.hears("The task “build” got no answer to “Which warnings?”, so nothing was run.")
    assert not person.editor.events("check_started")


@pytest.mark.spec("D1")
async def test_a_run_that_nobody_asked_for_opens_no_box_by_itself(start: Start, broken: Path) -> None:
    tasks_json(broken.parent, ASKING, inputs=INPUTS)
    person = await at(start, broken.parent, {"trigger": "offer", "model": "none"})
    person.editor.open(broken)
    person.answers("message", "does not compile", {"choice": "Fix"})
    item = {"uri": broken.as_uri(), "line": 1, "message": "y is not declared", "source": "gcc"}
    person.tells("problems", {"files": [{"uri": broken.as_uri(), "items": [item]}]})
    asked = await person.hears("The check is the task “build”, which asks “Which warnings?”")
    await person.hears("got no answer to")
    assert asked["choices"] == ["Answer…", "Not Now"] and not person.questions("input")


@pytest.mark.spec("D1")
async def test_an_editor_that_cannot_ask_says_so(start: Start, broken: Path) -> None:
    tasks_json(broken.parent, ASKING, inputs=INPUTS)
    editor = await start(broken.parent)
    reply = await editor.raw("compileLoop/run", {"uris": [broken.as_uri()]})
    assert "This editor cannot ask for a text (Task build)" in reply["error"]["message"]
    assert broken.read_bytes().decode() == BROKEN  # noqa: ASYNC240
