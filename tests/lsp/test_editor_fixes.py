"""Quick fixes of the editor's other extensions, over a real server; the test's editor answers (SPEC D5)."""

# ruff: noqa: ASYNC240 - tests may touch small files in place

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from tests.lsp.conftest import Start
from tests.lsp.person import Person
from tests.lsp.program import BROKEN, REPLY, asks
from tests.support.model_server import ModelServer, says

OPTIONS = {"clientHandlesCommands": True}


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def at(start: Start, folder: Path, settings: dict[str, Any]) -> Person:
    return Person(await start(folder, settings=settings, options=OPTIONS))


@pytest.mark.spec("D5")
async def test_fixes_of_the_editors_extensions_are_tried_before_a_model(start: Start, broken: Path) -> None:
    """Not a harmful one, none of other files, none about a text that the run has changed since; the check decides."""
    other = broken.with_name("b.c")
    other.write_text("int zero(void) { return 0; }\n")
    broken.write_text(BROKEN + "int more(int x) {\n    return z;\n}\n")
    offers = {
        1: [
            offer("Ignore it here", broken, (1, 11), (1, 16), "x /* NOLINT */"),
            offer("Make it x + x", broken, (1, 15), (1, 16), "x"),
        ],
        4: [
            offer("Write it elsewhere", other, (0, 0), (0, 0), "int z;\n"),
            offer("Drop it", broken, (4, 11), (4, 12), "0", preferred=True),
        ],
    }
    with ModelServer(says("I have no idea.")) as server:
        person = await at(start, broken.parent, asks(server, check="gcc -fsyntax-only a.c"))
        person.fixes = lambda place: offers.get(place["range"]["start"]["line"], [])
        person.editor.open(broken)
        await person.gives("fix", active=broken.as_uri())
        shown = await person.hears("Apply 1 file?")
        assert not server.requests, "a model was asked"
    assert "an extension of the editor offered the fix" in shown["text"]
    (diff,) = [question for question in person.questions("diff") if question["files"]]
    content = await person.editor.request(
        "workspace/textDocumentContent", types.TextDocumentContentParams(diff["files"][0]["right"])
    )
    assert content.text == BROKEN.replace("x + y", "x + x") + "int more(int x) {\n    return 0;\n}\n"
    (asked,) = person.questions("quickFixes")
    assert [place["range"]["start"] for place in asked["places"]] == [
        {"line": 1, "character": 15},
        {"line": 4, "character": 11},
    ]


@pytest.mark.spec("D5")
@pytest.mark.parametrize(
    "what", ["harmful", "a choice", "wrong", "outside", "unreadable", "not open", "typed", "binary"]
)
async def test_a_fix_that_is_not_to_be_tried_or_does_not_help_leaves_it_to_the_model(
    what: str, start: Start, broken: Path
) -> None:
    at_y = (1, 15), (1, 16)
    offers: dict[str, Any] = {
        "harmful": [offer("Ignore it", broken, *at_y, "x // NOLINT")],
        "a choice": [offer("Make it 1", broken, *at_y, "1"), offer("Make it 2", broken, *at_y, "2")],
        "wrong": [offer("Make it w", broken, *at_y, "w")],
        "outside": [offer("Write it there", broken.parent.parent / "c.c", (0, 0), (0, 0), "int y;")],
        "unreadable": [{"title": 1}],
        "binary": [offer("Make it x", broken, *at_y, "x /* \0 */")],
    }
    with ModelServer(says(REPLY)) as server:
        person = await at(start, broken.parent, asks(server))
        document = person.editor.open(broken) if what != "not open" else None

        def answer(_place: dict[str, Any]) -> Any:
            if what == "typed":
                assert document is not None
                person.editor.replace(document, "int twice", "\nint twice")
            return offers.get(what, [offer("Make it 1", broken, *at_y, "1")])

        person.fixes = answer
        await person.gives("fix", active=broken.as_uri())
        await person.hears("Apply 1 file?")
        assert len(server.requests) == 1
    assert bool(person.questions("quickFixes")) == (what != "not open")


def offer(
    title: str, path: Path, start: tuple[int, int], end: tuple[int, int], text: str, *, preferred: bool = False
) -> dict[str, Any]:
    """A quick fix as the client tells it."""
    places = {name: {"line": line, "character": at} for name, (line, at) in (("start", start), ("end", end))}
    return {
        "title": title,
        "preferred": preferred,
        "edits": [{"uri": path.as_uri(), "range": places, "text": text}],
    }
