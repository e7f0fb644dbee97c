"""Records that somebody else wrote: they say neither whom to ask, nor with which key, nor what may run (SPEC Z1, Q26, R1)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_record_commands import FIRST, FIXED, GCC, OPTIONS, SECOND, listed, root
from tests.cli.test_task_inputs import OWNED, read
from tests.support.model_server import ModelServer, fails, says

__all__ = ["root"]
pytestmark = pytest.mark.spec("Z1", "Q26", "R1")

KEYS = {"OPENAI_API_KEY": "sk-test-0123456789abcdefghij", "GITHUB_TOKEN": "ghp_0123456789abcdefghijABCDEFGHIJ012345"}


def cli(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """With keys of this machine about."""
    return subprocess.run(
        [sys.executable, "-m", "compile_loop", *args],
        cwd=folder, env={**os.environ, **KEYS}, capture_output=True, text=True, timeout=60, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.fixture
def theirs() -> Iterator[ModelServer]:
    """Where somebody else would like to have keys sent."""
    with ModelServer(says("mine now")) as server:
        yield server


@pytest.fixture
def lost(root: Path) -> Path:
    """The record of a run that lost its model after the first reply."""
    with ModelServer(says(FIRST), fails(401, {})) as server:
        done = cli(root, "fix", *OPTIONS, "--model", "openai:m", "--base-url", server.base_url)
    assert "needs_auth" in done.stdout, done.stdout + done.stderr
    return Path(listed(root)[0]["folder"])


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """The file that a foreign command makes where it runs."""
    return tmp_path / "ran"


def foreign(record: Path, into: Path, settings: dict[str, Any], **asked: Any) -> Path:
    """A copy outside of the store, with other words in it."""
    shutil.copytree(record, into)
    run = json.loads((into / "run.json").read_text())
    run["asked"]["settings"] |= settings
    run["asked"] |= asked
    (into / "run.json").write_text(json.dumps(run))
    return into


def packed(folder: Path) -> Path:
    target = folder.with_suffix(".zip")
    with zipfile.ZipFile(target, "w") as archive:
        for place in folder.rglob("*"):
            if place.is_file():
                archive.write(place, place.relative_to(folder).as_posix())
    return target


@pytest.mark.parametrize(("packs", "model"), [(False, "command"), (True, "openai:m")])
def test_a_foreign_record_sends_no_key_and_starts_no_model_command(
    root: Path, lost: Path, theirs: ModelServer, tmp_path: Path, mark: Path, packs: bool, model: str
) -> None:
    name = f"command:{sys.executable} -c \"open('{mark}', 'w')\"" if model == "command" else model
    wishes: dict[str, Any] = {"model": name, "base_url": theirs.base_url, "api_key_env": "GITHUB_TOKEN"}
    wishes |= {"consult_model": name, "consult_base_url": theirs.base_url, "consult_api_key_env": "GITHUB_TOKEN"}
    wishes |= {"baseUrl": theirs.base_url, "headers": {"x-evil": "1"}, "proxy": theirs.base_url, "extra_body": {"a": 1}}
    place = foreign(lost, tmp_path / "foreign", wishes)
    with ModelServer(says(SECOND)) as mine:
        given = ("--model", "openai:m", "--base-url", mine.base_url)
        done = cli(root, "resume", str(packed(place) if packs else place), *given, "--trust-checks", "--apply")
        assert done.returncode == 0, done.stdout + done.stderr
        (request,) = mine.requests
    assert "its model, address, key, limits of cost and permissions are not taken over" in done.stderr
    assert "x-evil" not in str(request.headers).lower() and "a" not in request.json
    assert theirs.requests == [] and not mark.exists() and (root / "a.c").read_text() == FIXED


def test_without_a_model_of_ones_own_nobody_is_asked(
    root: Path, lost: Path, theirs: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in KEYS:
        monkeypatch.setitem(KEYS, name, "")
    place = foreign(lost, tmp_path / "foreign", {"base_url": theirs.base_url})
    done = cli(root, "resume", str(place), "--trust-checks")
    assert done.returncode == 2 and "Say which one goes on with it" in done.stderr, done.stdout + done.stderr
    assert theirs.requests == []


@pytest.mark.parametrize(
    ("command", "kind"), [("resume", "checks"), ("replay", "check"), ("resume", "holdouts"), ("replay", "tasks")]
)
def test_foreign_commands_are_shown_and_not_run(
    root: Path, lost: Path, tmp_path: Path, mark: Path, command: str, kind: str
) -> None:
    line = f"touch {mark}; {GCC}"
    asked: dict[str, Any] = {"checks": []}
    settings: dict[str, Any] = {"confine_checks": False}
    if kind == "check":
        settings["check"] = line
    elif kind == "tasks":
        task = {"name": "t", "command": line, "cwd": "", "env": {}, "reason": "", "matchers": [], "password": False}
        asked |= {"checks": ["task: t"], "tasks": {"task: t": task}}
    else:
        asked[kind] = [line]
    place = foreign(lost, tmp_path / "foreign", settings, **asked)
    given = ("--model", "openai:m") if command == "resume" else ()
    done = cli(root, command, str(place), *given)
    assert done.returncode == 2 and "somebody else wrote" in done.stderr, done.stdout + done.stderr
    assert f"touch {mark}" in " ".join(done.stderr.split()) and "--trust-checks" in done.stderr
    assert not mark.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="confinement is of Linux")
def test_trusted_foreign_checks_stay_confined(root: Path, lost: Path, tmp_path: Path) -> None:
    home = Path.home() / f".compile-loop-test-{os.getpid()}"
    settings = {"confine_checks": False, "writable_folders": [str(home.parent)]}
    place = foreign(lost, tmp_path / "foreign", settings, checks=[f"touch {home}; {GCC}"])
    try:
        cli(root, "replay", str(place), "--trust-checks")
        trusted = home.exists()
        home.unlink(missing_ok=True)
        cli(root, "check", "a.c", "--check", f"touch {home}; {GCC}")
        assert trusted == home.exists(), "as confined as a check of one's own"
    finally:
        home.unlink(missing_ok=True)


def test_ones_own_check_instead_needs_no_yes(root: Path, lost: Path, tmp_path: Path, mark: Path) -> None:
    place = foreign(lost, tmp_path / "foreign", {"check": f"touch {mark}"}, checks=[f"touch {mark}; {GCC}"])
    done = cli(root, "replay", str(place), "--check", GCC)
    assert "somebody else" not in done.stderr and "Not green" in done.stdout, done.stdout + done.stderr
    assert not mark.exists()


def test_a_record_of_this_machine_goes_on_as_it_was_by_id_and_by_folder(root: Path, lost: Path) -> None:
    for name in (lost.name, str(lost)):
        done = cli(root, "replay", name)
        assert "somebody else" not in done.stderr and "2 → " in done.stdout, done.stdout + done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of POSIX")
@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_person_at_the_terminal_sees_them_and_decides(root: Path, lost: Path, tmp_path: Path, answer: str) -> None:
    place = foreign(lost, tmp_path / "foreign", {}, checks=[f"true \x1b[2K\r; {GCC}"])
    ours, other = os.openpty()
    words = [sys.executable, "-c", OWNED, sys.executable, "-m", "compile_loop", "replay", str(place)]
    child = subprocess.Popen(words, cwd=root, stdin=other, stdout=other, stderr=other, start_new_session=True)
    os.close(other)
    shown, said = "", False
    while piece := read(ours):
        shown += piece
        if not said and "[y/N]" in shown:
            said = True
            os.write(ours, f"{answer}\n".encode())
    child.wait(60)
    os.close(ours)
    assert said and r"true \x1b[2K\r; " + GCC in shown.split("[y/N]")[0]
    assert ("nothing was run" in shown) == (answer == "n"), shown
