"""Applying a result: never over what changed meanwhile, whole or not at all, and looked at afterwards (SPEC W3, Q17, Q18)."""
# ruff: noqa: ASYNC240 - tests may touch small files in place

from __future__ import annotations

import asyncio
import os
import re
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from tests.lsp.conftest import Start
from tests.lsp.editor import Document, Editor, capabilities
from tests.lsp.program import BROKEN, FIXED, REPLY, asks, block
from tests.support.model_server import ModelServer, says

RUNS = int(os.environ.get("COMPILE_LOOP_TEST_RUNS", "5"))
"""How many runs somebody types through."""


async def fixed(
    start: Start, broken: Path, *, opened: bool = True, reply: str = REPLY, **how: Any
) -> tuple[Editor, str]:
    """An editor with a green result that waits."""
    with ModelServer(says(reply)) as server:
        settings = asks(server, **how.pop("settings", {}))
        editor = await start(broken.parent, settings=settings, **how)
        if opened:
            editor.open(broken)
        result = await editor.run(broken)
    assert result["ending"] == "green", result["message"]
    return editor, result["runId"]


def document(editor: Editor, path: Path) -> Document:
    return editor.documents[path.as_uri()]


@pytest.mark.spec("W3")
async def test_text_that_the_user_typed_meanwhile_is_not_overwritten(start: Start, broken: Path) -> None:
    editor, run_id = await fixed(start, broken)
    editor.replace(document(editor, broken), "x + y", "x + 1")
    accepted = await editor.accept(run_id)
    assert not accepted["applied"] and accepted["conflicts"] == [broken.as_uri()]
    words = "a.c was changed in the same lines since the run read it (line 2). Nothing was applied."
    assert accepted["message"] == words
    theirs, ours = "    return x + 1;\n", "    return x + x;\n"
    assert accepted["places"] == [{"uri": broken.as_uri(), "start": 1, "end": 2, "ours": ours, "theirs": theirs}]
    assert editor.edits == [] and document(editor, broken).text == BROKEN.replace("x + y", "x + 1")
    editor.replace(document(editor, broken), "x + 1", "x + y")
    assert (await editor.accept(run_id))["applied"], "the text is again what the run read"
    assert document(editor, broken).text == FIXED


@pytest.mark.spec("W3")
async def test_a_closed_file_that_changed_on_disk_is_not_overwritten(start: Start, broken: Path) -> None:
    editor, run_id = await fixed(start, broken, opened=False)
    broken.write_text(BROKEN.replace("x + y", "x + z"))
    accepted = await editor.accept(run_id)
    assert not accepted["applied"] and "a.c was changed in the same lines" in accepted["message"]
    broken.unlink()
    accepted = await editor.accept(run_id)
    assert not accepted["applied"] and "a.c was deleted" in accepted["message"]
    broken.write_text(BROKEN)
    assert (await editor.accept(run_id))["applied"]
    assert document(editor, broken).text == FIXED


@pytest.mark.spec("W3")
@pytest.mark.parametrize("opened", [True, False])
async def test_typing_elsewhere_is_kept_and_verified_together_with_the_edit(
    start: Start, broken: Path, opened: bool
) -> None:
    editor, run_id = await fixed(start, broken, opened=opened)
    typed = BROKEN.replace("twice", "doubled") + "int unsaved;\n"
    if opened:
        editor.replace(document(editor, broken), BROKEN, typed)
    else:
        broken.write_text(typed)
    accepted = await editor.accept(run_id)
    assert accepted["applied"] and accepted["rebased"] == [broken.as_uri()] and accepted["differs"] == []
    assert "the check passes with both" in accepted["message"]
    assert document(editor, broken).text == typed.replace("x + y", "x + x")


@pytest.mark.spec("W3")
async def test_what_holds_alone_but_not_with_the_typing_is_not_applied(start: Start, broken: Path) -> None:
    editor, run_id = await fixed(start, broken)
    editor.replace(document(editor, broken), "twice(int x)", "twice(int z)")
    accepted = await editor.accept(run_id)
    assert not accepted["applied"] and accepted["conflicts"] == [broken.as_uri()] and editor.edits == []
    assert "the edit does not hold: a.c:2: " in accepted["message"] and "x" in accepted["message"]


@pytest.mark.spec("W3")
async def test_typing_at_random_during_runs_and_applies_loses_no_keystroke(start: Start, tmp_path: Path) -> None:
    """Keys are struck while runs go on, and before, while and after edits are sent: each is in the text in the end, and
    each edit is or is not."""
    random = Random(3)
    (tmp_path / "check.sh").write_text("! grep -l 'x + y' f*.c\n")
    paths = [tmp_path / f"f{k}.c" for k in range(5)]
    reply = "".join(block("    return x + y;", "    return x + x;", path.name) for path in paths)
    with ModelServer(says(reply)) as server:
        editor = await start(tmp_path, settings={**asks(server), "check": "sh check.sh", "maxRounds": 1})
        changed = sum([await typed_and_accepted(editor, paths, random) for _ in range(RUNS)])
    assert changed > RUNS * len(paths) / 2


async def typed_and_accepted(editor: Editor, paths: list[Path], random: Random) -> int:
    """One run over the files and an apply for each, with typing all the while; how many were applied."""
    for path in paths:
        path.write_text(f"// {path.stem} top\n\n{BROKEN}\n// {path.stem} end\n")
    opened = [editor.open(path) for path in paths]
    before = [document.text for document in opened]
    struck: list[list[int]] = [[] for _ in paths]

    def strike(k: int) -> None:
        key, old = sum(map(len, struck)), random.choice([" top", " end", "\n"])
        struck[k].append(key)
        editor.replace(opened[k], old, f" k{key}.{old}")

    def now_and_then(k: int, chance: float) -> None:
        while random.random() < chance:
            strike(k)

    asked = editor.send_run(None, *paths, spec="Add x to itself.")  # with a wish, nobody looks for a smaller edit
    strike(random.randrange(len(paths)))
    while not asked.done():
        now_and_then(random.randrange(len(paths)), 0.2)
        await asyncio.wait([asked], timeout=random.random() / 20)
    result = asked.result()
    assert result["ending"] == "green", result["message"]
    changed = 0
    for k, path in enumerate(paths):
        now_and_then(k, 0.2)
        editor.before_apply = partial(now_and_then, k, 0.2)
        editor.after_apply = partial(now_and_then, k, 0.05)
        accepting = asyncio.ensure_future(editor.accept(result["runId"], [path.as_uri()]))
        while not accepting.done():
            now_and_then(k, 0.1)
            await asyncio.wait([accepting], timeout=random.random() / 20)
        applied = accepting.result()["applied"]
        changed += applied
        text = opened[k].text
        assert sorted(int(key) for key in re.findall(r" k(\d+)\.", text)) == struck[k], "a keystroke is lost"
        wanted = before[k].replace("x + y", "x + x") if applied else before[k]
        assert re.sub(r" k\d+\.", "", text) == wanted, accepting.result()["message"]
    for document in opened:
        editor.close_document(document)
    return changed


@pytest.mark.spec("W3")
async def test_one_conflict_keeps_every_file_as_it_is(start: Start, broken: Path) -> None:
    other = broken.with_name("b.h")
    other.write_text("int halve(int x)\n")
    broken.write_text('#include "b.h"\n' + BROKEN)
    reply = block("    return x + y;", "    return x + x;", "a.c") + block(
        "int halve(int x)", "int halve(int x);", "b.h"
    )
    with ModelServer(says(reply)) as server:
        editor = await start(broken.parent, settings=asks(server))
        editor.open(broken)
        result = await editor.run(broken, other)
    other.write_text("int halve(long x)\n")
    accepted = await editor.accept(result["runId"])
    assert accepted["conflicts"] == [other.as_uri()] and editor.edits == []
    accepted = await editor.accept(result["runId"], [broken.as_uri()])
    assert accepted["applied"] and document(editor, broken).text == '#include "b.h"\n' + FIXED
    assert other.read_text() == "int halve(long x)\n"
    assert "applied before" in (await editor.accept(result["runId"]))["message"]


@pytest.mark.spec("W3")
async def test_a_keystroke_between_edit_and_application_is_noticed(start: Start, broken: Path) -> None:
    """The versions matched when the edit was sent; what the editor has in the end is something else."""
    editor, run_id = await fixed(start, broken)
    editor.after_apply = lambda: editor.replace(document(editor, broken), "twice", "twicex")
    accepted = await editor.accept(run_id)
    assert accepted["applied"] and accepted["differs"] == [broken.as_uri()]
    assert "a.c is not what was meant" in accepted["message"] and "undo" in accepted["message"]


@pytest.mark.spec("W3")
async def test_the_version_is_that_of_the_text_that_was_compared(start: Start, broken: Path) -> None:
    """A change that reaches the server after the comparison makes the editor refuse, by the version."""
    editor, run_id = await fixed(start, broken)
    versions: list[int] = []

    def type_once() -> None:
        if not versions:
            editor.replace(document(editor, broken), "twice", "doubled")
        versions.append(document(editor, broken).version)

    editor.before_apply = type_once
    accepted = await editor.accept(run_id)
    assert accepted["applied"] and accepted["rebased"] == [broken.as_uri()] and len(versions) == 2
    assert document(editor, broken).text == FIXED.replace("twice", "doubled")


@pytest.mark.parametrize("reason", ["", "read-only file"])
async def test_an_editor_that_refuses_is_quoted(start: Start, broken: Path, reason: str) -> None:
    editor, run_id = await fixed(start, broken)
    editor.refuse_edits = reason
    accepted = await editor.accept(run_id)
    assert not accepted["applied"] and accepted["conflicts"] == [] and reason in accepted["message"]
    editor.refuse_edits = None
    assert (await editor.accept(run_id))["applied"]


@pytest.mark.spec("W3")
async def test_an_editor_without_versions_gets_plain_changes(start: Start, broken: Path) -> None:
    editor, run_id = await fixed(start, broken, caps=capabilities(versions=False))
    assert (await editor.accept(run_id))["applied"]
    [edit] = editor.edits
    assert edit.document_changes is None and edit.changes is not None and edit.change_annotations is None
    assert document(editor, broken).text == FIXED


@pytest.mark.spec("W3")
async def test_a_closed_file_may_also_be_edited_on_disk(start: Start, broken: Path) -> None:
    editor, run_id = await fixed(start, broken, opened=False)
    editor.opens_closed_files = False
    accepted = await editor.accept(run_id)
    assert accepted["applied"] and accepted["differs"] == [] and broken.read_text() == FIXED


@pytest.mark.spec("Q17")
async def test_a_closed_file_in_another_encoding_is_not_garbled(start: Start, broken: Path) -> None:
    """An editor would open it as UTF-8 and lose its bytes; open with its encoding it can be edited."""
    text = "// ä\n" + BROKEN
    broken.write_bytes(text.encode("cp1252"))
    with ModelServer(says(REPLY)) as server:
        editor = await start(broken.parent, settings=asks(server))
        opened = editor.open(broken, text)
        result = await editor.run(broken, encodings={broken.as_uri(): "windows1252"})
    editor.close_document(opened)
    accepted = await editor.accept(result["runId"])
    assert not accepted["applied"] and "a.c is not in UTF-8 and not open" in accepted["message"]
    assert broken.read_bytes() == text.encode("cp1252")
    editor.open(broken, text)
    assert (await editor.accept(result["runId"]))["applied"]
    assert document(editor, broken).text == "// ä\n" + FIXED


@pytest.mark.spec("Q17")
async def test_mixed_line_ends_are_told_before_applying(start: Start, broken: Path) -> None:
    broken.write_bytes(BROKEN.replace("\n", "\r\n", 1).encode())
    with ModelServer(says(REPLY)) as server:
        editor = await start(broken.parent, settings=asks(server))
        opened = editor.open(broken, BROKEN.replace("\n", "\r\n"))
        result = await editor.run(broken)
    assert result["notes"] == ["a.c has mixed line ends; the editor makes them uniform when it saves."]
    assert (await editor.accept(result["runId"]))["applied"]
    assert opened.text == FIXED.replace("\n", "\r\n")


@pytest.mark.spec("E8")
async def test_a_byte_order_mark_and_carriage_returns_survive(start: Start, broken: Path) -> None:
    text = BROKEN.replace("\n", "\r\n")
    broken.write_bytes(b"\xef\xbb\xbf" + text.encode())
    editor, run_id = await fixed(start, broken, opened=False)
    editor.open(broken, text)
    assert (await editor.accept(run_id))["applied"]
    assert document(editor, broken).text == FIXED.replace("\n", "\r\n")


async def test_a_file_that_the_run_created(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text('#include "new.h"\nint four = FOUR;\n')
    reply = "<<< path=new.h >>>\n<<<<<<< SEARCH\n=======\n#define FOUR 4\n>>>>>>> REPLACE\n"
    new = tmp_path / "new.h"
    with ModelServer(says(reply)) as server:
        editor = await start(tmp_path, settings=asks(server, allowNewFiles=True))
        editor.open(path)
        result = await editor.run(path, new)
    assert result["ending"] == "green", [event["text"] for event in editor.events()]
    [file] = result["files"]
    assert (file["kind"], file["label"]) == ("create", "new.h")
    before = await editor.request("workspace/textDocumentContent", types.TextDocumentContentParams(file["beforeUri"]))
    assert before.text == ""
    new.write_text("mine\n")
    accepted = await editor.accept(result["runId"])
    assert "new.h is to be created, but exists by now" in accepted["message"] and new.read_text() == "mine\n"
    new.unlink()
    assert (await editor.accept(result["runId"]))["applied"]
    assert document(editor, new).text == "#define FOUR 4\n"


async def test_a_link_is_edited_where_the_editor_has_it_open(start: Start, tmp_path: Path) -> None:
    """The run works on the file behind the link; the edit goes to the document that is open."""
    real = tmp_path / "real"
    real.mkdir()
    (real / "a.c").write_text(BROKEN)
    link = tmp_path / "link"
    link.symlink_to(real)
    editor, run_id = await fixed(start, link / "a.c")
    assert (await editor.accept(run_id))["applied"]
    assert list(editor.documents) == [(link / "a.c").as_uri()] and document(editor, link / "a.c").text == FIXED


async def test_what_is_gone_or_empty_is_said(start: Start, broken: Path) -> None:
    editor, run_id = await fixed(start, broken)
    assert await editor.request("compileLoop/discard", {"runId": run_id}) == {"discarded": True}
    assert await editor.request("compileLoop/discard", {"runId": run_id}) == {"discarded": False}
    with pytest.raises(JsonRpcException, match="no such result any more"):
        await editor.accept(run_id)
    with pytest.raises(JsonRpcException, match="not there any more"):
        uri = f"compile-loop:/a.c?{run_id}/before"
        await editor.request("workspace/textDocumentContent", types.TextDocumentContentParams(uri))
    green = await editor.run(broken, check="true")
    with pytest.raises(JsonRpcException, match="changes nothing"):
        await editor.accept(green["runId"])
    with pytest.raises(JsonRpcException, match="is no document of Compile Loop"):
        await editor.request("workspace/textDocumentContent", types.TextDocumentContentParams("compile-loop:/x"))


async def test_only_files_of_the_result_can_be_asked_for(start: Start, broken: Path) -> None:
    editor, run_id = await fixed(start, broken)
    with pytest.raises(JsonRpcException, match="None of these files belongs"):
        await editor.accept(run_id, ["file:///etc/passwd"])


async def test_one_edit_is_in_flight_at_a_time(start: Start, broken: Path) -> None:
    """E04: two acceptances at once, and the second sees what the first left."""
    editor, run_id = await fixed(start, broken)
    first, second = await asyncio.gather(editor.accept(run_id), editor.accept(run_id))
    assert first["applied"] and not second["applied"] and len(editor.edits) == 1
