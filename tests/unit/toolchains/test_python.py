"""Python beyond the recorded programs; the columns are those that versions 3.6 to 3.13 printed (SPEC D2, D3)."""

from __future__ import annotations

import pytest
from tests.support.sources import diagnose, spot

from compile_loop.contracts.diagnostics import Phase, Severity
from compile_loop.toolchains.tools.python_caret import syntax_range

C = "if True:\n    é = 1; 変数 = foo bar\n"


@pytest.mark.spec("D3")
@pytest.mark.parametrize(
    ("column", "width", "why"),
    [
        (16, 3, "3.13: code points"),
        (16, 1, "3.8: code points"),
        (21, 3, "3.10 to 3.12, run: bytes"),
        (19, 3, "3.10 to 3.12, compileall: one more for each character that is not ASCII"),
        (21, 1, "3.9, run"),
        (19, 1, "3.9, compileall"),
    ],
)
def test_caret_of_every_version(column: int, width: int, why: str) -> None:
    log = f'  File "c.py", line 2\n    é = 1; 変数 = foo bar\n    {" " * column}{"^" * width}\nSyntaxError: invalid syntax\n'
    (one,) = diagnose(log, {"c.py": C})
    assert spot(one) == ("c.py", 1, 20, 1, 23), why
    assert one.phase is Phase.PARSE


@pytest.mark.spec("D3")
def test_caret_on_plain_text_is_believed() -> None:
    assert syntax_range("    x = foo bar", "    ^^^^^^^") == (8, 15)
    assert syntax_range("x = (", "    ^") == (4, 5)
    assert syntax_range("x = 1", "      ") is None


@pytest.mark.spec("D3")
def test_underline_of_a_frame_counts_cells() -> None:
    source = 'def a():\n\treturn {"日本": 1}["é"] + b\n'
    log = """\
Traceback (most recent call last):
  File "/w/a.py", line 2, in a
    return {"日本": 1}["é"] + b
           ~~~~~~~~~~~^^^^^
KeyError: 'é'
"""
    assert spot(diagnose(log, {"a.py": source})[0]) == ("a.py", 1, 8, 1, 22)


@pytest.mark.spec("D2")
def test_failures_of_unittest_are_apart() -> None:
    log = """\
F.E
======================================================================
ERROR: test_b (__main__.T.test_b)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/w/t.py", line 2, in test_b
    helper("q")
  File "/w/t.py", line 1, in helper
    raise KeyError(v)
KeyError: 'q'

======================================================================
FAIL: test_a (__main__.T.test_a)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/usr/lib/python3.11/unittest/case.py", line 5, in run
    x()
  File "/w/t.py", line 3, in test_a
    self.assertEqual(1, 2)
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 3 tests in 0.001s

FAILED (failures=1, errors=1)
"""
    first, second = diagnose(
        log, {"t.py": "a\nb\nself.assertEqual(1, 2)\n", "/usr/lib/python3.11/unittest/case.py": "\n" * 9}
    )
    assert (first.file, first.range.start.line, first.message) == ("t.py", 0, "KeyError: 'q'")
    assert [r.range.start.line for r in first.related] == [1]
    assert (second.file, second.range.start.line, second.message) == ("t.py", 2, "AssertionError: 1 != 2")
    assert second.related == ()
    assert {first.phase, second.phase} == {Phase.TEST}


@pytest.mark.spec("D2")
def test_group_gives_each_of_its_exceptions() -> None:
    log = """\
  + Exception Group Traceback (most recent call last):
  |   File "/w/g.py", line 3, in <module>
  |     raise ExceptionGroup("several", es)
  | ExceptionGroup: several (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/w/g.py", line 1, in a
    |     a()
    | KeyError: 'é'
    +---------------- 2 ----------------
    | ValueError: never raised
    +------------------------------------
"""
    found = diagnose(log, {"g.py": "a()\nb()\nraise ExceptionGroup()\n"})
    assert [(one.file, one.range.start.line, one.message) for one in found] == [
        ("g.py", 0, "KeyError: 'é'"),
        ("g.py", 2, "ValueError: never raised"),
    ]


@pytest.mark.spec("D2")
@pytest.mark.parametrize(
    ("exception", "phase"),
    [
        ("ModuleNotFoundError: No module named 'x'", Phase.TYPE),
        ("NameError: name 'x' is not defined", Phase.TYPE),
        ("ValueError: x", Phase.TEST),
        ("pkg.errors.Custom", Phase.TEST),
    ],
)
def test_phases(exception: str, phase: Phase) -> None:
    log = f'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    x\n{exception}\n'
    (one,) = diagnose(log, {"a.py": "x\n"})
    assert (one.phase, one.message) == (phase, exception)


@pytest.mark.spec("D2")
def test_frames_without_a_file_of_ours() -> None:
    log = """\
Traceback (most recent call last):
  File "<string>", line 1, in <module>
  File "<frozen importlib._bootstrap>", line 9, in f
ImportError: x
"""
    (one,) = diagnose(log, {"a.py": "x\n"})
    assert (one.file, one.message) == (None, "ImportError: x")
    venv = ".venv/lib/python3.11/site-packages/third/x.py"
    log = f"""\
Traceback (most recent call last):
  File "/w/a.py", line 1, in <module>
    x
  File "/w/{venv}", line 1, in f
    x
ValueError: x
"""
    (one,) = diagnose(log, {"a.py": "x\n", venv: "x\n"})
    assert one.file == "a.py"


@pytest.mark.spec("D2")
def test_lines_of_compileall_and_warnings() -> None:
    log = """\
*** Error compiling 'pkg/m.py'...
Sorry: IndentationError: unexpected indent (m.py, line 2)
pkg/m.py:1: SyntaxWarning: "is" with a literal
"""
    files = {"pkg/m.py": "x\n  yy\n", "m.py": "x\n\n"}
    first, second = diagnose(log, files)
    assert (spot(first), first.severity) == (("pkg/m.py", 1, 2, 1, 4), Severity.ERROR)
    assert (spot(second), second.severity) == (("pkg/m.py", 0, 0, 0, 1), Severity.WARNING)
