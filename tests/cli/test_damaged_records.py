"""One damaged record hides no other, says what is wrong with it, and can be deleted (SPEC R1, W4)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.test_commands import cli
from tests.unit.record.records import record_of

pytestmark = pytest.mark.spec("R1", "W4")


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "200")
    folder = tmp_path / "state" / "compile-loop" / "runs"
    record_of(folder, "good", started="20260101-000000")
    return folder


def said(tmp_path: Path, *words: str, code: int = 0) -> str:
    done = cli(tmp_path, *words)
    assert done.returncode == code and "Traceback" not in done.stderr, done.stdout + done.stderr
    return " ".join((done.stdout + done.stderr).split())


@pytest.mark.parametrize("text", ["", "[" * 200_000, '{"failure": [1]}'])
def test_a_run_whose_report_is_damaged_is_listed_as_that(runs: Path, tmp_path: Path, text: str) -> None:
    folder = record_of(runs, "bad", started="20260102-000000")
    (folder / "report.json").write_text(text)
    listed = said(tmp_path, "runs")
    assert "good" in listed and "damaged" in listed
    document = json.loads(cli(tmp_path, "runs", "--json").stdout)
    assert [(each["id"], each["state"]) for each in document["runs"]] == [("bad", "damaged"), ("good", "finished")]
    assert "report.json is damaged" in said(tmp_path, "show", "last")
    assert "report.json is damaged" in said(tmp_path, "resume", "last", code=2)
    assert "Dropped run bad" in said(tmp_path, "resume", "last", "--drop")
    assert not folder.exists() and "good" in said(tmp_path, "show", "last")


def cut(folder: Path) -> None:
    (folder / "run.json").write_bytes(b"")


def nul(folder: Path) -> None:
    run = json.loads((folder / "run.json").read_text())
    run["asked"]["root"] = "/tmp/\0"
    (folder / "run.json").write_text(json.dumps(run))


@pytest.mark.parametrize("damage", [cut, nul])
@pytest.mark.parametrize("words", [("runs", "--delete", "bad"), ("resume", "20260102-000000-bad", "--drop")])
def test_one_that_cannot_be_read_is_left_out_with_a_line_and_deleted(
    runs: Path, tmp_path: Path, damage: Callable[[Path], None], words: tuple[str, ...]
) -> None:
    folder = record_of(runs, "bad", started="20260102-000000")
    damage(folder)
    listed = said(tmp_path, "runs")
    assert "good" in listed and "compile-loop runs --delete 20260102-000000-bad" in listed
    document = json.loads(cli(tmp_path, "runs", "--json").stdout)
    assert [each["id"] for each in document["runs"]] == ["good"]
    assert [each["name"] for each in document["unreadable"]] == [folder.name]
    assert "Run good" in said(tmp_path, "show", "last")
    assert "damaged" in said(tmp_path, "show", "bad", code=2)
    said(tmp_path, *words)
    assert not folder.exists() and "good" in said(tmp_path, "runs")
