"""The loop end to end over gcc, real processes and a real copy."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from tests.loop.running import block, fix, snapshot, workspace
from tests.support.sleepers import own_seconds, sleeping

from compile_loop.assemble import ConfigurationError, Job, start
from compile_loop.contracts.events import (
    CheckFinished,
    CheckStarted,
    DiagnosticFound,
    EditApplied,
    EditRefused,
    Pass,
    RolledBack,
    RoundFinished,
    RunFinished,
    RunStarted,
    SuggestionApplied,
    Warned,
)
from compile_loop.contracts.outcome import Ending, FailureKind
from compile_loop.models.scripted import ScriptedGenerator
from compile_loop.settings import Settings

BROKEN = "int twice(int n)\n{\n    int r = n * 2\n    return r;\n}\n"
SEMICOLON = block("    int r = n * 2\n", "    int r = n * 2;\n")
GCC = ("gcc -Wall -fsyntax-only a.c",)


@pytest.mark.spec("L1")
async def test_a_file_that_does_not_compile_is_fixed_and_the_tree_stays_as_it_was(tmp_path: Path) -> None:
    workspace(tmp_path, a_c=BROKEN)
    before = snapshot(tmp_path)
    told = await fix(
        tmp_path, [f"A semicolon is missing after the product.\n\n{SEMICOLON}"], targets=["a.c"], checks=GCC
    )
    assert told.outcome.ending is Ending.GREEN
    assert [c.in_pass for c in told.of(CheckStarted)] == [Pass.BASELINE] * 2 + [Pass.ROUND, Pass.AGAIN, Pass.FINAL]
    (change,) = told.outcome.edit.files
    assert (change.path, change.after) == ("a.c", BROKEN.replace("n * 2", "n * 2;").encode())
    assert len(change.hunks) == 1 and change.hunks[0].new == b";"
    assert told.outcome.tally.explanation == "A semicolon is missing after the product."
    assert snapshot(tmp_path) == before


@pytest.mark.spec("L2")
async def test_what_the_model_says_never_decides_green(tmp_path: Path) -> None:
    workspace(tmp_path, a_c=BROKEN)
    wrong = block("    return r;\n", "    return r + 0;\n")
    told = await fix(
        tmp_path,
        ["All fixed, the check passes!\n" + wrong] * 2,
        targets=["a.c"],
        checks=GCC,
        settings={"max_rounds": 1},
    )
    assert told.outcome.ending is Ending.FAILED
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.MAX_ROUNDS


@pytest.mark.spec("L2")
async def test_green_is_confirmed_from_a_clean_start(tmp_path: Path) -> None:
    """A check that passes only because of what an earlier pass left behind is not green."""
    workspace(tmp_path, a_txt="one\n")
    leaves_something = "test -e left || { touch left; echo 'a.txt:1: error: first time'; exit 1; }"
    told = await fix(tmp_path, [block("one\n", "two\n"), block("two\n", "three\n")], targets=["a.txt"],
                     checks=(leaves_something,), settings={"max_rounds": 2})  # fmt: skip
    assert told.outcome.ending is Ending.FAILED
    finals = [c for c in told.of(CheckFinished) if c.in_pass is Pass.FINAL]
    assert finals and not finals[0].result.ok
    assert "from a clean start" in told.asked[1]


@pytest.mark.spec("K9", "Q8")
async def test_a_failure_that_vanishes_without_an_edit_is_called_flaky_and_not_fixed(tmp_path: Path) -> None:
    workspace(tmp_path, a_txt="one\n")
    counter = tmp_path.parent / f"{tmp_path.name}-count"
    counter.touch()
    once = f"echo x >> {counter}; [ $(wc -l < {counter}) -gt 1 ] || {{ echo 'a.txt:1: error: now and then'; exit 1; }}"
    told = await fix(tmp_path, [], targets=["a.txt"], checks=(once,))
    assert told.outcome.ending is Ending.NOTHING_TO_FIX
    assert (
        "the check is flaky" in told.outcome.tally.suspicious[0] and "now and then" in told.outcome.tally.suspicious[0]
    )
    assert told.of(Warned)


@pytest.mark.spec("K9", "Q8")
@pytest.mark.parametrize("where", ["b.txt:1: error: server not ready", "not ready"])
async def test_a_failure_that_vanishes_by_itself_after_an_edit_elsewhere_is_flaky(tmp_path: Path, where: str) -> None:
    """Red twice, so the baseline looks steady; what turns it green is time and not the edit."""
    workspace(tmp_path, a_txt="one\n", b_txt="b\n")
    counter = tmp_path.parent / f"{tmp_path.name}-count"
    counter.touch()
    twice = f"echo x >> {counter}; [ $(wc -l < {counter}) -gt 2 ] || {{ echo '{where}'; exit 1; }}"
    told = await fix(
        tmp_path, ["<<< path=a.txt >>>\n" + block("one\n", "two\n")], targets=["a.txt", "b.txt"], checks=(twice,)
    )
    assert told.outcome.ending is Ending.GREEN
    doubt, *_ = told.outcome.tally.suspicious
    assert "the check is flaky: run again without the edit, it no longer fails as it did" in doubt
    assert ("server not ready" in doubt) == (where != "not ready")


@pytest.mark.spec("K9")
async def test_a_failure_that_an_edit_elsewhere_did_fix_is_not_called_flaky(tmp_path: Path) -> None:
    workspace(tmp_path, a_h="int one(void)\n", a_c='#include "a.h"\nint two(void) { return one(); }\n')
    told = await fix(
        tmp_path,
        ["<<< path=a.h >>>\n" + block("int one(void)\n", "int one(void);\n")],
        targets=["a.c", "a.h"],
        checks=GCC,
    )
    assert told.outcome.ending is Ending.GREEN and told.outcome.tally.suspicious == ()


@pytest.mark.spec("L3")
async def test_a_green_baseline_asks_no_model(tmp_path: Path) -> None:
    workspace(tmp_path, a_c="int x;\n")
    told = await fix(tmp_path, [], targets=["a.c"], checks=GCC)
    assert told.outcome.ending is Ending.NOTHING_TO_FIX
    assert told.model.requests == []


@pytest.mark.spec("Q2")
async def test_a_spec_asks_the_model_even_where_the_baseline_is_green(tmp_path: Path) -> None:
    workspace(tmp_path, a_c="int x;\n")
    told = await fix(tmp_path, [block("int x;\n", "int x = 1;\n")], targets=["a.c"], checks=GCC, spec="Start x at one.")
    assert told.outcome.ending is Ending.GREEN
    assert "Start x at one." in told.asked[0]


@pytest.mark.spec("L3")
@pytest.mark.parametrize(
    ("check", "words"),
    [
        ("no-such-compiler a.c", "“no-such-compiler” was not found"),
        ("./not-executable", "permission denied"),
        ("echo 'cc1: fatal error: x.o: No space left on device' >&2; exit 1", "no room left on the disk"),
    ],
)
async def test_a_tool_that_cannot_run_is_environment_and_no_model_is_asked(
    tmp_path: Path, check: str, words: str
) -> None:
    workspace(tmp_path, a_c=BROKEN)
    (tmp_path / "not-executable").write_text("#!/bin/sh\n")
    told = await fix(tmp_path, [], targets=["a.c"], checks=(check,))
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.ENVIRONMENT
    assert words in told.outcome.failure.message
    assert told.model.requests == []


@pytest.mark.spec("Q7")
async def test_a_timeout_at_the_baseline_is_environment_and_names_the_setting(tmp_path: Path) -> None:
    workspace(tmp_path, a_c=BROKEN)
    told = await fix(tmp_path, [], targets=["a.c"], checks=("sleep 30",), settings={"check_idle_timeout_seconds": 1})
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.ENVIRONMENT
    assert "idle timeout of 1 s" in told.outcome.failure.message
    assert "checkIdleTimeoutSeconds" in told.outcome.failure.message


@pytest.mark.spec("L4")
async def test_all_checks_run_also_after_one_failed_and_the_prompt_shows_them_all(tmp_path: Path) -> None:
    workspace(tmp_path, a_c=BROKEN)
    checks = (*GCC, "echo 'a.c:1: error: second check speaks' && false")
    told = await fix(tmp_path, ["no edit"], targets=["a.c"], checks=checks, settings={"max_rounds": 1})
    assert [c.result.check for c in told.of(CheckFinished)] == list(checks) * 2
    assert "expected" in told.asked[0] and "second check speaks" in told.asked[0]


@pytest.mark.spec("L5")
async def test_the_deadline_ends_the_run_with_the_best_state(tmp_path: Path) -> None:
    workspace(tmp_path, a_c=BROKEN)
    slow = f"if [ -e slow ]; then sleep 60; fi; touch slow; {GCC[0]}"
    began = time.monotonic()
    told = await fix(tmp_path, [SEMICOLON], targets=["a.c"], checks=(slow,), settings={"deadline_seconds": 2})
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.DEADLINE
    assert time.monotonic() - began < 6


@pytest.mark.spec("L8")
async def test_replies_without_an_edit_are_told_why_and_the_third_ends_the_run(tmp_path: Path) -> None:
    workspace(tmp_path, a_c=BROKEN)
    told = await fix(tmp_path, ["I would add a semicolon."] * 3, targets=["a.c"], checks=GCC)
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.NO_EDITS_APPLIED
    assert len(told.model.requests) == 3
    assert "held no edit block" in told.asked[1] and "<<<<<<< SEARCH" in told.asked[1]
    assert not told.of(EditApplied)


@pytest.mark.spec("E7")
async def test_an_edit_that_matches_nowhere_changes_nothing_and_the_model_is_told_the_closest_lines(
    tmp_path: Path,
) -> None:
    workspace(tmp_path, a_c=BROKEN)
    told = await fix(
        tmp_path, [block("    int r = n * 3\n", "    int r = n * 2;\n"), SEMICOLON], targets=["a.c"], checks=GCC
    )
    assert told.outcome.ending is Ending.GREEN
    assert "int r = n * 2" in told.of(EditRefused)[0].reason
    assert told.asked[1] == told.of(EditRefused)[0].reason


@pytest.mark.spec("L7")
async def test_the_same_failures_three_rounds_running_is_stagnation(tmp_path: Path) -> None:
    workspace(tmp_path, a_c=BROKEN)
    useless = [block(f"    return r{'' if n == 0 else f' + {n - 1}'};\n", f"    return r + {n};\n") for n in range(5)]
    useless[0] = block("    return r;\n", "    return r + 0;\n")
    told = await fix(tmp_path, useless, targets=["a.c"], checks=GCC)
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.STAGNATION
    assert told.outcome.tally.rounds == 3


@pytest.mark.spec("L9")
async def test_a_round_that_only_adds_errors_is_rolled_back_and_the_model_told(tmp_path: Path) -> None:
    source = "int f(void) { return undefined_one; }\nint g(void) { return 0; }\n"
    workspace(tmp_path, a_c=source)
    worse = block("int g(void) { return 0; }\n", "int g(void) { return b1 + b2; }\nint h(void) { return b3; }\n")
    good = block("int f(void) { return undefined_one; }\n", "int f(void) { return 1; }\n")
    told = await fix(tmp_path, [worse, good], targets=["a.c"], checks=GCC)
    assert told.of(RolledBack)
    assert "made things worse" in told.asked[1]
    assert told.outcome.ending is Ending.GREEN
    assert told.outcome.edit.files[0].after == source.replace("undefined_one", "1").encode()


@pytest.mark.spec("L9")
async def test_on_give_up_the_best_state_is_a_partial_result(tmp_path: Path) -> None:
    workspace(tmp_path, a_c="int f(void) { return one; }\nint g(void) { return two; }\n")
    half = block("int f(void) { return one; }\n", "int f(void) { return 1; }\n")
    told = await fix(tmp_path, [half], targets=["a.c"], checks=GCC, settings={"max_rounds": 1})
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.MAX_ROUNDS
    assert (told.outcome.tally.errors_before, told.outcome.tally.errors_after) == (2, 1)
    assert told.outcome.edit.files[0].after == b"int f(void) { return 1; }\nint g(void) { return two; }\n"


@pytest.mark.spec("Q1")
async def test_green_for_the_files_asked_for_says_how_many_earlier_failures_remain(tmp_path: Path) -> None:
    workspace(tmp_path, a_c=BROKEN, b_c="int g(void) { return missing; }\n")
    check = "gcc -Wall -fsyntax-only a.c b.c"
    told = await fix(tmp_path, [SEMICOLON], targets=["a.c"], checks=(check,))
    assert told.outcome.ending is Ending.GREEN
    assert [d.file for d in told.outcome.tally.remaining] == ["b.c"]
    assert told.outcome.tally.exit_code == 1
    assert told.outcome.edit.paths == ("a.c",)


@pytest.mark.spec("Q4")
async def test_files_that_the_errors_name_become_targets(tmp_path: Path) -> None:
    workspace(tmp_path, a_c='#include "a.h"\nint main(void) { return f(); }\n', a_h="static int f(void) { return 1 }\n")
    body = "static int f(void) {{ return 1{} }}\n"
    reply = f"<<< path=a.h >>>\n{block(body.format(''), body.format(';'))}"
    told = await fix(tmp_path, [reply], targets=["a.c"], checks=GCC)
    assert told.outcome.ending is Ending.GREEN
    assert told.outcome.edit.paths == ("a.h",)


@pytest.mark.spec("D5")
async def test_what_the_compiler_suggests_is_tried_first_and_can_be_enough(tmp_path: Path) -> None:
    workspace(tmp_path, a_c="struct p { int size; };\nint f(struct p *x) { return x->siz; }\n")
    told = await fix(tmp_path, [], targets=["a.c"])
    assert told.outcome.ending is Ending.GREEN
    assert told.model.requests == []
    assert told.of(SuggestionApplied)[0].file == "a.c"
    assert b"x->size" in (told.outcome.edit.files[0].after or b"")


@pytest.mark.spec("Q4")
async def test_an_edit_wanted_elsewhere_is_refused_and_offered_to_the_user(tmp_path: Path) -> None:
    workspace(tmp_path, a_c=BROKEN, b_c="int y;\n")
    elsewhere = f"<<< path=b.c >>>\n{block('int y;' + chr(10), 'int z;' + chr(10))}"
    check = "gcc -fsyntax-only a.c c.c"
    workspace(tmp_path, c_c=BROKEN)
    told = await fix(tmp_path, [elsewhere], targets=["a.c", "c.c"], checks=(check,), settings={"max_rounds": 1})
    assert "b.c" in told.of(EditRefused)[0].reason
    assert ["b.c" in w.message and "also allow" in w.message for w in told.of(Warned)] == [True]


@pytest.mark.spec("E8")
async def test_a_latin_1_file_is_refused_by_name_and_fixed_once_its_encoding_is_named(tmp_path: Path) -> None:
    source = b"/* caf\xe9 */\r\nint x = 1\r\n"
    (tmp_path / "a.c").write_bytes(source)
    with pytest.raises(ConfigurationError, match=r"a\.c .*encoding"):
        await fix(tmp_path, [], targets=["a.c"], checks=GCC)
    told = await fix(tmp_path, [block("int x = 1\n", "int x = 1;\n")], targets=["a.c"], checks=GCC,
                     encodings={tmp_path / "a.c": "cp1252"})  # fmt: skip
    assert told.outcome.edit.files[0].after == b"/* caf\xe9 */\r\nint x = 1;\r\n"


@pytest.mark.spec("L15")
@pytest.mark.parametrize("moment", [RunStarted, CheckStarted, EditApplied])
async def test_cancel_ends_the_run_within_a_second_from_any_state(tmp_path: Path, moment: type) -> None:
    workspace(tmp_path, a_c=BROKEN)
    before = snapshot(tmp_path)
    seconds = own_seconds()
    after_edit = f"{GCC[0]}; s=$?; grep -q 'n . 2;' a.c && sleep {seconds}; exit $s"
    sleeps = after_edit if moment is EditApplied else f"sleep {seconds}"
    job = Job(tmp_path, (tmp_path / "a.c",), Settings(), checks=(sleeps,), generator=ScriptedGenerator([SEMICOLON]))
    run = start(job)
    asked_at = 0.0
    async for event in run:
        if isinstance(event, moment) and not asked_at:
            await asyncio.sleep(0.2)
            asked_at = time.monotonic()
            run.cancel()
        if isinstance(event, RunFinished):
            assert time.monotonic() - asked_at < 1
            assert event.outcome.failure and event.outcome.failure.kind is FailureKind.CANCELLED
    assert time.monotonic() - asked_at < 2
    assert not sleeping(seconds)
    assert snapshot(tmp_path) == before


@pytest.mark.spec("L15")
async def test_a_cancel_before_the_start_still_cancels(tmp_path: Path) -> None:
    workspace(tmp_path, a_c=BROKEN)
    run = start(Job(tmp_path, (tmp_path / "a.c",), Settings(), checks=GCC))
    run.cancel()
    events = [event async for event in run]
    assert isinstance(events[-1], RunFinished)
    assert events[-1].outcome.failure and events[-1].outcome.failure.kind is FailureKind.CANCELLED
    assert not [e for e in events if isinstance(e, CheckStarted)]


@pytest.mark.spec("L15")
async def test_leaving_the_stream_early_ends_everything(tmp_path: Path) -> None:
    workspace(tmp_path, a_c=BROKEN)
    seconds = own_seconds()
    stream = start(Job(tmp_path, (tmp_path / "a.c",), Settings(), checks=(f"sleep {seconds}",))).__aiter__()
    async for event in stream:
        if isinstance(event, CheckStarted):
            await asyncio.sleep(0.2)
            break
    await stream.aclose()  # type: ignore[attr-defined]
    assert not sleeping(seconds)


@pytest.mark.spec("L17")
async def test_the_event_stream_tells_rounds_with_errors_before_and_after_and_spending(tmp_path: Path) -> None:
    workspace(tmp_path, a_c="int f(void) { return one; }\nint g(void) { return two; }\n")
    replies = [
        block(f"int {n}(void) {{ return {v}; }}\n", f"int {n}(void) {{ return 1; }}\n")
        for n, v in (("f", "one"), ("g", "two"))
    ]
    told = await fix(tmp_path, replies, targets=["a.c"], checks=GCC)
    assert [(r.errors_before, r.errors_after) for r in told.of(RoundFinished)] == [(2, 1), (1, 0)]
    spending = [r.spending for r in told.of(RoundFinished)]
    assert [s.calls for s in spending] == [1, 2] and spending[0].tokens < spending[1].tokens
    assert told.of(DiagnosticFound)
    assert isinstance(told.events[0], RunStarted) and isinstance(told.events[-1], RunFinished)


@pytest.mark.spec("C1", "C2")
async def test_the_conversation_is_append_only(tmp_path: Path) -> None:
    workspace(tmp_path, a_c=BROKEN)
    told = await fix(tmp_path, ["nothing", "still nothing", SEMICOLON], targets=["a.c"], checks=GCC)
    first, second, third = told.model.requests
    assert second[: len(first)] == first and third[: len(second)] == second
    assert [m.role for m in third] == ["system", "user", "assistant", "user", "assistant", "user"]


async def test_without_a_model_the_run_says_so(tmp_path: Path) -> None:
    workspace(tmp_path, a_c=BROKEN)
    run = start(Job(tmp_path, (tmp_path / "a.c",), Settings(suggestions=False), checks=GCC))
    outcome = [event async for event in run][-1].outcome  # type: ignore[attr-defined]
    assert outcome.failure.kind is FailureKind.CONFIGURATION and "no model is set" in outcome.failure.message


@pytest.mark.spec("W1")
async def test_unsaved_buffers_and_untracked_files_are_in_the_shadow(tmp_path: Path) -> None:
    workspace(tmp_path, a_c="int x = ;\n")
    buffer = b'#include "untracked.h"\n' + BROKEN.encode()
    (tmp_path / "untracked.h").write_text("/* here */\n")
    told = await fix(tmp_path, [SEMICOLON], targets=["a.c"], checks=GCC, buffers={tmp_path / "a.c": buffer})
    assert told.outcome.ending is Ending.GREEN
    assert told.outcome.edit.files[0].before == buffer
    assert told.outcome.edit.files[0].after == buffer.replace(b"n * 2", b"n * 2;")
    assert (tmp_path / "a.c").read_text() == "int x = ;\n"


@pytest.mark.spec("D3")
async def test_the_shadows_paths_never_show(tmp_path: Path) -> None:
    root = tmp_path / "späce here"
    root.mkdir()
    workspace(root, a_c=BROKEN)
    told = await fix(root, [SEMICOLON], targets=["a.c"], checks=('pwd; gcc -fsyntax-only "$PWD/a.c"',))
    shown = repr(told.events) + repr(told.model.requests)
    assert "/compile-loop-" not in shown
    assert str(root) in shown
    assert {d.diagnostic.file for d in told.of(DiagnosticFound) if d.diagnostic.is_error} == {"a.c"}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda p: (p / "missing.c",), "does not exist"),
        (lambda p: (p,), "is a folder"),
        (lambda p: (p / "binary.c",), "binary file"),
        (lambda p: (Path("/etc/hostname"),), "outside the workspace"),
        (lambda p: (), "no file to fix"),
    ],
)
def test_files_that_cannot_be_fixed_are_refused_by_name(tmp_path: Path, make, words: str) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "binary.c").write_bytes(bytes(range(256)) * 40 + bytes(2000))
    with pytest.raises(ConfigurationError, match=words):
        start(Job(tmp_path, make(tmp_path), Settings(), checks=GCC))


@pytest.mark.spec("W2")
@pytest.mark.parametrize("root", [Path("/"), Path.home(), Path.home().parent])
def test_the_home_folder_and_the_root_are_never_copied(root: Path) -> None:
    with pytest.raises(ConfigurationError, match="never copied"):
        start(Job(root, (), Settings(), scope="workspace", checks=GCC))


@pytest.mark.spec("E10")
def test_a_link_out_of_the_workspace_is_no_target(tmp_path: Path) -> None:
    outside = tmp_path / "outside.c"
    outside.write_text(BROKEN)
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a.c").symlink_to(outside)
    with pytest.raises(ConfigurationError, match="outside the workspace"):
        start(Job(root, (root / "a.c",), Settings(), checks=GCC))


@pytest.mark.spec("K2")
async def test_no_temporary_folder_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    root = tmp_path / "ws"
    root.mkdir()
    workspace(root, a_c=BROKEN)
    (root / "read-only").mkdir()
    (root / "read-only" / "f.h").write_text("x")
    (root / "read-only" / "f.h").chmod(0o400)
    (root / "read-only").chmod(0o500)
    await fix(root, [SEMICOLON], targets=["a.c"], checks=GCC)
    assert list(scratch.iterdir()) == []


@pytest.mark.spec("E10", "Q11")
async def test_new_files_are_made_only_where_the_run_allows_it(tmp_path: Path) -> None:
    workspace(tmp_path, a_c='#include "new.h"\nint x = N;\n', kept_h="int kept;\n")
    reply = f"<<< path=new.h >>>\n{block('', '#define N 1' + chr(10))}"
    told = await fix(tmp_path, [reply], targets=["a.c", "kept.h"], checks=GCC, settings={"max_rounds": 1})
    assert told.outcome.failure and told.of(EditRefused)
    allowed = {"max_rounds": 1, "allow_new_files": True}
    told = await fix(tmp_path, [reply], targets=["a.c", "kept.h"], checks=GCC, settings=allowed)
    assert told.outcome.ending is Ending.GREEN, told.of(EditRefused)
    (change,) = told.outcome.edit.files
    assert (change.path, change.before, change.after) == ("new.h", None, b"#define N 1\n")
    (tmp_path / "other.h").write_text("int other;\n")
    over = f"<<< path=other.h >>>\n{block('', 'int mine;' + chr(10))}"
    told = await fix(tmp_path, [over], targets=["a.c", "kept.h"], checks=GCC, settings=allowed)
    assert told.of(EditRefused) and not told.of(EditApplied)


@pytest.mark.spec("E10", "Q11")
@pytest.mark.parametrize(
    ("header", "told_why"),
    [
        ("away/x.h", "leads out of the workspace through a link"),
        ("gone.h", "leads out of the workspace through a link"),
        ("near/workflows/x.yml", "it is .github/workflows/x.yml through a link"),
        ("kept.h/x.h", "kept.h is a file"),
    ],
)
@pytest.mark.parametrize("isolation", ["auto", "copy"])
async def test_a_new_file_behind_a_link_is_refused_and_the_next_reply_is_heard(
    tmp_path: Path, header: str, told_why: str, isolation: str
) -> None:
    root, elsewhere = tmp_path / "w", tmp_path / "elsewhere"
    root.mkdir()
    (elsewhere / "deep").mkdir(parents=True)
    workspace(root, a_c=BROKEN, kept_h="int kept;\n")
    (root / "away").symlink_to(elsewhere)
    (root / "gone.h").symlink_to(elsewhere / "gone.h")
    (root / ".github").mkdir()
    (root / "near").symlink_to(".github")
    through = f"<<< path={header} >>>\n{block('', 'int x;' + chr(10))}<<< path=a.c >>>\n{SEMICOLON}"
    settings = {"allow_new_files": True, "isolation": isolation}
    told = await fix(root, [through, SEMICOLON], targets=["a.c"], checks=GCC, settings=settings)
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    (refused,) = told.of(EditRefused)
    assert told_why in refused.reason and told.outcome.edit.paths == ("a.c",)
    assert not list(elsewhere.rglob("*.h"))


@pytest.mark.spec("Q9")
async def test_a_pipe_that_hides_the_exit_code_is_suspicious(tmp_path: Path) -> None:
    workspace(tmp_path, a_c=BROKEN)
    (tmp_path / "Makefile").write_text("all:\n\tgcc -c a.c -o /dev/null\n")
    told = await fix(tmp_path, [], checks=("make 2>&1 | tail -1",))
    assert told.outcome.ending is Ending.NOTHING_TO_FIX
    assert "a pipe may hide the exit code" in told.outcome.tally.suspicious[0]


@pytest.mark.spec("Q1", "L3")
async def test_files_without_an_error_have_nothing_to_fix_and_no_other_file_is_edited(tmp_path: Path) -> None:
    workspace(tmp_path, a_c="int x;\n", b_c=BROKEN)
    told = await fix(tmp_path, [], targets=["a.c"], checks=("gcc -fsyntax-only a.c b.c",))
    assert told.outcome.ending is Ending.NOTHING_TO_FIX and told.model.requests == []
    assert [d.file for d in told.outcome.tally.remaining] == ["b.c"]
