"""mypy, pyright, ruff and pytest beyond the recorded programs (SPEC D2, D3)."""

from __future__ import annotations

import json

import pytest
from tests.support.sources import diagnose, spot

from compile_loop.contracts.diagnostics import Phase, Severity

FILES = {
    "m.py": 'import os, sys\n\ndef g(a):\n\ta.f("x"); y = "é", nope\n    reveal_type(a)\n',
    "bom.py": "\ufeffimport gone\n",
    "mypy.ini": "[mypy]\nplugins = foo\n",
    "t/test_a.py": 'def test_half():\n    x = 8\n    assert half(x) == 4, "msg"\n\ndef test_m():\n    half(None)\n',
    "t/lib.py": "def half(n):\n    return n / 3\n",
    "t/test_c.py": "def test_x(:\n",
}


@pytest.mark.spec("D3")
def test_mypy_pretty_notes_and_configuration() -> None:
    log = """\
m.py:4: error: Argument 1 to "f" of "A" has incompatible type "str"; expected
"int"  [arg-type]
    \ta.f("x"); y = "é", nope
        ^~~
m.py:4: note: See https://mypy.readthedocs.io
mypy.ini:2: error: Error importing plugin "foo": No module named 'foo'  [misc]
Found 2 errors in 1 file (checked 1 source file)
"""
    first, second = diagnose(log, FILES)
    assert first.message == 'Argument 1 to "f" of "A" has incompatible type "str"; expected "int"'
    assert (first.code, first.range.start.line, len(first.related)) == ("arg-type", 3, 1)
    assert first.code_href == "https://mypy.readthedocs.io/en/stable/_refs.html#code-arg-type"
    assert (second.file, second.code) == ("mypy.ini", "misc")


@pytest.mark.spec("D3")
@pytest.mark.parametrize("shown", [21, 19])
def test_mypy_columns_in_bytes_and_in_the_native_parsers_count(shown: int) -> None:
    """The name is at character 20, which is byte 21; the native parser takes the surplus off once more."""
    entry = {"file": "m.py", "line": 4, "column": shown, "end_line": 4, "end_column": shown + 4, "hint": None,
             "message": 'Name "nope" is not defined', "code": "name-defined", "severity": "error"}  # fmt: skip
    (one,) = diagnose(json.dumps(entry) + "\n", FILES)
    assert spot(one) == ("m.py", 3, 20, 3, 24)


@pytest.mark.spec("D3")
def test_pyright_counts_the_mark() -> None:
    where = {"start": {"line": 0, "character": 8}, "end": {"line": 0, "character": 12}}
    entry = {"file": "/w/bom.py", "severity": "warning", "message": "no", "range": where, "rule": "reportX"}
    document = {"version": "1", "generalDiagnostics": [entry], "summary": {"errorCount": 1}}
    for text in (json.dumps(document, indent=4), json.dumps(document)):
        (one,) = diagnose(text + "\n", FILES, exit_code=0)
        assert spot(one) == ("bom.py", 0, 7, 0, 11)
        assert one.severity is Severity.WARNING


RUFF = {
    "cell": None,
    "code": "F401",
    "filename": "/w/m.py",
    "location": {"row": 1, "column": 8},
    "end_location": {"row": 1, "column": 10},
    "message": "`os` imported but unused",
    "noqa_row": 1,
    "severity": "error",
    "url": "https://docs.astral.sh/ruff/rules/unused-import",
    "fix": {
        "applicability": "safe",
        "message": "Remove unused import: `os`",
        "edits": [{"content": "", "location": {"row": 1, "column": 1}, "end_location": {"row": 2, "column": 1}}],
    },
}


@pytest.mark.spec("D5")
@pytest.mark.parametrize("applicability", ["safe", "unsafe", "display"])
def test_ruffs_word_for_its_fix_counts(applicability: str) -> None:
    entry = {**RUFF, "fix": {**RUFF["fix"], "applicability": applicability}}  # type: ignore[dict-item]
    for text in (json.dumps([entry], indent=2), json.dumps(entry)):
        (one,) = diagnose(text + "\n", FILES)
        assert spot(one) == ("m.py", 0, 7, 0, 9)
        assert [fix.safe for fix in one.suggestions] == {"safe": [True], "unsafe": [False], "display": []}[
            applicability
        ]


@pytest.mark.spec("D3")
def test_document_cut_in_the_middle_gives_what_was_complete() -> None:
    text = json.dumps([RUFF, {**RUFF, "location": {"row": 3, "column": 1}}], indent=2)
    assert len(diagnose(text[: len(text) - 200], FILES)) == 1
    assert len(diagnose(text[:100] + "\n" + "x" * 10, FILES, exit_code=0)) == 0


@pytest.mark.spec("D4")
def test_lines_of_another_stream_inside_a_document() -> None:
    lines = json.dumps([RUFF], indent=2).split("\n")
    log = [*lines[:5], "warning: something else", "m.py:3:5: error: boo  [misc]", *lines[5:]]
    assert sorted(one.code or "" for one in diagnose("\n".join(log) + "\n", FILES)) == ["F401", "misc"]


@pytest.mark.spec("D3")
def test_ruff_full_and_flake8() -> None:
    log = """\
F401 [*] `os` imported but unused
 --> m.py:1:8
  |
1 | import os, sys
  |        ^^
  |
help: Remove unused import
  |
  - import os, sys
1 + import sys
  |

invalid-syntax: Expected `)`, found newline
 --> m.py:3:5
  |
3 | def g(a):
  |     ^
  |

Found 2 errors.
m.py:1:8: E401 multiple imports on one line
"""
    found = diagnose(log, FILES)
    assert [(spot(one), one.code, one.phase) for one in found] == [
        (("m.py", 0, 7, 0, 9), "F401", Phase.TYPE),
        (("m.py", 2, 4, 2, 5), "invalid-syntax", Phase.PARSE),
        (("m.py", 0, 7, 0, 9), "E401", Phase.TYPE),
    ]


LONG = """\
=================================== FAILURES ===================================
__________________________________ test_half ___________________________________

    def test_half():
        x = 8
>       assert half(x) == 4, "msg"
E       AssertionError: msg
E       assert 2.6666666666666665 == 4

t/test_a.py:3: AssertionError
____________________________________ test_m ____________________________________

    def test_m():
>       half(None)

t/test_a.py:6: {blank}
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

n = None

    def half(n):
>       return n / 3
               ^^^^^
E       TypeError: unsupported operand type(s) for /: 'NoneType' and 'int'

t/lib.py:2: TypeError
----------------------------- Captured stdout call -----------------------------
t/test_a.py:1: not a frame
=========================== short test summary info ============================
FAILED t/test_a.py::test_half - AssertionError: msg
FAILED t/test_a.py::test_m - TypeError: unsupported operand type(s)
"""
NATIVE = """\
=================================== FAILURES ===================================
__________________________________ test_half ___________________________________
Traceback (most recent call last):
  File "/w/t/test_a.py", line 3, in test_half
    assert half(x) == 4, "msg"
AssertionError: msg
=========================== short test summary info ============================
FAILED t/test_a.py::test_half - AssertionError: msg
"""
COLLECTING = """\
==================================== ERRORS ====================================
_________________________ ERROR collecting t/test_c.py _________________________
/usr/lib/python3.11/ast.py:50: in parse
    return compile(source, filename, mode, flags,
E     File "/w/t/test_c.py", line 1
E       def test_x(:
E                  ^
E   SyntaxError: invalid syntax
=========================== short test summary info ============================
ERROR t/test_c.py
"""


@pytest.mark.spec("D3")
def test_pytest_long_native_and_none() -> None:
    first, second = diagnose(LONG.replace("{blank}", ""), FILES)
    assert spot(first) == ("t/test_a.py", 2, 4, 2, 30)
    assert first.message == "AssertionError: msg\nassert 2.6666666666666665 == 4"
    assert spot(second) == ("t/lib.py", 1, 11, 1, 16), "the underlined part"
    assert [(r.file, r.range.start.line) for r in second.related] == [("t/test_a.py", 5)]
    (native,) = diagnose(NATIVE, FILES)
    assert (native.file, native.range.start.line, native.source) == ("t/test_a.py", 2, "python")
    summary = LONG[LONG.index("=========================== short") :]
    assert [spot(one)[:2] for one in diagnose(summary, FILES)] == [("t/test_a.py", 0), ("t/test_a.py", 4)]


@pytest.mark.spec("D3")
def test_pytest_module_that_does_not_parse() -> None:
    (one,) = diagnose(COLLECTING, FILES)
    assert spot(one) == ("t/test_c.py", 0, 11, 0, 12)
    assert one.phase is Phase.PARSE
