"""Fixes that messages state in words (SPEC D5): what is offered, and where nothing may be."""

from __future__ import annotations

import pytest
from tests.support.sources import Tree as Files
from tests.support.sources import diagnose

from compile_loop.contracts.diagnostics import Diagnostic, Phase, Range
from compile_loop.edits.ranges import RangeEdit, replace_ranges
from compile_loop.toolchains.suggestions import ready
from compile_loop.toolchains.tree import Tree

pytestmark = pytest.mark.spec("D5")

MAKEFILE = "a:\n    echo\n"

CASES = [
    # (log, file, its text, the text after the first offer; None: nothing is offered)
    (
        "B.java:2: error: ';' expected\n  int x = 1 // é\n           ^\n",
        "B.java",
        "{\n  int x = 1 // é\n}",
        "{\n  int x = 1; // é\n}",
    ),
    ("a.c:2:3: error: expected ‘,’ or ‘;’ before ‘return’\n", "a.c", "int x = 1\n  return;", None),
    (
        '  File "a.py", line 1\n    if x\n        ^\nSyntaxError: expected \':\'\n',
        "a.py",
        "if x\n    pass\n",
        "if x:\n    pass\n",
    ),
    (
        '  File "a.py", line 2\n    y = 1\nIndentationError: unexpected indent\n',
        "a.py",
        "x = 1\n    y = 1\n",
        "x = 1\ny = 1\n",
    ),
    (
        '  File "a.py", line 3\n    \ty = 1\nTabError: inconsistent use of tabs and spaces in indentation\n',
        "a.py",
        "if x:\n        x = 1\n\ty = 1\n",
        "if x:\n        x = 1\n        y = 1\n",
    ),
    ("Makefile:2: *** missing separator.  Stop.\n", "Makefile", "a:\n    echo\n", "a:\n\techo\n"),
    ("# p\n./a.go:2:8: \"os\" imported and not used\n", "a.go", 'package a\nimport "os"\n', "package a\n"),
    ("# p\n./a.go:3:2: x declared but not used\n", "a.go", "package a\nfunc f() {\n\tx := 1\n}\n", "package a\nfunc f() {\n}\n"),
    ("# p\n./a.go:3:2: x declared but not used\n", "a.go", "package a\nfunc f() {\n\tx := g()\n}\n", None),
    (
        "# p\n./a.go:1:3: b.Lenght undefined (type B has no field or method Lenght, but does have Length)\n",
        "a.go",
        "b.Lenght\n",
        "b.Length\n",
    ),
    ('m.py:1: error: "str" has no attribute "uper"; maybe "upper"?  [attr-defined]\n', "m.py", "s.uper()\n", "s.upper()\n"),
    (
        'm.py:1: error: "str" has no attribute "upp"; maybe "upper" or "zip"?  [attr-defined]\n',
        "m.py",
        "s.upp()\n",
        None,
    ),
    ("a.ts(1,3): error TS2551: Property 'nme' does not exist on type 'U'. Did you mean 'name'?\n", "a.ts", "u.nme;\n", "u.name;\n"),
    # the name stands twice, and the place is neither
    ("a.py:1: error: Name \"ab\" is not defined; did you mean \"abc\"?  [name-defined]\n", "a.py", "x(ab, ab)\n", None),
]  # fmt: skip


def first_offer(found: list[Diagnostic], text: str, file: str) -> str | None:
    offers = [fix for one in found for fix in one.suggestions if fix.safe]
    if not offers:
        return None
    assert all(edit.file == file for edit in offers[0].edits)
    edits = [RangeEdit(edit.range, edit.new_text) for edit in offers[0].edits]
    return replace_ranges(text.encode(), edits).decode()


@pytest.mark.parametrize(("log", "file", "text", "after"), CASES, ids=lambda value: str(value)[:40])
def test_words_give_the_edit_that_they_state(log: str, file: str, text: str, after: str | None) -> None:
    hint = "go build" if file == "a.go" else "mypy" if file.startswith("m.py") else ""
    found = diagnose(log, {file: text}, hint=hint)
    assert [one.file for one in found] == [file]
    assert first_offer(found, text, file) == after


@pytest.mark.parametrize(
    ("message", "text", "after"),
    [
        (
            "Name \"os\" is not defined. Did you forget to import 'os'?",
            '"""Doc."""\nimport sys\nos.x\n',
            '"""Doc."""\nimport os\nimport sys\nos.x\n',
        ),
        (
            "name 'json' is not defined. Did you forget to import 'json'?",
            '#!/usr/bin/python\n"""Doc\nmore."""\njson\n',
            '#!/usr/bin/python\n"""Doc\nmore."""\nimport json\njson\n',
        ),
        (
            "name 'json' is not defined. Did you forget to import 'json'?",
            "from __future__ import annotations\njson\n",
            "from __future__ import annotations\nimport json\njson\n",
        ),
    ],
)
def test_import_stands_among_its_kind(message: str, text: str, after: str) -> None:
    finding = Diagnostic(message, "m.py", Range.of(len(text.splitlines()) - 1, 0, len(text.splitlines()) - 1, 2))
    tree = Tree(root="/w", cwd="/w", sources=Files({"m.py": text}))
    assert first_offer([ready(finding, tree)], text, "m.py") == after


def test_edit_counts_in_utf16_and_keeps_line_ends() -> None:
    text = 'String s = "😀é"; int n = 1\r\n'
    line_end = len("String s = ") + 5 + len("; int n = 1")
    finding = Diagnostic("';' expected", "A.java", Range.of(0, line_end, 0, line_end), phase=Phase.PARSE)
    tree = Tree(root="/w", cwd="/w", sources=Files({"A.java": text}))
    assert first_offer([ready(finding, tree)], text, "A.java") == 'String s = "😀é"; int n = 1;\r\n'


def test_file_outside_the_workspace_is_nobodys_to_fix() -> None:
    tree = Tree(root="/w", cwd="/w", sources=Files({"/usr/include/x.h": "int a\n"}))
    finding = Diagnostic("';' expected", "/usr/include/x.h", Range.of(0, 5, 0, 5), phase=Phase.PARSE)
    assert ready(finding, tree).suggestions == ()
