"""The twins for editors that only know `workspace/executeCommand`, with the capabilities of Neovim and Emacs (SPEC S1)."""
# ruff: noqa: ASYNC240 - tests may touch small files in place

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from tests.lsp.conftest import Start
from tests.lsp.editor import Editor, balanced, capabilities
from tests.lsp.program import BROKEN, CHECK, FIXED, REPLY, asks
from tests.support.model_server import ModelServer, says

START = "compileLoop.server.startRun"
STOP = "compileLoop.server.stop"


@pytest.mark.spec("S1")
@pytest.mark.parametrize("name", ["", "neovim", "emacs"])
@pytest.mark.parametrize("answer", ["Apply", "Discard", None])
async def test_a_run_in_the_background_asks_and_applies(
    start: Start, broken: Path, name: str, answer: str | None
) -> None:
    with ModelServer(says(REPLY)) as server:
        editor = await start(broken.parent, settings=asks(server, check=f"sleep 0.5; {CHECK}"), caps=capabilities(name))
        editor.answer = answer
        document = editor.open(broken)
        started = await editor.command(START, {"uris": [document.uri]})
        assert list(started) == ["runId"] and editor.said(types.WINDOW_SHOW_MESSAGE_REQUEST) == []
        [question] = await editor.until(lambda: editor.said(types.WINDOW_SHOW_MESSAGE_REQUEST))
    assert question.message.startswith("Found a fix in 1 round: 1 error gone, 1 file to change.")
    assert [action.title for action in question.actions] == ["Apply", "Discard"]
    assert "+    return x + x;" in "\n".join(editor.logged())
    if answer == "Apply":
        assert await editor.until(editor.messages) == ["Applied to 1 file."]
        assert document.text == FIXED
    else:
        await _gone(editor, started["runId"])
        assert editor.edits == [] and document.text == BROKEN
    assert editor.events() == [] and editor.said("compileLoop/status") == [], "messages that this editor does not know"
    assert len(editor.progress()) == 1
    balanced(editor)


async def _gone(editor: Editor, run_id: str) -> None:
    """Wait until the result is dropped."""
    uri = f"compile-loop:/a.c?{run_id}/after"
    for _ in range(100):
        try:
            await editor.request("workspace/textDocumentContent", types.TextDocumentContentParams(uri))
        except JsonRpcException:
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the result is still there")


@pytest.mark.spec("V5")
async def test_auto_applies_a_green_result_unasked(start: Start, broken: Path) -> None:
    with ModelServer(says(REPLY)) as server:
        editor = await start(broken.parent, settings=asks(server, apply="auto"))
        document = editor.open(broken)
        await editor.command(START, {"uris": [document.uri]})
        assert await editor.until(editor.messages) == ["Applied to 1 file."]
    assert document.text == FIXED and editor.said(types.WINDOW_SHOW_MESSAGE_REQUEST) == []


@pytest.mark.spec("L9")
async def test_auto_does_not_apply_a_partial_result_unasked(start: Start, broken: Path) -> None:
    broken.write_text(BROKEN + "int z = w;\n")
    with ModelServer(says(REPLY), says("I do not know.")) as server:
        editor = await start(broken.parent, settings=asks(server, apply="auto", maxRounds=2))
        editor.open(broken)
        await editor.command(START, {"uris": [broken.as_uri()]})
        [question] = await editor.until(lambda: editor.said(types.WINDOW_SHOW_MESSAGE_REQUEST))
    assert "partial result" in question.message and question.type is types.MessageType.Warning
    assert editor.edits == []


@pytest.mark.spec("L15")
async def test_stop_ends_one_run_or_all(start: Start, broken: Path) -> None:
    other = broken.with_name("b.c")
    other.write_text("int b;\n")
    editor = await start(broken.parent, settings={"check": "sleep 61"})
    assert await editor.command(STOP) == {"stopped": []}
    first = (await editor.command(START, {"uris": [broken.as_uri()]}))["runId"]
    second = (await editor.command(START, {"uris": [other.as_uri()]}))["runId"]
    with pytest.raises(JsonRpcException, match=f"by run {first}"):
        await editor.command(START, {"uris": [broken.as_uri()]})
    assert await editor.command(STOP, {"runId": "no such"}) == {"stopped": []}
    assert await editor.command(STOP, {"runId": first}) == {"stopped": [first]}
    assert await editor.command(STOP) == {"stopped": [second]}
    await editor.until(
        lambda: len(editor.progress()) == 2 and all(v[-1]["kind"] == "end" for v in editor.progress().values()), 2
    )
    assert editor.messages() == []


async def test_the_stop_of_server_made_progress(start: Start, broken: Path) -> None:
    editor = await start(broken.parent, settings={"check": "sleep 61"})
    await editor.command(START, {"uris": [broken.as_uri()]})
    [token] = await editor.until(editor.progress)
    editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    await editor.until(lambda: editor.progress()[token][-1]["kind"] == "end", 1)
    assert await editor.command(STOP) == {"stopped": []}


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"check": "true"}, "Nothing to fix: the check passes already."),
        ({"check": CHECK}, "no model is set"),
        ({"check": "gcc --version"}, "version"),
        ({"check": "/no/such/tool a.c"}, "tool"),
    ],
)
async def test_what_needs_no_decision_is_a_message(
    start: Start, broken: Path, settings: dict[str, str], says: str
) -> None:
    editor = await start(broken.parent, settings=settings)
    await editor.command(START, {"uris": [broken.as_uri()]})
    [message] = await editor.until(editor.messages)
    assert says in message and "Traceback" not in message


async def test_no_progress_for_a_client_that_shows_none(start: Start, broken: Path) -> None:
    editor = await start(broken.parent, settings={"check": "true"}, caps=capabilities(progress=False))
    await editor.command(START, {"uris": [broken.as_uri()]})
    await editor.until(editor.messages)
    assert editor.progress() == {}


@pytest.mark.spec("S1")
async def test_the_palettes_commands_are_there_for_other_editors(start: Start, broken: Path) -> None:
    """What they ask is a message with buttons; what they cannot ask, they say."""
    editor = await start(broken.parent, settings={"check": CHECK})
    facts = {"active": broken.as_uri()}
    await editor.command("compileLoop.server.command", {"command": "runCheck", "facts": facts})
    [said] = await editor.until(editor.messages)
    assert said.startswith(f"The check fails: {CHECK} (exit code 1), 1 error.")
    for name, words in (
        ("stop", "There is no run to stop."),
        ("continueRun", "There is no run to continue."),
        ("setApiKey", "Choose a model first"),
    ):
        seen = len(editor.messages())
        await editor.command("compileLoop.server.command", {"command": name, "facts": facts})
        await editor.until(lambda before=seen: len(editor.messages()) > before)
        assert words in editor.messages()[-1]
    with pytest.raises(JsonRpcException, match="no command 'dance'"):
        await editor.command("compileLoop.server.command", {"command": "dance"})
