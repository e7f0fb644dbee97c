"""The stream of lines: repeats, floods, tails, and what is no diagnostic (SPEC D4, D6)."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.programs import PROGRAMS
from tests.support.sources import Tree, diagnose

from compile_loop.contracts.diagnostics import Phase
from compile_loop.toolchains.flood import MOST, MOST_KINDS
from compile_loop.toolchains.reading import OutputReader

FILES = {"a.c": "int value;\n" * 2000}


@pytest.mark.spec("D3")
@pytest.mark.parametrize(
    "line",
    [
        "12:30:45 compile started",
        "2026-01-02 12:30:45: error: nothing happened",
        "1 passed in 0.06s",
        "http://localhost:8080: error: refused",
        "localhost:8080:1: error: refused",
        "[error] a.c is fine",
        "error count: 0",
        "0 errors, 0 warnings",
        "collect2: error: ld returned 1 exit status",
        "cc1: all warnings being treated as errors",
        "compilation terminated due to -Wfatal-errors.",
        "clang: error: linker command failed with exit code 1 (use -v to see invocation)",
        "1 error generated.",
        "gcc -Werror -o error.o -c error.c",
        "make: *** [Makefile:3: all] Error 2",
        "gmake[2]: *** [CMakeFiles/demo.dir/build.make:76: a.o] Error 1",
        "make[1]: *** [all] Segmentation fault (core dumped)",
        "make: *** Deleting file 'a.o'",
        'error: could not compile `demo` (bin "demo") due to 1 previous error',
        "error: aborting due to 2 previous errors; 1 warning emitted",
        'warning: `demo` (bin "demo") generated 2 warnings',
        '{"reason":"build-finished","success":false}',
        '{"level":"error","msg":"a log line"}',
        '[{"kind": "of", "another": "tool"}]',
        "note: a.c:1:1: note: only a note",
        "a.c:1:5: note: declared here",
        "Traceback without anything",
        "Note: A.java uses unchecked or unsafe operations.",
    ],
)
def test_lines_that_are_no_diagnostics(line: str) -> None:
    assert diagnose(line + "\n", FILES, exit_code=0) == []


@pytest.mark.spec("D4")
def test_diagnostic_comes_before_the_end() -> None:
    """The first is handed over when the second begins, while the tool still runs."""
    reader = OutputReader(root="/w", cwd="/w", sources=Tree(FILES))
    assert reader.feed("a.c:1:5: error: one") == []
    assert [one.message for one in reader.feed("a.c:2:5: error: two")] == ["one"]
    assert [one.message for _ in range(5) for one in reader.feed("working")] == ["two"], "not held back by silence"
    assert reader.close(1) == []


@pytest.mark.spec("D3")
def test_repeats_are_one() -> None:
    log = "a.c:1:5: error: one\na.c:1:5: error: one\na.c:2:5: error: one\na.c:1:5: warning: two\n"
    assert len(diagnose(log, FILES)) == 3


@pytest.mark.spec("D6")
def test_600_errors_are_all_there() -> None:
    log = "".join(f"a.c:{n + 1}:5: error: ‘v{n}’ undeclared\na.c:{n + 1}:5: warning: follows\n" for n in range(600))
    found = diagnose(log, FILES)
    assert sum(one.is_error for one in found) == 600


@pytest.mark.spec("D6")
def test_flood_is_bounded_and_keeps_every_first_kind() -> None:
    reader = OutputReader(root="/w", cwd="/w", sources=Tree(FILES))
    found = []
    for n in range(5000):
        found += reader.feed(f"a.c:{n % 2000 + 1}:{n % 7 + 1}: error: ‘v{n}’ undeclared")
        if n % 1000 == 999:
            word = "abcdefgh"[n // 1000]
            found += reader.feed(f"a.c:1:1: error: a rare kind {word}")
    found += reader.close(1)
    assert reader.total_errors == 5005
    assert MOST <= len(found) <= MOST + 5
    assert {f"a rare kind {word}" for word in "abcde"} <= {one.message for one in found}


@pytest.mark.spec("D6")
def test_flood_of_kinds_is_bounded() -> None:
    letters = random.Random(1)
    reader = OutputReader(root="/w", cwd="/w", sources=Tree(FILES))
    handed = 0
    for _ in range(6000):
        word = "".join(letters.choices("abcdefghijklmnop", k=12))
        handed += len(reader.feed(f"a.c:1:1: error: {word}"))
    handed += len(reader.close(1))
    assert handed == MOST_KINDS
    assert reader.total == 6000


@pytest.mark.spec("D4")
def test_unreadable_failure_is_the_tail() -> None:
    log = "".join(f"step {n}\n" for n in range(100)) + "\x1b[31mgave up\x1b[0m\n\n"
    (one,) = diagnose(log, FILES, hint="./run-it", exit_code=3)
    assert (one.file, one.is_error, one.phase) == (None, True, Phase.TEST)
    assert one.rendered.split("\n") == [*(f"step {n}" for n in range(81, 100)), "gave up"]
    assert "./run-it" in one.message
    assert "exit code 3" in one.message


@pytest.mark.spec("D4")
@pytest.mark.parametrize(
    ("log", "exit_code", "count"), [("fine\n", 0, 0), ("", 1, 1), ("a.c:1:5: warning: only\n", 1, 2)]
)
def test_tail_only_where_nothing_else_says_why(log: str, exit_code: int, count: int) -> None:
    assert len(diagnose(log, FILES, exit_code=exit_code)) == count


@pytest.mark.spec("Q7")
def test_command_that_is_not_there_is_the_earliest_phase() -> None:
    (one,) = diagnose("sh: 1: foo: not found\n", FILES, exit_code=127)
    assert one.phase is Phase.CONFIGURE


@pytest.mark.spec("Q9")
def test_errors_with_exit_zero_are_read() -> None:
    """`make | tail` ends with zero; whoever judges the check sees the errors all the same."""
    assert [one.is_error for one in diagnose("a.c:1:5: error: one\n", FILES, exit_code=0)] == [True]


@pytest.mark.spec("D6")
@pytest.mark.parametrize("filler", ["x", "(", "a.c:", "error: ", '{"', "[", "'", "at ", " | ", "::", '"x", '])
@pytest.mark.timeout(60)
def test_long_lines_end(filler: str) -> None:
    line = f"a.c:1:1: error: {filler * (2_000_000 // len(filler))}): error"
    diagnose(f"{line}\n{line[9:]}\n{filler * 200_000}\n", FILES)


LOG_LINES = [line for p in PROGRAMS for mode in p.modes() for line in p.output(p.folder, mode).decode().split("\n")]
PIECES = st.one_of(
    st.sampled_from(LOG_LINES), st.text(max_size=60), st.sampled_from(LOG_LINES).map(lambda s: s[: len(s) // 2])
)


@pytest.mark.spec("D4")
@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=60), st.sampled_from(["", "make", "cargo check", "javac A.java", "clang a.c"]))
def test_no_output_can_break_a_reader(lines: list[str], hint: str) -> None:
    """Torn, mixed and half-printed output gives diagnostics or none, and never an exception."""
    files = dict.fromkeys(("a.c", "src/main.rs", "main.c", "A.java", "src/a.ts", "pkg/m.py", "lib.rs"), "int a;\n")
    reader = OutputReader(root="/w", cwd="/w", sources=Tree(files), hint=hint)
    found = [one for line in lines for one in reader.feed(line)] + reader.close(1)
    for one in found:
        assert one.range.start <= one.range.end
        assert one.file is None or one.file in files or one.file.startswith("/")
        assert all(edit.range.start <= edit.range.end for fix in one.suggestions for edit in fix.edits)


@pytest.mark.spec("D6")
@pytest.mark.parametrize("noise", ["{", "[", '{ "a": [', "  [ {"])
def test_braces_that_never_close_hide_nothing_and_cost_little(noise: str) -> None:
    """A log of code or of cut-off JSON once made reading slower with each line."""
    reader = OutputReader(root="/w", cwd="/w", sources=Tree(FILES))
    lines = [noise, "  value: 1"] * 20_000
    assert [one for line in lines for one in reader.feed(line)] == []
    found = reader.feed("a.c:1:5: error: one") + reader.feed("a.c:2:5: error: two")
    assert [one.message for one in found] == ["one"]


@pytest.mark.spec("D2")
def test_report_with_much_between_its_lines_is_read() -> None:
    """Another stream's lines in the middle of a tool's JSON, as long as they are few."""
    report = '[\n{"filePath": "a.c",\n"messages": [{"ruleId": "r", "severity": 2, "message": "m", "line": 1, "column": 1}]}\n]\n'
    log = report.replace("\n", "\n" + "working on it\n" * 50)
    assert [one.message for one in diagnose(log, FILES)] == ["m"]


@pytest.mark.spec("D4")
def test_what_is_open_is_shown_before_it_is_complete() -> None:
    reader = OutputReader(root="/w", cwd="/w", sources=Tree(FILES))
    assert reader.so_far() == []
    reader.feed("a.c:1:5: error: one")
    (early,) = reader.so_far()
    assert reader.so_far() == [early], "asking changes nothing"
    reader.feed("a.c:2:5: note: because")
    (whole,) = reader.close(1)
    assert (early.message, early.related) == ("one", ())
    assert [place.message for place in whole.related] == ["because"]


@pytest.mark.spec("D6")
def test_flood_with_snippets_is_counted_truly() -> None:
    """Beyond the bound repeats are counted by their first line alone; what is new is still read whole."""
    reader = OutputReader(root="/w", cwd="/w", sources=Tree(FILES))
    found = []
    for n in range(3000):
        for line in (
            f"a.c:{n % 2000 + 1}:5: warning: unused ‘v{n}’ [-Wunused]",
            "    1 | int value;",
            "      |     ^~~~~",
        ):
            found += reader.feed(line)
    for line in ("a.c:7:5: warning: unused ‘v6’ [-Wunused]", "a.c:8:5: error: unused ‘v7’", "a.c:9:5: note: here"):
        found += reader.feed(line)
    found += reader.close(1)
    assert (reader.total, reader.total_errors) == (3001, 1)
    (error,) = [one for one in found if one.is_error]
    assert [place.message for place in error.related] == ["here"]
