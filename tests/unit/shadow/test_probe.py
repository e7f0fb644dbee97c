"""Choosing an isolated copy: tried, remembered, explained."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from compile_loop.contracts.protocols import ShadowError
from compile_loop.shadow import trial
from compile_loop.shadow.copying import copy_tree
from compile_loop.shadow.probe import choose, explain
from compile_loop.shadow.trial import Trial

from .conftest import everything


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws/a.c").write_text("int a;\n")
    return tmp_path / "ws"


@pytest.mark.spec("W1")
def test_every_way_is_explained(root: Path) -> None:
    before = everything(root)
    found = explain(root)
    assert [name for name, _, _ in found] == ["overlay", "clone", "copy"]
    assert all(reason for _, _, reason in found) and found[2][1]
    assert everything(root) == before


@pytest.mark.spec("W1")
def test_the_first_that_works_is_chosen_and_the_others_reasons_are_said(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = {"overlay": lambda _root: Trial(False, "it is Tuesday"), "clone": lambda _root: Trial(False, "no reflinks")}
    monkeypatch.setattr("compile_loop.shadow.probe._TRIALS", {**tries, "copy": trial.try_copy})
    assert choose(root, {}).isolation.endswith("(no overlay: it is Tuesday; no clone: no reflinks)")
    with pytest.raises(ShadowError, match="it is Tuesday"):
        choose(root, {}, "overlay")


@pytest.mark.spec("Q15")
def test_functions_get_no_overlay(root: Path) -> None:
    assert choose(root, {}, callables=True).isolation.startswith(("copy in", "clones of"))
    with pytest.raises(ShadowError, match="functions run in this process"):
        choose(root, {}, "overlay", callables=True)


@pytest.mark.spec("W2")
def test_trying_is_done_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not trial.try_overlay(root).ok:
        pytest.skip("no overlay here")
    monkeypatch.setattr(trial, "_overlay_on", lambda *_: pytest.fail("tried again"))
    choose(root, {}, "overlay")


@pytest.mark.spec("Q13")
def test_a_failure_that_may_pass_is_tried_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux tries")
    monkeypatch.setattr(trial, "_overlays", {})
    answers = [Trial(False, "No space left on device"), Trial(True, "overlay")]
    monkeypatch.setattr(trial, "_overlay_on", lambda *_: answers.pop(0))
    assert not trial.try_overlay(root).ok
    assert trial.try_overlay(root).ok and trial.try_overlay(root).ok


@pytest.mark.spec("Q20")
async def test_elsewhere_than_on_linux_it_is_a_copy_that_says_what_it_lacks(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    trial._guard_in.cache_clear()
    try:
        shadow = choose(root, {"a.c": b"typed"})
        assert "no overlay: only Linux has it" in shadow.isolation and "not held back" in shadow.isolation
        await shadow.open()
        assert await shadow.read("a.c") == b"typed"
        assert shadow.command(["make"], ".")[0] == ["make"]
        await shadow.close()
    finally:
        trial._guard_in.cache_clear()


@pytest.mark.spec("W1")
def test_a_temporary_folder_inside_the_workspace_is_not_used(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = root / "tmp"
    inside.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(inside))
    choose(root, {})
    assert list(inside.iterdir()) == []
    monkeypatch.setattr("compile_loop.shadow.trial.temporary_places", lambda: [inside])
    for name, ok, reason in explain(root):
        assert not ok, name
        assert "inside the workspace" in reason or name == "clone"


@pytest.mark.spec("W2")
async def test_a_workspace_that_is_too_large_to_copy_is_refused_early(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (root / "huge").open("wb") as file:
        file.truncate(5 << 30)
    shadow = choose(root, {}, "copy")
    with pytest.raises(ShadowError, match="too large to copy"):
        await shadow.open()
    await shadow.close()
    overlay_or_clone = [name for name, ok, _ in explain(root) if ok and name != "copy"]
    for name in overlay_or_clone:
        shadow = choose(root, {}, name)  # type: ignore[arg-type]
        await shadow.open()
        await shadow.close()


def test_a_copy_stops_when_it_is_told_to(root: Path, tmp_path: Path) -> None:
    from threading import Event

    stop = Event()
    for number in range(50):
        (root / f"{number}.c").write_text("x")

    def copy_one(_source: str, target: Path) -> None:
        target.write_text("x")
        stop.set()

    copy_tree(root, tmp_path / "copy", stop, copy_one)
    assert len(list((tmp_path / "copy").iterdir())) == 1
