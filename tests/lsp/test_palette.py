"""The commands of the palette, as the client of ours gives them (SPEC V2, V5, V6, L12, L14, L19)."""
# ruff: noqa: ASYNC240 - tests may touch small files in place

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from tests.lsp.conftest import Start
from tests.lsp.person import Person, uris
from tests.lsp.program import BROKEN, CHECK, FIXED, REPLY, asks, block
from tests.support.model_server import ModelServer, calls, fails, says

from compile_loop.lsp.palette.dispatch import COMMANDS

OPTIONS = {"clientHandlesCommands": True}
PACKAGE = json.loads((Path(__file__).parents[2] / "package.json").read_text("utf-8"))


async def at(start: Start, *folders: Path, **how: Any) -> Person:
    how.setdefault("options", OPTIONS)
    return Person(await start(*folders, **how))


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records of these tests lie apart from each other's and the user's."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.mark.spec("V2")
def test_every_command_that_is_declared_is_carried_out() -> None:
    declared = {each["command"].removeprefix("compileLoop.") for each in PACKAGE["contributes"]["commands"]}
    assert declared == set(COMMANDS) | {"showLog", "restartServer", "openSettings"}


@pytest.mark.spec("V2")
async def test_each_command_works_or_says_why_not_in_an_empty_window(start: Start) -> None:
    person = await at(start)
    for name in COMMANDS:
        before = len(person.asked)
        await person.gives(name)
        await person.editor.until(lambda seen=before: len(person.asked) > seen)
    assert not any("Traceback" in text or "fault" in text for text in person.words())
    with pytest.raises(JsonRpcException, match="no command 'dance'"):
        await person.gives("dance")


@pytest.mark.spec("V5")
async def test_a_file_is_fixed_shown_and_applied_and_undone(start: Start, broken: Path) -> None:
    with ModelServer(says(REPLY)) as server:
        person = await at(start, broken.parent, settings=asks(server))
        document = person.editor.open(broken)
        person.answers("message", "Apply 1 file?", {"choice": "Apply"})
        await person.gives("fix", active=document.uri)
        applied = await person.hears("Applied to 1 file.")
    assert document.text == FIXED and applied["choices"] == ["Undo"]
    shown, closed = person.questions("diff")
    assert [file["label"] for file in shown["files"]] == ["a.c"] and closed["files"] == []
    content = types.TextDocumentContentParams(shown["files"][0]["right"])
    assert (await person.editor.request("workspace/textDocumentContent", content)).text == FIXED
    progress = person.editor.said("compileLoop/progress")
    assert progress[0]["title"] == "Compile Loop: fixing a.c" and progress[-1]["done"]
    assert any("round 1 of 5" in each["message"] for each in progress)
    assert "Finished: green" in person.editor.logged()


TWO = "int a(void) {\n    return x;\n}\n\nint b(void) {\n    return y;\n}\n"


@pytest.mark.spec("V5")
async def test_some_hunks_are_applied(start: Start, broken: Path) -> None:
    broken.write_text(TWO)
    reply = block("    return x;", "    return 1;") + block("    return y;", "    return 2;")
    with ModelServer(says(reply)) as server:
        person = await at(start, broken.parent, settings=asks(server))
        document = person.editor.open(broken)
        person.answers("message", "Apply 1 file?", {"choice": "Apply Some…"})
        person.answers("pick", "Parts of the result", {"ids": ["a.c:1"]})
        await person.gives("fix", active=document.uri)
        await person.hears("Applied to 1 file.")
    [pick] = person.questions("pick")
    assert [item["label"] for item in pick["items"]] == ["a.c", "return 1;", "return 2;"] and pick["many"]
    assert document.text == TWO.replace("return y", "return 2")


@pytest.mark.spec("V5")
async def test_question_returns_where_the_pick_of_parts_was_dismissed(start: Start, broken: Path) -> None:
    """Apply Some…, then Escape: nothing was decided."""
    broken.write_text(TWO)
    reply = block("    return x;", "    return 1;") + block("    return y;", "    return 2;")
    with ModelServer(says(reply)) as server:
        person = await at(start, broken.parent, settings=asks(server))
        document = person.editor.open(broken)
        choices = iter(["Apply Some…", "Apply Some…", "Apply"])
        person.answers("message", "Apply 1 file?", lambda _question: {"choice": next(choices)})
        picks = iter([{}, {"ids": []}])
        person.answers("pick", "Parts of the result", lambda _pick: next(picks))
        await person.gives("fix", active=document.uri)
        question = await person.hears("Apply 1 file?", count=3)
        await person.hears("Applied to 1 file.")
    assert question["text"].startswith("Found a fix in 1 round: 2 errors gone, 1 file to change.")
    assert document.text == TWO.replace("return x", "return 1").replace("return y", "return 2")


@pytest.mark.spec("V5")
async def test_ask_leaves_the_question_to_the_editor(start: Start, broken: Path) -> None:
    with ModelServer(says(REPLY)) as server:
        person = await at(start, broken.parent, settings=asks(server, apply="ask"))
        document = person.editor.open(broken)
        await person.gives("fix", active=document.uri)
        await person.hears("Applied to 1 file.")
    [edit] = person.editor.edits
    assert edit.change_annotations is not None
    assert all(each.needs_confirmation for each in edit.change_annotations.values())
    assert document.text == FIXED


@pytest.mark.spec("V5")
@pytest.mark.parametrize("ticked", ["none", "one", "a part", "discarded"])
async def test_what_is_ticked_in_the_editors_preview_is_what_was_applied(
    ticked: str, start: Start, broken: Path
) -> None:
    broken.write_text(TWO)
    other = broken.with_name("b.c")
    other.write_text(BROKEN)
    reply = block("    return x;", "    return 1;", "a.c") + block("    return y;", "    return 2;")
    with ModelServer(says(reply + block("    return x + y;", "    return x;", "b.c"))) as server:
        settings = asks(server, apply="ask", saveAfterApply=True, check="gcc -fsyntax-only a.c b.c")
        person = await at(start, broken.parent, settings=settings)
        first, second = person.editor.open(broken), person.editor.open(other)
        person.editor.ticked = {"none": lambda _uri, _edit: False, "one": lambda uri, _edit: uri == second.uri}.get(
            ticked, lambda _uri, edit: "1" in edit.new_text
        )
        person.editor.refuse_edits = "" if ticked == "discarded" else None
        await person.gives("fixWorkspace")
        await person.hears("Tick in the preview what to apply")
        said = {
            "none": "the preview was discarded, or nothing was ticked in it.",
            "one": "Applied to 1 file. a.c was left as it is.",
            "a part": "Applied to 1 file, to a.c in part. b.c was left as it is.",
            "discarded": "the preview was discarded, or nothing was ticked in it.",
        }
        shown = await person.hears(said[ticked])
    assert (first.text == TWO) == (ticked != "a part") and (second.text == BROKEN) == (ticked != "one")
    opened = [each["arguments"][0]["$uri"] for each in person.questions("execute") if each["command"] == "vscode.open"]
    assert opened == {"one": [second.uri], "a part": [first.uri]}.get(ticked, [])
    assert shown["choices"] == (["Undo"] if opened else ["Show Diff"])


@pytest.mark.spec("Q17")
async def test_files_are_saved_only_once_the_text_is_as_it_was_meant(start: Start, broken: Path) -> None:
    with ModelServer(says(REPLY)) as server:
        person = await at(start, broken.parent, settings=asks(server, saveAfterApply=True))
        document = person.editor.open(broken)
        texts: list[str] = []
        person.answers("execute", "files.save", lambda _params: texts.append(document.text) or {})
        person.answers("message", "Apply 1 file?", {"choice": "Apply"})
        await person.gives("fix", active=document.uri)
        await person.hears("Applied to 1 file.")
        assert texts == [FIXED]
        person.editor.replace(document, "x + x", "x + y")
        person.editor.after_apply = lambda: person.editor.replace(document, "int", "long")
        await person.gives("fix", active=document.uri)
        await person.hears("is not what was meant")
    assert len(texts) == 1


@pytest.mark.spec("L12")
async def test_the_model_asks_and_the_answer_reaches_it(start: Start, broken: Path) -> None:
    question = calls(("ask_user", {"question": "x or zero?", "choices": ["x", "zero"]}))
    with ModelServer(question, says(REPLY)) as server:
        person = await at(start, broken.parent, settings=asks(server))
        person.editor.open(broken)
        person.answers("message", "The model asks: x or zero?", {"choice": "x"})
        await person.gives("fix", active=broken.as_uri())
        await person.hears("Apply 1 file?")
        told = json.dumps(server.requests[-1].json["messages"])
    assert person.questions("message")[0]["choices"] == ["x", "zero", "Answer…", "Skip"]
    assert '"content": "x"' in told or "x" in server.requests[-1].json["messages"][-1]["content"]


@pytest.mark.spec("L14")
async def test_a_refused_key_is_asked_for_and_the_run_goes_on(start: Start, broken: Path) -> None:
    refused = fails(401, {"error": {"message": "Incorrect API key"}})
    with ModelServer(refused, says(REPLY)) as server:
        person = await at(start, broken.parent, settings=asks(server))
        person.editor.open(broken)
        person.answers("message", "The run waits.", {"choice": "Set API Key…"})
        person.answers("input", "Key for", {"value": "sk-test-ABCDEFGHIJKLMNOP"})
        await person.gives("fix", active=broken.as_uri())
        await person.hears("Apply 1 file?")
        assert server.requests[-1].headers["authorization"] == "Bearer sk-test-ABCDEFGHIJKLMNOP"
        assert person.secrets == {f"openai {server.base_url}": "sk-test-ABCDEFGHIJKLMNOP"}
    [entered] = person.questions("input")
    assert entered["password"] and "sk-test" not in " ".join(person.editor.logged() + person.words())


@pytest.mark.spec("L14")
async def test_giving_up_on_the_key_ends_the_run(start: Start, broken: Path) -> None:
    with ModelServer(fails(401)) as server:
        person = await at(start, broken.parent, settings=asks(server))
        person.editor.open(broken)
        person.answers("message", "The run waits.", {"choice": "Give Up"})
        await person.gives("fix", active=broken.as_uri())
        await person.editor.until(lambda: person.editor.said("compileLoop/status")[-1]["running"] == [])
        told = await person.editor.until(lambda: [t for t in person.words() if "The run waits" not in t])
    assert told and broken.read_text() == BROKEN


@pytest.mark.spec("L19")
async def test_a_finished_run_goes_on_with_a_note(start: Start, broken: Path) -> None:
    more = block("    return x + x;", "    return 2 * x;")
    with ModelServer(says(REPLY), says(more)) as server:
        person = await at(start, broken.parent, settings=asks(server))
        document = person.editor.open(broken)
        person.answers("message", "Apply 1 file?", {"choice": "Apply"})
        await person.gives("fix", active=document.uri)
        await person.hears("Applied to 1 file.")
        person.answers("input", "Continue with a note", {"value": "Multiply instead."})
        await person.gives("continueRun", active=document.uri)
        await person.hears("Applied to 1 file.", 2)
        prompts = [message["content"] for message in server.requests[-1].json["messages"]]
    assert document.text == BROKEN.replace("x + y", "2 * x")
    assert any("Multiply instead." in str(text) for text in prompts) and len(server.requests) == 2


@pytest.mark.spec("L19", "V2", "Q25")
@pytest.mark.parametrize("choice", ["Apply", None])
async def test_a_finished_run_goes_on_with_a_note_after_a_restart(
    start: Start, broken: Path, choice: str | None
) -> None:
    """Applied, the shadow is laid anew on the present file; not decided, the result is where it goes on from."""
    more = block("    return x + x;", "    return 2 * x;")
    with ModelServer(says(REPLY), says(more)) as server:
        first = await at(start, broken.parent, settings=asks(server))
        document = first.editor.open(broken)
        first.answers("message", "Apply 1 file?", {"choice": choice} if choice else {})
        await first.gives("fix", active=document.uri)
        await first.hears("Applied to 1 file." if choice else "Apply 1 file?")
        broken.write_text(document.text)
        await first.editor.close()
        person = await at(start, broken.parent, settings=asks(server))
        document = person.editor.open(broken)
        person.answers("message", "Apply 1 file?", {"choice": "Apply"})
        person.answers("pick", "Run to continue", lambda asked: {"ids": [asked["items"][0]["id"]]})
        person.answers("input", "Continue with a note", {"value": "Multiply instead."})
        await person.gives("continueRun", active=document.uri)
        await person.hears("Applied to 1 file.")
        before, after = (request.json["messages"] for request in server.requests)
    assert document.text == BROKEN.replace("x + y", "2 * x")
    assert after[: len(before)] == before and after[len(before)]["role"] == "assistant"
    assert "Multiply instead." in str(after[-1]["content"])
    [run, _] = await nodes(person)
    assert run["description"].startswith("green · 1 round · ")


@pytest.mark.spec("Q4")
@pytest.mark.parametrize("channel", ["text", "tool"])
async def test_a_file_that_the_model_wanted_is_allowed_and_the_run_goes_on(
    start: Start, broken: Path, channel: str
) -> None:
    """In the same conversation, with the user's own wish kept; nothing of it is asked of the user a second time."""
    header = broken.parent / "b.h"
    header.write_text("extern int z;\n")
    broken.write_text(f'#include "b.h"\n{BROKEN}')
    wanted = ("apply_search_replace", {"path": "b.h", "search": "int z;", "replace": "int y;"})
    elsewhere = says(block("extern int z;", "extern int y;", "b.h")) if channel == "text" else calls(wanted)
    refused = [elsewhere] if channel == "text" else [elsewhere, says("So it cannot be done.")]
    with ModelServer(*refused, elsewhere, says("DONE")) as server:
        person = await at(start, broken.parent, settings=asks(server, maxRounds=1))
        documents = [person.editor.open(path) for path in (broken, header)]
        person.answers("message", "wants to edit b.h", {"choice": "Allow b.h"})
        person.answers("message", "Apply 1 file?", {"choice": "Apply"})
        await person.gives("fix", active=documents[0].uri)
        await person.hears("Applied to 1 file.")
        before, after = (server.requests[at].json["messages"] for at in (0, len(refused)))
    assert documents[1].text == "extern int y;\n" and len(person.words()) == 3, person.words()
    assert after[: len(before)] == before and "allows you to edit b.h" in str(after[-1]["content"])


@pytest.mark.spec("Q4")
async def test_a_file_that_is_not_allowed_ends_the_run_as_it_was(start: Start, broken: Path) -> None:
    (broken.parent / "b.c").write_text("int z;\n")
    with ModelServer(says(block("int z;", "int y;", "b.c"))) as server:
        person = await at(start, broken.parent, settings=asks(server, maxRounds=1))
        person.editor.open(broken)
        person.answers("message", "wants to edit b.c", {"choice": "Don't Allow"})
        await person.gives("fix", active=broken.as_uri())
        await person.hears("Not green after 1 round")
    assert [kind["kind"] for kind in person.questions("message")] == ["warning", "error"] and len(server.requests) == 1


@pytest.mark.spec("Q4", "E10")
@pytest.mark.parametrize("path", ["Makefile", "test_a.c", ".vscode/settings.json", ".env", "new.c"])
async def test_no_file_is_offered_that_a_check_lives_by_or_that_is_none(start: Start, broken: Path, path: str) -> None:
    place = broken.parent / path
    if path != "new.c":
        place.parent.mkdir(exist_ok=True)
        place.write_text("z\n")
    with ModelServer(says(block("z", "y", path))) as server:
        person = await at(start, broken.parent, settings=asks(server, maxRounds=1))
        person.editor.open(broken)
        await person.gives("fix", active=broken.as_uri())
        await person.hears("Not green after 1 round")
    assert not any("wants to edit" in words for words in person.words())


async def nodes(person: Person, node: str | None = None) -> list[dict[str, Any]]:
    found = await person.editor.request("compileLoop/tree", {"id": node} if node else {})
    return list(found["nodes"])


async def one_run(person: Person, path: Path) -> None:
    person.editor.open(path)
    person.answers("message", "Apply 1 file?", {"choice": "Discard"})
    await person.gives("fix", active=path.as_uri())
    await person.editor.until(lambda: len(person.questions("diff")) == 2)


@pytest.mark.spec("V6")
async def test_the_view_shows_runs_rounds_files_findings_and_output(start: Start, broken: Path) -> None:
    with ModelServer(says(REPLY)) as server:
        person = await at(start, broken.parent, settings=asks(server))
        assert await nodes(person) == []
        await one_run(person, broken)
    [run] = await nodes(person)
    assert (run["label"], run["icon"]) == ("a.c", "pass")
    assert re.fullmatch(r"green · 1 round · (\d\d:\d\d|\d{4}-\d\d-\d\d)", run["description"]), run["description"]
    assert run["context"] == "run.finished"
    before, first, result = await nodes(person, run["id"])
    assert (before["label"], before["description"]) == ("Before", "1 error")
    assert (first["label"], first["description"]) == ("Round 1", "1 → 0 errors")
    assert result["label"] == "Result"
    finding, output = await nodes(person, before["id"])
    assert "undeclared" in finding["label"] and finding["description"] == "a.c:2"
    file, _ = await nodes(person, first["id"])
    for node in (first, file, result):
        await person.gives("openRound", node["id"])
    await person.editor.until(lambda: len(person.questions("diff")) == 5)
    for shown in person.questions("diff")[2:]:
        [each] = shown["files"]
        for side, text in (("left", BROKEN), ("right", FIXED)):
            content = types.TextDocumentContentParams(each[side])
            assert (await person.editor.request("workspace/textDocumentContent", content)).text == text
    await person.gives("openOutput", output["id"])
    [opened] = await person.editor.until(lambda: person.questions("execute"))
    content = types.TextDocumentContentParams(opened["arguments"][0]["$uri"])
    assert "undeclared" in (await person.editor.request("workspace/textDocumentContent", content)).text


@pytest.mark.spec("V6", "V7")
async def test_runs_on_files_outside_the_folder_are_in_the_view_too(start: Start, broken: Path, tmp_path: Path) -> None:
    """As that of the walkthrough's sample is; those of other windows are not."""
    outside = tmp_path / "elsewhere" / "a.c"
    outside.parent.mkdir()
    outside.write_text(BROKEN)
    with ModelServer(says(REPLY)) as server:
        person = await at(start, broken.parent, settings=asks(server))
        await one_run(person, outside)
        assert [node["label"] for node in await nodes(person)] == ["a.c"]
        other = await at(start, broken.parent, settings=asks(server))
        assert await nodes(other) == []


@pytest.mark.spec("V6")
async def test_a_run_is_replayed_and_deleted_from_the_view(start: Start, broken: Path) -> None:
    with ModelServer(says(REPLY)) as server:
        person = await at(start, broken.parent, settings=asks(server))
        await one_run(person, broken)
        [run] = await nodes(person)
        await person.gives("replayRun", run["id"])
        await person.hears("Apply 1 file?", 2)
        assert len(server.requests) == 1, "a replay asked the model"
    await person.gives("deleteRun", run["id"])
    await person.hears("Delete the record")
    assert len(await nodes(person)) == 1
    person.answers("message", "Delete the record", {"choice": "Delete"})
    await person.gives("deleteRun", run["id"])
    await person.editor.until(lambda: len(person.questions("message")) >= 4)
    left = await nodes(person)
    for _ in range(200):
        if not left:
            break
        left = await nodes(person)
    assert left == []


@pytest.mark.spec("V2")
@pytest.mark.spec("W4")
async def test_a_run_that_was_killed_is_resumed(start: Start, broken: Path) -> None:
    with ModelServer(says("Not yet."), says(REPLY)) as server:
        settings = asks(server, check=f"sleep 0.2; {CHECK}")
        person = await at(start, broken.parent, settings=settings)
        person.editor.open(broken)
        await person.gives("fix", active=broken.as_uri())
        await person.editor.until(lambda: any("Round 1" in line for line in person.editor.logged()))
        await person.editor.until(lambda: len(server.requests) >= 2)
        person.editor.process.kill()
        await person.editor.process.wait()
        again = await at(start, broken.parent, settings=settings)
        again.editor.open(broken)
        [run] = await nodes(again)
        assert run["context"] == "run.resumable"
        await again.gives("resumeRun", run["id"])
        await again.hears("Apply 1 file?")


@pytest.mark.spec("V2")
async def test_the_check_is_run_and_chosen(start: Start, broken: Path) -> None:
    person = await at(start, broken.parent)
    person.editor.open(broken)
    await person.gives("runCheck", active=broken.as_uri())
    said = await person.hears("The check fails: gcc")
    assert "1 error" in said["text"] and said["choices"] == ["Fix", "Show Log"]
    await person.editor.until(lambda: person.editor.diagnostics(broken))
    person.answers("pick", "Check that decides", lambda params: {"ids": [params["items"][2]["id"]]})
    await person.gives("chooseCheck", active=broken.as_uri())
    [written] = await person.editor.until(lambda: person.questions("configure"))
    assert written["name"] == "check" and written["value"].startswith("gcc ")
    assert written["folder"] == broken.parent.as_uri()


@pytest.mark.spec("M1")
async def test_a_model_is_chosen_and_its_key_kept_for_its_address(start: Start, broken: Path) -> None:
    person = await at(start, broken.parent)
    person.answers("pick", "Model that is asked", {"ids": ["type"]})
    person.answers("input", "PROVIDER:NAME", {"value": "openai:m"})
    person.answers("input", "Address of its endpoint", {"value": "http://127.0.0.1:9/v1"})
    await person.gives("chooseModel", active=broken.as_uri())
    await person.hears("Fixes are asked of openai:m")
    written = {each["name"]: each.get("value") for each in person.questions("configure")}
    assert written == {"model": "openai:m", "baseUrl": "http://127.0.0.1:9/v1", "apiKeyEnv": None}
    await person.gives("setApiKey", active=broken.as_uri())
    await person.hears("Choose a model first")
    person.editor.settings = {"model": "openai:m", "baseUrl": "http://127.0.0.1:9/v1/"}
    person.answers("input", "Key for", {"value": "sk-1"})
    await person.gives("setApiKey", active=broken.as_uri())
    await person.hears("The key is kept")
    assert person.secrets == {"openai http://127.0.0.1:9/v1": "sk-1"}


@pytest.mark.spec("M1")
async def test_a_model_that_the_environment_names_beside_its_key_is_asked(start: Start, broken: Path) -> None:
    with ModelServer(says(REPLY)) as server:
        env = {"OPENAI_API_KEY": "sk-env", "OPENAI_MODEL": "env", "OPENAI_BASE_URL": server.base_url}
        person = await at(start, broken.parent, settings={"check": CHECK}, env=env)
        person.editor.open(broken)
        await person.gives("fix", active=broken.as_uri())
        await person.hears("Apply 1 file?")
        assert server.requests[0].json["model"] == "env"
    assert any("OPENAI_API_KEY and OPENAI_MODEL are set" in line for line in person.editor.logged())


@pytest.mark.spec("V2")
async def test_files_are_chosen_among_failing_changed_and_open_ones(start: Start, broken: Path) -> None:
    other = broken.with_name("b.c")
    other.write_text("int b;\n")
    person = await at(start, broken.parent, settings={"check": "true"})
    person.answers("pick", "Files that may be edited", {"ids": uris(broken, other)})
    failing = [{"uri": broken.as_uri(), "errors": 2}, {"uri": "untitled:x", "errors": 1}]
    await person.gives("fixFiles", failing=failing, open=uris(other, broken), active=other.as_uri())
    await person.hears("Nothing to fix")
    [pick] = person.questions("pick")
    lines = [(item["label"], item["description"], item["picked"]) for item in pick["items"]]
    assert lines == [
        ("failing", "", False),
        ("a.c", "2 errors", True),
        ("open", "", False),
        ("b.c", "", True),
    ]


@pytest.mark.spec("V2")
async def test_the_failed_task_is_the_check(start: Start, broken: Path) -> None:
    with ModelServer(says(REPLY)) as server:
        person = await at(start, broken.parent, settings=asks(server, check=""))
        await person.gives("fixTask")
        await person.hears("No task has failed")
        task = {
            "name": "build",
            "folder": broken.parent.as_uri(),
            "commandLine": "gcc -fsyntax-only ${workspaceFolder}/a.c".replace("${workspaceFolder}/", ""),
            "shell": True,
        }
        person.tells("taskEnded", {"task": task, "exitCode": 1})
        await person.gives("fixTask")
        await person.hears("Apply 1 file?")
    assert any("gcc -fsyntax-only a.c" in line for line in person.editor.logged())


@pytest.mark.spec("L15")
async def test_stop_ends_what_is_under_way(start: Start, broken: Path) -> None:
    person = await at(start, broken.parent, settings={"check": "sleep 61"})
    person.editor.open(broken)
    await person.gives("fix", active=broken.as_uri())
    progress = await person.editor.until(lambda: person.editor.said("compileLoop/progress"))
    person.tells("stop", {"id": progress[0]["id"]})
    await person.hears("Stopped fixing a.c. Nothing was changed.")
    await person.gives("runCheck", active=broken.as_uri())
    await person.editor.until(lambda: "running" in person.editor.said("compileLoop/status")[-1]["text"])
    await person.gives("stop")
    await person.hears("Stopped the check.")


@pytest.mark.spec("V8")
async def test_nothing_runs_in_an_untrusted_folder_and_the_way_out_is_offered(start: Start, broken: Path) -> None:
    person = await at(start, broken.parent, settings={"check": "true"}, options={**OPTIONS, "trusted": False})
    for command in ("fix", "runCheck"):
        await person.gives(command, active=broken.as_uri())
        said = await person.hears("Restricted Mode")
        assert said["choices"] == ["Manage Trust"]
    person.tells("trust", {"trusted": True})
    await person.gives("fix", active=broken.as_uri())
    await person.hears("Nothing to fix")


@pytest.mark.spec("V7")
async def test_the_broken_sample_is_fixed_with_no_model_and_no_key(start: Start, tmp_path: Path) -> None:
    person = await at(start)
    await person.gives("openSample")
    [opened] = await person.editor.until(lambda: person.questions("execute"))
    sample = Path(opened["arguments"][0]["$uri"].removeprefix("file://"))
    document = person.editor.open(sample)
    person.answers("message", "Apply 1 file?", {"choice": "Apply"})
    await person.gives("fix", active=document.uri)
    await person.hears("Applied to 1 file.")
    assert "anwser" not in document.text


@pytest.mark.spec("W3")
@pytest.mark.parametrize("choice", ["Keep Mine", "Use the Fix", None])
async def test_a_file_that_changed_meanwhile_is_a_choice(start: Start, broken: Path, choice: str | None) -> None:
    """Two files; in one of them the user typed into the very line. Nothing of theirs goes without a word."""
    other = broken.with_name("b.c")
    other.write_text(BROKEN)
    reply = block("    return x + y;", "    return x + x;", "a.c") + block(
        "    return x + y;", "    return 2 * x;", "b.c"
    )
    with ModelServer(says(reply)) as server:
        person = await at(start, broken.parent, settings=asks(server, check="gcc -c a.c b.c"))
        one, two = person.editor.open(broken), person.editor.open(other)
        person.answers("pick", "Files that may be edited", {"ids": [one.uri, two.uri]})
        await person.gives("fixFiles", open=[one.uri, two.uri], active=one.uri)
        await person.hears("Apply 2 files?")
        person.editor.replace(one, "x + y", "x - y")
        mine = one.text
        compared: list[bool] = []

        def decide(_question: dict[str, Any]) -> dict[str, str]:
            compared.append(True)
            return {"choice": "Compare"} if len(compared) == 1 else ({"choice": choice} if choice else {})

        shown: list[Any] = []
        person.answers("diff", "Mine", shown.append)
        person.answers("message", "a.c was changed after the run had read it", decide)
        await person.gives("apply")
        await person.hears("a.c was changed after", 2)
        sides = [types.TextDocumentContentParams(shown[0]["files"][0][side]) for side in ("left", "right")]
        if choice is None:
            texts = [(await person.editor.request("workspace/textDocumentContent", side)).text for side in sides]
            assert texts == [mine, FIXED]
        if choice is None:
            await person.editor.request("compileLoop/tree", {})
            assert (one.text, two.text) == (mine, BROKEN)
            return
        await person.hears("Applied to")
    assert one.text == (mine if choice == "Keep Mine" else FIXED)
    assert two.text == BROKEN.replace("x + y", "2 * x")
    [compare] = shown
    keys = [q["key"] for q in person.questions("diff") if not q["files"]]
    assert compare["key"] in keys, "what was shown for the choice stays open after it"
