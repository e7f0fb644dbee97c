"""cargo and rustc beyond the recorded programs (SPEC D2, D3, D5)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.sources import diagnose, spot

from compile_loop.contracts.diagnostics import Phase

MAIN = "fn main() {\n    let a = nope;\n}\n"


def span(file: str, text: str, word: str, **more: Any) -> dict[str, Any]:
    start = text.encode().index(word.encode())
    line = text[: text.index(word)].count("\n") + 1
    column = text.index(word) - (text.rfind("\n", 0, text.index(word)) + 1) + 1
    return {
        **{"file_name": file, "byte_start": start, "byte_end": start + len(word.encode()), "is_primary": True},
        **{"line_start": line, "line_end": line, "column_start": column, "column_end": column + len(word)},
        **{"label": None, "expansion": None, "suggested_replacement": None, "suggestion_applicability": None},
        **more,
    }


def message(spans: list[dict[str, Any]], children: list[dict[str, Any]] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "message": "bad",
        "level": "error",
        "code": None,
        "spans": spans,
        "children": children or [],
        "rendered": "error: bad\n",
        **more,
    }


def cargo(body: dict[str, Any], manifest: str = "/w/Cargo.toml") -> str:
    return json.dumps({"reason": "compiler-message", "manifest_path": manifest, "message": body}) + "\n"


def offer(applicability: str, *spans: dict[str, Any]) -> dict[str, Any]:
    return {
        "message": "try this",
        "level": "help",
        "spans": [{**one, "suggestion_applicability": applicability} for one in spans],
        "children": [],
    }


@pytest.mark.spec("D3")
def test_same_error_of_library_and_test_is_one() -> None:
    line = cargo(message([span("src/main.rs", MAIN, "nope")]))
    found = diagnose(line + line, {"src/main.rs": MAIN, "Cargo.toml": ""}, hint="cargo test --no-run")
    assert [spot(one) for one in found] == [("src/main.rs", 1, 12, 1, 16)]


@pytest.mark.spec("D3")
def test_names_count_from_the_workspace_and_not_from_the_member() -> None:
    """Both files exist; cargo means the one seen from the workspace's root."""
    files = {
        "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n',
        "src/main.rs": MAIN,
        "crates/app/Cargo.toml": "[package]\n",
        "crates/app/src/main.rs": MAIN,
    }
    for output in (
        cargo(message([span("src/main.rs", MAIN, "nope")]), "/w/crates/app/Cargo.toml"),
        "error[E0425]: bad\n --> src/main.rs:2:13\n  |\n\n",
    ):
        (one,) = diagnose(output, files, cwd="/w/crates/app", hint="cargo check")
        assert one.file == "src/main.rs"
    files["Cargo.toml"] = "[package]\n"
    (one,) = diagnose(cargo(message([span("src/main.rs", MAIN, "nope")]), "/w/crates/app/Cargo.toml"), files)
    assert one.file == "crates/app/src/main.rs", "a package of its own"


@pytest.mark.spec("D3")
def test_error_inside_a_library_macro_is_at_its_call() -> None:
    inner = {
        **span("src/main.rs", MAIN, "let"),
        "file_name": "/rustc/0123abcd/library/std/src/macros.rs",
        "byte_start": 1,
        "byte_end": 2,
    }
    inner["expansion"] = {"span": span("src/main.rs", MAIN, "nope"), "macro_decl_name": "println!"}
    (one,) = diagnose(cargo(message([inner])), {"src/main.rs": MAIN})
    assert spot(one) == ("src/main.rs", 1, 12, 1, 16)


@pytest.mark.spec("D5")
@pytest.mark.parametrize(
    ("applicability", "expected"),
    [("MachineApplicable", [True]), ("MaybeIncorrect", [False]), ("Unspecified", [False]), ("HasPlaceholders", [])],
)
def test_applicability(applicability: str, expected: list[bool]) -> None:
    child = offer(applicability, span("src/main.rs", MAIN, "nope", suggested_replacement="1"))
    (one,) = diagnose(cargo(message([span("src/main.rs", MAIN, "nope")], [child])), {"src/main.rs": MAIN})
    assert [fix.safe for fix in one.suggestions] == expected


@pytest.mark.spec("D5")
def test_parts_go_together_and_alternatives_apart() -> None:
    parts = offer(
        "MachineApplicable",
        span("src/main.rs", MAIN, "let", suggested_replacement="("),
        span("src/main.rs", MAIN, "nope", suggested_replacement=")"),
    )
    other = offer(
        "MachineApplicable", *(span("src/main.rs", MAIN, "nope", suggested_replacement=text) for text in "xy")
    )
    (one,) = diagnose(cargo(message([span("src/main.rs", MAIN, "nope")], [parts, other])), {"src/main.rs": MAIN})
    assert [(fix.safe, [edit.new_text for edit in fix.edits]) for fix in one.suggestions] == [
        (True, ["(", ")"]),
        (False, ["x"]),
        (False, ["y"]),
    ]


@pytest.mark.spec("D5")
def test_suggestion_for_a_file_that_is_not_there_is_dropped() -> None:
    child = offer(
        "MachineApplicable",
        {**span("src/main.rs", MAIN, "nope", suggested_replacement="1"), "file_name": "/rustc/x/lib.rs"},
    )
    (one,) = diagnose(cargo(message([span("src/main.rs", MAIN, "nope")], [child])), {"src/main.rs": MAIN})
    assert one.suggestions == ()


@pytest.mark.spec("D3")
def test_json_lines_in_the_middle_of_text() -> None:
    """cargo's text on standard error and its JSON on standard output interleave."""
    log = (
        "error: invalid float\n"
        + cargo(message([span("src/main.rs", MAIN, "nope")]))
        + " --> Cargo.toml:2:5\n  |\n2 | a = 0.1.0\n  |     ^^^\n\n"
    )
    found = diagnose(log, {"src/main.rs": MAIN, "Cargo.toml": "\na = 0.1.0\n"})
    assert {spot(one) for one in found} == {("src/main.rs", 1, 12, 1, 16), ("Cargo.toml", 1, 4, 1, 7)}
    assert {one.phase for one in found} == {Phase.TYPE, Phase.CONFIGURE}


@pytest.mark.spec("D3")
def test_text_of_several_lines_and_labels() -> None:
    source = "fn f() -> i32 {\n\tif true {\n\t\t1;\n\t}\n}\n"
    log = """\
error[E0308]: mismatched types
 --> src/main.rs:2:10
  |
1 |   fn f() -> i32 {
  |             --- expected because of this
2 |       if true {
  |  _____________^
3 | |         1;
  | |          - help: remove this semicolon
4 | |     }
  | |_____^ expected `i32`, found `()`

"""
    (one,) = diagnose(log, {"src/main.rs": source})
    assert spot(one) == ("src/main.rs", 1, 9, 3, 2)
    assert [(r.range.start.line, r.range.start.character, r.message) for r in one.related] == [
        (0, 10, "expected because of this"),
        (2, 3, "help: remove this semicolon"),
    ]
    assert one.code_href == "https://doc.rust-lang.org/error_codes/E0308.html"


@pytest.mark.spec("D2")
@pytest.mark.parametrize(
    ("log", "place", "text"),
    [
        (
            "thread 'main' panicked at src/main.rs:2:9:\nboom\nnote: run with `RUST_BACKTRACE=1`\n",
            ("src/main.rs", 1, 8),
            "boom",
        ),
        (
            "thread 'main' panicked at 'boom', src/main.rs:2:9\nnote: run with `RUST_BACKTRACE=1`\n",
            ("src/main.rs", 1, 8),
            "boom",
        ),
        ('---- t::a stdout ----\nError: "bad"\n\n\nfailures:\n    t::a\n', (None, 0, 0), 't::a: Error: "bad"'),
        (
            "---- t::a stdout ----\nnote: test did not panic as expected at src/main.rs:1:4\n",
            ("src/main.rs", 0, 3),
            "test did not panic as expected",
        ),
        (
            "---- src/main.rs - f (line 2) stdout ----\n\nthread 'main' panicked at src/main.rs:9:1:\nboom\n",
            ("src/main.rs", 1, 4),
            "boom",
        ),
    ],
)
def test_tests_that_fail(log: str, place: tuple[str | None, int, int], text: str) -> None:
    (one,) = diagnose(log, {"src/main.rs": MAIN}, hint="cargo test")
    assert (one.file, one.range.start.line, one.range.start.character) == place
    assert (one.message, one.phase) == (text, Phase.TEST)


@pytest.mark.spec("Q3")
@pytest.mark.parametrize(
    ("text", "code", "phase"),
    [
        ("expected `;`, found `}`", None, Phase.PARSE),
        ("this file contains an unclosed delimiter", None, Phase.PARSE),
        ("unterminated double quote string", "E0765", Phase.PARSE),
        ("mismatched types", "E0308", Phase.TYPE),
        ("cannot find macro `m` in this scope", None, Phase.TYPE),
        ("unused variable: `x`", "unused_variables", Phase.TYPE),
        ("linking with `cc` failed: exit status: 1", None, Phase.LINK),
    ],
)
def test_phases(text: str, code: str | None, phase: Phase) -> None:
    body = message([span("src/main.rs", MAIN, "nope")], message=text, code=code and {"code": code})
    assert diagnose(cargo(body), {"src/main.rs": MAIN})[0].phase is phase


@pytest.mark.spec("D2")
def test_linker_text_without_its_command_line() -> None:
    notes = [
        '"cc" "-m64" "/tmp/x.o"',
        "some arguments are omitted. use `--verbose` to show all linker arguments",
        "rust-lld: error: undefined symbol: nope\n>>> referenced by main.rs:2 (src/main.rs:2)",
    ]
    children = [{"message": note, "level": "note", "spans": [], "children": []} for note in notes]
    (one,) = diagnose(
        cargo(message([], children, message="linking with `cc` failed: exit status: 1")), {"src/main.rs": MAIN}
    )
    assert one.message.split("\n")[:2] == [
        "linking with `cc` failed: exit status: 1",
        "rust-lld: error: undefined symbol: nope",
    ]
    assert (one.file, one.range.start.line) == ("src/main.rs", 1)


@pytest.mark.spec("D2")
def test_dependency_that_is_not_there_is_at_the_manifest() -> None:
    log = "error: no matching package named `serde` found\nlocation searched: crates.io index\n"
    log += "required by package `demo v0.1.0 (/w)`\n"
    (one,) = diagnose(log, {"Cargo.toml": '[dependencies]\nserde = "1"\n'}, hint="cargo check")
    assert (spot(one), one.phase) == (("Cargo.toml", 1, 0, 1, 11), Phase.CONFIGURE)


@pytest.mark.spec("D5")
@pytest.mark.parametrize(("applicability", "guess"), [("MachineApplicable", False), ("MaybeIncorrect", True)])
def test_what_rustc_calls_no_more_than_likely_is_a_guess(applicability: str, guess: bool) -> None:
    child = offer(applicability, span("src/main.rs", MAIN, "nope", suggested_replacement="none"))
    child["message"] = "a local variable with a similar name exists"
    (one,) = diagnose(cargo(message([span("src/main.rs", MAIN, "nope")], [child])), {"src/main.rs": MAIN})
    assert [(fix.safe, fix.guess) for fix in one.suggestions] == [(True, guess)]
