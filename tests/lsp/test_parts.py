"""The server's parts by themselves: places, buffers, settings, the registry, lines for people."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from pathlib import Path

import pytest
from lsprotocol import types

from compile_loop.contracts import events
from compile_loop.contracts.checks import CheckResult
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.events import (
    CheckFinished,
    CheckStarted,
    EditApplied,
    ModelText,
    Pass,
    RoundFinished,
    RoundStarted,
    Waiting,
)
from compile_loop.contracts.outcome import Spending
from compile_loop.edits.hunks import file_change
from compile_loop.lsp.actions import wanted
from compile_loop.lsp.config import settings_from
from compile_loop.lsp.documents import SafeWorkspace
from compile_loop.lsp.log_lines import kind_of, line_of
from compile_loop.lsp.places import Place, locate
from compile_loop.lsp.protocol import Hunk, StartRunArguments
from compile_loop.lsp.results import line_hunks
from compile_loop.lsp.rpc import Refused
from compile_loop.lsp.runs import Runs
from compile_loop.lsp.snapshot import Buffer, same_text, unsaved
from compile_loop.narrator import Narrator, tokens
from compile_loop.settings import Settings


def workspace(*folders: Path) -> SafeWorkspace:
    return SafeWorkspace(None, workspace_folders=[types.WorkspaceFolder(f.as_uri(), f.name) for f in folders])


def file(path: Path, data: bytes = b"int x\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


# -- places ---------------------------------------------------------------------------------------------------------------


def test_the_folder_is_that_of_the_file(tmp_path: Path) -> None:
    """Not the first one; a nested folder wins over the one around it."""
    outer, inner = tmp_path / "a", tmp_path / "a" / "b ö"
    path = file(inner / "x.c")
    place = locate(workspace(tmp_path / "other", outer, inner), [path.as_uri(), path.as_uri()], "files")
    assert place == Place(inner, (path,))


def test_a_file_in_no_folder_works_in_its_own_directory(tmp_path: Path) -> None:
    path = file(tmp_path / "single" / "x.c")
    assert locate(workspace(), [path.as_uri()], "files") == Place(path.parent, (path,))


@pytest.mark.parametrize(
    ("uri", "says"),
    [
        ("untitled:Untitled-1", "save it first"),
        ("vscode-vfs://github/o/r/a.c", "a folder on disk"),
        ("https://example.org/a.c", "not a file on disk"),
        ("file:///tmp", "is a folder"),
        ("file:///tmp/n.ipynb", "notebook"),
    ],
)
def test_what_is_no_file_is_refused_with_a_reason(uri: str, says: str) -> None:
    with pytest.raises(Refused, match=says):
        locate(workspace(), [uri], "files")


def test_no_file_two_folders_and_no_folder_are_refused(tmp_path: Path) -> None:
    one, two = file(tmp_path / "one" / "a.c"), file(tmp_path / "two" / "a.c")
    both = workspace(one.parent, two.parent)
    with pytest.raises(Refused, match="No file was named"):
        locate(both, [], "files")
    with pytest.raises(Refused, match="different workspace folders"):
        locate(both, [one.as_uri(), two.as_uri()], "files")
    with pytest.raises(Refused, match="Several folders are open"):
        locate(both, [], "workspace")
    with pytest.raises(Refused, match="No folder is open"):
        locate(workspace(), [], "workspace")
    assert locate(both, [two.as_uri()], "workspace") == Place(two.parent, ())


# -- buffers --------------------------------------------------------------------------------------------------------------


def buffers(path: Path, text: str) -> dict[Path, Buffer]:
    return {path: Buffer(path.as_uri(), 1, text)}


@pytest.mark.spec("Q17")
@pytest.mark.parametrize(
    ("disk", "shown", "told", "wanted"),
    [
        (b"int x\n", "int x;\n", None, b"int x;\n"),
        (b"\xef\xbb\xbfint x\r\n", "int x;\r\n", None, b"\xef\xbb\xbfint x;\r\n"),
        (b"\xef\xbb\xbfint x\n", "\ufeffint x;\n", None, b"\xef\xbb\xbfint x;\n"),
        ("// ä\n".encode("utf-16"), "// ö\n", None, "// ö\n".encode("utf-16")),
        ("// ä\n".encode("cp1252"), "// ö\n", "windows1252", "// ö\n".encode("cp1252")),
        ("// 漢\n".encode("shift_jis"), "// 漢字\n", "shiftjis", "// 漢字\n".encode("shift_jis")),
        (None, "int x;\n", None, b"int x;\n"),
        (None, "int x;\n", "utf8bom", b"\xef\xbb\xbfint x;\n"),
    ],
)
def test_unsaved_text_gets_the_encoding_that_the_file_has(
    tmp_path: Path, disk: bytes | None, shown: str, told: str | None, wanted: bytes
) -> None:
    path = tmp_path / "a.c"
    if disk is not None:
        path.write_bytes(disk)
    found = unsaved(tmp_path, buffers(path, shown), {path: told} if told else {}, [path])
    assert found.buffers == {path: wanted}


@pytest.mark.spec("Q17")
def test_a_saved_buffer_is_no_unsaved_text(tmp_path: Path) -> None:
    path = file(tmp_path / "a.c", "// ä\r\n".encode("cp1252"))
    found = unsaved(tmp_path, buffers(path, "// ä\r\n"), {}, [path])
    assert found.buffers == {} and found.encodings == {path: "cp1252"}


@pytest.mark.spec("Q17")
def test_mixed_line_ends_are_told_before_anything_is_applied(tmp_path: Path) -> None:
    path = file(tmp_path / "a.c", b"one\r\ntwo\n")
    found = unsaved(tmp_path, buffers(path, "one\r\ntwo\r\n"), {}, [path])
    assert found.buffers == {} and "mixed line ends" in found.notes[0]


@pytest.mark.spec("Q17")
def test_text_that_the_encoding_cannot_hold_is_said(tmp_path: Path) -> None:
    path = file(tmp_path / "a.c", "// ä\n".encode("cp1252"))
    with pytest.raises(Refused, match=r"a\.c has unsaved text that cp1252 cannot hold \(U\+6F22\)"):
        unsaved(tmp_path, buffers(path, "// 漢\n"), {path: "windows1252"}, [path])
    other = file(tmp_path / "b.c")
    found = unsaved(tmp_path, buffers(path, "// 漢\n"), {path: "windows1252"}, [other])
    assert found.buffers == {} and "as it is on disk" in found.notes[0]


@pytest.mark.spec("E8")
def test_a_target_that_is_no_text_is_refused_by_name(tmp_path: Path) -> None:
    path = file(tmp_path / "a.c", b"\xff\xfe\x00")
    with pytest.raises(Refused, match=r"a\.c cannot be read as text"):
        unsaved(tmp_path, buffers(path, "??"), {}, [path])


def test_buffers_elsewhere_are_no_part_of_it(tmp_path: Path) -> None:
    path = file(tmp_path / "elsewhere" / "a.c")
    (tmp_path / "here").mkdir()
    assert unsaved(tmp_path / "here", buffers(path, "changed"), {}, []).buffers == {}


def test_texts_are_the_same_but_for_line_ends_and_the_mark() -> None:
    assert same_text("\ufeffa\r\nb\r", "a\nb\n") and not same_text("a\n", "a")


# -- settings -------------------------------------------------------------------------------------------------------------


def test_invalid_settings_are_one_log_line_and_the_default(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "compile_loop"):
        logging.getLogger("compile_loop").propagate = True
        found = settings_from(
            {"maxRounds": "many", "check": "make", "apply": None, "deadlineSeconds": -1, "unknown": 1}
        )
    assert (found.max_rounds, found.check, found.deadline_seconds) == (5, "make", 900)
    assert [r.getMessage().split(" is")[0] for r in caplog.records] == [
        "compileLoop.maxRounds",
        "compileLoop.deadlineSeconds",
    ]


@pytest.mark.spec("Z1")
def test_a_key_is_never_a_setting(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "compile_loop"):
        logging.getLogger("compile_loop").propagate = True
        found = settings_from({"apiKey": "sk-secret", "api_key": "sk-secret"})
    assert found.api_key is None and "sk-secret" not in caplog.text and "never a setting" in caplog.text


@pytest.mark.parametrize("values", [None, [], "x", {"maxRounds": None}])
def test_no_settings_are_the_defaults(values: object) -> None:
    assert settings_from(values) == Settings()


# -- the registry ---------------------------------------------------------------------------------------------------------


@pytest.mark.spec("L18")
def test_two_runs_may_not_write_one_file(tmp_path: Path) -> None:
    told: list[list[str]] = []
    runs = Runs(told.append)
    a, b = tmp_path / "a.c", tmp_path / "b.c"
    first = runs.admit(Place(tmp_path, (a,)))
    second = runs.admit(Place(tmp_path, (b,)))
    with pytest.raises(Refused, match=rf"a\.c is being fixed by run {first.run_id}"):
        runs.admit(Place(tmp_path, (a, tmp_path / "c.c")))
    with pytest.raises(Refused, match=f"by run {first.run_id}"):
        runs.admit(Place(tmp_path, ()))
    assert runs.claim(second, [tmp_path / "c.c"]) is None
    assert "c.c is being fixed by run" in str(runs.claim(first, [tmp_path / "c.c"]))
    first.cancel()
    again = runs.admit(Place(tmp_path, (a,)))
    assert told[-1] == runs.ids == [second.run_id, again.run_id]


@pytest.mark.spec("L18")
def test_a_run_over_a_folder_holds_all_of_it(tmp_path: Path) -> None:
    runs = Runs(lambda _: None)
    whole = runs.admit(Place(tmp_path, ()))
    for place in (Place(tmp_path, (tmp_path / "x" / "a.c",)), Place(tmp_path / "x", ()), Place(tmp_path.parent, ())):
        with pytest.raises(Refused, match=whole.run_id):
            runs.admit(place)
    runs.finished(whole)
    runs.admit(Place(tmp_path.parent, ()))


@pytest.mark.spec("L15")
def test_a_cancel_before_anything_started_counts(tmp_path: Path) -> None:
    runs = Runs(lambda _: None)
    run = runs.admit(Place(tmp_path, (tmp_path / "a.c",)))
    assert runs.cancel(None) == [run.run_id] and runs.cancel(None) == []
    called: list[int] = []
    run.when_cancelled(lambda: called.append(1))
    assert called == [1]


# -- lines for people -----------------------------------------------------------------------------------------------------


@pytest.mark.spec("V4")
def test_the_progress_line() -> None:
    narrator = Narrator()
    errors = tuple(Diagnostic(f"e{i}") for i in range(7))
    started = CheckStarted("make", Pass.BASELINE, 0)
    assert line_of(started) == "make: first look"
    narrator.hear(started)
    assert narrator.line == "running make"
    for _ in range(2):  # a red baseline may be run twice
        narrator.hear(CheckFinished(Pass.BASELINE, 0, CheckResult("make", False, 2, diagnostics=errors)))
    assert narrator.line == "7 errors"
    spent = Spending(calls=1, prompt_tokens=1000, completion_tokens=200)
    narrator.hear(RoundFinished(1, 5, 7, 3, spent))
    narrator.hear(RoundStarted(2, 5, 3, spent))
    narrator.hear(ModelText("x"))
    assert narrator.line == "round 2 of 5 · 3 errors · 1.2k tokens · the model writes"
    narrator.hear(RoundFinished(2, 5, 7, 3, replace(spent, cost=0.0)))
    narrator.doing = ""
    assert narrator.line == "round 2 of 5 · 7 → 3 errors · 1.2k tokens"
    narrator.hear(Waiting("The key was refused (401).", 600, person=True))
    assert narrator.line.endswith("1.2k tokens · waiting for you")
    narrator.hear(RoundStarted(3, 5, 3, replace(spent, cost=0.0123)))
    narrator.hear(Waiting("429", 3))
    assert narrator.line == "round 3 of 5 · 3 errors · 1.2k tokens · 0.012 spent · waiting 3 s: 429"


def test_names_of_events_and_numbers() -> None:
    assert kind_of(EditApplied((), 0)) == "edit_applied"
    assert (tokens(1), tokens(999), tokens(1000)) == ("1 token", "999 tokens", "1.0k tokens")


def every_event() -> list[type[events.Event]]:
    return [value for value in vars(events).values() if isinstance(value, type) and issubclass(value, events.Event)]


@pytest.mark.parametrize("kind", every_event())
def test_every_event_has_words_of_its_own(kind: type[events.Event]) -> None:
    """So that a new event does not reach the log as its bare name."""
    assert kind is events.Event or line_of.dispatch(kind) is not line_of.dispatch(events.Event)


@pytest.mark.parametrize(
    ("before", "after", "hunks"),
    [
        ("a\nb\nc\n", "a\nB\nc\n", [(1, 2, 1, 2)]),
        ("a\nc\n", "a\nb\nc\n", [(1, 1, 1, 2)]),
        ("a\nb\nc\n", "a\nc\n", [(1, 2, 1, 1)]),
        ("int x y z\n", "int X y Z\n", [(0, 1, 0, 1)]),
        ("", "a\nb\n", [(0, 0, 0, 2)]),
        ("a\nb\nc\nd\n", "A\nb\nc\nD\n", [(0, 1, 0, 1), (3, 4, 3, 4)]),
    ],
)
def test_hunks_in_lines(before: str, after: str, hunks: list[tuple[int, int, int, int]]) -> None:
    found = line_hunks(file_change("a.c", before.encode(), after.encode()))
    names = ("before_start", "before_end", "after_start", "after_end")
    assert found == [Hunk(**dict(zip(names, hunk, strict=True))) for hunk in hunks]


@pytest.mark.spec("S3")
def test_hunks_of_a_large_file_are_counted_in_no_time() -> None:
    lines = [f"int value_{n} = {n}; /* é */\n" for n in range(40_000)]
    changed = [line.replace("int", "long") if n % 80 == 0 else line for n, line in enumerate(lines)]
    change = file_change("a.c", "".join(lines).encode(), "".join(changed).encode())
    begun = time.monotonic()
    assert len(line_hunks(change)) == 500
    assert time.monotonic() - begun < 1


@pytest.mark.spec("V1")
@pytest.mark.parametrize(
    ("only", "offered"),
    [
        (None, True),
        ([""], True),
        (["quickfix"], True),
        (["quickfix.compileLoop"], True),
        (["quickfix.compile"], False),
        (["source.fixAll"], False),
        (["source.fixAll.compileLoop"], False),
        (["source", "refactor"], False),
        ([], False),
    ],
)
def test_only_the_kinds_that_are_asked_for(only: list[str] | None, offered: bool) -> None:
    assert wanted(only) is offered


@pytest.mark.spec("S1", "S2")
def test_a_commands_null_field_counts_as_left_out() -> None:
    """Emacs reads `{}` as nil, and sends it back as null."""
    given = StartRunArguments.model_validate({"uris": ["file:///a.c"], "encodings": None, "spec": None, "scope": None})
    assert given == StartRunArguments(uris=["file:///a.c"])
