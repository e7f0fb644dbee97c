"""Records are found by id, by its start, by folder; damaged and foreign ones are refused in a sentence (SPEC R1, P3)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.record.records import record_of

from compile_loop.contracts.diagnostics import Diagnostic, Phase, Range, Severity
from compile_loop.record.asked import Asked, asked_in
from compile_loop.record.folder import Lines, RecordError, write_whole
from compile_loop.record.store import Record, State, Store

pytestmark = pytest.mark.spec("R1", "P3")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    for run_id, started in (("abc123", "20260101-000000"), ("abd456", "20260103-000000"), ("ffff", "20260102-000000")):
        record_of(tmp_path, run_id, started=started)
    return Store(tmp_path)


def test_the_newest_comes_first(store: Store) -> None:
    assert [record.id for record in store.all()] == ["abd456", "ffff", "abc123"]


@pytest.mark.parametrize(
    ("name", "found"),
    [("abc123", "abc123"), ("abc", "abc123"), ("f", "ffff"), ("last", "abd456"), ("20260102-000000-ffff", "ffff")],
)
def test_a_run_is_opened_by_its_id_the_start_of_it_or_as_the_last(store: Store, name: str, found: str) -> None:
    assert store.open(name).id == found


def test_a_run_is_opened_by_its_folder_wherever_that_is(store: Store, tmp_path: Path) -> None:
    assert store.open(str(tmp_path / "20260101-000000-abc123")).id == "abc123"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ab", "Several runs begin with ab: abc123, abd456"),
        ("x", "There is no run x"),
        ("", "is no record"),
        ("/no/such/folder", "is no record"),
    ],
)
def test_what_is_not_found_is_said(store: Store, name: str, words: str) -> None:
    with pytest.raises(RecordError, match=words):
        store.open(name)


def test_an_id_that_is_the_start_of_another_is_that_run(store: Store, tmp_path: Path) -> None:
    record_of(tmp_path, "abc")
    assert store.open("abc").id == "abc"


def test_damaged_records_are_left_out_of_the_list_and_refused_by_name(store: Store, tmp_path: Path) -> None:
    for name, text in (("cut", '{"schema": "comp'), ("other", '{"schema": "compile-loop/run/9"}'), ("list", "[]")):
        folder = tmp_path / f"20260104-000000-{name}"
        folder.mkdir()
        (folder / "run.json").write_text(text)
        with pytest.raises(RecordError, match=r"damaged|another version"):
            store.open(name)
    half = record_of(tmp_path, "half", asked={"root": "/ws"})
    with pytest.raises(RecordError, match="damaged"):
        Record(half)
    assert len(store.all()) == 3


@pytest.mark.spec("W4")
def test_the_state_is_finished_under_way_interrupted_or_resumed(tmp_path: Path) -> None:
    assert Record(record_of(tmp_path, "done")).state is State.FINISHED
    assert Record(record_of(tmp_path, "now", owner="me")).state is State.UNDER_WAY
    killed = Record(record_of(tmp_path, "killed", owner="killed"))
    assert killed.state is State.INTERRUPTED and killed.resumable
    killed.mark_resumed("done")
    assert killed.state is State.RESUMED and killed.resumed_by() == "done" and not killed.resumable


@pytest.mark.spec("W4")
@pytest.mark.parametrize(
    ("failure", "resumable"),
    [("model_unavailable", True), ("cancelled", True), ("needs_auth", True), ("max_rounds", False), ("stagnation", False),
     (None, False)],
)  # fmt: skip
def test_runs_that_something_else_than_the_code_broke_off_can_be_resumed(
    tmp_path: Path, failure: str | None, resumable: bool
) -> None:
    folder = record_of(tmp_path, "done")
    ended = {"ending": "failed", "failure": failure and {"kind": failure, "message": "m"}}
    (folder / "report.json").write_text(json.dumps(ended))
    assert Record(folder).resumable is resumable


def test_a_run_under_way_is_not_deleted_others_are(store: Store, tmp_path: Path) -> None:
    store.delete(store.open("ffff"))
    assert [record.id for record in store.all()] == ["abd456", "abc123"]
    with pytest.raises(RecordError, match="under way"):
        store.delete(Record(record_of(tmp_path, "now", owner="me")))


def test_a_line_that_a_kill_cut_off_is_left_out(tmp_path: Path) -> None:
    folder = record_of(tmp_path, "cut")
    with (folder / "events.jsonl").open("ab") as lines:
        lines.write(b'{"at": 9, "event": "round_st\xc3')
    assert [event["at"] for event in Record(folder).events()] == [0, 1, 2]


@pytest.mark.spec("Z1")
@pytest.mark.parametrize("name", ["../../../outside.txt", "link.txt"])
def test_a_record_from_elsewhere_cannot_name_files_outside_of_itself(tmp_path: Path, name: str) -> None:
    (tmp_path / "outside.txt").write_text("mine")
    folder = record_of(tmp_path / "runs", "evil")
    (folder / "files").mkdir()
    (folder / "files" / "link.txt").symlink_to(tmp_path / "outside.txt")
    (folder / "files" / "originals.json").write_text(json.dumps({"a.c": name}))
    with pytest.raises(RecordError, match="outside of itself"):
        Record(folder).originals()


def test_what_was_asked_comes_back_as_it_was() -> None:
    asked = Asked(
        root="/ws",
        targets=("a.c", "sub/ä b.c"),
        scope="workspace",
        checks=("make 'x y'",),
        holdouts=("./hidden",),
        spec="do it",
        settings={"model": "openai:x", "max_rounds": 3},
        encodings={"a.c": "cp1252"},
        buffers=("a.c",),
        reproduce=Diagnostic("m", "a.c", Range.of(1, 2, 3, 4), Severity.WARNING, "C1", source="gcc", phase=Phase.LINK),
    )
    assert asked_in(json.loads(json.dumps(asked.out()))) == asked


def test_lines_are_on_disk_at_once_and_odd_characters_stay_json(tmp_path: Path) -> None:
    lines = Lines(tmp_path / "x.jsonl")
    lines.add(json.dumps({"a": "\ud800ä"}, ensure_ascii=False) + "\n")
    assert json.loads((tmp_path / "x.jsonl").read_text("utf-8")) == {"a": "\ud800ä"}
    lines.close()
    lines.close()


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    write_whole(tmp_path / "new" / "a.json", b"1")
    write_whole(tmp_path / "new" / "a.json", b"2")
    assert [(p.name, p.read_bytes()) for p in (tmp_path / "new").iterdir()] == [("a.json", b"2")]
    with pytest.raises(RecordError, match="the record cannot be written"):
        write_whole(tmp_path / "new" / "a.json" / "b.json", b"3")
