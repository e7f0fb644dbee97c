"""Listeners of a run: told of everything, able to harm nothing (SPEC L17)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.loop.running import block, workspace

from compile_loop.assemble import Job, start
from compile_loop.contracts.events import Event, RoundFinished, RunFinished, TargetsChosen, Warned
from compile_loop.contracts.outcome import Ending
from compile_loop.engine.handle import Listener, Run
from compile_loop.models.scripted import ScriptedGenerator
from compile_loop.settings import Settings

BROKEN = "int one(void) { return 1 }\nint two(void) { return 2 }\n"
FIRST = block("int one(void) { return 1 }\n", "int one(void) { return 1; }\n")
SECOND = block("int two(void) { return 2 }\n", "int two(void) { return 2; }\n")


def listened(root: Path, *listeners: Listener) -> Run:
    settings = Settings(suggestions=False)
    job = Job(
        root, (root / "a.c",), settings, checks=("gcc -fsyntax-only a.c",), generator=ScriptedGenerator([FIRST, SECOND])
    )
    made = start(job)
    return Run(made._request, made._parts, listeners=listeners)


@pytest.mark.spec("L17")
async def test_every_event_reaches_each_listener_before_it_is_yielded(tmp_path: Path) -> None:
    heard: list[Event] = []
    also: list[Event] = []
    yielded: list[Event] = []
    async for event in listened(workspace(tmp_path, a_c=BROKEN), heard.append, also.append):
        yielded.append(event)
        assert heard[len(yielded) - 1] is event
    assert heard == also == yielded
    assert isinstance(yielded[-1], RunFinished)


@pytest.mark.spec("L17")
async def test_a_listener_that_raises_is_dropped_with_one_warning_and_the_run_goes_on(tmp_path: Path) -> None:
    calls: list[Event] = []
    heard: list[Event] = []

    def broken(event: Event) -> None:
        calls.append(event)
        if len(calls) == 3:
            raise OSError("the disk is full")

    events = [event async for event in listened(workspace(tmp_path, a_c=BROKEN), broken, heard.append)]
    last = events[-1]
    assert isinstance(last, RunFinished) and last.outcome.ending is Ending.GREEN
    assert len(calls) == 3
    assert [e.message for e in events if isinstance(e, Warned) and "listener" in e.message] == [
        "A listener of this run failed and hears no more of it: the disk is full"
    ]
    assert heard == events


@pytest.mark.spec("R1")
async def test_each_round_tells_the_state_of_the_files_against_the_originals(tmp_path: Path) -> None:
    root = workspace(tmp_path, a_c=BROKEN)
    events = [event async for event in listened(root)]
    (chosen,) = (e for e in events if isinstance(e, TargetsChosen))
    assert chosen.originals == {"a.c": BROKEN.encode()}
    first, second = (e.edit for e in events if isinstance(e, RoundFinished))
    assert first.files[0].before == second.files[0].before == BROKEN.encode()
    assert first.files[0].after == BROKEN.replace("1 }", "1; }").encode()
    assert second.files[0].after == BROKEN.replace(" }", "; }").encode()
