"""Diagnostics in the editor's Problems (SPEC D3, D4), the lightbulb (V1) and answers during runs (S2, S3)."""
# ruff: noqa: ASYNC240 - tests may touch small files in place

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from tests.lsp.conftest import Start
from tests.lsp.editor import Editor, capabilities
from tests.lsp.program import CHECK, REPLY, asks
from tests.support.model_server import ModelServer, Pause, says

HOLD = "gcc -fsyntax-only a.c; echo done >&2; sleep 61"
"""A check that has said everything, and goes on."""


async def holding(editor: Editor, path: Path, **params: Any) -> asyncio.Future[Any]:
    """A run whose check has reported its error and still runs."""
    running = editor.send_run("r1", path, **params)
    await editor.until(lambda: editor.diagnostics(path))
    return running


async def stopped(editor: Editor, running: asyncio.Future[Any]) -> None:
    editor.cancel("r1")
    with pytest.raises(JsonRpcException):
        await running


@pytest.mark.spec("D4")
@pytest.mark.spec("D3")
@pytest.mark.parametrize(("encoding", "start_at"), [("utf-8", 32), ("utf-16", 27), ("utf-32", 25)])
async def test_diagnostics_come_while_the_check_runs(start: Start, broken: Path, encoding: str, start_at: int) -> None:
    """In the client's own units, with the tool's name and the run's id; a cancel takes them back."""
    broken.write_text("int twice(int x) {\n  /* é 😀😀 */  return x + y +\n  z; }\n")
    editor = await start(broken.parent, settings={"check": HOLD}, caps=capabilities(encoding=encoding))
    document = editor.open(broken)
    running = await holding(editor, broken)
    found, *_ = editor.diagnostics(broken)
    assert (found.range.start.line, found.range.start.character) == (1, start_at)
    assert (found.source, found.severity) == ("gcc", types.DiagnosticSeverity.Error)
    assert "undeclared" in found.message and "a.c:2:" in found.data["rendered"] and found.data["runId"]
    published = editor.said(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert {params.uri for params in published} == {document.uri} and published[0].version == 1
    begun = time.monotonic()
    await stopped(editor, running)
    await editor.until(lambda: not editor.diagnostics(broken), 1)
    assert time.monotonic() - begun < 1


@pytest.mark.spec("D4")
async def test_stale_diagnostics_are_taken_back(start: Start, broken: Path) -> None:
    """D03: on the next run, on closing, on deletion, on acceptance and on shutdown."""
    with ModelServer(says(REPLY)) as server:
        editor = await start(broken.parent, settings={"check": CHECK})

        async def failed() -> None:
            await editor.run(broken)
            await editor.until(lambda: editor.diagnostics(broken))

        async def cleared() -> None:
            await editor.until(lambda: not editor.diagnostics(broken))

        document = editor.open(broken)
        await failed()
        await editor.run(broken, check="true")
        await cleared()

        await failed()
        editor.close_document(document)
        await cleared()

        await failed()
        deleted = types.FileEvent(broken.as_uri(), types.FileChangeType.Deleted)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([deleted]))
        await cleared()

        await failed()
        editor.settings = asks(server)
        result = await editor.run(broken)
        await editor.until(lambda: editor.diagnostics(broken))
        assert (await editor.accept(result["runId"]))["applied"]
        await cleared()

        broken.write_text(broken.read_text() + "int z = w;\n")
        editor.settings = {"check": CHECK}
        editor.close_document(editor.documents[broken.as_uri()])
        await failed()
        await editor.client.shutdown_async(None)
        await cleared()
        editor.client.exit(None)
        await editor.process.wait()


@pytest.mark.spec("D4")
async def test_files_outside_the_folder_are_not_touched(start: Start, broken: Path) -> None:
    outside = broken.parent.parent / "outside.h"
    outside.write_text("int bad = nope;\n")
    broken.write_text('#include "outside.h"\nint x = y;\nint z = w;\n')
    editor = await start(broken.parent, settings={"check": HOLD.replace("gcc", f"gcc '-I{outside.parent}'")})
    running = await holding(editor, broken)
    uris = {params.uri for params in editor.said(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)}
    assert uris == {broken.as_uri()}
    assert any("nope" in event["text"] for event in editor.events("diagnostic_found"))
    await stopped(editor, running)


async def test_deleted_files_are_watched_and_documents_served(start: Start, broken: Path) -> None:
    """Registered dynamically, since neither can be said in the capabilities."""
    editor = await start(broken.parent)
    [asked] = await editor.until(lambda: editor.said(types.CLIENT_REGISTER_CAPABILITY))
    options = {r.method: r.register_options for r in asked.registrations}
    assert options["workspace/textDocumentContent"]["schemes"] == ["compile-loop"]
    assert options["workspace/didChangeWatchedFiles"]["watchers"] == [{"globPattern": "**/*", "kind": 4}]


# -- the lightbulb --------------------------------------------------------------------------------------------------------


def lightbulb(path: Path, *found: dict[str, Any], only: list[str] | None = None) -> dict[str, Any]:
    where = {"start": {"line": 1, "character": 4}, "end": {"line": 1, "character": 4}}
    context = {"diagnostics": list(found), **({"only": only} if only is not None else {})}
    return {"textDocument": {"uri": path.as_uri()}, "range": where, "context": context}


def problem(severity: int | None = 1) -> dict[str, Any]:
    where = {"start": {"line": 1, "character": 4}, "end": {"line": 1, "character": 5}}
    found = {"range": where, "message": "no y", "source": "rustc", "code": "E0425"}
    return found if severity is None else {**found, "severity": severity}


async def offered(editor: Editor, params: dict[str, Any]) -> list[dict[str, Any]]:
    reply = await editor.raw(types.TEXT_DOCUMENT_CODE_ACTION, params)
    actions: list[dict[str, Any]] = reply["result"]
    return actions


@pytest.mark.spec("V1")
async def test_any_error_offers_a_fix_of_the_file_and_of_the_project(start: Start, broken: Path) -> None:
    editor = await start(broken.parent, options={"clientHandlesCommands": True})
    assert not editor.initialized.capabilities.execute_command_provider.commands  # type: ignore[union-attr]
    file, project = await offered(editor, lightbulb(broken, problem()))
    ref = {"uri": broken.as_uri(), "line": 1, "message": "no y", "source": "rustc", "code": "E0425"}
    assert file == {
        "title": "Fix until it compiles",
        "kind": "quickfix.compileLoop",
        "diagnostics": [problem()],
        "command": {"title": file["title"], "command": "compileLoop.fix", "arguments": [broken.as_uri(), ref]},
    }
    assert (project["title"], project["kind"]) == ("Fix the whole project until it compiles", "quickfix.compileLoop")
    assert (project["command"]["command"], project["command"]["arguments"]) == (
        "compileLoop.fixWorkspace",
        [broken.as_uri(), None],
    )


@pytest.mark.spec("V1")
async def test_the_fix_is_offered_to_who_asks_where_no_error_is_known(start: Start, broken: Path) -> None:
    """There may be nothing else that finds errors; a lightbulb that shows by itself stays dark."""
    editor = await start(broken.parent)
    params = lightbulb(broken)
    file, project = await offered(editor, params)
    assert "diagnostics" not in file and "diagnostic" not in file["command"]["arguments"][0]
    assert project["command"]["arguments"][0]["scope"] == "workspace"
    params["context"]["triggerKind"] = 2
    assert await offered(editor, params) == []
    ours = await start(broken.parent, options={"clientHandlesCommands": True})
    assert [a["command"]["arguments"] for a in await offered(ours, lightbulb(broken))] == [[broken.as_uri(), None]] * 2
    assert await offered(ours, params) == []


@pytest.mark.spec("V1")
@pytest.mark.parametrize("name", ["", "neovim", "emacs"])
async def test_other_editors_get_the_servers_own_command(start: Start, broken: Path, name: str) -> None:
    """The commands that the lightbulb names run as they are."""
    editor = await start(broken.parent, settings={"check": "true"}, caps=capabilities(name))
    for action in await offered(editor, lightbulb(broken, problem(None))):
        command = action["command"]
        assert command["command"] == "compileLoop.server.startRun"
        assert command["command"] in editor.initialized.capabilities.execute_command_provider.commands  # type: ignore[union-attr]
        seen = len(editor.messages())
        params = types.ExecuteCommandParams(command["command"], arguments=command["arguments"])
        assert (await editor.request(types.WORKSPACE_EXECUTE_COMMAND, params))["runId"]
        await editor.until(lambda seen=seen: len(editor.messages()) > seen)  # type: ignore[misc]
    said, nothing = editor.messages()
    assert "The check (true) does not report “no y” in a.c" in said
    assert nothing == "Nothing to fix: the check passes already."


@pytest.mark.spec("V1")
async def test_an_editor_without_literals_gets_commands(start: Start, broken: Path) -> None:
    editor = await start(broken.parent, caps=types.ClientCapabilities())
    actions = await offered(editor, lightbulb(broken, problem()))
    assert [action["command"] for action in actions] == ["compileLoop.server.startRun"] * 2


@pytest.mark.spec("V1")
async def test_nothing_is_offered_for_warnings_or_on_save(start: Start, broken: Path) -> None:
    editor = await start(broken.parent)
    assert await offered(editor, lightbulb(broken, problem(2))) == []
    assert await offered(editor, lightbulb(broken, problem(), only=["source.fixAll"])) == []


# -- answers --------------------------------------------------------------------------------------------------------------


@pytest.mark.spec("S2")
@pytest.mark.parametrize(
    ("method", "params", "named"),
    [
        ("compileLoop/run", {"uris": "a.c"}, "uris"),
        ("compileLoop/run", {"uris": [], "scope": "planet"}, "scope"),
        ("compileLoop/run", {"diagnostic": {"uri": "x", "line": -1}}, "diagnostic.line"),
        ("compileLoop/run", {"urls": []}, "urls"),
        ("compileLoop/run", [1], "params"),
        ("compileLoop/accept", None, "runId"),
        ("compileLoop/discard", {"runId": 5, "jsonrpc": "2.0"}, "runId"),
        ("workspace/executeCommand", {"command": "compileLoop.server.stop", "arguments": [{"runId": 5}]}, "runId"),
        ("workspace/executeCommand", {"command": "compileLoop.server.startRun", "arguments": ["a.c"]}, "params"),
        ("workspace/executeCommand", {"command": "no.such"}, "command"),
        ("textDocument/codeAction", {"textDocument": {}}, "textDocument.uri"),
        ("workspace/textDocumentContent", {}, "uri"),
    ],
)
async def test_bad_parameters_are_answered_with_the_field(
    start: Start, broken: Path, method: str, params: Any, named: str
) -> None:
    editor = await start(broken.parent)
    reply = await editor.raw(method, params)
    assert reply["error"]["code"] == -32602 and named in reply["error"]["message"]
    assert "Traceback" not in str(reply)


@pytest.mark.spec("S2")
async def test_a_fault_of_ours_is_a_sentence_without_a_traceback(start: Start, broken: Path) -> None:
    """The client answers nonsense where the server asked for settings; a run goes on with the defaults."""
    editor = await start(broken.parent)
    editor.settings = "nonsense"
    result = await editor.run(broken, check="true")
    assert result["ending"] == "nothing_to_fix"
    assert any("the settings are no object" in line for line in editor.logged())


@pytest.mark.spec("S3")
async def test_every_answer_comes_within_a_tenth_of_a_second_during_a_run(start: Start, broken: Path) -> None:
    """Also while the check floods the reader with errors, and while the model streams."""
    flood = 'for i in $(seq 3000); do echo "a.c:$i:1: error: number $i" >&2; done; exit 1'
    reply = says("".join(f"word {i} " for i in range(3000)) + REPLY, split=64)
    with ModelServer(reply) as server:
        editor = await start(broken.parent, settings=asks(server, check=flood, maxRounds=1))
        editor.open(broken)
        await offered(editor, lightbulb(broken, problem()))
        running = editor.send_run("r1", broken)
        waits = []
        while not running.done():
            begun = time.monotonic()
            await offered(editor, lightbulb(broken, problem()))
            waits.append(time.monotonic() - begun)
            await asyncio.sleep(0.01)
        result = await running
    assert result["ending"] == "failed" and result["rounds"] == 1, result["message"]
    assert len(waits) > 10
    # The middle one, since other work of the machine may hold up any single answer; the benchmark has the rest.
    assert sorted(waits)[len(waits) // 2] < 0.1, sorted(waits)[-5:]


@pytest.mark.spec("S3")
async def test_a_slow_model_does_not_hold_up_other_runs(start: Start, broken: Path) -> None:
    reply = says(REPLY)
    slow = reply.__class__((*reply.pieces[:2], Pause(60)))
    other = broken.with_name("b.c")
    other.write_text("int b;\n")
    with ModelServer(slow) as server:
        editor = await start(broken.parent, settings=asks(server))
        running = editor.send_run("r1", broken)
        await editor.until(lambda: editor.events("model_text"))
        begun = time.monotonic()
        assert (await editor.run(other, check="true"))["ending"] == "nothing_to_fix"
        assert time.monotonic() - begun < 5
        await stopped(editor, running)
