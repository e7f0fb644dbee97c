"""`compileLoop/tool`: the call of an agent in the editor, behind the language-model tool of VS Code (SPEC P4)."""
# ruff: noqa: ASYNC240 - tests may touch small files in place

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.lsp.conftest import Start
from tests.lsp.editor import Editor
from tests.lsp.program import BROKEN, CHECK, FIXED, REPLY, asks
from tests.support.model_server import ModelServer, says

from compile_loop.agent_tool.asked import schema

ROOT = Path(__file__).resolve().parents[2]
OURS = {"clientHandlesCommands": True}


async def called(editor: Editor, **arguments: Any) -> Any:
    reply = await editor.raw("compileLoop/tool", {"arguments": arguments})
    return reply["result"]


@pytest.mark.spec("P4")
async def test_the_edit_comes_back_and_waits_for_the_user(start: Start, broken: Path) -> None:
    with ModelServer(says(REPLY)) as server:
        editor = await start(broken.parent, settings=asks(server, check="false"), options=OURS)
        document = editor.open(broken)
        editor.replace(document, "int twice", "int  twice")  # what is not saved counts
        answer = await called(editor, files=["a.c"], check=CHECK)
    assert answer["text"].startswith("Green: 1 → 0 errors, 1 round of a model.") and not answer["failed"]
    assert "-    return x + y;" in answer["text"] and "int  twice" in answer["text"]
    assert "What this does not prove: " in answer["text"] and "`apply: true`" in answer["text"]
    assert editor.edits == [] and broken.read_text() == BROKEN


@pytest.mark.spec("P4")
async def test_apply_lands_in_the_editor(start: Start, broken: Path) -> None:
    with ModelServer(says(REPLY)) as server:
        editor = await start(broken.parent, settings=asks(server), options=OURS)
        document = editor.open(broken)
        answer = await called(editor, files=[str(broken)], apply=True)
    assert "Applied to 1 file." in answer["text"]
    assert document.text == FIXED and broken.read_text() == BROKEN and len(editor.edits) == 1


@pytest.mark.spec("P4", "V8")
@pytest.mark.parametrize(
    ("options", "arguments", "sentence"),
    [
        ({}, {"files": ["../b.c"]}, "../b.c: not all in the workspace"),
        ({}, {"file": "a.c"}, "`file` is not known; the tool takes `files`"),
        ({}, {"files": ["no.c"], "check": CHECK}, "no.c"),
        ({"trusted": False}, {"files": ["a.c"]}, "Restricted Mode"),
        ({}, {"files": ["a.c"], "check": "no-such-compiler a.c"}, "no-such-compiler"),
    ],
)
async def test_what_stands_in_the_way_is_an_answer(
    start: Start, broken: Path, options: dict[str, bool], arguments: dict[str, Any], sentence: str
) -> None:
    editor = await start(broken.parent, options={**OURS, **options})
    answer = await called(editor, **arguments)
    assert answer["failed"] and sentence in answer["text"], answer


@pytest.mark.spec("P4")
def test_the_manifest_has_the_tools_own_schema() -> None:
    manifest = json.loads((ROOT / "package.json").read_text("utf-8"))
    (tool,) = manifest["contributes"]["languageModelTools"]
    assert tool["inputSchema"] == schema(checks_are_given=False)
    assert tool["toolReferenceName"] == "fixUntilItCompiles"
