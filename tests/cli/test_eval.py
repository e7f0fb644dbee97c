"""`eval`: a folder of red programs, scored, and two scoreboards side by side (SPEC R4)."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_commands import cli
from tests.loop.running import block, snapshot
from tests.support.programs import Program

from compile_loop.evaluation.cases import cases_in
from compile_loop.evaluation.scoreboard import Evaluation
from compile_loop.settings import Settings

pytestmark = pytest.mark.spec("R4")

WAITING = "import time\ntime.sleep({})\nraise SystemExit(1)\n"


def add(folder: Path, program: str, replies: list[str], evaluation: str) -> None:
    """A program of the project's data with the command that it was recorded with, and replies beside it."""
    found = Program(program)
    root = found.copy(folder / program)
    (root / "compile-loop.toml").write_text(
        f"version = 1\n[[check]]\nname = 'build'\ncommand = '''{found.command()}'''\n[eval]\n{evaluation}\n"
    )
    (root / "replies.json").write_text(json.dumps(replies))


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One that the compiler's own suggestion repairs, one that needs a model, one that is hopeless, with a hidden check."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "200")
    folder = tmp_path / "programs"
    add(folder, "gcc_typo_member", [], "smallest_lines = 2\ntargets = ['pt.c']")
    semicolon = Program("gcc_missing_semicolon")
    fixed = (semicolon.folder / "fixed" / "calc.c").read_text()
    lines = (semicolon.folder / "calc.c").read_text().splitlines(keepends=True)
    old, new = next((a, b) for a, b in zip(lines, fixed.splitlines(keepends=True), strict=True) if a != b)
    add(folder, "gcc_missing_semicolon", ["A semicolon is missing.\n" + block(old, new)], "smallest_lines = 2")
    root = folder / "payment"
    root.mkdir()
    (root / "rule.py").write_text("def pay(balance, amount):\n    raise NotImplementedError\n")
    (root / "visible.py").write_text("from rule import pay\nassert pay(50, 20) == (20, 30)\n")
    (root / "hidden.py").write_text("from rule import pay\nassert pay(10, 20) == (0, 10)\n")
    (root / "compile-loop.toml").write_text(
        f"version = 1\n[[check]]\nname = 'visible'\ncommand = '{sys.executable} -B visible.py'\n"
        f"[[holdout]]\nname = 'limit'\ncommand = '{sys.executable} -B hidden.py'\nfiles = ['hidden.py']\n"
        "[eval]\noutcome = 'holdout'\ntargets = ['rule.py']\n"
    )
    wrong = ["    raise NotImplementedError\n", *(f"    return amount, balance - amount  # {n}\n" for n in range(3))]
    replies = ["It pays now.\n" + block(a, b) for a, b in itertools.pairwise(wrong)]
    (root / "replies.json").write_text(json.dumps(replies))
    (folder / "not a program").mkdir()
    return folder


def scored(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in document["cases"]}


def test_three_programs_are_run_unattended_scored_and_left_as_they_were(programs: Path, tmp_path: Path) -> None:
    before = snapshot(programs)
    done = cli(tmp_path, "eval", "programs", "--model", "scripted:replies.json", "--jobs", "3", "--out", "board.json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert snapshot(programs) == before
    board = json.loads((tmp_path / "board.json").read_text())
    assert (
        board["schema"] == "compile-loop/scoreboard/1"
        and board["model"] == "scripted:replies.json"
        and board["jobs"] == 3
    )
    cases = scored(board)
    assert list(cases) == ["gcc_missing_semicolon", "gcc_typo_member", "payment"]
    typo, semicolon, payment = cases["gcc_typo_member"], cases["gcc_missing_semicolon"], cases["payment"]
    assert typo["green"] and typo["honest"] and typo["noModel"] and typo["calls"] == 0
    assert semicolon["green"] and semicolon["honest"] and not semicolon["noModel"] and semicolon["calls"] == 1
    assert (semicolon["editLines"], semicolon["smallestLines"]) == (2, 2)
    assert payment["got"] == "holdout" and payment["asExpected"] and not payment["green"] and payment["rounds"] == 3
    totals = board["totals"]
    assert (totals["cases"], totals["asExpected"], totals["green"], totals["honestGreen"], totals["noModel"]) == (
        3,
        3,
        2,
        2,
        1,
    )
    assert totals["editRatio"] == 1.0 and totals["tokens"] == sum(c["tokens"] for c in cases.values()) > 0
    assert "3 of 3 as expected: 2 green (2 of them honest, 1 without asking a model)" in done.stdout
    assert "pt.c" not in done.stdout and "gcc_typo_member" in done.stdout
    runs = json.loads(cli(tmp_path, "runs", "--json").stdout)["runs"]
    assert {run["id"] for run in runs} == {case["run"] for case in cases.values()}


def test_two_scoreboards_are_compared_with_and_without_a_run(programs: Path, tmp_path: Path) -> None:
    first = cli(tmp_path, "eval", "programs", "--out", "old.json")
    assert first.returncode == 1 and "wanted green" in first.stdout
    done = cli(
        tmp_path,
        "eval",
        "programs",
        "--model",
        "scripted:replies.json",
        "--compare",
        "old.json",
        "--out",
        "new.json",
        "--json",
    )
    document = json.loads(done.stdout)
    assert document["schema"] == "compile-loop/comparison/1"
    assert document["totals"]["green"] == [1, 2] and document["totals"]["asExpected"] == [1, 3]
    changes = {each["name"]: each["change"] for each in document["cases"]}
    assert changes == {"gcc_missing_semicolon": "better", "gcc_typo_member": "same", "payment": "better"}
    without = cli(tmp_path, "eval", "old.json", "--compare", "new.json")
    assert without.returncode == 1
    assert "worse  gcc_missing_semicolon: green → configuration" in without.stdout
    assert "scripted:replies.json" in without.stdout and "no model" in without.stdout


def test_what_is_wrong_with_a_case_is_its_score_and_stops_no_other(programs: Path, tmp_path: Path) -> None:
    (programs / "payment" / "compile-loop.toml").write_text("version = 1\n[eval]\noutcome = 'splendid'\n")
    add(programs, "py_indent_compileall", [], "targets = ['gone.py']")
    done = cli(tmp_path, "eval", "programs", "--json", "--out", "board.json")
    cases = scored(json.loads(done.stdout))
    assert done.returncode == 1 and cases["gcc_typo_member"]["green"]
    assert "outcome" in cases["payment"]["message"] and "must be one of green" in cases["payment"]["message"]
    assert cases["py_indent_compileall"]["message"] == "gone.py does not exist."


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["eval", "empty"], "No folder in empty has a compile-loop.toml"),
        (["eval", "absent"], "does not exist"),
        (["eval", "programs", "--compare", "nonsense.json"], "is no JSON"),
        (["eval", "other.json"], "is no scoreboard"),
    ],
)
def test_bad_input_is_a_sentence(programs: Path, tmp_path: Path, args: list[str], words: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "nonsense.json").write_text("{")
    (tmp_path / "other.json").write_text("{}")
    done = cli(tmp_path, *args)
    assert done.returncode == 2 and words in " ".join((done.stdout + done.stderr).split())
    assert "Traceback" not in done.stderr


def slow(folder: Path, names: list[str], seconds: float) -> Path:
    for name in names:
        (folder / name).mkdir(parents=True)
        (folder / name / "slow.py").write_text(WAITING.format(seconds))
        (folder / name / "compile-loop.toml").write_text(
            f"version = 1\n[[check]]\nname = 'slow'\ncommand = '{sys.executable} slow.py'\n[eval]\noutcome = 'configuration'\n"
        )
    return folder


def test_several_programs_run_at_a_time_and_no_more_than_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    slow(tmp_path / "many", ["a", "b", "c", "d"], 1.0)
    at_once = {}
    for jobs in ("1", "4"):
        done = cli(tmp_path, "eval", "many", "--jobs", jobs, "--json", "--out", "x.json")
        document = json.loads(done.stdout)
        at_once[jobs] = sum(each["seconds"] for each in document["cases"]) / document["wallSeconds"]
    assert at_once["1"] <= 1.05 and at_once["4"] > 2


def test_ctrl_c_ends_all_of_them_and_keeps_what_was_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    slow(tmp_path / "many", ["a", "b", "c"], 60.0)
    process = subprocess.Popen(
        [sys.executable, "-m", "compile_loop", "eval", "many", "--jobs", "2", "--out", "x.json"],
        cwd=tmp_path, env={**os.environ}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    waited = time.monotonic() + 120
    while len(list((tmp_path / "state").glob("compile-loop/runs/*/run.json"))) < 2 and time.monotonic() < waited:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130, output
    board = json.loads((tmp_path / "x.json").read_text())
    assert [each["got"] for each in board["cases"]] == ["cancelled", "cancelled"]


@pytest.mark.parametrize("isolation", ["overlay", "copy"])
async def test_no_program_reaches_another_case_although_temporary_folders_are_open_to_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolation: str
) -> None:
    """It may write there, or not, and its own run goes on; what is the user's stays as it was."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "cases"
    (folder / "victim").mkdir(parents=True)
    (folder / "notes.txt").write_text("kept\n")
    (folder / "victim" / "a.py").write_text("x = 1\n")
    (folder / "victim" / "compile-loop.toml").write_text(
        "version = 1\n[[check]]\nname = 'c'\ncommand = 'python3 a.py'\n"
    )
    root = folder / "thief"
    root.mkdir()
    (root / "b.py").write_text("y = 1\n")
    (root / "steal.py").write_text(
        "import os\nfor name in ('../victim/a.py', '../victim/new.py', os.path.abspath('../victim/compile-loop.toml')):\n"
        "    try:\n        open(name, 'w').close()\n    except OSError:\n        pass\n"
        "import b\nassert b.y == 2\n"
    )
    (root / "compile-loop.toml").write_text(
        "version = 1\n[[check]]\nname = 'c'\ncommand = 'python3 -B steal.py'\n[eval]\ntargets = ['b.py']\n"
    )
    (root / "replies.json").write_text(json.dumps([block("y = 1\n", "y = 2\n")]))
    before = snapshot(folder)
    settings = Settings(isolation=isolation, model="scripted:replies.json", suggestions=False)  # type: ignore[arg-type]
    board = await Evaluation([c for c in cases_in(folder) if c.name == "thief"], settings, 1, lambda _score: None).go()
    (case,) = board["cases"]
    assert case["got"] == "green", case["message"]
    assert snapshot(folder) == before
