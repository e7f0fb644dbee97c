"""VS Code's problem matchers: what they may hold, what they find, and what stops them (SPEC D2)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.support.sources import Tree, spot

from compile_loop.contracts.diagnostics import Diagnostic, Severity
from compile_loop.toolchains.matcher_names import MATCHERS
from compile_loop.toolchains.matcher_regexp import translated
from compile_loop.toolchains.matchers import Contributed, MatcherError, matchers_of, plainly
from compile_loop.toolchains.reading import parse
from compile_loop.toolchains.variables import Variables

pytestmark = pytest.mark.spec("D2")

FILES: dict[str, str | bytes] = {
    "src/a.foo": '\tlet x = "é😀"; nope;\nsecond\n',
    "lib/b.foo": "one\ntwo\n",
    "deep/down/c.foo": "x\n",
    "src/a.c": "int x = nope;\n",
}
ONE = {
    "regexp": r"^(\S+)@(\d+)@(\d+) (\w+) (?<what>.*)$",
    "file": 1,
    "line": 2,
    "column": 3,
    "severity": 4,
    "message": 5,
}


def run(declared: object, log: str, contributed: Contributed | None = None, exit_code: int = 1) -> list[Diagnostic]:
    variables = Variables("/w", config={"x.dir": "lib"})
    plain = plainly(declared, variables.resolve, contributed)
    found = parse(
        log.encode(), root="/w", cwd="/w", sources=Tree(FILES), exit_code=exit_code, matchers=matchers_of(plain)
    )
    return [one for one in found if one.source]


def one(**more: object) -> dict[str, object]:
    return {"owner": "foo", "pattern": ONE, **more}


def test_groups_severity_and_source() -> None:
    log = "noise\nsrc/a.foo@1@16 warning bad thing  \nsrc/a.foo@2@1 oops worse\nnothing.foo@1@1 error gone\n"
    first, second, third = run(one(source="foolint"), log)
    assert (spot(first), first.message) == (("src/a.foo", 0, 15, 0, 16), "bad thing")
    assert (first.severity, first.source) == (Severity.WARNING, "foolint")
    assert second.severity is Severity.ERROR, "an unknown word is what the matcher says by default"
    assert (third.file, third.message) == (None, "nothing.foo: gone")


@pytest.mark.parametrize(
    ("location", "name", "file"),
    [
        (["relative", "${workspaceFolder}/src"], "a.foo", "src/a.foo"),
        (["relative", "${workspaceFolder}/${config:x.dir}"], "b.foo", "lib/b.foo"),
        ("relative", "lib/b.foo", "lib/b.foo"),
        ("absolute", "/w/lib/b.foo", "lib/b.foo"),
        ("autoDetect", "lib/b.foo", "lib/b.foo"),
        (["autoDetect", "${workspaceFolder}/src"], "/w/lib/b.foo", "lib/b.foo"),
        (["search", {"include": ["${workspaceFolder}/deep/down"]}], "c.foo", "deep/down/c.foo"),
        ("relative", "down/c.foo", "deep/down/c.foo"),
    ],
)
def test_where_files_are(location: object, name: str, file: str) -> None:
    (found,) = run(one(fileLocation=location), f"{name}@1@1 error x\n")
    assert found.file == file


@pytest.mark.parametrize(
    ("place", "where"),
    [("1", (0, 1, 19)), ("1,16", (0, 15, 16)), ("1,16,1,20", (0, 15, 19)), ("2,3", (1, 2, 6))],
)
def test_location_in_one_group(place: str, where: tuple[int, int, int]) -> None:
    pattern = {"regexp": r"^(\S+)\(([\d,]+)\): (.*)$", "file": 1, "location": 2, "message": 3}
    (found,) = run(one(pattern=pattern), f"src/a.foo({place}): no\n")
    assert (found.range.start.line, found.range.start.character, found.range.end.character)[:2] == where[:2]


def test_end_columns_and_default_groups() -> None:
    pattern = {"regexp": r"(\S+) (\d+) (\d+) to (\d+) (\d+)", "endLine": 4, "endColumn": 5}
    (found,) = run(one(pattern=pattern), "src/a.foo 1 16 to 2 3\n")
    assert spot(found) == ("src/a.foo", 0, 15, 1, 2)
    assert found.message == "src/a.foo 1 16 to 2 3", "group 0 is the message, unless another is named"
    (found,) = run(one(pattern={"regexp": r"^broken: (.*)$", "kind": "file"}), "broken: lib/b.foo\n")
    assert spot(found) == ("lib/b.foo", 0, 0, 0, 0)


STYLISH = [
    {"regexp": r"^(\S.*)$", "file": 1},
    {
        "regexp": r"^\s+(\d+):(\d+) +(error|warning) +(.*)$",
        "line": 1,
        "column": 2,
        "severity": 3,
        "message": 4,
        "loop": True,
    },
]


def test_lines_that_repeat_below_a_file() -> None:
    log = "noise\nsrc/a.foo\n  1:2 error one\n  2:1 warning two\n\n  1:1 error homeless\nlib/b.foo\n  2:1 error three\n"
    found = run(one(pattern=STYLISH), log)
    assert [(d.file, d.range.start.line, d.message) for d in found] == [
        ("src/a.foo", 0, "one"),
        ("src/a.foo", 1, "two"),
        ("lib/b.foo", 1, "three"),
    ]


def test_message_over_several_lines() -> None:
    patterns = [
        {"regexp": r"^(E|W) (.*)$", "severity": 1, "message": 2},
        {"regexp": r"^ +-> (\S+):(\d+)$", "file": 1, "line": 2},
        {"regexp": r"^ +help: (.*)$", "message": 1},
    ]
    log = "W first\nE bad\n  -> src/a.foo:2\n  help: do that\n"
    (found,) = run(one(pattern=patterns), log)
    assert (spot(found), found.message) == (("src/a.foo", 1, 0, 1, 6), "bad\ndo that")


def test_names_bases_and_what_extensions_contribute() -> None:
    contributed = Contributed({"foo": one(pattern="$foo-line")}, {"foo-line": ONE})
    for declared in ("$foo", ["$foo"], {"base": "$foo", "severity": "info"}, [{"base": "$foo"}, "$gcc"]):
        (found,) = run(declared, "src/a.foo@1@2 what x\n", contributed, exit_code=0)
        assert found.file == "src/a.foo"
    assert (
        run({"base": "$foo", "severity": "info"}, "src/a.foo@1@2 x x\n", contributed, 0)[0].severity
        is Severity.INFORMATION
    )
    assert run([], "src/a.foo@1@2 what x\n") == run(None, "x") == []


@pytest.mark.parametrize("name", sorted(MATCHERS))
def test_every_name_of_our_own_compiles(name: str) -> None:
    assert matchers_of(plainly(f"${name}", Variables("/w").resolve))


def test_a_line_that_a_reader_takes_is_told_once() -> None:
    """The matcher of gcc's lines is there for those that no reader knows; its file and range are the reader's."""
    log = "src/a.c:1:9: error: ‘nope’ undeclared\n"
    (found,) = run("$gcc", log)
    assert (spot(found), found.source) == (("src/a.c", 0, 8, 0, 12), "gcc")


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ("$nosuch", "$nosuch is not known"),
        (7, "a name or an object"),
        ({"owner": "x"}, "x has no pattern"),
        ({"owner": "x", "pattern": "$nosuch"}, "x has no pattern"),
        ({"owner": "x", "pattern": {"file": 1}}, "without a regular expression"),
        ({"owner": "x", "pattern": {"regexp": "(", "file": 1}}, "cannot be used here"),
        ({"owner": "x", "pattern": {"regexp": "[a"}}, "a [ is not closed"),
        ({"owner": "x", "pattern": [{"regexp": "a", "file": 1}, {"regexp": "b"}]}, "names no group"),
        ({"owner": "x", "pattern": [{**ONE, "loop": True}, ONE]}, "repeats a pattern that is not its last"),
        (
            {"owner": "x", "pattern": ONE, "fileLocation": ["relative", "${input:dir}"]},
            "asks somebody for ${input:dir}",
        ),
        ({"owner": "x", "pattern": [ONE] * 21}, "has no pattern"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(declared: object, words: str) -> None:
    with pytest.raises(MatcherError) as refused:
        plainly(declared, Variables("/w").resolve)
    assert words in str(refused.value)


def test_base_that_never_ends() -> None:
    matchers: Mapping[str, Mapping[str, object]] = {"a": {"base": "$b"}, "b": {"base": "$a"}}
    with pytest.raises(MatcherError):
        plainly("$a", Variables("/w").resolve, Contributed(matchers))


@pytest.mark.parametrize(
    ("expression", "text", "whole"),
    [
        (r"^[^]+$", "a\u2028b", True),
        (r"a[]b", "ab", False),
        (r"^\d+$", "١٢", False),
        (r"^\w+$", "é", False),
        (r"^[\w-.]+$", "a-.b", True),
        (r"^[a-\d]+$", "a-1", True),
        (r"^\y\-\/\_$", "y-/_", True),
        (r"^[[a]+$", "[a", True),
        (r"^(?<n>a)\k<n>$", "aa", True),
        (r"^\cJ$", "\n", True),
        (r"a$", "a\n", False),
        (r"^\u00e9\x41$", "éA", True),
        (r"^(?<=x)?a(?!b)", "ac", True),
        (r"^\s$", "\ufeff", True),
    ],
)
def test_javascripts_expressions(expression: str, text: str, whole: bool) -> None:
    import regex

    assert (regex.search(translated(expression), text) is not None) is whole


@pytest.mark.parametrize(
    "expression", [r"^(\w+\s?)*@(\d+)@(\d+) (\w+) (.*)$", r"^(([a-z])+.)+[A-Z]([a-z])+$", r"(a|a)*(b)(c)(d)(e)"]
)
@pytest.mark.timeout(60)
def test_runaway_expression_is_bounded(expression: str) -> None:
    """Users' expressions backtrack without end on some line; the check goes on, and says what was left out."""
    log = ("a" * 60 + "!\n") * 200 + "src/a.c:1:9: error: boo\n"
    matchers = matchers_of(plainly(one(pattern={"regexp": expression}), Variables("/w").resolve))
    found = parse(log.encode(), root="/w", cwd="/w", sources=Tree(FILES), matchers=matchers)
    assert [d.message for d in found if d.is_error] == ["boo"], "all else is still read"
    left_out = [d.message for d in found if d.severity is Severity.WARNING]
    assert left_out == [] or "foo took too long" in left_out[0]


def test_long_lines_cost_little(tmp_path: Path) -> None:
    assert run(one(), "x" * 1_000_000 + "\nsrc/a.foo@1@2 error x\n")[0].message == "x"
