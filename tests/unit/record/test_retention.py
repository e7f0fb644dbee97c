"""Records go after 30 days or beyond 1 GiB, the oldest first, never one under way (SPEC R1)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.record.records import record_of

from compile_loop.record.retention import DAYS, ROOM, prune, remove, size_of

pytestmark = pytest.mark.spec("R1")
MIB = 1 << 20


def left(runs: Path) -> list[str]:
    return sorted(place.name.rpartition("-")[2] for place in runs.iterdir())


def test_the_bounds_are_thirty_days_and_a_gibibyte() -> None:
    assert (DAYS, ROOM) == (30, 1024**3)


def test_records_older_than_thirty_days_go(tmp_path: Path) -> None:
    for name, age in (("new", 0.0), ("nearly", 29.9), ("old", 30.1), ("older", 400.0)):
        record_of(tmp_path, name, age=age)
    assert {name.rpartition("-")[2] for name in prune(tmp_path)} == {"old", "older"}
    assert left(tmp_path) == ["nearly", "new"]


def test_beyond_the_room_the_oldest_go_first(tmp_path: Path) -> None:
    for name, age in (("c", 1.0), ("a", 3.0), ("d", 0.5), ("b", 2.0)):
        record_of(tmp_path, name, age=age, size=MIB)
    assert [name.rpartition("-")[2] for name in prune(tmp_path, room=3 * MIB)] == ["a", "b"]
    assert left(tmp_path) == ["c", "d"]


def test_a_run_under_way_stays_however_old_and_large(tmp_path: Path) -> None:
    record_of(tmp_path, "mine", age=100.0, size=2 * MIB, owner="me")
    record_of(tmp_path, "dead", age=100.0, owner="killed")
    assert prune(tmp_path, room=MIB) == ["20260101-000000-dead"]
    assert left(tmp_path) == ["mine"]


def test_links_are_not_followed_and_half_removed_records_go(tmp_path: Path) -> None:
    runs, outside = tmp_path / "runs", tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    folder = record_of(runs, "old", age=99.0)
    (folder / "link").symlink_to(outside)
    (runs / "elsewhere").symlink_to(outside)
    half = record_of(runs, "half").rename(runs / f".going-{'0a' * 16}")
    (runs / f".going-{'0b' * 16}").mkdir()
    prune(runs)
    assert (outside / "kept.txt").read_text() == "kept"
    assert [place.name for place in runs.iterdir()] == ["elsewhere"]
    assert not half.exists()


def test_a_folder_without_a_record_in_it_stays_whatever_its_name(tmp_path: Path) -> None:
    for name in ("photos", ".going-photos", f".going-{'0c' * 16}", "20200101-000000-abcd"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kept.txt").write_text("kept")
    for name, said in (("other", "{}"), ("list", "[]"), ("torn", '{"schema": "comp'), ("alien", '{"schema": "npm/1"}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_text(said)
    before = sorted(place.name for place in tmp_path.iterdir())
    record_of(tmp_path, "old", age=99.0)
    assert prune(tmp_path, room=0, now=1e12) == ["20260101-000000-old"]
    assert sorted(place.name for place in tmp_path.iterdir()) == before
    assert (tmp_path / ".going-photos" / "kept.txt").exists() and (
        tmp_path / f".going-{'0c' * 16}" / "kept.txt"
    ).exists()


def test_no_folder_no_rights_no_trouble(tmp_path: Path) -> None:
    assert prune(tmp_path / "absent") == []
    remove(tmp_path / "absent")
    assert size_of(tmp_path / "absent") == 0


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": 3}', "\0" * 900, '{"schema": "other/1"}'])
def test_a_record_whose_run_json_is_damaged_ages_out_like_others(tmp_path: Path, text: str) -> None:
    for name, age in (("new", 1.0), ("old", 40.0)):
        (record_of(tmp_path, name, age=age) / "run.json").write_text(text)
    assert [name.rpartition("-")[2] for name in prune(tmp_path)] == ["old"]
    assert left(tmp_path) == ["new"]


@pytest.mark.parametrize("also", ["notes.txt", "run.json.bak", "src"])
def test_what_holds_anything_of_somebody_elses_beside_a_damaged_run_json_stays(tmp_path: Path, also: str) -> None:
    folder = record_of(tmp_path, "old", age=40.0)
    (folder / "run.json").write_text("{")
    (folder / also).write_text("mine")
    other = record_of(tmp_path, "other", age=40.0).rename(tmp_path / "project")
    (other / "run.json").write_text("{")
    assert prune(tmp_path) == []
    assert (folder / also).read_text() == "mine" and other.is_dir()


def test_a_damaged_record_that_is_half_removed_goes_later(tmp_path: Path) -> None:
    half = record_of(tmp_path, "half").rename(tmp_path / f".going-{'0c' * 16}")
    (half / "run.json").write_text("{")
    prune(tmp_path)
    assert not half.exists()
