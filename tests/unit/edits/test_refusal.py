"""A refusal teaches: which block, the closest lines, the first difference, and a hint where one is known (SPEC E7)."""

from __future__ import annotations

import pytest
from tests.unit.edits.build import block, refused

from compile_loop.edits.apply import Applied, Refused, Target, apply_reply

pytestmark = pytest.mark.spec("E7")

TEXT = "def compute_total(items):\n    total = sum(item.price for item in items)\n    return total\n"


def message(text: str, search: str, replace: str = "new\n") -> str:
    return refused(text, block(search, replace)).message


def test_the_closest_lines_and_the_first_difference() -> None:
    told = message(TEXT, TEXT.replace("item.price", "item.prize"))
    assert "Block 1 (f.txt)" in told
    assert "Closest to it in f.txt: lines 1–3." in told
    assert "> 2 |     total = sum(item.price for item in items)" in told
    assert 'line 2 of SEARCH, which is\n  "    total = sum(item.prize for item in items)"' in told
    assert 'where line 2 of the file is\n  "    total = sum(item.price for item in items)"' in told
    assert "Send block 1 again" in told


def test_the_line_is_json_escaped() -> None:
    told = message('a = "x\\n"\t# 1\nb = 2\n', 'a = "y\\n"\t# 1\nb = 2\n')
    assert '"a = \\"y\\\\n\\"\\t# 1"' in told


def test_what_cannot_be_seen_is_escaped() -> None:
    told = message("longer_name = value\u200d  + 1\nb\n", "longer_name = value  + 2\nb\n")
    assert "\\u200d" in told


def test_the_closest_of_several() -> None:
    text = "".join(f"def f{n}(x):\n    y = x + {n}\n    return y * {n}\n\n" for n in range(50))
    assert "lines 149–151" in message(text, "def f37(x):\n    y = x + 37\n    return y / 37\n")


def test_a_missing_line_is_found_by_its_neighbours() -> None:
    text = "".join(f"line number {n}\n" for n in range(40))
    told = message(text, "line number 7\nline number 8\nsomething else\nline number 9\n")
    assert "lines 8–11" in told
    assert "differ first at line 3 of SEARCH" in told


def test_lines_beyond_the_end_of_the_file() -> None:
    assert "where the file has ended" in message("alpha beta\ngamma delta\n", "gamma delta\nepsilon\n")


def test_nothing_alike() -> None:
    assert "No lines of the file are like it." in message("alpha\nbeta\n", "zzzzzz\n")


def test_long_lines_are_cut_about_the_difference() -> None:
    line = "x" * 5000 + "a" + "y" * 5000
    told = message(line + "\nnext\n", line.replace("a", "b") + "\nnext\n")
    assert len(told) < 3000
    assert "xb" in told
    assert "xa" in told


@pytest.mark.parametrize(
    ("text", "search", "replace", "hint"),
    [
        ("a\nB = compute(1)\n", "b = compute(1)\n", "B = compute(1)\n", "are in f.txt already, at line 2"),
        ('re = r"\\\\d+"\n', 're = r"\\\\\\\\d+"\n', "x\n", "escaped once too often"),
        ('s = "a"\n', 's = \\"a\\"\n', "x\n", "without the backslashes before quotes"),
        ("a\nb\n", "a\\nb\n", "x\n", "two characters \\n"),
        ("if a < b && c:\n", "if a &lt; b &amp;&amp; c:\n", "x\n", "HTML entities"),
        ("alpha\n", "7: alpha\n", "x\n", "line numbers"),
        ("alpha\nbeta\n", "1 | alpha\n2 | betta\n", "x\n", "line numbers"),
        ("Foo = 1\n", "foo = 1\n", "x\n", "upper and lower case"),
        ("f(a, b)\n", "f(a,b)\n", "x\n", "spaces inside"),
        (
            "value = compute(1)\n",
            "compute(1)\n",
            "x\n",
            "only a part of line 1; copy the whole line: value = compute(1)",
        ),
        ("x = 1\ny\n", "```py\nx = 1\n```\n", "x\n", "code fences"),
        ("x = 1\ny\n", "-x = 1\n+x = 2\n y\n", "x\n", "signs of a diff"),
    ],
)
def test_hints(text: str, search: str, replace: str, hint: str) -> None:
    assert hint in message(text, search, replace)


def test_hint_stale_since_an_edit() -> None:
    target = Target("f.txt", b"a\nB\nc\n")
    result = apply_reply(block("a\nb\n", "x\n"), [target], before_last_edit={"f.txt": b"a\nb\nc\n"})
    assert isinstance(result, Refused)
    assert "stale: it is how f.txt was before your last edit" in result.message
    result = apply_reply(block("a\nb\n", "x\n"), [target], at_reply_start={"f.txt": b"a\nb\nc\n"})
    assert isinstance(result, Refused)
    assert "before an edit that you made earlier in the same reply" in result.message


def test_hint_another_target_has_the_text() -> None:
    targets = [Target("a.c", b"int a;\n"), Target("b.c", b"x\nint b;\n")]
    result = apply_reply("<<< path=a.c >>>\n" + block("int b;\n", "int c;\n"), targets)
    assert isinstance(result, Refused)
    assert "b.c has this text, at line 2" in result.message


@pytest.mark.parametrize(
    ("reply", "hint"),
    [
        ("*** Begin Patch\n*** Update File: a\n-x\n+y\n", "a patch"),
        ("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", "a unified diff"),
        ("```python\nx = 1\n```\n", "plain code block"),
        ("I fixed it.", "no edit block"),
        ("------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n", "other marker characters"),
    ],
)
def test_a_reply_without_blocks_is_shown_the_form(reply: str, hint: str) -> None:
    refusal = refused("a\n", reply)
    assert refusal.no_blocks
    assert hint in refusal.message
    assert "<<<<<<< SEARCH" in refusal.message
    several = apply_reply(reply, [Target("a.c", b"a\n"), Target("b.c", b"a\n")])
    assert isinstance(several, Refused)
    assert "<<< path=a.c >>>" in several.message


def test_hundreds_of_failed_blocks_stay_readable() -> None:
    refusal = refused(TEXT, "".join(block(f"nothing {n}\n", "x\n") for n in range(500)))
    assert len(refusal.reports) == 500
    assert all(report.reason for report in refusal.reports)
    assert len(refusal.message) < 20_000
    assert "460 more blocks" in refusal.message


def test_the_same_reply_gets_the_same_answer() -> None:
    text = "".join(f"value_{n} = compute({n})\n" for n in range(3000))
    search = "value_77 = compute(78)\nvalue_1 = 2\n"
    assert len({message(text, search) for _ in range(3)}) == 1


@pytest.mark.timeout(60)
def test_feedback_takes_bounded_time() -> None:
    text = "".join(f"value_{n} = compute({n}, {n * 7 % 13})\n" for n in range(100_000))
    told = message(text, "".join(f"value_{n} = compuze({n}, 1)\n" for n in range(5000, 5100)))
    assert "Closest to it" in told


def test_a_hint_never_applies_anything() -> None:
    result = apply_reply(block("foo = 1\n", "foo = 2\n"), [Target("f.txt", b"Foo = 1\n")])
    assert not isinstance(result, Applied)
