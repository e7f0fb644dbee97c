"""Whole runs by each way of keeping edits from the user's files."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from pathlib import Path

import pytest
from tests.loop.running import block, fix, snapshot, workspace
from tests.support.sleepers import own_seconds, sleeping

from compile_loop.assemble import ConfigurationError, Job, run_contract_once, start
from compile_loop.contracts.events import CheckFinished, CheckStarted, DiagnosticFound, Pass, RunStarted, Warned
from compile_loop.contracts.outcome import Ending, FailureKind
from compile_loop.models.scripted import ScriptedGenerator
from compile_loop.settings import Settings
from compile_loop.shadow.probe import explain

BROKEN = "int twice(int n)\n{\n    int r = n * 2\n    return r;\n}\n"
SEMICOLON = block("    int r = n * 2\n", "    int r = n * 2;\n")
GCC = "gcc -Wall -fsyntax-only a.c"


def changed_at(folder: Path) -> int:
    return folder.stat().st_mtime_ns


@pytest.fixture(params=["overlay", "clone", "copy"])
def how(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    works = {name: (ok, reason) for name, ok, reason in explain(tmp_path)}
    ok, reason = works[request.param]
    if not ok:
        pytest.skip(reason)
    return {"isolation": request.param}


@pytest.mark.spec("L1", "W1")
async def test_a_run_fixes_and_leaves_everything_as_it_was(tmp_path: Path, how: dict[str, str]) -> None:
    workspace(tmp_path, a_c=BROKEN)
    before, seen = snapshot(tmp_path), changed_at(tmp_path)
    told = await fix(tmp_path, [SEMICOLON], targets=["a.c"], checks=(f"{GCC} && touch built.o",), settings=how)
    assert told.outcome.ending is Ending.GREEN
    assert told.outcome.edit.files[0].after == BROKEN.replace("n * 2", "n * 2;").encode()
    assert how["isolation"] in told.of(RunStarted)[0].isolation
    assert snapshot(tmp_path) == before and changed_at(tmp_path) == seen


@pytest.mark.spec("D3")
async def test_no_path_of_the_shadow_shows(tmp_path: Path, how: dict[str, str]) -> None:
    root = workspace(tmp_path / "späce: here", a_c=BROKEN)
    told = await fix(root, [SEMICOLON], targets=["a.c"], checks=(f'pwd; gcc -fsyntax-only "{root}/a.c"',), settings=how)
    shown = repr([e for e in told.events if not isinstance(e, RunStarted)]) + repr(told.model.requests)
    assert "/compile-loop-" not in shown and str(root) in shown
    assert told.outcome.ending is Ending.GREEN
    assert [d.diagnostic.file for d in told.of(DiagnosticFound) if d.diagnostic.is_error] == ["a.c"] * len(
        [d for d in told.of(DiagnosticFound) if d.diagnostic.is_error]
    )


@pytest.mark.spec("L2", "Q13")
async def test_the_last_run_is_on_the_tree_as_it_is_then(tmp_path: Path, how: dict[str, str]) -> None:
    """The user saves a header while the run goes on: noticed, and the last check sees it."""
    root = workspace(tmp_path / "ws", a_c="int x = SIZE;\nint y = ;\n", size_h="#define SIZE 1\n")
    started = tmp_path / "started"
    check = f"test -e {started} || touch {started}; gcc -include size.h -fsyntax-only a.c && grep -q 1 size.h"
    edits = (("int y = ;\n", "int y = 0;\n"), ("int y = 0;\n", "int y = 1;\n"))
    model = ScriptedGenerator([f"<<< path=a.c >>>\n{block(*edit)}" for edit in edits])
    settings = Settings(**how, max_rounds=2, suggestions=False)
    run = start(Job(root, (root / "a.c", root / "size.h"), settings, checks=(check,), generator=model))
    events = []
    async for event in run:
        events.append(event)
        if isinstance(event, CheckStarted) and event.in_pass is Pass.ROUND:
            (root / "size.h").write_text("#define SIZE 2\n")
    finals = [e for e in events if isinstance(e, CheckFinished) and e.in_pass is Pass.FINAL]
    assert finals and not finals[0].result.ok, events[-1]
    assert any("size.h was changed while the run went on" in e.message for e in events if isinstance(e, Warned))


@pytest.mark.spec("L15", "W4")
@pytest.mark.parametrize("moment", [RunStarted, CheckStarted])
async def test_a_cancel_leaves_nothing(
    tmp_path: Path, how: dict[str, str], moment: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    root = workspace(tmp_path / "ws", a_c=BROKEN)
    before, seconds = snapshot(root), own_seconds()
    run = start(
        Job(root, (root / "a.c",), Settings(**how), checks=(f"sleep {seconds}",), generator=ScriptedGenerator([]))
    )
    asked_at = 0.0
    async for event in run:
        if isinstance(event, moment) and not asked_at:
            await asyncio.sleep(0.3)
            asked_at = time.monotonic()
            run.cancel()
    assert time.monotonic() - asked_at < 2
    assert not sleeping(seconds)
    assert list(scratch.iterdir()) == [] and snapshot(root) == before


@pytest.mark.spec("W1")
async def test_a_workspace_that_is_a_link(tmp_path: Path, how: dict[str, str]) -> None:
    root = workspace(tmp_path / "real", a_c=BROKEN)
    link = tmp_path / "link"
    link.symlink_to(root)
    told = await fix(link, [SEMICOLON], targets=["a.c"], checks=(GCC,), settings=how)
    assert told.outcome.ending is Ending.GREEN and (root / "a.c").read_text() == BROKEN


@pytest.mark.spec("L3")
async def test_a_check_that_writes_where_it_may_not_is_told_apart_from_a_fault_of_the_code(how: dict[str, str]) -> None:
    if how["isolation"] != "overlay" or not os.access("/opt", os.W_OK):
        pytest.skip("where the system itself forbids it, or a copy does")
    root = Path("/opt/loop-test")
    try:
        workspace(root / "ws", a_c=BROKEN)
        check = "mkdir -p /opt/loop-test/build && touch /opt/loop-test/build/a.o"
        told = await fix(root / "ws", [], targets=["a.c"], checks=(check,), settings=how)
        assert told.outcome.failure and told.outcome.failure.kind is FailureKind.ENVIRONMENT
        assert "writableFolders" in told.outcome.failure.message
        (root / "build").mkdir()
        allowed = {**how, "writable_folders": [str(root / "build")]}
        told = await fix(root / "ws", [], targets=["a.c"], checks=(check,), settings=allowed)
        assert told.outcome.ending is Ending.NOTHING_TO_FIX
        told = await fix(root / "ws", [], targets=["a.c"], checks=(check,), settings={**how, "confine_checks": False})
        assert told.outcome.ending is Ending.NOTHING_TO_FIX
    finally:
        shutil.rmtree(root)


@pytest.mark.spec("K2", "W1")
async def test_a_contract_run_once(tmp_path: Path, how: dict[str, str]) -> None:
    workspace(tmp_path, a_c=BROKEN)
    result = await run_contract_once(
        Job(tmp_path, (tmp_path / "a.c",), Settings(**how), checks=(f"{GCC}; touch left",))
    )
    assert any(d.is_error for d in result.results[0].diagnostics)
    assert not (tmp_path / "left").exists()


@pytest.mark.spec("W1")
def test_a_way_that_does_not_work_is_refused_with_the_reason(tmp_path: Path) -> None:
    workspace(tmp_path, a_c=BROKEN)
    broken = next(((name, reason) for name, ok, reason in explain(tmp_path) if not ok), None)
    if broken is None:
        pytest.skip("every way works here")
    with pytest.raises(ConfigurationError) as error:
        start(Job(tmp_path, (tmp_path / "a.c",), Settings(isolation=broken[0]), checks=(GCC,)))  # type: ignore[arg-type]
    assert broken[1] in str(error.value)
