"""`runs`, `show`, `replay`, `resume` as a person or a script meets them: real processes, one of them killed (SPEC P3, W4)."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.cli.test_commands import cli, script
from tests.loop.running import block, snapshot, workspace
from tests.support.model_server import Answer, ModelServer, Pause, says

BROKEN = "int one(void) { return 1 }\nint two(void) { return 2 }\n"
FIRST = "One is missing.\n" + block("int one(void) { return 1 }\n", "int one(void) { return 1; }\n")
SECOND = "And one more.\n" + block("int two(void) { return 2 }\n", "int two(void) { return 2; }\n")
FIXED = BROKEN.replace(" }", "; }")
GCC = "gcc -fsyntax-only a.c"
OPTIONS = ("a.c", "--check", GCC, "--no-suggestions")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "200")
    return workspace(tmp_path / "ws", a_c=BROKEN)


@pytest.fixture
def green(root: Path) -> str:
    """The id of a recorded run of two rounds."""
    assert cli(root, "fix", *OPTIONS, "--model", script(root, FIRST, SECOND)).returncode == 0
    return str(listed(root)[0]["id"])


def listed(root: Path) -> list[dict[str, Any]]:
    document = json.loads(cli(root, "runs", "--json").stdout)
    assert document["schema"] == "compile-loop/runs/1"
    return list(document["runs"])


@pytest.mark.spec("P3")
def test_runs_are_listed_newest_first_for_people_and_for_scripts(root: Path, green: str) -> None:
    assert cli(root, "fix", "a.c", "--check", "no-such-tool").returncode == 3
    failed, first = listed(root)
    assert (
        first["id"] == green and first["ending"] == "green" and (first["errorsBefore"], first["errorsAfter"]) == (2, 0)
    )
    assert first["targets"] == ["a.c"] and first["rounds"] == 2 and first["calls"] == 2 and first["state"] == "finished"
    assert failed["failure"]["kind"] == "environment" and failed["resumable"]
    shown = cli(root, "runs").stdout
    assert green in shown and "2 → 0" in shown and "environment" in shown
    assert "0 → 0" not in shown and " – " in shown, "nothing is known of a check that could not run"
    assert "green" not in cli(root, "runs", "--limit", "1").stdout


@pytest.mark.spec("P3")
def test_no_records_are_no_error(root: Path) -> None:
    done = cli(root, "runs")
    assert done.returncode == 0 and "No run is recorded yet" in done.stdout
    done = cli(root, "show", "last")
    assert done.returncode == 2 and "There is no record yet" in done.stderr


@pytest.mark.spec("P3", "R3")
def test_show_has_rounds_errors_diff_and_report(root: Path, green: str) -> None:
    shown = cli(root, "show", green[:5]).stdout
    assert "round 1  2 → 1 error" in shown and "round 2  1 → 0 errors" in shown
    assert "+int two(void) { return 2; }" in shown and "not proven  The checks pass with this edit" in shown
    document = json.loads(cli(root, "show", "last", "--json").stdout)
    assert document["schema"] == "compile-loop/show/1" and document["report"]["schema"] == "compile-loop/report/1"
    assert [(each["errorsBefore"], each["errorsAfter"]) for each in document["rounds"]] == [(2, 2), (2, 1), (1, 0)]
    assert document["candidate"].startswith("--- a/a.c") and "a.c:2:" in document["rounds"][1]["check"]
    one = cli(root, "show", green, "--round", "1").stdout
    assert "+int one(void) { return 1; }" in one and "return 2; }" not in one.split("==")[0] and "a.c:2:" in one
    assert cli(root, "show", green, "--round", "7").returncode == 2
    patch = cli(root, "show", green, "--diff").stdout
    subprocess.run(["patch", "-p1"], cwd=root, input=patch.encode(), check=True, capture_output=True)
    assert (root / "a.c").read_text() == FIXED


@pytest.mark.spec("P3", "E7")
def test_show_says_why_a_round_edited_nothing(root: Path) -> None:
    """A round whose edit was refused has no diff and no check, but a reason: in the list, and in full by itself."""
    wrong = block("int three(void);\n", "int four(void);\n")
    done = cli(root, "fix", *OPTIONS, "--model", script(root, "Nothing comes to mind.", wrong, FIRST + SECOND))
    assert done.returncode == 0 and "still 2 errors" in done.stdout and "2 → 2" not in done.stdout
    shown = cli(root, "show", "last").stdout
    assert "round 1  nothing was edited; the reply held no edit" in shown
    assert "round 2  nothing was edited; block 1 (a.c): its SEARCH is nowhere in a.c" in shown
    second = cli(root, "show", "last", "--round", "2").stdout
    assert "Nothing was edited in round 2" in second and "Send block 1 again" in second
    assert "No check output was recorded" not in second
    document = json.loads(cli(root, "show", "last", "--json").stdout)
    assert [len(each["refused"]) for each in document["rounds"]] == [0, 1, 1, 0]


@pytest.mark.spec("P3")
def test_a_record_is_deleted_by_name(root: Path, green: str) -> None:
    assert "Deleted" in cli(root, "runs", "--delete", green).stdout
    assert listed(root) == []
    done = cli(root, "runs", "--delete", green)
    assert done.returncode == 2 and "There is no run" in done.stderr


@pytest.mark.spec("P3", "R2")
def test_a_replay_ends_as_fix_would(root: Path, green: str) -> None:
    before = snapshot(root)
    done = cli(root, "replay", green)
    assert done.returncode == 0 and "Green: 2 → 0 errors, 2 rounds" in done.stdout and snapshot(root) == before
    document = json.loads(cli(root, "replay", green, "--json").stdout)
    assert document["schema"] == "compile-loop/replay/1" and document["ending"] == "green"
    assert (document["run"], document["unusedReplies"], document["changedSince"]) == (green, 0, [])
    assert len(listed(root)) == 1


@pytest.mark.spec("P3", "R2")
def test_a_replay_on_changed_files_says_where_and_what_to_do(root: Path, green: str) -> None:
    (root / "a.c").write_text(BROKEN.replace("one", "eins"))
    done = cli(root, "replay", green)
    shown = " ".join(done.stdout.split())
    assert done.returncode == 2 and "Request 1 is not the recorded one" in shown
    assert "Changed since the recorded run began: a.c. Add --original-files" in shown
    again = cli(root, "replay", green, "--original-files", "--diff")
    assert again.returncode == 0 and again.stdout.startswith("--- a/a.c")
    (root / "a.c").write_text(FIXED)
    repaired = cli(root, "replay", green)
    assert repaired.returncode == 0 and "2 recorded replies were not needed" in repaired.stdout


@pytest.mark.spec("P3", "R2")
def test_a_replay_elsewhere_needs_the_folder_or_says_so(root: Path, green: str, tmp_path: Path) -> None:
    folder = listed(root)[0]["folder"]
    moved = root.rename(tmp_path / "moved")
    done = cli(tmp_path, "replay", folder)
    assert done.returncode == 2 and "Say with --root" in done.stderr
    assert cli(tmp_path, "replay", folder, "--root", str(moved)).returncode == 0


@pytest.mark.spec("R1", "R2", "Z1")
def test_a_run_in_a_bug_report_replays_on_another_machine_to_the_byte(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packed here with secrets about; replayed there, with no project and no records, with the same prompts."""
    monkeypatch.setenv("ACME_API_TOKEN", "quagga-and-zebra-7")
    (root / "a.c").write_text(f"/* quagga-and-zebra-7, sk-{'a1B2' * 6} */\n{BROKEN}")
    assert cli(root, "fix", *OPTIONS, "--model", script(root, FIRST, SECOND)).returncode == 0
    packed = tmp_path / "run.zip"
    done = cli(root, "show", "last", "--export", str(packed))
    assert done.returncode == 0 and "compile-loop replay run.zip" in done.stdout, done.stderr
    assert cli(root, "show", "last", "--export", str(packed)).returncode == 2, "it is not overwritten"
    with zipfile.ZipFile(packed) as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist())
        turns = archive.read("turns.jsonl").decode()
    assert b"quagga" not in everything and b"a1B2a1B2" not in everything and b"int two(void)" in everything

    shutil.rmtree(tmp_path / "state")
    shutil.rmtree(root)
    monkeypatch.delenv("ACME_API_TOKEN")
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    replayed = cli(elsewhere, "replay", str(packed), "--root", str(elsewhere), "--json", "--trust-checks")
    document = json.loads(replayed.stdout)
    assert (document["ending"], document["unusedReplies"]) == ("green", 0), replayed.stderr
    assert list(elsewhere.iterdir()) == []

    workspace(elsewhere, a_c=f"/* [redacted], [redacted] */\n{BROKEN}")
    again = cli(elsewhere, "fix", *OPTIONS, "--model", script(elsewhere, FIRST, SECOND))
    assert again.returncode == 0, again.stdout
    folder = Path(listed(elsewhere)[0]["folder"])
    assert prompts((folder / "turns.jsonl").read_text()) == prompts(turns)


def prompts(turns: str) -> list[Any]:
    return [json.loads(line)["messages"] for line in turns.splitlines()]


@pytest.mark.spec("R2")
@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["run.json", "../outside.txt"], "outside of itself"),
        (["run.json", "/outside.txt"], "outside of itself"),
        (["events.jsonl"], "is no record"),
        ([], "is no record"),
    ],
)
def test_a_packed_record_that_is_none_writes_nothing(root: Path, tmp_path: Path, names: list[str], words: str) -> None:
    bad = tmp_path / "bad.zip"
    with zipfile.ZipFile(bad, "w") as archive:
        for name in names:
            archive.writestr(name, "{}")
    done = cli(root, "replay", str(bad))
    assert done.returncode == 2 and words in " ".join(done.stderr.split()), done.stderr
    bad.write_bytes(b"not packed")
    assert "cannot be read as a record" in " ".join(cli(root, "replay", str(bad)).stderr.split())
    assert not list(tmp_path.rglob("outside.txt"))


class Killed:
    """A run in a process of its own whose second request hangs, killed with −9 at that point."""

    def __init__(self, root: Path, server: ModelServer, *options: str) -> None:
        env = {**os.environ, "OPENAI_API_KEY": "sk-test-0123456789abcdefghij"}
        command = [
            sys.executable,
            "-m",
            "compile_loop",
            "fix",
            *OPTIONS,
            "--model",
            "openai:m",
            "--base-url",
            server.base_url,
        ]
        self.process = subprocess.Popen(
            [*command, *options], cwd=root, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.server = server

    def when(self, reached: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 30
        while not reached():
            assert time.monotonic() < deadline and self.process.poll() is None
            time.sleep(0.02)
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """One reply, then one that never comes, then the second reply."""
    hangs = Answer((Pause(60),))
    with ModelServer(says(FIRST), hangs, says(SECOND)) as serving:
        yield serving


def killed_in_the_second_request(root: Path, server: ModelServer) -> dict[str, Any]:
    Killed(root, server).when(lambda: len(server.requests) == 2)
    (run,) = listed(root)
    return run


@pytest.mark.spec("W4", "R1")
def test_what_was_written_before_a_kill_is_all_there(root: Path, server: ModelServer) -> None:
    before = snapshot(root)
    run = killed_in_the_second_request(root, server)
    assert run["state"] == "interrupted" and run["resumable"] and (run["errorsBefore"], run["errorsAfter"]) == (2, 1)
    folder = Path(run["folder"])
    assert len((folder / "turns.jsonl").read_text().splitlines()) == 1
    kinds = [json.loads(line)["event"] for line in (folder / "events.jsonl").read_text().splitlines()]
    assert kinds[-1] == "round_started" and "round_finished" in kinds
    assert "+int one(void) { return 1; }" in (folder / "rounds" / "1" / "diff.patch").read_text()
    assert snapshot(root) == before
    shown = cli(root, "show", run["id"]).stdout
    assert (
        "The run was interrupted" in shown and f"compile-loop resume {run['id']}" in shown and "→ not verified" in shown
    )


@pytest.mark.spec("W4")
def test_a_killed_run_is_resumed_and_applied(root: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    run = killed_in_the_second_request(root, server)
    done = resumed(root, run["id"], "--apply")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (root / "a.c").read_text() == FIXED
    assert len(server.requests) == 3
    assert "Green: 2 → 0 errors, 2 rounds" in done.stdout
    after, old = listed(root)
    assert old["state"] == "resumed" and old["resumedBy"] == after["id"] and after["resumes"] == run["id"]
    again = resumed(root, run["id"])
    assert again.returncode == 2 and f"was resumed as run {after['id']}" in again.stderr


@pytest.mark.spec("W4")
def test_a_run_killed_in_the_middle_of_a_line_is_resumed(root: Path, server: ModelServer) -> None:
    run = killed_in_the_second_request(root, server)
    for name in ("turns.jsonl", "events.jsonl"):
        with (Path(run["folder"]) / name).open("ab") as lines:
            lines.write(b'{"kept": 2, "messages": [{"role": "assi')
    assert resumed(root, run["id"], "--diff").stdout.startswith("--- a/a.c")


@pytest.mark.spec("W4")
def test_a_run_killed_in_its_check_is_dropped_with_all_it_left(root: Path, server: ModelServer) -> None:
    before = snapshot(root)
    killed = Killed(root, server, "--check", "sleep 73.625")
    killed.when(lambda: any(running("73.625")))
    (run,) = listed(root)
    done = cli(root, "resume", run["id"], "--drop")
    assert done.returncode == 0 and f"Dropped run {run['id']}" in done.stdout
    assert listed(root) == [] and snapshot(root) == before
    assert not any(running("73.625"))
    owned = [p for p in Path(tempfile.gettempdir()).glob("compile-loop-*") if str(killed.process.pid) in owner(p)]
    assert owned == []


@pytest.mark.spec("W4")
def test_only_what_was_broken_off_is_resumed_or_dropped(root: Path, green: str) -> None:
    for options in ((), ("--drop",)):
        done = cli(root, "resume", green, *options)
        assert done.returncode == 2 and ("came to its end" in done.stderr or "was not interrupted" in done.stderr)
    assert len(listed(root)) == 1


def resumed(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """`cli` without the key's removal."""
    env = {**os.environ, "OPENAI_API_KEY": "sk-test-0123456789abcdefghij"}
    return subprocess.run(
        [sys.executable, "-m", "compile_loop", "resume", *options],
        cwd=root, env=env, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def running(seconds: str) -> Iterator[bool]:
    for process in psutil.process_iter(["cmdline"]):
        if process.info["cmdline"] == ["sleep", seconds] and process.status() != psutil.STATUS_ZOMBIE:
            yield True


def owner(folder: Path) -> str:
    try:
        return (folder / "owner").read_text()
    except OSError:
        return ""


@pytest.mark.spec("P3")
@pytest.mark.parametrize("command", ["runs", "show", "replay", "resume", "eval"])
def test_each_has_help_with_an_example(tmp_path: Path, command: str) -> None:
    done = cli(tmp_path, command, "--help")
    assert done.returncode == 0 and "Example: compile-loop" in " ".join(done.stdout.split())
