"""Models of the editor: asked over the real protocol, in pieces, cancelled there, refusals worded (SPEC M1, L15, V7)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.lsp.conftest import Start
from tests.lsp.person import Person
from tests.lsp.person import _plain as plain
from tests.lsp.program import BROKEN, CHECK, FIXED, REPLY
from tests.support.model_server import ModelServer, says

from compile_loop.assemble import answers_file
from compile_loop.models.choice import Choice, Memory, remember

SETTINGS = {"model": "vscode:lent-1", "check": CHECK, "suggestions": False, "apply": "auto"}
LENT = {"id": "lent-1", "name": "Lent 1", "vendor": "lender"}
Lend = Callable[[dict[str, Any], Callable[[dict[str, Any]], None]], Any]


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def lending(start: Start, folder: Path, reply: Lend, **settings: Any) -> Person:
    """A person whose editor offers one model, which replies by this."""
    person = Person(await start(folder, options={"clientHandlesCommands": True}, settings={**SETTINGS, **settings}))
    protocol = person.editor.client.protocol

    async def ask(params: Any) -> Any:
        asked = plain(params)
        person.asked.append(("askModel", asked))

        def send(part: dict[str, Any]) -> None:
            protocol.notify("compileLoop/modelPiece", {"key": asked["key"], "part": part})

        return await reply(asked, send)

    protocol.fm.features["compileLoop/languageModels"] = lambda _params: {"models": [LENT]}
    protocol.fm.features["compileLoop/askModel"] = ask
    return person


@pytest.mark.spec("M1")
async def test_a_reply_comes_in_pieces_and_needs_no_key(start: Start, broken: Path) -> None:
    async def reply(asked: dict[str, Any], send: Callable[[dict[str, Any]], None]) -> Any:
        assert asked["model"] == "lent-1"
        for at in range(0, len(REPLY), 7):
            send({"text": REPLY[at : at + 7]})
        return {}

    person = await lending(start, broken.parent, reply)
    document = person.editor.open(broken)
    await person.gives("fix", active=document.uri)
    await person.hears("Applied to 1 file.")
    assert document.text == FIXED
    (asked,) = person.questions("askModel")
    assert {tool["name"] for tool in asked["tools"]} >= {"read_file", "apply_search_replace"}
    assert all(tool["inputSchema"]["type"] == "object" for tool in asked["tools"])
    assert [message["role"] for message in asked["messages"]] == ["user"]


@pytest.mark.spec("M1")
async def test_calls_and_their_results(start: Start, broken: Path) -> None:
    async def reply(asked: dict[str, Any], send: Callable[[dict[str, Any]], None]) -> Any:
        turn = len(asked["messages"]) // 2
        if turn == 0:
            send({"text": "I look."})
            send({"callId": "k1", "name": "read_file", "input": {"path": "a.c"}})
        else:
            send({"text": REPLY})
        return {}

    person = await lending(start, broken.parent, reply)
    document = person.editor.open(broken)
    await person.gives("fix", active=document.uri)
    await person.hears("Applied to 1 file.")
    second = person.questions("askModel")[1]["messages"]
    assert second[1]["parts"] == [
        {"text": "I look."},
        {"callId": "k1", "name": "read_file", "input": {"path": "a.c"}},
    ]
    result = second[2]["parts"][0]
    assert result["callId"] == "k1" and BROKEN.splitlines()[0] in result["text"]


@pytest.mark.spec("L15")
async def test_stop_cancels_the_request_in_the_editor(start: Start, broken: Path) -> None:
    waiting, cancelled = asyncio.Event(), asyncio.Event()

    async def reply(_asked: dict[str, Any], send: Callable[[dict[str, Any]], None]) -> Any:
        send({"text": "Let me think"})
        waiting.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    person = await lending(start, broken.parent, reply)
    document = person.editor.open(broken)
    await person.gives("fix", active=document.uri)
    await asyncio.wait_for(waiting.wait(), 60)
    await person.gives("stop")
    await asyncio.wait_for(cancelled.wait(), 60)
    assert document.text == BROKEN


@pytest.mark.spec("V7")
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"code": "Blocked", "message": "quota"}, "is blocked (its quota is used up, or it was refused)"),
        ({"code": "NotFound", "message": ""}, "VS Code offers no model lent-1 any more. Choose another."),
        (
            {"code": "", "message": "Message exceeds token limit."},
            "too long for lent-1 (Message exceeds token limit). Choose fewer files",
        ),
    ],
)
async def test_why_there_is_no_reply_is_said(start: Start, broken: Path, answer: Any, said: str) -> None:
    async def reply(_asked: dict[str, Any], _send: Callable[[dict[str, Any]], None]) -> Any:
        return answer

    person = await lending(start, broken.parent, reply)
    document = person.editor.open(broken)
    await person.gives("fix", active=document.uri)
    await person.hears(said)
    assert document.text == BROKEN


@pytest.mark.spec("M1")
async def test_choose_model_offers_them(start: Start, broken: Path) -> None:
    async def reply(_asked: dict[str, Any], _send: Callable[[dict[str, Any]], None]) -> Any:
        return {}

    person = await lending(start, broken.parent, reply, model="")
    person.answers("pick", "Lent 1", {"ids": ["lent lent-1"]})
    await person.gives("chooseModel")
    await person.hears("Fixes are asked of vscode:lent-1 from now on.")
    assert ("configure", {"name": "model", "value": "vscode:lent-1"}) in person.asked


@pytest.mark.spec("M1")
async def test_a_model_agreed_to_on_the_command_line_is_asked_where_none_is_set(start: Start, broken: Path) -> None:
    with ModelServer(says(REPLY)) as server:
        remember(answers_file(), Memory(Choice("openai:agreed", "you agreed to it", server.base_url)))
        person = Person(
            await start(
                broken.parent, options={"clientHandlesCommands": True}, settings={"check": CHECK, "apply": "auto"}
            )
        )
        document = person.editor.open(broken)
        await person.gives("fix", active=document.uri)
        await person.hears("Applied to 1 file.")
        assert server.requests[0].json["model"] == "agreed"
    assert "openai:agreed (you agreed to it)" in "\n".join(person.editor.logged())


@pytest.mark.spec("M1")
async def test_without_a_model_the_log_says_what_one_would_have_been_asked(start: Start, broken: Path) -> None:
    person = Person(
        await start(broken.parent, options={"clientHandlesCommands": True}, settings={"check": CHECK, "model": "none"})
    )
    document = person.editor.open(broken)
    await person.gives("fix", active=document.uri)
    await person.hears("no model is set. “Compile Loop: Choose Model…” sets one.")
    assert "One would have been asked:" in "\n".join(person.editor.logged()) and "return x + y;" in "\n".join(
        person.editor.logged()
    )
