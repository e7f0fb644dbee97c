"""Questions, nominations, credentials, notes, tools that read, what is remembered: over scripted replies and real parts."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.loop.running import Told, block, workspace

from compile_loop.assemble import Job, carry_on, start
from compile_loop.contracts.events import (
    Compacted,
    Event,
    PlanCompared,
    PlanMade,
    QuestionAsked,
    RunFinished,
    ToolCalled,
    Waiting,
    Warned,
)
from compile_loop.contracts.outcome import Ending, FailureKind
from compile_loop.contracts.protocols import (
    Message,
    ModelError,
    ModelErrorKind,
    Reply,
    ToolCall,
    ToolSchema,
    Usage,
)
from compile_loop.engine.handle import Run
from compile_loop.engine.request import Parts
from compile_loop.models.scripted import ScriptedGenerator, ScriptedReply
from compile_loop.settings import Settings

BROKEN = "int twice(int n)\n{\n    int r = n * 2\n    return r;\n}\n"
SEMICOLON = block("    int r = n * 2\n", "    int r = n * 2;\n")
GCC = ("gcc -Wall -fsyntax-only a.c",)


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    return workspace(folder, a_c=BROKEN)


def called(*calls: tuple[str, dict[str, Any]], text: str = "") -> ScriptedReply:
    return ScriptedReply(
        text, "tool_calls", tuple(ToolCall(f"k{n}", name, json.dumps(a)) for n, (name, a) in enumerate(calls))
    )


async def run(root: Path, replies: Sequence[str | ScriptedReply], **more: Any) -> Told:
    job, model = prepare(root, replies, **more)
    return Told([event async for event in start(job)], model)


def prepare(root: Path, replies: Sequence[str | ScriptedReply], **more: Any) -> tuple[Job, ScriptedGenerator]:
    model = ScriptedGenerator(replies)
    settings = Settings(**{"suggestions": False, **more.pop("settings", {})})
    checks = more.pop("checks", GCC)
    return Job(root, (root / "a.c",), settings, checks=checks, generator=more.pop("generator", model), **more), model


def results(told: Told) -> list[str]:
    """What tools answered, in order, as the model got it."""
    return [m.content for m in told.model.requests[-1] if m.role == "tool"]


def nominate(summary: str = "It is right.", evidence: str = "I read it.") -> ScriptedReply:
    return called(("report_no_change", {"summary": summary, "evidence": evidence}))


@pytest.mark.spec("L11")
async def test_an_accepted_nomination_is_for_a_person_and_never_green(root: Path) -> None:
    told = await run(root, [nominate("The compiler is wrong.", "C11 6.8.")])
    assert told.outcome.ending is Ending.NO_CHANGE_NOMINATED and not told.outcome.ok and told.outcome.failure is None
    assert told.outcome.tally.explanation == "The compiler is wrong. C11 6.8."


@pytest.mark.spec("L11")
@pytest.mark.parametrize(
    ("before", "what", "words"),
    [
        ([], nominate(" ", "x"), "must both say something"),
        ([], nominate("x", "y" * 5000), "at most 4000 characters"),
        (
            [called(("apply_search_replace", {"path": "a.c", "search": "return r;", "replace": "return r + 0;"}))],
            nominate(),
            "already edited",
        ),
    ],
)
async def test_a_nomination_is_refused_with_a_reason_of_its_own(
    root: Path, before: list[Any], what: ScriptedReply, words: str
) -> None:
    told = await run(root, [*before, what, SEMICOLON], settings={"max_rounds": 1})
    assert words in results(told)[-1] and "Not accepted" in results(told)[-1]


@pytest.mark.spec("L11")
async def test_a_nomination_is_refused_once_suggestions_have_changed_the_code(root: Path) -> None:
    source = "struct p { int size; };\nint f(struct p *x) { return x->siz; }\nint g(void) { return none; }\n"
    (root / "a.c").write_text(source)
    told = await run(root, [nominate(), block("return none;", "return 0;")], settings={"suggestions": True, "max_rounds": 1},
                     checks=("gcc -fsyntax-only -fdiagnostics-parseable-fixits a.c",))  # fmt: skip
    assert "suggestions have already changed" in told.of(ToolCalled)[0].answer


class Person:
    def __init__(self, answer: str | float) -> None:
        self.answer = answer
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self.taken_away = False

    async def ask(self, question: str, choices: Sequence[str]) -> str:
        self.asked.append((question, tuple(choices)))
        if isinstance(self.answer, str):
            return self.answer
        try:
            await asyncio.sleep(self.answer)
        except asyncio.CancelledError:
            self.taken_away = True
            raise
        return "late"


QUESTION = called(("ask_user", {"question": "One or two?", "choices": ["one", "two"]}))


@pytest.mark.spec("L12")
async def test_a_person_is_asked_and_the_answer_reaches_the_model(root: Path) -> None:
    person = Person("two")
    told = await run(root, [QUESTION, SEMICOLON], ask_user=person)
    assert person.asked == [("One or two?", ("one", "two"))] and results(told) == ["two"]
    assert told.of(QuestionAsked)[0].choices == ("one", "two")
    assert told.outcome.ending is Ending.GREEN


@pytest.mark.spec("L12")
async def test_ask_user_is_offered_only_where_somebody_listens(root: Path) -> None:
    told = await run(root, [QUESTION, SEMICOLON])
    assert "`ask_user` exists, but not in this run" in results(told)[0]


@pytest.mark.spec("L12", "Q22")
async def test_no_answer_in_time_lets_the_model_go_on_and_costs_no_deadline(root: Path) -> None:
    person = Person(30.0)
    job, model = prepare(
        root, [QUESTION, SEMICOLON], ask_user=person, settings={"deadline_seconds": 2.0, "question_seconds": 2.5}
    )
    told = Told([event async for event in start(job)], model)
    assert "No answer came in time" in results(told)[0] and person.taken_away
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure


@pytest.mark.spec("L12", "L15")
async def test_cancel_unblocks_a_question_at_once(root: Path) -> None:
    person = Person(60.0)
    job, _ = prepare(root, [QUESTION], ask_user=person)
    active = start(job)
    began = 0.0
    async for event in active:
        if isinstance(event, QuestionAsked):
            await asyncio.sleep(0.1)
            began = time.monotonic()
            active.cancel()
        if isinstance(event, RunFinished):
            assert event.outcome.failure and event.outcome.failure.kind is FailureKind.CANCELLED
    assert time.monotonic() - began < 1 and person.taken_away


class Gate:
    def __init__(self, *answers: bool) -> None:
        self.answers = list(answers)
        self.reasons: list[str | None] = []

    async def usable(self, reason: str | None) -> bool:
        self.reasons.append(reason)
        return self.answers.pop(0)


class Locked(ScriptedGenerator):
    """Refuses its first `times` calls for want of a key."""

    def __init__(self, replies: Sequence[str], times: int) -> None:
        super().__init__(replies)
        self._times = times

    async def generate(self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...] = ()) -> Any:
        if self._times > 0:
            self._times -= 1
            raise ModelError(ModelErrorKind.AUTH, "The key was refused.")
        async for event in super().generate(messages, tools):
            yield event


@pytest.mark.spec("L14")
@pytest.mark.parametrize(
    ("answers", "refusals", "kind"),
    [
        ((True,), 0, None),
        ((True, True), 1, None),
        ((False,), 0, FailureKind.NEEDS_AUTH),
        ((True, False), 1, FailureKind.NEEDS_AUTH),
    ],
)
async def test_the_auth_gate_is_asked_before_the_first_call_and_after_a_refusal(
    root: Path, answers: tuple[bool, ...], refusals: int, kind: FailureKind | None
) -> None:
    gate = Gate(*answers)
    told = await run(root, [], generator=Locked([SEMICOLON], refusals), auth=gate)
    assert (told.outcome.failure.kind if told.outcome.failure else None) is kind
    assert gate.reasons == [None, *["The key was refused."] * refusals]
    assert len(told.of(Waiting)) == refusals, "a key that is there is no wait"


@pytest.mark.spec("L14")
async def test_without_a_gate_a_refused_key_ends_the_run(root: Path) -> None:
    told = await run(root, [], generator=Locked([SEMICOLON], 1))
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.NEEDS_AUTH


@pytest.mark.spec("L13")
async def test_a_stronger_model_is_consulted_counted_and_bounded(root: Path) -> None:
    from dataclasses import replace

    ask = called(("consult", {"question": "Why?"}))
    job, model = prepare(
        root, [ask, called(("consult", {"question": "And?"})), called(("consult", {"question": "Or?"})), SEMICOLON]
    )
    strong = ScriptedGenerator(["Because of the semicolon.", "Nothing else."], "scripted:strong")
    made = start(job)
    again = Run(made._request, replace(made._parts, consult=strong))
    told = Told([event async for event in again], model)
    assert results(told)[:2] == ["Because of the semicolon.", "Nothing else."]
    assert "are used up" in results(told)[2]
    assert told.outcome.tally.spending.consults == 2 and told.outcome.tally.spending.calls == 6
    assert [m[0].content for m in strong.requests] == ["Why?", "And?"]
    assert isinstance(made._parts, Parts)


@pytest.mark.spec("L19")
async def test_a_finished_run_is_continued_in_the_same_conversation_from_where_it_came_to(root: Path) -> None:
    job, model = prepare(root, [SEMICOLON, block("    return r;\n", "    return r + 1;\n")])
    first = start(job)
    assert [event async for event in first][-1].outcome.ok  # type: ignore[attr-defined]
    second = carry_on(Job(job.root, job.targets, job.settings, checks=GCC, spec="Add one.", generator=model), first)
    events: list[Event] = [event async for event in second]
    outcome = events[-1].outcome  # type: ignore[attr-defined]
    assert outcome.ending is Ending.GREEN
    assert outcome.edit.files[0].after == BROKEN.replace("n * 2", "n * 2;").replace("return r", "return r + 1").encode()
    assert model.requests[1][: len(model.requests[0])] == model.requests[0]
    assert "Add one." in model.requests[1][-1].content
    assert outcome.tally.rounds == 1


@pytest.mark.spec("L19", "Q25")
async def test_what_is_continued_after_applying_starts_on_the_present_files_with_new_budgets(root: Path) -> None:
    replies = [SEMICOLON, "Nothing yet.", "Nor now.", block("    return r + 2;\n", "    return r + 3;\n")]
    job, model = prepare(root, replies, settings={"max_rounds": 3})
    first = start(job)
    done = [event async for event in first][-1].outcome  # type: ignore[attr-defined]
    applied = (done.edit.files[0].after or b"").replace(b"return r", b"return r + 2")
    (root / "a.c").write_bytes(applied)
    second = carry_on(Job(job.root, job.targets, job.settings, checks=GCC, spec="Add three.", generator=model), first)
    events: list[Event] = [event async for event in second]
    outcome = events[-1].outcome  # type: ignore[attr-defined]
    assert outcome.ending is Ending.GREEN, outcome.failure
    assert outcome.edit.files[0].before == applied
    assert outcome.edit.files[0].after == applied.replace(b"r + 2", b"r + 3")
    assert outcome.tally.rounds == 3 and outcome.tally.spending.calls == 3


@pytest.mark.spec("T3")
async def test_reads_are_capped_paged_and_answered_short_when_repeated(root: Path) -> None:
    (root / "long.h").write_text("".join(f"/* {n} */\n" for n in range(1, 1201)))
    read, part = ("read_file", {"path": "long.h"}), ("read_file_range", {"path": "long.h", "start": 501, "end": 503})
    bad, text = (
        ("read_file_range", {"path": "long.h", "start": 1300, "end": 1400}),
        ("read_file_range", {"path": "long.h", "start": "1", "end": 1}),
    )
    told = await run(root, [called(read, part, read, bad, text), SEMICOLON])
    first, second, third, fourth, fifth = results(told)
    assert (
        "/* 500 */" in first
        and "/* 501 */" not in first
        and "700 lines left out; go on with read_file_range from 501" in first
    )
    assert second == "/* 501 */\n/* 502 */\n/* 503 */\n[lines 501 to 503 of 1200]"
    assert "unchanged since you read" in third
    assert "long.h has 1200 lines" in fourth
    assert fifth.startswith("/* 1 */")


@pytest.mark.spec("T3", "Q26", "E10")
@pytest.mark.parametrize(
    ("path", "words"),
    [
        (".env", "looks like a secret"),
        ("id_rsa", "looks like a secret"),
        ("config/credentials.json", "looks like a secret"),
        ("build/out.txt", "ignore rules"),
        ("../outside.txt", "leads out of the workspace"),
        ("/etc/hostname", "not relative"),
        ("link.txt", "outside the workspace"),
        ("nothing.c", "There is no file"),
        ("binary.bin", "is no text"),
    ],
)
async def test_what_may_not_be_read_is_refused_with_the_reason(root: Path, path: str, words: str) -> None:
    workspace(root, config__credentials_json="{}", build__out_txt="x")
    for name in (".env", "id_rsa"):
        (root / name).write_text("SECRET=1")
    (root / ".gitignore").write_text("build/\n")
    (root.parent / "outside.txt").write_text("outside")
    (root / "link.txt").symlink_to(root.parent / "outside.txt")
    (root / "binary.bin").write_bytes(b"\xff\xfe\x00\xd8")
    told = await run(root, [called(("read_file", {"path": path})), SEMICOLON])
    assert words in results(told)[0] and "SECRET" not in results(told)[0]


@pytest.mark.spec("T4")
async def test_recall_finds_what_was_read_and_concluded(root: Path) -> None:
    (root / "notes.txt").write_text("The frobnicator doubles its argument.\n")
    told = await run(
        root,
        [
            called(("read_file", {"path": "notes.txt"}), text="The frobnicator is documented in notes."),
            called(("recall", {"query": "frobnicator"}), ("recall", {"query": "zebra"})),
            SEMICOLON,
        ],
    )
    found, nothing = results(told)[1:]
    assert found.index("is documented in notes") < found.index("doubles its argument")
    assert nothing == "not looked at yet"


@pytest.mark.spec("T7", "C1")
async def test_output_too_long_to_show_is_opened_by_its_handle(root: Path) -> None:
    noisy = 'for i in $(seq 2000); do echo "note $i: nothing to see"; done; ' + GCC[0]
    told = await run(
        root, [called(("read_file_range", {"path": "output/1", "start": 300, "end": 301})), SEMICOLON], checks=(noisy,)
    )
    opening = told.model.requests[0][1].content
    assert "read_file_range with path output/1" in opening and "lines left out" in opening and len(opening) < 8000
    assert "note 300: nothing to see" in results(told)[0]


@pytest.mark.spec("T8")
async def test_a_repair_that_proved_green_is_remembered_for_the_same_failure(root: Path) -> None:
    await run(root, ["A semicolon was missing.\n" + SEMICOLON])
    told = await run(root, [called(("recall", {"query": "semicolon missing"})), SEMICOLON])
    assert "was repaired here before" in told.model.requests[0][1].content
    assert "A semicolon was missing." in results(told)[0]
    off = await run(root, [SEMICOLON], settings={"repair_memory": False})
    assert "was repaired here before" not in off.model.requests[0][1].content


@pytest.mark.spec("C2")
async def test_compaction_drops_the_oldest_whole_turns_and_leaves_one_marker(root: Path) -> None:
    (root / "long.h").write_text("".join(f"/* a line of text number {n} */\n" for n in range(1, 400)))
    reads = [called(("read_file_range", {"path": "long.h", "start": 1, "end": 100 + n})) for n in range(8)]
    told = await run(root, [*reads, SEMICOLON], settings={"context_window": 6000, "guardrails": False})
    assert told.outcome.ending is Ending.GREEN and told.of(Compacted)
    last = told.model.requests[-1]
    assert [m.role for m in last[:2]] == ["system", "user"] and last[:2] == told.model.requests[0][:2]
    assert [("earlier turns were left out" in m.content) for m in last].count(True) == 1
    for request in told.model.requests:
        calls = {call.id for m in request for call in m.tool_calls}
        assert calls == {m.tool_call_id for m in request if m.role == "tool"}
        for index, message in enumerate(request):
            if message.role == "tool":
                assert request[index - 1].tool_calls


class Counting(ScriptedGenerator):
    """Reports a fixed count of prompt tokens."""

    count = 5

    async def generate(self, messages: tuple[Message, ...], tools: tuple[ToolSchema, ...] = ()) -> Any:
        async for event in super().generate(messages, tools):
            yield Reply(event.text, usage=Usage(self.count, 10)) if isinstance(event, Reply) else event


@pytest.mark.spec("C3")
async def test_a_prompt_that_was_cut_in_silence_is_reported(root: Path) -> None:
    told = await run(root, [], generator=Counting([SEMICOLON]))
    assert any("cut the prompt without saying so" in w.message for w in told.of(Warned))


async def test_a_plan_is_recorded_and_held_against_what_was_done(root: Path) -> None:
    (root / "a.c").write_text("int f(void) { return one; }\nint g(void) { return two; }\n")
    (root / "b.c").write_text("int h;\n")
    plan = "PLAN: declare the names in a.c\nand look at b.c\n\nDone so.\n<<< path=a.c >>>\n"
    first = block("int f(void) { return one; }\n", "int f(void) { return 1; }\n")
    second = block("int g(void) { return two; }\n", "int g(void) { return 2; }\n")
    replies = [plan + first + second]
    model = ScriptedGenerator(replies)
    job = Job(root, (root / "a.c", root / "b.c"), Settings(suggestions=False), checks=GCC, generator=model)
    told = Told([event async for event in start(job)], model)
    assert told.of(PlanMade)[0].text == "declare the names in a.c\nand look at b.c"
    assert told.of(PlanCompared)[0].left_out == ("b.c",)
    assert "PLAN:" in model.requests[0][1].content
    one_error = await run(workspace(root, a_c=BROKEN), [SEMICOLON])
    assert "PLAN:" not in one_error.model.requests[0][1].content


@pytest.mark.spec("M4")
async def test_arguments_that_do_not_parse_are_never_executed(root: Path) -> None:
    broken = ScriptedReply("", "tool_calls", (ToolCall("k", "apply_search_replace", '{"path": "a.c", "sea'),))
    listed = ScriptedReply(
        "", "tool_calls", (ToolCall("k", "read_file", "[1]"), ToolCall("l", "read_file", '{"path": 3}'))
    )
    told = await run(root, [broken, listed, called(("no_such_tool", {})), SEMICOLON])
    first, second, third, fourth = results(told)
    assert "arguments_parse_failed" in first and '"required": ["path", "search", "replace"]' in first
    assert "arguments_parse_failed" in second and "`path` must be a string" in third
    assert "`no_such_tool` is no tool. Available: read_file, " in fourth


@pytest.mark.spec("Q27")
async def test_the_word_that_ends_a_round_explains_nothing(root: Path) -> None:
    edit = {"path": "a.c", "search": "    int r = n * 2\n", "replace": "    int r = n * 2;\n"}
    told = await run(root, [called(("apply_search_replace", edit), text="A semicolon was missing."), "**DONE.**"])
    assert told.outcome.tally.explanation == "A semicolon was missing."
    told = await run(root, [called(("apply_search_replace", edit)), "`DONE`"])
    assert told.outcome.ok and told.outcome.tally.explanation == ""
    told = await run(root, [called(("apply_search_replace", edit)), "DONE: the semicolon is there now."])
    assert told.outcome.tally.explanation == "the semicolon is there now."


@pytest.mark.spec("E4")
async def test_a_reply_that_was_cut_off_is_named_to_model_and_user(root: Path) -> None:
    half_call = ToolCall("k", "apply_search_replace", '{"path": "a.c", "sea')
    told = await run(
        root,
        [ScriptedReply("I think that", "length"), ScriptedReply("", "length", (half_call,)), SEMICOLON],
        settings={"repair_memory": False},
    )
    assert told.outcome.ok
    assert "cut off at its length limit" in told.model.requests[1][-1].content
    answered = told.model.requests[2][-1].content
    assert "arguments_parse_failed" in answered and "cut off at its length limit" in answered
    assert len([w for w in told.of(Warned) if "--max-tokens" in w.message]) == 1
