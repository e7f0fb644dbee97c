"""A run in an editor, end to end: a real server process, the real compiler, a model behind real HTTP."""
# ruff: noqa: ASYNC240 - tests may touch small files in place

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from tests.lsp.conftest import Start
from tests.lsp.editor import balanced, capabilities
from tests.lsp.program import BROKEN, CHECK, FIXED, REPLY, asks, block
from tests.support.model_server import ModelServer, Pause, says


@pytest.mark.spec("S1")
@pytest.mark.spec("W3")
@pytest.mark.spec("Q18")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_a_file_is_fixed_previewed_and_applied(start: Start, broken: Path, encoding: str) -> None:
    """The whole way, with an unsaved change that only the editor has, in every position encoding."""
    opening = "int twice(int x) { /* 😀é */ int unused = x;"
    reply = block(opening, opening.replace("unused = x", "unused = x, y = x"))
    with ModelServer(says(reply)) as server:
        editor = await start(broken.parent, settings=asks(server), caps=capabilities(encoding=encoding))
        assert editor.encoding == encoding
        document = editor.open(broken)
        editor.replace(document, "int twice(int x) {", opening)
        editor.replace(document, "return", "(void)unused; return")
        unsaved = document.text
        result = await editor.run(broken)
    assert (result["ending"], result["errorsBefore"], result["errorsAfter"], result["rounds"]) == ("green", 1, 0, 1)
    assert broken.read_text() == BROKEN and editor.edits == []
    [file] = result["files"]
    assert (file["label"], file["uri"], file["kind"]) == ("a.c", document.uri, "change")
    assert file["hunks"] == [{"beforeStart": 0, "beforeEnd": 1, "afterStart": 0, "afterEnd": 1}]

    before = await editor.request("workspace/textDocumentContent", types.TextDocumentContentParams(file["beforeUri"]))
    after = await editor.request("workspace/textDocumentContent", types.TextDocumentContentParams(file["afterUri"]))
    wanted = unsaved.replace("unused = x;", "unused = x, y = x;")
    assert (before.text, after.text) == (unsaved, wanted)

    accepted = await editor.accept(result["runId"])
    nothing: dict[str, list[str]] = {"conflicts": [], "differs": [], "left": [], "places": [], "rebased": []}
    assert accepted == {"applied": True, "message": "Applied to 1 file.", **nothing}
    assert document.text == wanted and broken.read_text() == BROKEN
    [edit] = editor.edits
    [operation] = edit.document_changes or []
    assert isinstance(operation, types.TextDocumentEdit)
    assert (operation.text_document.version, [e.new_text for e in operation.edits]) == (3, [", y = x"])


@pytest.mark.spec("D6")
async def test_a_flood_is_told_as_at_least_so_many(start: Start, broken: Path) -> None:
    flood = "seq 1 2500 | sed 's/.*/a.c:1:&: error: ‘v&’ undeclared/'; exit 1"
    check = f"grep -q 'x + x' a.c || {{ {flood}; }}"
    with ModelServer(says(REPLY)) as server:
        editor = await start(broken.parent, settings=asks(server, check=check))
        editor.open(broken)
        result = await editor.run(broken)
    assert result["errorsBefore"] == 1000 and result["message"].startswith(
        "Found a fix in 1 round: at least 1000 errors gone"
    )
    told = [event["text"] for event in editor.events("round_finished")]
    assert told == ["Round 1 of 5: at least 1000 → 0 errors"]


@pytest.mark.spec("W3")
async def test_several_files_come_back_as_one_edit(start: Start, broken: Path) -> None:
    """The second file is not open."""
    header = broken.with_name("a.h")
    header.write_text("int halve(int x)\n")
    broken.write_text('#include "a.h"\n' + BROKEN)
    reply = block("    return x + y;", "    return x + x;", "a.c") + block(
        "int halve(int x)", "int halve(int x);", "a.h"
    )
    with ModelServer(says(reply)) as server:
        editor = await start(broken.parent, settings=asks(server, suggestions=False))
        document = editor.open(broken)
        result = await editor.run(broken, header)
        assert [file["label"] for file in result["files"]] == ["a.c", "a.h"], result["message"]
        accepted = await editor.accept(result["runId"])
    assert accepted["applied"], accepted
    assert len(editor.edits) == 1
    versions = [o.text_document.version for o in editor.edits[0].document_changes or []]  # type: ignore[union-attr]
    assert versions == [1, None]
    assert document.text == '#include "a.h"\n' + FIXED
    assert editor.documents[header.as_uri()].text == "int halve(int x);\n"


@pytest.mark.spec("V4")
@pytest.mark.spec("L17")
async def test_what_a_run_does_is_told_as_it_does_it(start: Start, broken: Path) -> None:
    pieces = says(REPLY)
    slow = says(REPLY).__class__((*pieces.pieces[:2], Pause(0.3), *pieces.pieces[2:]))
    with ModelServer(slow) as server:
        editor = await start(broken.parent, settings=asks(server), options={"clientHandlesCommands": True})
        result = await editor.run(broken, token="mine")
    run_id = result["runId"]
    assert {event["runId"] for event in editor.events()} == {run_id}
    kinds = [event["kind"] for event in editor.events()]
    wanted = [
        "run_started",
        "check_finished",
        "round_started",
        "model_text",
        "model_replied",
        "edit_applied",
        "round_finished",
    ]
    positions = [kinds.index(kind) for kind in wanted]
    assert positions == sorted(positions) and kinds[-1] == "run_finished"
    assert "".join(event["text"] for event in editor.events("model_text")) == REPLY
    [finished] = editor.events("round_finished")
    assert (finished["round"], finished["of"], finished["errors"]) == (1, 5, 0) and finished["tokens"] > 0
    told = editor.said("compileLoop/status")
    assert told[0]["running"] == [run_id] and told[-1]["running"] == []
    assert any("Compile Loop: round 1 of 5" in status["text"] for status in told)

    assert list(editor.progress()) == ["mine"]
    values = editor.progress()["mine"]
    assert [value["kind"] for value in values].count("begin") == [value["kind"] for value in values].count("end") == 1
    assert values[0]["cancellable"] and values[0]["title"] == "Fixing a.c" and values[-1]["kind"] == "end"
    reports = [value["message"] for value in values[1:-1]]
    assert any(line.startswith("round 1 of 5 · 1 error · ") for line in reports), reports
    # when the note of how it ended has faded, the status item leads to the result that waits
    await editor.until(lambda: "result to review" in editor.said("compileLoop/status")[-1]["text"])
    assert editor.said("compileLoop/status")[-1]["command"] == "compileLoop.showResult"


@pytest.mark.spec("D5")
async def test_the_compilers_own_suggestion_needs_no_model(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "s.c"
    path.write_text("int main(void) {\n    return 0\n}\n")
    editor = await start(tmp_path, settings={"check": ""})
    editor.open(path)
    result = await editor.run(path)
    assert (result["ending"], result["spending"]["calls"], result["rounds"]) == ("green", 0, 0), result["message"]
    assert "the toolchain's own suggestions" in result["message"]
    assert (await editor.accept(result["runId"]))["applied"]
    assert editor.documents[path.as_uri()].text == "int main(void) {\n    return 0;\n}\n"


@pytest.mark.spec("W1")
async def test_the_check_sees_every_unsaved_buffer(start: Start, broken: Path) -> None:
    """E08: what is fixed in an editor's buffer, a header too, is fixed for the check; the disk stays as it is."""
    header = broken.with_name("a.h")
    header.write_text("int y\n")
    broken.write_text('#include "a.h"\n' + BROKEN)
    editor = await start(broken.parent, settings={"check": CHECK})
    editor.replace(editor.open(header), "int y", "extern int y;")
    result = await editor.run(broken)
    assert result["ending"] == "nothing_to_fix" and header.read_text() == "int y\n"


@pytest.mark.spec("Q4")
async def test_the_whole_workspace_is_fixed(start: Start, broken: Path) -> None:
    other = broken.with_name("b.c")
    other.write_text("int four(void) {\n    return w;\n}\n")
    reply = block("    return x + y;", "    return x + x;", "a.c") + block("    return w;", "    return 4;", "b.c")
    with ModelServer(says(reply)) as server:
        settings = asks(server, check="gcc -fsyntax-only a.c b.c")
        editor = await start(broken.parent, settings=settings)
        document = editor.open(broken)
        result = await editor.run(scope="workspace", token="mine")
        assert result["ending"] == "green", result["message"]
        assert [file["label"] for file in result["files"]] == ["a.c", "b.c"]
        assert (await editor.accept(result["runId"]))["applied"]
    assert document.text == FIXED and "return 4;" in editor.documents[other.as_uri()].text
    assert editor.progress()["mine"][0]["title"] == "Fixing the workspace"


@pytest.mark.spec("D1")
async def test_a_check_in_the_request_wins_over_the_setting(start: Start, broken: Path) -> None:
    editor = await start(broken.parent, settings={"check": CHECK})
    result = await editor.run(broken, check="true")
    assert result["ending"] == "nothing_to_fix" and result["files"] == []
    [started] = editor.events("run_started")
    assert "true" in started["text"]


@pytest.mark.spec("Q1")
async def test_a_diagnostic_that_the_check_does_not_show_is_said(start: Start, broken: Path) -> None:
    editor = await start(broken.parent, settings={"check": CHECK})
    editor.open(broken)
    other = {"uri": broken.as_uri(), "line": 0, "message": "no such thing", "source": "tsc"}
    result = await editor.run(broken, diagnostic=other)
    assert (result["ending"], result["failure"]) == ("failed", "configuration")
    assert "does not report “no such thing” in a.c" in result["message"] and "tsc" in result["message"]
    same = {
        "uri": broken.as_uri(),
        "line": 1,
        "message": "‘y’ undeclared (first use in this function)",
        "source": "gcc",
    }
    result = await editor.run(broken, diagnostic=same)
    assert "no model is set" in result["message"]


@pytest.mark.spec("L16")
async def test_what_was_reached_is_offered_when_the_rounds_run_out(start: Start, broken: Path) -> None:
    broken.write_text(BROKEN + "int z = w;\n")
    with ModelServer(says(REPLY), says("I do not know.")) as server:
        editor = await start(broken.parent, settings=asks(server, maxRounds=2))
        document = editor.open(broken)
        result = await editor.run(broken)
        assert (result["ending"], result["failure"]) == ("failed", "max_rounds")
        assert "A partial result is there (2 → 1 error)." in result["message"]
        assert editor.edits == []
        assert (await editor.accept(result["runId"]))["applied"]
    assert document.text == FIXED + "int z = w;\n"


# -- settings -------------------------------------------------------------------------------------------------------------


async def test_settings_are_asked_for_the_files_own_folder(start: Start, broken: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    editor = await start(other, broken.parent, settings={"check": "true", "maxRounds": "lots", "apiKey": "sk-1234"})
    result = await editor.run(broken)
    assert result["ending"] == "nothing_to_fix"
    [asked] = editor.said(types.WORKSPACE_CONFIGURATION)
    assert [(item.scope_uri, item.section) for item in asked.items] == [(broken.parent.as_uri(), "compileLoop")]
    logged = "\n".join(editor.logged())
    assert "compileLoop.maxRounds is not usable" in logged
    assert "a key is never a setting" in logged and "sk-1234" not in logged


async def test_a_client_that_cannot_be_asked_tells_its_settings(start: Start, broken: Path) -> None:
    caps = capabilities(configuration=False)
    editor = await start(broken.parent, caps=caps, options={"settings": {"check": "true"}})
    assert (await editor.run(broken))["ending"] == "nothing_to_fix"
    settings = {"compileLoop": {"check": "false"}}
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
    assert (await editor.run(broken))["ending"] == "failed"


# -- refusals -------------------------------------------------------------------------------------------------------------


async def refused(start: Start, folder: Path | None, uri: str, settings: object = None, **params: object) -> str:
    editor = await start(*([folder] if folder else []), settings=settings or {"check": "false"})
    with pytest.raises(JsonRpcException) as error:
        await editor.request("compileLoop/run", {"uris": [uri] if uri else [], **params})
    assert error.value.code == -32803 and error.value.data is None
    assert editor.edits == [] and editor.said(types.WINDOW_SHOW_MESSAGE) == []
    balanced(editor)
    return str(error.value.message)


async def test_a_binary_file_is_refused(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "a.o"
    path.write_bytes(bytes(range(256)) * 8)
    assert "binary" in await refused(start, tmp_path, path.as_uri())


@pytest.mark.spec("E8")
async def test_a_file_that_cannot_be_decoded_is_refused_by_name(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_bytes("// ä\nint x = y;\n".encode("cp1252"))
    message = await refused(start, tmp_path, path.as_uri())
    assert "a.c" in message and "encoding" in message


@pytest.mark.spec("E8")
@pytest.mark.spec("Q17")
async def test_the_editor_says_the_encoding(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    text = "// ä\r\nint twice(int x) {\r\n    return x + y;\r\n}\r\n"
    path.write_bytes(text.encode("cp1252"))
    with ModelServer(says(REPLY)) as server:
        editor = await start(tmp_path, settings=asks(server))
        document = editor.open(path, text)
        result = await editor.run(path, encodings={path.as_uri(): "windows1252"})
        assert result["ending"] == "green", result["message"]
        accepted = await editor.accept(result["runId"])
    assert accepted["applied"] and document.text == text.replace("x + y", "x + x")


async def test_a_deleted_file_is_refused(start: Start, broken: Path) -> None:
    uri = broken.as_uri()
    broken.unlink()
    assert "does not exist any more" in await refused(start, broken.parent, uri)


async def test_an_empty_workspace_is_refused(start: Start, tmp_path: Path) -> None:
    assert "No file was named" in await refused(start, tmp_path, "")
    (tmp_path / "empty").mkdir()
    assert "No check was found" in await refused(start, tmp_path / "empty", "", {"check": ""}, scope="workspace")
    assert "No folder is open" in await refused(start, None, "", scope="workspace")


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "vscode-vfs://github/o/r/a.c"])
async def test_virtual_documents_are_refused(start: Start, tmp_path: Path, uri: str) -> None:
    assert "cannot be fixed" in await refused(start, tmp_path, uri)


async def test_a_check_that_proves_nothing_is_refused(start: Start, broken: Path) -> None:
    message = await refused(start, broken.parent, broken.as_uri(), {"check": "gcc --version"})
    assert "version" in message


async def test_a_file_opened_without_a_folder_is_fixed_in_its_directory(start: Start, broken: Path) -> None:
    with ModelServer(says(REPLY)) as server:
        editor = await start(settings=asks(server))
        document = editor.open(broken)
        result = await editor.run(broken)
        assert result["ending"] == "green" and (await editor.accept(result["runId"]))["applied"]
    assert document.text == FIXED


@pytest.mark.spec("V8")
async def test_an_untrusted_workspace_runs_nothing_until_it_is_trusted(start: Start, broken: Path) -> None:
    editor = await start(broken.parent, settings={"check": "touch ran"}, options={"trusted": False})
    with pytest.raises(JsonRpcException, match="Restricted Mode") as error:
        await editor.run(broken)
    assert error.value.code == -32803
    editor.client.protocol.notify("compileLoop/trust", {"trusted": True})
    assert (await editor.run(broken))["ending"] == "nothing_to_fix"


async def test_no_model_and_a_wrong_address_are_sentences(start: Start, broken: Path) -> None:
    editor = await start(broken.parent, settings={"check": CHECK})
    result = await editor.run(broken)
    assert (result["failure"], "no model is set" in result["message"]) == ("configuration", True)
    editor.settings = {"check": CHECK, "model": "openai:test", "baseUrl": "http://127.0.0.1:9/v1", "deadlineSeconds": 4}
    result = await editor.run(broken)
    assert result["ending"] == "failed" and result["failure"] in ("model_unavailable", "deadline")
    assert len(result["message"]) > 20 and "Traceback" not in result["message"]
