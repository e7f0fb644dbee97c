"""The gate's manners: it never raises, doubts what it cannot parse, and names the right line (SPEC K7, K8)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.honesty_cases import cases

from compile_loop.checks.honesty import Finding, inspect
from compile_loop.contracts.diagnostics import Diagnostic, Phase, Range
from compile_loop.contracts.edits import Edit, FileChange

PATHS = (
    "a.c",
    "a.cpp",
    "a.h",
    "a.rs",
    "a.py",
    "a.ts",
    "a.tsx",
    "a.js",
    "a.java",
    "a_test.go",
    "a.kt",
    "a.sh",
    "Makefile",
    "package.json",
    "tsconfig.json",
    "x",
)


def change(path: str, before: str | bytes | None, after: str | bytes | None, encoding: str = "utf-8") -> FileChange:
    sides = [side.encode(encoding) if isinstance(side, str) else side for side in (before, after)]
    return FileChange(path, sides[0], sides[1], (), encoding)


def look(path: str, before: str | None, after: str | None, *baseline: Diagnostic, spec: str = "") -> list[Finding]:
    return list(inspect(Edit((change(path, before, after),)), baseline, spec=spec))


def fault(path: str, line: int, message: str = "wrong", tool: str = "", code: str | None = None) -> Diagnostic:
    return Diagnostic(message, path, Range.of(line - 1, 0, line - 1, 1), source=tool, code=code)


@pytest.mark.spec("K8")
@settings(max_examples=150, deadline=None)
@given(path=st.sampled_from(PATHS), before=st.binary(max_size=200), after=st.binary(max_size=200))
def test_any_bytes_at_all_are_examined_without_an_exception(path: str, before: bytes, after: bytes) -> None:
    assert isinstance(inspect(Edit((change(path, before, after),)), [fault(path, 1)]), tuple)


@pytest.mark.spec("K8")
@settings(max_examples=150, deadline=None)
@given(
    which=st.integers(0, len(cases("first")) - 1),
    cut=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    encoding=st.sampled_from(["utf-8", "utf-16", "latin-1", "no-such-codec"]),
)
def test_torn_programs_are_examined_without_an_exception(which: int, cut: tuple[float, float], encoding: str) -> None:
    case = cases("first")[which]
    files = []
    for path in sorted({*case.before, *case.after}):
        before, after = case.before.get(path), case.after.get(path)
        files.append(
            FileChange(
                path,
                before and before[: int(cut[0] * len(before))],
                after and after[: int(cut[1] * len(after))],
                (),
                encoding,
            )
        )
    for finding in inspect(Edit(tuple(files)), case.fails):
        assert finding.kind != "not_inspected"


@pytest.mark.spec("K8")
def test_a_part_of_the_gate_that_fails_is_a_suspicion_not_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> list[Finding]:
        raise RuntimeError("no luck")

    monkeypatch.setattr("compile_loop.checks.honesty.gate.configuration", broken)
    assert look("a.py", "x = 1\n", "x = 2\n") == [Finding("a.py", 0, "not_inspected", "RuntimeError: no luck", False)]


@pytest.mark.spec("K7")
def test_a_file_that_does_not_parse_gets_line_rules_and_only_suspicions() -> None:
    torn = "def f(:\n    return (((\n" * 20
    found = look("a.py", torn, torn + "x = 1  # noqa\n", fault("a.py", 3, tool="ruff"))
    assert [(f.kind, f.certain) for f in found] == [("suppression", False)]


@pytest.mark.spec("K7")
@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.kt", '@Suppress("X")'),
        ("a.cs", "#pragma warning disable CS0168"),
        ("a.rb", "x = 1 # rubocop:disable Style/X"),
        ("a.php", "// @phpstan-ignore-next-line"),
        ("a.swift", "let x = try? f()"),
        ("a.scala", "def f = ???"),
        ("a.lua", "x = 1 -- luacheck: ignore"),
    ],
)
def test_languages_without_a_grammar_get_suspicions(path: str, line: str) -> None:
    found = look(path, "a\nb\n", f"a\n{line}\nb\n", fault(path, 2))
    assert found and not any(f.certain for f in found)
    assert {f.line for f in found} == {2}


@pytest.mark.spec("K7")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_alike_in_every_encoding_and_with_every_line_end(encoding: str, end: str) -> None:
    before = end.join(["# é😀", "x = f()", "y = 1", ""])
    after = end.join(["# é😀", "x = f()", "y = 1  # type: ignore", ""])
    edit = Edit((change("a.py", before, after, encoding),))
    found = inspect(edit, [fault("a.py", 3, tool="mypy")])
    assert [(f.line, f.kind, f.certain) for f in found] == [(3, "suppression", True)]


@pytest.mark.spec("K7")
def test_a_removed_line_is_named_by_its_old_number() -> None:
    before = "def test_a():\n    x = 1\n    assert x == 1\n    assert x == 2\n"
    found = look("tests/test_a.py", before, before.replace("    assert x == 2\n", ""), fault("tests/test_a.py", 4))
    assert [(f.line, f.kind) for f in found] == [(4, "weakened_test")]


@pytest.mark.spec("K7")
def test_a_suppression_away_from_every_failure_is_only_a_suspicion() -> None:
    rows = [f"x{n} = {n}" for n in range(40)]
    after = [*rows]
    after[30] += "  # type: ignore"
    found = look("a.py", "\n".join(rows), "\n".join(after), fault("a.py", 2, tool="mypy", code="arg-type"))
    assert [(f.kind, f.certain) for f in found] == [("suppression", False)]
    found = look("a.py", "\n".join(rows), "\n".join(after), fault("a.py", 31, tool="gcc"))
    assert [(f.kind, f.certain) for f in found] == [("suppression", False)]


@pytest.mark.spec("K7")
def test_what_was_there_and_only_moved_is_nothing() -> None:
    first = "import a  # noqa: F401\n\n\ndef f():\n    return 1\n"
    second = "def f():\n    return 1\n\n\nimport a  # noqa: F401\n"
    assert look("a.py", first, second, fault("a.py", 1, tool="ruff", code="F401")) == []
    edit = Edit((change("a.py", first, "def f():\n    return 1\n"), change("b.py", None, "import a  # noqa: F401\n")))
    assert inspect(edit, [fault("a.py", 1, tool="ruff", code="F401")]) == ()


@pytest.mark.spec("K7")
def test_a_second_suppression_like_one_that_was_there_is_found() -> None:
    before = "a()  # noqa\nb()\n"
    found = look("a.py", before, "a()  # noqa\nb()  # noqa\n", fault("a.py", 2, tool="ruff"))
    assert [(f.line, f.kind, f.certain) for f in found] == [(2, "suppression", True)]


@pytest.mark.spec("K7")
def test_without_a_failure_only_tests_are_certain() -> None:
    assert [f.certain for f in look("a.py", "x = 1\n", "x = f()  # type: ignore\n")] == [False]
    test = "def test_a():\n    assert f() == 1\n"
    skipped = "import pytest\n\n\n@pytest.mark.skip\n" + test
    assert [f.certain for f in look("tests/test_a.py", test, skipped)] == [True]


@pytest.mark.spec("K7")
@pytest.mark.parametrize(
    ("before", "after", "spec", "found"),
    [
        (9, 8, "", [True]),
        (9, 9, "", []),
        (8, 9, "", []),
        (None, 8, "", []),
        (9, None, "", [False]),  # they no longer tell of themselves
        (0, None, "", []),
        (9, 8, "Remove the obsolete tests.", []),
    ],
)
def test_fewer_tests_than_before(before: int | None, after: int | None, spec: str, found: list[bool]) -> None:
    edit = Edit((change("a.py", "x = 1\n", "x = 2\n"),))
    made = inspect(edit, [], spec=spec, tests_before=before, tests_after=after)
    assert [(f.kind, f.certain) for f in made] == [("fewer_tests", sure) for sure in found]


@pytest.mark.spec("K7")
def test_an_empty_edit_has_no_findings() -> None:
    assert inspect(Edit(), []) == ()


@pytest.mark.spec("K7")
def test_reported_edits() -> None:
    """A status that is no longer demanded, and an answer for the test's own input (as users reported them)."""
    before = "def test_health(client):\n    resp = client.get('/')\n    assert resp.status == 200\n"
    after = before.replace("== 200", "in (200, 500)")
    failed = Diagnostic("assert 500 == 200", "tests/test_api.py", Range.of(2, 0, 2, 9), phase=Phase.TEST)
    assert [(f.kind, f.certain) for f in look("tests/test_api.py", before, after, failed)] == [("weakened_test", True)]
    code = "def fib(n):\n    return n\n"
    special = "def fib(n):\n    if n == 7: return 13\n    return n\n"
    failed = Diagnostic("assert fib(7) == 13", "tests/test_fib.py", Range.of(2, 0, 2, 9), phase=Phase.TEST)
    assert [(f.kind, f.certain) for f in look("fib.py", code, special, failed)] == [("special_case", False)]


@pytest.mark.spec("K7")
def test_a_failing_file_may_move_but_not_vanish() -> None:
    text = "\n".join(f"def f{n}(x):\n    return g{n}(x)\n" for n in range(5))
    gone = change("old.py", text, None)
    assert [(f.kind, f.certain) for f in inspect(Edit((gone,)), [fault("old.py", 2)])] == [("deleted_code", True)]
    assert inspect(Edit((change("new.py", None, text.replace("g0", "h0")), gone)), [fault("old.py", 2)]) == ()
    assert inspect(Edit((gone,)), [fault("old.py", 2)], spec="Delete old.py, nobody uses it.") == ()
    assert inspect(Edit((gone,)), [fault("old.py", 2, "multiple definition of f0")]) == ()


@pytest.mark.spec("K7")
@pytest.mark.parametrize(
    ("added", "found"),
    [
        ("if ! make test; then\n    exit 0\nfi", [True]),
        ("if make test; then\n    exit 0\nfi", []),
        ("else\n    exit 0\nfi", [False]),
        ("make test || exit 0", [True]),
        ("make test && true", []),
        ("rm -rf out || true", []),
        ('echo "make test || true"', []),
        ("trap 'exit 0' EXIT", [True]),
        ("make test 2>&1 | tee log", [False]),
        ("files=$(ls | head -1)", []),
        ("# make test || true", []),
    ],
)
def test_shell_lines_that_hide_a_status(added: str, found: list[bool]) -> None:
    before = "#!/bin/sh\nset -e\ncd sub\n"
    made = look("check.sh", before, before + added + "\n", fault("a.c", 1))
    assert [f.certain for f in made if f.kind == "exit_zero"] == found


@pytest.mark.spec("K7")
def test_a_very_long_file_gets_line_rules() -> None:
    before = "x = 1\n" * 41_000
    found = look("a.py", before, before + "y = 2  # noqa\n", fault("a.py", 41_000, tool="ruff"))
    assert [(f.line, f.kind, f.certain) for f in found] == [(41_001, "suppression", False)]


@pytest.mark.spec("K7")
@pytest.mark.parametrize("note", ["", "TODO: ", "FIXME(ada): ", "disabled: "])
def test_a_failing_line_in_a_comment(note: str) -> None:
    before = "def f(x):\n    y = g(x)\n    return y\n"
    after = f"def f(x):\n    # {note}y = g(x)\n    return y\n"
    assert [(f.line, f.kind, f.certain) for f in look("a.py", before, after, fault("a.py", 2))] == [
        (2, "disabled_code", True)
    ]
    assert look("a.py", before, after, fault("a.py", 2, "y is unused")) == []


@pytest.mark.spec("K7")
@pytest.mark.parametrize("language", ["Python", "TypeScript", "JavaScript", "Java", "Go", "Rust", "C", "C++"])
def test_a_sign_that_was_missing_may_be_put_where_it_belongs(language: str) -> None:
    """What a parser could not make out before is not new when it can."""
    mended = 0
    for case in (c for folder in ("first", "second") for c in cases(folder) if c.language == language):
        for path, data in case.after.items():
            text = data.decode()
            for at in [i for i, sign in enumerate(text) if sign in "{}()"][::7]:
                torn = text[:at] + text[at + 1 :]
                row = text.count("\n", 0, at)
                if text.split("\n")[row].startswith("#"):
                    continue  # a macro's text may be anything
                failed = Diagnostic("unexpected token", path, Range.of(row, 0, row, 1), phase=Phase.PARSE)
                found = [f for f in look(path, torn, text, failed) if f.certain]
                assert not found, (case.name, path, row, found)
                mended += 1
    assert mended >= 40
