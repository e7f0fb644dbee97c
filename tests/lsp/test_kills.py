"""kill −9 of the language server at any moment of a run, or of what is done with its result (SPEC W4).

A quick sample here; `npm run test:kills` for the whole.
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.loop.running import snapshot, workspace
from tests.lsp.conftest import Start
from tests.lsp.editor import Document, Editor
from tests.lsp.person import Person
from tests.lsp.program import asks
from tests.support.killing import BROKEN, CHECK, FIRST, KILLS, OTHER, SECOND, left_behind
from tests.support.model_server import Answer, ModelServer, Request, says

TRIES = KILLS or 8
UNSAVED = BROKEN + "\n\nint unsaved;\n"
TYPED = UNSAVED.replace("int unsaved;", "int typed_meanwhile;")
DONE = {text: text.replace("1 }", "1; }").replace("2 }", "2; }") for text in (UNSAVED, TYPED)}


def reply(request: Request) -> Answer:
    """The first reply mends one function, the others the rest: also when a run is taken up in the middle."""
    earlier = [message for message in request.json["messages"] if message["role"] == "assistant"]
    return says(SECOND if earlier else FIRST)


@dataclass
class Session:
    """One editor with a server that is killed: the user's unsaved text, and what becomes of it."""

    person: Person
    root: Path
    reached: int = 0
    """Messages that the server has sent since the run was asked for."""
    texts: set[str] = field(default_factory=lambda: {UNSAVED})
    """What the unsaved text may be if the server dies now."""

    @property
    def editor(self) -> Editor:
        return self.person.editor

    async def work(self, a: Document) -> None:
        """A run, some typing in other lines, so that the result is verified again, and the result applied."""
        result = await self.editor.run(self.root / "a.c", self.root / "b.c", spec="Make it compile.")
        assert result["ending"] == "green", result["message"]
        self.texts.add(TYPED)
        self.editor.replace(a, UNSAVED, TYPED)
        self.texts.remove(UNSAVED)
        self.texts.add(DONE[TYPED])
        accepted = await self.editor.accept(result["runId"])
        assert accepted["applied"] and accepted["rebased"], accepted["message"]
        self.texts.remove(TYPED)

    def at_each_message(self, call: Callable[[int], None]) -> None:
        protocol = self.editor.client.protocol
        usual = protocol.structure_message

        def counted(data: dict[str, Any]) -> Any:
            if "jsonrpc" in data:  # a whole message, not a part of one
                self.reached += 1
                call(self.reached)
            return usual(data)

        protocol.structure_message = counted  # type: ignore[method-assign]

    async def killed(self, at: int, later: float) -> bool:
        """Work until the server is killed, `later` seconds after its message number `at`; whether it was in the middle."""
        a, b = self.editor.open(self.root / "a.c", UNSAVED), self.editor.open(self.root / "b.c")
        loop, process = asyncio.get_running_loop(), self.editor.process
        self.at_each_message(lambda number: loop.call_later(later, _kill, process) if number == at else None)
        working, dead = asyncio.ensure_future(self.work(a)), asyncio.ensure_future(process.wait())
        await asyncio.wait([working, dead], return_when=asyncio.FIRST_COMPLETED)
        whole = working.done()
        if whole:
            working.result()
            _kill(process)
        assert await asyncio.wait_for(dead, 20) == -9
        working.cancel()
        assert a.text in self.texts and (b.text == OTHER) == (a.text not in DONE.values()), (a.text, b.text)
        return not whole


def _kill(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "scratch").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    return workspace(tmp_path / "ws", a_c=BROKEN, b_c=OTHER)


async def taken_up(person: Person, root: Path, chance: random.Random) -> str:
    """What the new server offers of the run of the killed one: to resume it, or to drop it."""
    nodes = (await person.editor.request("compileLoop/tree", {}))["nodes"]
    if not nodes:
        return "nothing recorded yet"
    [run] = nodes
    if run["context"] == "run.finished":
        said = "was over"
    elif chance.random() < 0.5:
        assert run["context"] == "run.resumable", run
        a, b = person.editor.open(root / "a.c", UNSAVED), person.editor.open(root / "b.c")
        await person.gives("resumeRun", run["id"])
        await person.hears("Apply 2 files?")
        person.editor.close_document(a)
        person.editor.close_document(b)
        said = "resumed"
    else:
        said = "dropped"
    for each in (await person.editor.request("compileLoop/tree", {}))["nodes"]:
        person.answers("message", "Delete the record", {"choice": "Delete"})
        await person.gives("deleteRun", each["id"])
    await person.editor.until(lambda: not list((root.parent / "state/compile-loop/runs").glob("*/")))
    assert (await person.editor.request("compileLoop/tree", {}))["nodes"] == []
    return said


@pytest.mark.spec("W4")
@pytest.mark.timeout(60 + 10 * TRIES)
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
async def test_a_server_killed_at_any_moment(start: Start, root: Path) -> None:
    before, scratch = snapshot(root), root.parent / "scratch"
    chance, figures, points, dead = random.Random(TRIES), Counter[str](), 0, 0
    with ModelServer(reply) as model:
        for number in range(TRIES + 1):
            isolation = chance.choice(["auto", "copy"])
            settings = asks(model, check=CHECK, suggestions=False, isolation=isolation)
            person = Person(await start(root, settings=settings, options={"clientHandlesCommands": True}))
            if number:
                await person.editor.until(lambda: left_behind(scratch, dead) == [])  # noqa: B023
                figures[await taken_up(person, root, chance)] += 1
            session, dead = Session(person, root), person.editor.process.pid
            at, later = (chance.randint(1, points), chance.choice([0, chance.uniform(0, 0.2)])) if number else (-1, 0)
            figures["in the middle" if await session.killed(at, later) else "at the end"] += 1
            points = points or session.reached
            assert snapshot(root) == before, "the user's files on the disk are not as they were"
        last = await start(root)
        await last.until(lambda: left_behind(scratch, dead) == [])
    assert points > 40
    print(f"\n{TRIES} kills at {points} messages: " + ", ".join(f"{count} {what}" for what, count in figures.items()))
