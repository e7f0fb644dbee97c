"""What a run leaves behind: every request and reply, every round, a report, and no secret (SPEC R1, R3, Q24, Z1)."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.loop.running import Told, block, fix, snapshot, workspace
from tests.support.model_server import ModelServer, calls, fails, says
from tests.unit.record.records import record_of

from compile_loop.assemble import Job, carry_on, runs_folder, start
from compile_loop.contracts.events import CheckFinished, Event, ModelText, RunFinished, Warned
from compile_loop.contracts.inline_secrets import MARK
from compile_loop.contracts.outcome import Ending, FailureKind
from compile_loop.contracts.protocols import Message, Reply
from compile_loop.models.scripted import ScriptedGenerator
from compile_loop.models.turn_log import Turn, TurnLogWriter, turns_in
from compile_loop.record import folder
from compile_loop.record.folder import Lines
from compile_loop.record.retention import prune
from compile_loop.record.store import Record, State, Store
from compile_loop.settings import Settings

BROKEN = "int one(void) { return 1 }\nint two(void) { return 2 }\n"
FIRST = "One is missing.\n" + block("int one(void) { return 1 }\n", "int one(void) { return 1; }\n")
SECOND = "And one more.\n" + block("int two(void) { return 2 }\n", "int two(void) { return 2; }\n")
GCC = "gcc -fsyntax-only a.c"
KEY = "sk-test-0123456789abcdefghij"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def no_state_folder(state: Path) -> None:
    state.write_text("a file where a folder should be")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return workspace(tmp_path / "ws", a_c=BROKEN)


def records() -> list[Record]:
    return Store(runs_folder()).all()


def patched(root: Path, patch: str) -> None:
    subprocess.run(["patch", "-p1"], cwd=root, input=patch.encode(), check=True, capture_output=True)


async def twice_red(root: Path, **how: Any) -> Told:
    settings = {"suggestions": False, **how.pop("settings", {})}
    return await fix(root, [FIRST, SECOND], targets=["a.c"], checks=(GCC,), settings=settings, **how)


@pytest.mark.spec("R1")
async def test_each_run_is_a_folder_with_all_its_parts(root: Path, state: Path) -> None:
    told = await twice_red(root)
    (record,) = records()
    assert record.folder.parent == state / "compile-loop" / "runs"
    assert sorted(snapshot(record.folder)) == [
        "candidate.diff", "events.jsonl", "files/buffers.json", "files/originals.json", "files/originals/a.c",
        "files/results.json", "files/results/a.c",
        "final/check.txt", "report.json", "rounds/0/check.txt", "rounds/1/check.txt", "rounds/1/diff.patch",
        "rounds/2/check.txt", "rounds/2/diff.patch", "run.json", "turns.jsonl",
    ]  # fmt: skip
    assert record.state is State.FINISHED
    assert record.run["asked"]["root"] == str(root) and record.run["asked"]["targets"] == ["a.c"]
    assert (record.folder.stat().st_mode & 0o777) == 0o700
    kinds = [event["event"] for event in record.events()]
    assert kinds[0] == "run_started" and kinds[-1] == "run_finished"
    silent = (ModelText,)
    assert len(kinds) == sum(not isinstance(e, silent) and type(e).__name__ != "DiagnosticFound" for e in told.events)
    found = next(e for e in record.events() if e["event"] == "check_finished")["result"]["diagnostics"]
    first = told.of(CheckFinished)[0].result.diagnostics
    assert [d["message"] for d in found] == [d.message for d in first]


@pytest.mark.spec("R1", "Q24")
async def test_every_request_and_reply_is_there_exactly(root: Path) -> None:
    told = await twice_red(root)
    turns = turns_in(records()[0].turns.read_text("utf-8"))
    assert [turn.messages for turn in turns] == told.model.requests
    assert [turn.tools for turn in turns] == [tuple(t.name for t in tools) for tools in told.model.tools]
    assert [turn.reply and turn.reply.text for turn in turns] == [FIRST, SECOND]


@pytest.mark.spec("R1", "Q24")
async def test_what_went_over_the_wire_is_what_is_recorded(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    reading = calls(("read_file", {"path": "a.c"}), text="Let me look.")
    with ModelServer(reading, says(FIRST), fails(503), says(SECOND)) as server:
        settings = Settings(model="openai:m", base_url=server.base_url, suggestions=False)
        async for _ in start(Job(root, (root / "a.c",), settings, checks=(GCC,))):
            pass
        sent = [request.json["messages"] for request in server.requests]
    turns = turns_in(records()[0].turns.read_text("utf-8"))
    assert len(turns) == 3 and len(sent) == 4
    del sent[2]  # the one that failed was made again
    for turn, wire in zip(turns, sent, strict=True):
        assert [(m.role, m.content) for m in turn.messages] == [(m["role"], m.get("content") or "") for m in wire]
    assert turns[0].reply and turns[0].reply.tool_calls[0].name == "read_file"
    assert json.loads(turns[0].reply.tool_calls[0].arguments) == {"path": "a.c"}
    assert [event for event in records()[0].events() if event["event"] == "waiting"]


@pytest.mark.spec("R1")
async def test_diffs_of_rounds_lead_from_the_original_files_and_apply(root: Path, tmp_path: Path) -> None:
    await twice_red(root)
    (record,) = records()
    for number, text in ((1, BROKEN.replace("1 }", "1; }")), (2, BROKEN.replace(" }", "; }"))):
        copy = workspace(tmp_path / f"copy{number}", a_c=BROKEN)
        patch = record.text(f"rounds/{number}/diff.patch")
        patched(copy, patch)
        assert (copy / "a.c").read_text() == text
    assert record.text("candidate.diff") == record.text("rounds/2/diff.patch")
    assert "a.c:2:" in record.text("rounds/1/check.txt") and "passes" in record.text("final/check.txt")


@pytest.mark.spec("R3", "Q28")
async def test_the_report_agrees_with_the_outcome(root: Path) -> None:
    told = await twice_red(root)
    report = records()[0].report
    assert report is not None
    tally = told.outcome.tally
    assert (
        report["ending"] == "green" and report["baseline"]["accepted"] and report["rounds"]["done"] == tally.rounds == 2
    )
    assert report["tokens"]["total"] == tally.spending.tokens and report["calls"] == 2
    assert [(r["errorsBefore"], r["errorsAfter"]) for r in report["perRound"]] == [(2, 1), (1, 0)]
    assert report["evaluatorIsolated"] and report["protectedFilesUnchanged"] and report["mode"] == "scripted"
    assert all((records()[0].folder / r["record"] / "check.txt").exists() for r in report["perRound"])


@pytest.mark.spec("R1")
async def test_a_run_that_fails_before_its_baseline_leaves_a_report_too(root: Path) -> None:
    told = await fix(root, [], targets=["a.c"], checks=("no-such-tool",))
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.ENVIRONMENT
    report = records()[0].report
    assert report and not report["baseline"]["accepted"] and report["failure"]["kind"] == "environment"


@pytest.mark.spec("R1")
async def test_unsaved_text_and_new_files_are_kept_as_they_were(root: Path) -> None:
    unsaved = BROKEN.replace("two", "zwei").encode("utf-16")
    told = await fix(
        root,
        [],
        targets=["a.c"],
        checks=(GCC,),
        buffers={root / "a.c": unsaved},
        encodings={root / "a.c": "utf-16"},
    )
    assert told.outcome.failure
    (record,) = records()
    assert record.buffers() == {"a.c": unsaved} and record.originals() == {"a.c": unsaved}
    assert record.asked.encodings == {"a.c": "utf-16"}


@pytest.mark.spec("R1", "Z1")
async def test_no_secret_is_in_any_file_of_a_record(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A grep over every file, after secrets went through prompts, replies, calls, outputs, files and names."""
    variable, pasted, header = "quagga-and-zebra", "ghp_0123456789abcdefghijABCDEFGHIJ012345", "dG9wOnNlY3JldA99"
    monkeypatch.setenv("ACME_API_TOKEN", variable)
    monkeypatch.setenv("MODEL_KEY_OF_MINE", KEY)
    (root / "a.c").write_text(f'/* {pasted} */\nconst char *key = "{variable}";\n{BROKEN}')
    (root / "leak.py").write_text(
        f"import sys\nprint('token {variable}', file=sys.stderr)\nprint('Authorization: Basic {header}')\n"
        "print('a.c:1:1: error: {pasted}')\nsys.exit(1)\n".replace("{pasted}", pasted)
    )
    reply = f"I saw {variable} and {KEY}.\n" + block(
        f'const char *key = "{variable}";\n', f'const char *key = "{KEY}";\n'
    )
    tool = {"path": "a.c", "search": f"/* {pasted} */", "replace": f"/* {variable} */"}
    with ModelServer(calls(("apply_search_replace", tool)), says(reply)) as server:
        settings = Settings(
            model="openai:m", base_url=server.base_url, api_key_env="MODEL_KEY_OF_MINE", suggestions=False, max_rounds=1
        )
        job = Job(root, (root / "a.c",), settings, checks=(f"{sys.executable} leak.py", GCC), spec=f"use {variable}")
        events: list[Event] = [event async for event in start(job)]
    assert isinstance(events[-1], RunFinished)
    (record,) = records()
    files = snapshot(record.folder)
    assert len(files) >= 10
    for secret in (variable, pasted, header, KEY):
        for name, data in files.items():
            assert secret.encode() not in data, f"{secret} is in {name}"
            assert secret.encode()[4:-4] not in data, f"most of {secret} is in {name}"
    assert MARK.encode() in files["turns.jsonl"] and MARK.encode() in files["files/originals/a.c"]
    assert MARK.encode() in files["rounds/0/check.txt"] and MARK.encode() in files["rounds/1/diff.patch"]
    for name in ("turns.jsonl", "events.jsonl"):
        assert all(json.loads(line) for line in files[name].decode().splitlines())
    assert record.state is State.FINISHED and len(turns_in(record.turns.read_text("utf-8"))) == 2


@pytest.mark.spec("R1")
async def test_with_the_setting_off_nothing_is_written(root: Path, state: Path) -> None:
    told = await twice_red(root, settings={"record": False, "repair_memory": False})
    assert told.outcome.ending is Ending.GREEN and snapshot(state) == {}


async def warned_once(root: Path, words: str) -> None:
    told = await twice_red(root)
    assert told.outcome.ending is Ending.GREEN
    (warning,) = [e.message for e in told.of(Warned) if "record" in e.message]
    assert words in warning


@pytest.mark.spec("R1")
@pytest.mark.usefixtures("no_state_folder")
async def test_a_state_folder_that_is_none_costs_one_warning_and_no_run(root: Path) -> None:
    await warned_once(root, "the record cannot be written")


@pytest.mark.spec("R1")
async def test_a_full_disk_costs_one_warning_and_no_run(
    root: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`/dev/full` in the place of the turns: the first reply cannot be written down."""
    monkeypatch.setattr(folder, "TURNS", "../full")
    (state / "compile-loop" / "runs").mkdir(parents=True)
    (state / "compile-loop" / "runs" / "full").symlink_to("/dev/full")
    await warned_once(root, "No space left on device")
    (record,) = records()
    assert record.state is State.INTERRUPTED and record.resumable  # nothing more was written
    assert "report.json" not in snapshot(record.folder)


@pytest.mark.spec("R1")
def test_a_really_full_disk_costs_one_warning_and_no_run(root: Path, tmp_path: Path) -> None:
    """The state folder on a file system of 16 KiB, in a mount namespace of its own."""
    (tmp_path / "small").mkdir()
    replies = tmp_path / "replies.json"
    replies.write_text(json.dumps([FIRST, SECOND]))
    script = (
        f'mount -t tmpfs -o size=16k none "{tmp_path}/small" || exit 77; export XDG_STATE_HOME="{tmp_path}/small"; '
        f'exec "{sys.executable}" -m compile_loop fix a.c --check "{GCC}" --no-suggestions --model "scripted:{replies}" --json'
    )
    done = subprocess.run(
        ["unshare", "--mount", "--map-root-user", "sh", "-c", script],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("no mount namespaces here")
    assert json.loads(done.stdout)["ending"] == "green"
    assert done.stderr.count("the record cannot be written") == 1


@pytest.mark.spec("L19", "R1")
async def test_a_run_that_goes_on_names_the_one_before(root: Path) -> None:
    settings = Settings(suggestions=False)
    job = Job(root, (root / "a.c",), settings, checks=(GCC,), generator=ScriptedGenerator([FIRST, SECOND]))
    first = start(job)
    async for _ in first:
        pass
    more = block("int one(void) { return 1; }\n", "int one(void) { return 3; }\n")
    job = Job(root, (root / "a.c",), settings, checks=(GCC,), spec="3", generator=ScriptedGenerator([more]))
    second = carry_on(job, first)
    async for _ in second:
        pass
    by_id = {record.id: record for record in records()}
    assert by_id[second.run_id].run["continues"] == first.run_id and "continues" not in by_id[first.run_id].run


@pytest.mark.spec("R1", "T8")
async def test_what_the_repair_memory_gave_is_recorded(root: Path) -> None:
    await twice_red(root)
    told = await twice_red(root)
    recalled = records()[0].recalled() or records()[1].recalled()
    assert len(recalled) == 1 and recalled[0] in told.model.requests[0][1].content


def test_messages_of_any_text_survive_the_record(tmp_path: Path) -> None:
    odd = (Message("user", 'tab\t nul\0 quote" back\\slash \u2028 \ud83d\ude00 \ud800'),)
    lines = Lines(tmp_path / "turns.jsonl")
    lines.add(TurnLogWriter().line(Turn(odd, (), Reply("x"))))
    assert turns_in((tmp_path / "turns.jsonl").read_text("utf-8"))[0].messages[0].content.startswith("tab\t nul\0")


@pytest.mark.spec("R1")
async def test_several_runs_at_once_have_records_of_their_own(tmp_path: Path) -> None:
    roots = [workspace(tmp_path / f"ws{n}", a_c=BROKEN) for n in range(3)]
    await asyncio.gather(*(twice_red(each) for each in roots))
    assert sorted(record.asked.root for record in records()) == [str(each) for each in roots]
    assert all(len(turns_in(record.turns.read_text("utf-8"))) == 2 for record in records())
    assert len(list(runs_folder().iterdir())) == 3


@pytest.mark.spec("R1")
async def test_only_records_make_room_for_records(root: Path) -> None:
    """What somebody put beside them, or a link leads to, is none of ours, however old."""
    runs = runs_folder()
    old = record_of(runs, "old", age=99.0)
    outside = workspace(root.parent / "elsewhere", photo_txt="kept").rename(root.parent / "outside")
    (runs / "photos").symlink_to(outside)
    for name in ("my-notes", ".going-on-a-trip", "20010101-000000-abcd"):
        workspace(runs / name, events_jsonl="kept", notes_txt="kept")
        for place in (runs / name / "events.jsonl", runs / name / "notes.txt", runs / name):
            os.utime(place, (1e9, 1e9))
    await twice_red(root)
    for thread in threading.enumerate():
        if thread.name == "record retention":
            thread.join()
    assert not old.exists()
    assert (outside / "photo.txt").read_text() == "kept" and (runs / "photos").is_symlink()
    for name in ("my-notes", ".going-on-a-trip", "20010101-000000-abcd"):
        assert sorted(snapshot(runs / name)) == ["events.jsonl", "notes.txt"]


@pytest.mark.spec("R1")
async def test_records_behind_a_link_are_not_cleared_away(root: Path) -> None:
    runs, elsewhere = runs_folder(), root.parent / "elsewhere"
    old = record_of(elsewhere, "old", age=99.0)
    runs.parent.mkdir(parents=True)
    runs.symlink_to(elsewhere)
    assert prune(runs) == []
    await twice_red(root)
    assert old.exists() and len(records()) == 2
