"""However a record's files are damaged, reading it raises `RecordError` or nothing, and others stay readable (SPEC R1, R2, W4)."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from rich.console import Console
from tests.unit.record.records import record_of

from compile_loop.again.kept import kept_of
from compile_loop.again.replay import replay
from compile_loop.again.resume import resume
from compile_loop.assemble import ConfigurationError
from compile_loop.cli import show
from compile_loop.cli.records import summary
from compile_loop.lsp.view import tree
from compile_loop.record.folder import RecordError
from compile_loop.record.rounds import rounds_of
from compile_loop.record.store import Record, State, Store

pytestmark = pytest.mark.spec("R1", "R2", "W4")

NAMES = (
    "run.json",
    "events.jsonl",
    "turns.jsonl",
    "report.json",
    "resumed.json",
    "recalled.json",
    "files/originals.json",
)
EVENTS: list[dict[str, Any]] = [
    {"at": 0.1, "event": "round_started", "number": 1, "errors": 2},
    {"at": 0.2, "event": "edit_applied", "files": ["a.c"]},
    {
        "at": 0.3,
        "event": "check_finished",
        "inPass": "round",
        "round": 1,
        "result": {
            "check": "gcc",
            "errors": 1,
            "diagnostics": [{"message": "m", "file": "a.c", "severity": "error", "range": {"start": {"line": 1}}}],
        },
    },
    {"at": 0.4, "event": "round_finished", "number": 1, "errorsAfter": 1},
]
REPORT = {
    "ending": "failed",
    "failure": {"kind": "cancelled", "message": "m"},
    "explanation": "e",
    "baseline": {"errors": 2},
    "errorsAfter": 1,
    "calls": 1,
    "tokens": {"total": 3, "estimated": True},
    "price": 0.5,
    "seconds": {"wall": 1.0, "generation": 0.5, "checks": 0.5},
    "suspicious": ["s"],
    "suspect": [],
    "warnings": ["w"],
}
TURN = {
    "kept": 0,
    "messages": [{"role": "user", "content": "c"}],
    "tools": ["read_file"],
    "reply": {
        "text": "t",
        "finish": "stop",
        "seconds": 1.0,
        "usage": [1, 2, 0, 0],
        "tool_calls": [{"id": "1", "name": "read_file", "arguments": "{}"}],
    },
}
DEEP = "[" * 200_000
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.just(10**400), st.floats(), st.just("\0"), st.just("\ud800"),
    st.text(max_size=5), st.just("/" + "x" * 5000), st.just([]), st.just({}), st.just([[1]]), st.just({"a": [None]}),
)  # fmt: skip


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in JSON, as the keys on the way."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield (*above, key)
        yield from places(value[key], (*above, key))


def whole(runs: Path) -> Path:
    folder = record_of(runs, "bad", started="20260102-000000")
    (folder / "files").mkdir()
    (folder / "files" / "originals.json").write_text(json.dumps({"a.c": "a", "b.c": None}))
    (folder / "files" / "a").write_text("int a")
    (folder / "events.jsonl").write_text("".join(json.dumps(each) + "\n" for each in EVENTS))
    (folder / "turns.jsonl").write_text(json.dumps(TURN) + "\n" + json.dumps(TURN) + "\n")
    (folder / "report.json").write_text(json.dumps(REPORT))
    (folder / "recalled.json").write_text('["r"]')
    return folder


@st.composite
def damages(draw: st.DrawFn) -> Callable[[Path], None]:
    """Something that befalls one file: cut, overwritten, nested without end, or one value that is another."""
    name = draw(st.sampled_from(NAMES))
    kind = draw(st.sampled_from(("cut", "bytes", "deep", "value", "value", "value")))
    share = draw(st.floats(0, 1))
    data = draw(st.binary(max_size=20))
    leaf = draw(LEAVES)

    def damage(folder: Path) -> None:
        place = folder / name
        old = place.read_bytes() if place.exists() else b'{"by": "x"}'
        if kind == "cut":
            place.write_bytes(old[: int(len(old) * share)])
        elif kind == "bytes":
            where = int(len(old) * share)
            place.write_bytes(old[:where] + data + old[where + len(data) :])
        elif kind == "deep":
            place.write_text(DEEP if share < 0.5 else '{"a":' * 200_000)
        else:
            first, *rest = old.decode().splitlines(keepends=True)
            value = json.loads(first)
            ways = list(places(value))
            *above, last = ways[int((len(ways) - 1) * share)]
            inner = value
            for key in above:
                inner = inner[key]
            inner[last] = leaf
            place.write_text("".join([json.dumps(value) + "\n", *rest]))

    return damage


def emptied(folder: Path) -> None:
    (folder / "report.json").write_bytes(b"")


def nested(folder: Path) -> None:
    (folder / "report.json").write_text(DEEP)


def nul(folder: Path) -> None:
    run = json.loads((folder / "run.json").read_text())
    run["asked"]["root"] = "/tmp/\0"
    (folder / "run.json").write_text(json.dumps(run))


@given(damages())
@example(emptied)
@example(nested)
@example(nul)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_damage_is_more_than_a_sentence(damage: Callable[[Path], None]) -> None:
    runs = Path(tempfile.mkdtemp())
    try:
        record_of(runs, "good", started="20260101-000000")
        damage(whole(runs))
        store = Store(runs)
        found = store.all()
        assert {record.id for record in found} >= {"good"} and len(found) + len(store.unreadable()) == 2
        for record in found:
            everything_of(record, runs)
        folder = runs / "20260102-000000-bad"
        if not store.delete_unreadable(folder.name):
            store.delete(next(record for record in found if record.folder == folder))
        assert [record.id for record in store.all()] == ["good"] and store.unreadable() == {}
    finally:
        shutil.rmtree(runs)


def everything_of(record: Record, root: Path) -> None:
    """All that faces read of a record, and that a replay or a resumed run is made of."""
    json.dumps(summary(record))
    json.dumps(show._document(record, rounds_of(record)))
    if record.report is not None:
        show._print_report(Console(quiet=True), record.report)
    tree._run(record)
    for each in rounds_of(record):
        list(tree._parts(record, each))
    assert record.state is not State.UNDER_WAY
    for read in (record.originals, record.results, record.buffers):
        try:
            read()
        except RecordError:
            continue
    for make in (lambda: kept_of(record), lambda: replay(record, root), lambda: resume(record, root)):
        try:
            make()
        except ConfigurationError:
            continue
