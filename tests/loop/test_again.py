"""Recorded runs once more: replayed through today's files, or resumed where they were broken off (SPEC R2, W4, Q23)."""

from __future__ import annotations

import dataclasses
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.loop.running import block, fix, snapshot, workspace
from tests.support.model_server import ModelServer, calls, fails, says

from compile_loop.again.jobs import turns_of
from compile_loop.again.kept import kept_of
from compile_loop.again.replay import replay
from compile_loop.again.resume import resume
from compile_loop.assemble import ConfigurationError, Job, carry_on, runs_folder, start
from compile_loop.contracts.events import Event, ModelText, RunFinished, Warned
from compile_loop.contracts.outcome import Ending, FailureKind, Outcome
from compile_loop.contracts.protocols import ToolCall
from compile_loop.engine.handle import Run
from compile_loop.models.scripted import ScriptedGenerator, ScriptedReply
from compile_loop.record.store import Record, State, Store
from compile_loop.settings import Settings

BROKEN = "int one(void) { return 1 }\nint two(void) { return 2 }\n"
FIRST = "One is missing.\n" + block("int one(void) { return 1 }\n", "int one(void) { return 1; }\n")
SECOND = "And one more.\n" + block("int two(void) { return 2 }\n", "int two(void) { return 2; }\n")
FIXED = BROKEN.replace(" }", "; }")
GCC = "gcc -fsyntax-only a.c"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return workspace(tmp_path / "ws", a_c=BROKEN)


def the_record() -> Record:
    return Store(runs_folder()).open("last")


async def done(run: Run) -> tuple[Outcome, list[Event]]:
    events = [event async for event in run]
    last = events[-1]
    assert isinstance(last, RunFinished)
    return last.outcome, events


async def recorded(
    root: Path,
    replies: Sequence[str | ScriptedReply] = (FIRST, SECOND),
    settings: dict[str, Any] | None = None,
    **job: Any,
) -> Record:
    job.setdefault("checks", (GCC,))
    await fix(root, replies, targets=["a.c"], settings={"suggestions": False, **(settings or {})}, **job)
    return the_record()


@pytest.mark.spec("R2")
async def test_a_replay_gives_the_same_edit_with_no_model_and_leaves_no_record(root: Path) -> None:
    record = await recorded(root)
    before = snapshot(root)
    made = replay(record)
    outcome, _ = await done(made.run)
    assert outcome.ending is Ending.GREEN and outcome.edit.files[0].after == FIXED.encode()
    assert made.turns is not None and made.turns.left == 0 and made.differing == ()
    assert snapshot(root) == before
    assert len(Store(runs_folder()).all()) == 1


@pytest.mark.spec("R2")
async def test_reads_calls_and_answers_of_a_person_are_replayed(root: Path) -> None:
    class Person:
        async def ask(self, question: str, choices: Sequence[str]) -> str:
            return "the second" if "Which" in question else ""

    def call(number: int, name: str, **arguments: object) -> ScriptedReply:
        return ScriptedReply("", tool_calls=(ToolCall(f"c{number}", name, json.dumps(arguments)),))

    replies = [
        call(1, "read_file", path="a.c"),
        call(2, "ask_user", question="Which?"),
        call(3, "ask_user", question="Really?"),
        call(4, "apply_search_replace", path="a.c", search="return 1 }", replace="return 1; }"),
        SECOND,
    ]
    record = await recorded(root, replies, ask_user=Person())
    outcome, _ = await done(replay(record).run)
    assert outcome.ending is Ending.GREEN, outcome.failure


@pytest.mark.spec("L13")
async def test_answers_of_a_stronger_model_are_replayed_and_it_is_not_asked(root: Path) -> None:
    def call(number: int, question: str) -> ScriptedReply:
        return ScriptedReply("", tool_calls=(ToolCall(f"c{number}", "consult", json.dumps({"question": question})),))

    strong = ScriptedGenerator(["A semicolon."])
    replies = [call(1, "What is wrong?"), call(2, "And else?"), FIRST, SECOND]
    record = await recorded(root, replies, consult=strong)
    assert [messages[0].content for messages in strong.requests] == ["What is wrong?", "And else?"]
    outcome, _ = await done(replay(record).run)
    assert outcome.ending is Ending.GREEN, outcome.failure
    assert outcome.tally.spending.consults == 1


@pytest.mark.spec("R2")
async def test_a_changed_candidate_is_an_error_that_says_where(root: Path) -> None:
    record = await recorded(root)
    (root / "a.c").write_text(BROKEN.replace("one", "eins"))
    made = replay(record)
    outcome, _ = await done(made.run)
    assert made.differing == ("a.c",)
    assert outcome.failure and outcome.failure.kind is FailureKind.CONFIGURATION
    assert "Request 1 is not the recorded one: message 2 of 2 (user) differs in line" in outcome.failure.message
    assert "int eins(void)" in outcome.failure.message and "int one(void)" in outcome.failure.message


@pytest.mark.spec("R2")
async def test_a_changed_candidate_is_replayed_from_the_files_as_they_were_if_so_wished(root: Path) -> None:
    record = await recorded(root)
    (root / "a.c").write_text(FIXED)
    made = replay(record, original_files=True)
    outcome, _ = await done(made.run)
    assert outcome.ending is Ending.GREEN and made.differing == ()
    assert (root / "a.c").read_text() == FIXED


@pytest.mark.spec("R2")
async def test_a_repaired_candidate_needs_none_of_the_replies(root: Path) -> None:
    record = await recorded(root)
    (root / "a.c").write_text(FIXED)
    made = replay(record)
    outcome, _ = await done(made.run)
    assert outcome.ending is Ending.NOTHING_TO_FIX and made.turns is not None and made.turns.left == 2


@pytest.mark.spec("R2")
async def test_a_stricter_check_decides_anew_and_too_few_replies_are_said(root: Path) -> None:
    record = await recorded(root)
    checks = (GCC, f"{sys.executable} -c 'import sys; sys.exit(1)'")
    outcome, _ = await done(replay(record, checks=checks).run)
    assert outcome.failure and "Request 1 is not the recorded one" in outcome.failure.message
    lines = record.turns.read_text().splitlines(keepends=True)
    record.turns.write_text(lines[0])
    outcome, _ = await done(replay(record).run)
    assert outcome.failure and outcome.failure.message == "The record holds 1 reply, and reply 2 was asked for."


@pytest.mark.spec("R2")
async def test_another_call_than_recorded_is_an_error_that_says_where(root: Path) -> None:
    replies = [ScriptedReply("", tool_calls=(ToolCall("c1", "read_file", '{"path": "a.c"}'),)), FIRST, SECOND]
    record = await recorded(root, replies)
    lines = record.turns.read_text().splitlines(keepends=True)
    first = json.loads(lines[0])
    first["reply"]["tool_calls"][0]["arguments"] = '{"path": "b.c"}'
    record.turns.write_text("".join([json.dumps(first) + "\n", *lines[1:]]))
    outcome, _ = await done(replay(record).run)
    assert outcome.failure and outcome.failure.kind is FailureKind.CONFIGURATION
    assert "Request 2 is not the recorded one: message 3 of 4 calls" in outcome.failure.message


@pytest.mark.spec("R1", "R2", "Z1")
async def test_a_record_replays_in_another_folder_without_secrets_and_without_the_project(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that is attached to a bug report would be: copied, the project gone, the variables of the machine too."""
    secret = "quagga-and-zebra-7"
    monkeypatch.setenv("ACME_API_TOKEN", secret)
    (root / "a.c").write_text(f'const char *key = "{secret}";\n{BROKEN}')
    record = await recorded(root, checks=(f"cd {root} && {GCC}",))
    copied = tmp_path / "elsewhere" / "record"
    shutil.copytree(record.folder, copied)
    assert not any(secret.encode() in data for data in snapshot(copied).values())
    shutil.rmtree(root)
    shutil.rmtree(record.folder)
    monkeypatch.delenv("ACME_API_TOKEN")
    place = tmp_path / "elsewhere" / "empty"
    place.mkdir()
    made = replay(Store(runs_folder()).open(str(copied)), place, agree=lambda _commands: True)
    outcome, _ = await done(made.run)
    assert outcome.ending is Ending.GREEN, outcome.failure
    assert made.turns is not None and made.turns.left == 0 and snapshot(place) == {}


@pytest.mark.spec("R2", "Z1")
async def test_todays_secrets_are_no_difference(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_API_TOKEN", "quagga-and-zebra-7")
    (root / "a.c").write_text(f'const char *key = "quagga-and-zebra-7";\n{BROKEN}')
    record = await recorded(root)
    made = replay(record)
    outcome, _ = await done(made.run)
    assert outcome.ending is Ending.GREEN and made.differing == ()
    assert outcome.edit.files[0].after is not None and b"quagga-and-zebra-7" in outcome.edit.files[0].after


@pytest.mark.spec("R2", "Z1")
async def test_a_reply_whose_edit_held_a_secret_is_refused_and_never_written_as_a_mark(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACME_API_TOKEN", "quagga-and-zebra-7")
    leaking = block("int one(void) { return 1 }\n", "int one(void) { return 1; } /* quagga-and-zebra-7 */\n")
    record = await recorded(
        root,
        ["quagga-and-zebra-7 in prose is no harm.\n" + FIRST[17:], leaking.replace("one", "two").replace("1", "2")],
    )
    outcome, _ = await done(replay(record).run)
    assert outcome.failure and "Reply 2 of the record held a secret" in outcome.failure.message
    assert not any(b"[redacted]" in (change.after or b"") for change in outcome.edit.files)


@pytest.mark.spec("R2", "L19")
async def test_a_run_that_was_carried_on_replays_after_the_run_before_it(root: Path) -> None:
    settings = Settings(suggestions=False)
    first = start(Job(root, (root / "a.c",), settings, checks=(GCC,), generator=ScriptedGenerator([FIRST, SECOND])))
    await done(first)
    more = block("int one(void) { return 1; }\n", "int one(void) { return 3; }\n")
    job = Job(root, (root / "a.c",), settings, checks=(GCC,), spec="make it 3", generator=ScriptedGenerator([more]))
    await done(carry_on(job, first))
    store = Store(runs_folder())
    record = next(each for each in store.all() if each.run.get("continues"))
    outcome, _ = await done(replay(record).run)
    assert outcome.ending is Ending.GREEN and outcome.edit.files[0].after == FIXED.replace("1", "3").encode()
    store.delete(store.open(first.run_id))
    with pytest.raises(ConfigurationError, match="whose record is missing"):
        replay(record)


@pytest.mark.spec("L19", "Q25")
@pytest.mark.parametrize("applied", [False, True])
async def test_a_run_goes_on_from_its_record_alone(root: Path, applied: bool) -> None:
    """The same conversation, the result where it still fits, new budgets; and that replays as well."""
    record = await recorded(root)
    if applied:
        (root / "a.c").write_text(FIXED)
    more = block("int one(void) { return 1; }\n", "int one(void) { return 3; }\n")
    model = ScriptedGenerator([more])
    settings = Settings(suggestions=False)
    job = Job(root, (root / "a.c",), settings, checks=(GCC,), spec="make it 3", generator=model)
    outcome, _ = await done(carry_on(job, kept_of(record)))
    assert outcome.ending is Ending.GREEN and outcome.tally.rounds == 1, outcome.failure
    [change] = outcome.edit.files
    assert change.after == FIXED.replace("1", "3").encode() and change.before == (root / "a.c").read_bytes()
    said = [message.content for message in model.requests[0]]
    assert said[: len(turns_of(record)[-1].messages)] == [m.content for m in turns_of(record)[-1].messages]
    assert SECOND in said and "make it 3" in said[-1] and len(model.requests) == 1
    newest = next(each for each in Store(runs_folder()).all() if each.run.get("continues") == record.id)
    again, _ = await done(replay(newest).run)
    assert again.edit == outcome.edit, again.failure


@pytest.mark.spec("L19", "T1")
async def test_no_call_of_a_record_is_left_without_an_answer(root: Path) -> None:
    """A run that ended at a call: on the wire each call has an answer. One that was text alone stays text."""
    call = ScriptedReply("", "tool_calls", (ToolCall("c1", "read_file", '{"path": "a.c"}'),))
    record = await recorded(root, [call], {"max_steps": 1, "max_rounds": 1})
    kept = kept_of(record)
    assert [each.role for each in kept.messages][-2:] == ["assistant", "tool"] and kept.tools
    assert kept.messages[-1].tool_call_id == kept.messages[-2].tool_calls[0].id
    await recorded(root, settings={"tool_mode": "none"})
    [plain] = [each for each in Store(runs_folder()).all() if each.id != record.id]
    assert not kept_of(plain).tools


@pytest.mark.spec("R2")
async def test_a_run_of_suggestions_alone_replays_without_replies(root: Path) -> None:
    (root / "a.c").write_text("struct p { int width; };\nint f(struct p *a) { return a->widht; }\n")
    settings = Settings()
    outcome, _ = await done(start(Job(root, (root / "a.c",), settings, checks=(GCC,))))
    assert outcome.ending is Ending.GREEN
    made = replay(the_record())
    again, _ = await done(made.run)
    assert again.edit == outcome.edit and made.turns is None


@pytest.mark.spec("R2")
async def test_the_repair_memory_of_then_is_used_not_that_of_today(root: Path) -> None:
    await recorded(root)
    record = await recorded(root)
    shutil.rmtree(runs_folder().parent / "repairs")
    outcome, _ = await done(replay(record).run)
    assert outcome.ending is Ending.GREEN, outcome.failure


@pytest.mark.spec("R2")
@pytest.mark.parametrize("path", ["../outside.c", "/etc/hostname"])
async def test_a_record_cannot_reach_out_of_the_workspace(root: Path, tmp_path: Path, path: str) -> None:
    (tmp_path / "outside.c").write_text(BROKEN)
    record = await recorded(root)
    run = json.loads((record.folder / "run.json").read_text())
    run["asked"]["targets"] = [path]
    (record.folder / "run.json").write_text(json.dumps(run))
    with pytest.raises(ConfigurationError, match="outside the workspace"):
        replay(the_record())


async def broken_off(root: Path, server: ModelServer, **settings: Any) -> Record:
    """A run that lost its model after the first reply."""
    wanted = Settings(model="openai:m", base_url=server.base_url, suggestions=False, **settings)
    outcome, _ = await done(start(Job(root, (root / "a.c",), wanted, checks=(GCC,))))
    assert outcome.failure and outcome.failure.kind in (FailureKind.NEEDS_AUTH, FailureKind.CONFIGURATION)
    return the_record()


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")


@pytest.mark.spec("W4")
@pytest.mark.usefixtures("key")
async def test_a_run_that_lost_its_model_resumes_and_asks_only_for_what_is_new(root: Path) -> None:
    with ModelServer(says(FIRST), fails(401, {"error": {"message": "bad key"}}), says(SECOND)) as server:
        record = await broken_off(root, server)
        run, _ = resume(record)
        outcome, events = await done(run)
        assert outcome.ending is Ending.GREEN and outcome.tally.rounds == 2, outcome.failure
        assert len(server.requests) == 3
        assert server.requests[2].json["messages"][:-1][-1]["role"] == "assistant"
    text = "".join(event.text for event in events if isinstance(event, ModelText))
    assert "One is missing" not in text and "And one more" in text
    assert outcome.tally.spending.calls == 2
    resumed = Store(runs_folder()).open(run.run_id)
    assert resumed.run["resumes"] == record.id and resumed.state is State.FINISHED
    assert len(resumed.turns.read_text().splitlines()) == 2


@pytest.mark.spec("W4")
@pytest.mark.usefixtures("key")
async def test_files_that_changed_since_make_the_rest_of_the_record_void(root: Path) -> None:
    with ModelServer(says(FIRST), fails(401, {}), says(FIRST.replace("one", "eins")), says(SECOND)) as server:
        record = await broken_off(root, server)
        (root / "a.c").write_text(BROKEN.replace("one", "eins"))
        outcome, events = await done(resume(record)[0])
    assert outcome.ending is Ending.GREEN, outcome.failure
    (warning,) = (e.message for e in events if isinstance(e, Warned) and "asked anew" in e.message)
    assert "Request 1 is not the recorded one" in warning
    assert outcome.edit.files[0].before == BROKEN.replace("one", "eins").encode()


@pytest.mark.spec("W4", "L5")
@pytest.mark.usefixtures("key")
async def test_what_was_spent_before_counts_and_the_deadline_is_not_given_anew(root: Path) -> None:
    with ModelServer(says(FIRST), fails(401, {}), says(SECOND)) as server:
        prices = {"m": {"input": 1.0, "output": 2.0}}
        record = await broken_off(root, server, deadline_seconds=900.0, prices=prices)
        events = [*record.events()]
        events[-1]["at"] = 500.0
        (record.folder / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
        run, job = resume(record)
        assert job.settings.deadline_seconds == pytest.approx(400.0)
        _, again = resume(record, settings={"deadline_seconds": 33.0})
        assert again.settings.deadline_seconds == 33.0
        outcome, _ = await done(run)
    spent = outcome.tally.spending
    assert spent.calls == 2 and spent.tokens > 200
    assert spent.cost == pytest.approx((spent.prompt_tokens + 2 * spent.completion_tokens) / 1e6)


@pytest.mark.spec("W4")
async def test_what_came_to_an_end_or_is_under_way_is_not_resumed(root: Path) -> None:
    record = await recorded(root)
    with pytest.raises(ConfigurationError, match="came to its end"):
        resume(record)
    (record.folder / "report.json").unlink()
    with pytest.raises(ConfigurationError, match="is under way"):
        resume(the_record())


@pytest.mark.spec("W4")
@pytest.mark.usefixtures("key")
async def test_calls_of_tools_before_the_break_are_done_again_in_the_new_copy(root: Path) -> None:
    edit = ("apply_search_replace", {"path": "a.c", "search": "return 1 }", "replace": "return 1; }"})
    with ModelServer(calls(("read_file", {"path": "a.c"})), calls(edit), fails(401, {}), says(SECOND)) as server:
        record = await broken_off(root, server)
        outcome, _ = await done(resume(record)[0])
        assert len(server.requests) == 4
    assert outcome.ending is Ending.GREEN and outcome.edit.files[0].after == FIXED.encode()


def test_the_dataclass_of_a_job_has_no_field_that_a_record_forgets() -> None:
    """Every field of a job is either in the record, a dialog of the face, or stands in for a part."""
    kept = {"root", "targets", "settings", "scope", "checks", "tasks", "spec"}
    kept |= {"buffers", "encodings", "reproduce", "holdouts"}
    of_the_face = {"generator", "consult", "ask_user", "auth", "memory", "lineage", "advisers"}
    of_the_face |= {"model_reason", "model_advice", "keep"}
    assert {field.name for field in dataclasses.fields(Job)} == kept | of_the_face
