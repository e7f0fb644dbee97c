"""gcc, clang and linkers beyond the recorded programs (SPEC D2, D3, D5)."""

from __future__ import annotations

import json

import pytest
from tests.support.sources import diagnose, spot

from compile_loop.contracts.diagnostics import Phase, Severity

A = "struct p { int width; };\nint f(struct p *q) {\n\treturn q.widht;\n}\n"


@pytest.mark.spec("D5")
def test_fixits_of_one_diagnostic_are_one_suggestion() -> None:
    log = """\
a.c:3:17: error: ‘q’ is a pointer; did you mean to use ‘->’?
    3 |         return q.widht;
      |                 ^
      |                 ->
fix-it:"a.c":{3:10-3:11}:"->"
fix-it:"a.c":{1:1-1:1}:"/* \\303\\251 \\"x\\" */\\n"
"""
    (one,) = diagnose(log, {"a.c": A}, hint="gcc")
    (fix,) = one.suggestions
    assert fix.safe
    assert [(edit.range.start, edit.range.end, edit.new_text) for edit in fix.edits] == [
        (one.range.start, one.range.end, "->"),
        (type(one.range.start)(0, 0), type(one.range.start)(0, 0), '/* é "x" */\n'),
    ]


@pytest.mark.spec("D5")
def test_fixit_of_a_note_is_not_safe() -> None:
    log = """\
a.c:3:9: warning: suggest parentheses around assignment [-Wparentheses]
a.c:3:9: note: place parentheses around the assignment to silence this warning
fix-it:"a.c":{3:9-3:9}:"("
fix-it:"a.c":{3:15-3:15}:")"
"""
    (one,) = diagnose(log, {"a.c": A}, hint="clang -c a.c", exit_code=0)
    assert (one.severity, one.code, one.source) == (Severity.WARNING, "-Wparentheses", "clang")
    assert [(fix.safe, len(fix.edits), fix.message[:17]) for fix in one.suggestions] == [
        (False, 2, "place parentheses")
    ]


@pytest.mark.spec("D5")
@pytest.mark.parametrize(
    ("message", "row", "offered"),
    [
        ("‘struct p’ has no member named ‘widht’; did you mean ‘width’?", "width", [(2, 10, 15, "width")]),
        ("‘struct p’ has no member named ‘widht’; did you mean ‘width’?", "other", [(2, 10, 15, "width")]),
        ("expected ‘;’ before ‘widht’", ";", [(2, 10, 10, ";")]),
    ],
)
def test_replacement_shown_below_the_caret(message: str, row: str, offered: list[tuple[int, int, int, str]]) -> None:
    """A user's own make has no parseable fix-its; what the message confirms is taken from the snippet, or from its words."""
    snippet = f"    3 |         return q.widht;\n      |                  ^~~~~\n      |                  {row}\n"
    log = f"a.c:3:18: error: {message}\n{snippet}"
    (one,) = diagnose(log, {"a.c": A})
    found = [
        (e.range.start.line, e.range.start.character, e.range.end.character, e.new_text)
        for fix in one.suggestions
        for e in fix.edits
    ]
    assert found == offered


@pytest.mark.spec("D3")
@pytest.mark.parametrize(("column", "why"), [(18, "cells, from version 11 on"), (11, "bytes, up to version 10")])
def test_old_and_new_columns_of_gcc(column: int, why: str) -> None:
    log = f"a.c:3:{column}: error: ‘struct p’ has no member named ‘widht’\n"
    assert spot(diagnose(log, {"a.c": A})[0]) == ("a.c", 2, 10, 2, 15), why


@pytest.mark.spec("D3")
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("a.c:1:1: warning: x [-Wunused-variable]", "-Wunused-variable"),
        ("a.c:1:1: error: x [-Werror=return-type]", "-Werror=return-type"),
        ("a.c:1:1: error: x [-Werror,-Wunused-variable]", "-Wunused-variable"),
        ("a.c:1:1: error: narrowing [-fpermissive]", "-fpermissive"),
        ("a.c:1:1: error: ‘a’ in an array [3]", None),
        ("a.c:1: error: old compilers know no columns", None),
        ("a.c:1:1: sorry, unimplemented: x", None),
        ("a.c:1:1: internal compiler error: Segmentation fault", None),
        ("a.c:1: Error: no such instruction: `foo'", None),
    ],
)
def test_headers(line: str, code: str | None) -> None:
    (one,) = diagnose(line + "\n", {"a.c": A}, exit_code=0)
    assert (one.file, one.code) == ("a.c", code)
    assert "[-" not in one.message


@pytest.mark.spec("D3")
def test_line_without_column_is_the_line_or_the_name_in_it() -> None:
    assert spot(diagnose("a.c:3: error: bad\n", {"a.c": A})[0]) == ("a.c", 2, 1, 2, 16)
    assert spot(diagnose("a.c:3: error: ‘widht’ is bad\n", {"a.c": A})[0]) == ("a.c", 2, 10, 2, 15)


@pytest.mark.spec("D3")
def test_place_past_the_end_is_the_end() -> None:
    assert spot(diagnose("a.c:99:7: error: eof\n", {"a.c": A})[0]) == ("a.c", 4, 0, 4, 0)
    assert spot(diagnose("a.c:1:999: error: eol\n", {"a.c": A})[0]) == ("a.c", 0, 24, 0, 24)
    assert spot(diagnose("a.c:1:1: error: empty\n", {"a.c": ""})[0]) == ("a.c", 0, 0, 0, 0)


@pytest.mark.spec("D3")
@pytest.mark.parametrize(
    "data",
    [
        "int é = widht;\r\n".encode(),
        b"\xef\xbb\xbf" + "int é = widht;\n".encode(),
        "int é = widht;\n".encode("latin-1"),
    ],
)
def test_line_ends_marks_and_encodings(data: bytes) -> None:
    assert spot(diagnose("a.c:1:9: error: ‘widht’ undeclared\n", {"a.c": data})[0]) == ("a.c", 0, 8, 0, 13)


@pytest.mark.spec("D3")
def test_clang_counts_the_mark() -> None:
    data = b"\xef\xbb\xbfint x = nope;\n"
    (one,) = diagnose("a.c:1:12: error: use of undeclared identifier 'nope'\n", {"a.c": data}, hint="clang a.c")
    assert spot(one) == ("a.c", 0, 8, 0, 12)


@pytest.mark.spec("Q4")
def test_error_in_a_library_header_is_ours_to_fix() -> None:
    """The place is where our code asked for it; the header's is related."""
    log = """\
In file included from /usr/include/c++/12/vector:66,
                 from src/t.cpp:1:
/usr/include/c++/12/bits/p.h: In instantiation of ‘bool f()’:
/usr/include/c++/12/bits/p.h:9:30:   required from ‘void g()’
src/t.cpp:3:5:   required from here
/usr/include/c++/12/bits/p.h:2:3: error: no match for ‘operator<’
"""
    files = {
        "src/t.cpp": "#include <vector>\nint main() {\n    sort(v);\n}\n",
        "/usr/include/c++/12/vector": "\n" * 70,
        "/usr/include/c++/12/bits/p.h": "\n  x < y\n" + "\n" * 30,
    }
    (one,) = diagnose(log, files)
    assert spot(one) == ("src/t.cpp", 2, 4, 2, 8)
    assert one.related[0].file == "/usr/include/c++/12/bits/p.h"
    assert one.related[0].message == one.message


@pytest.mark.spec("D3")
def test_snippets_on_the_way_to_a_header_are_not_the_last_ones() -> None:
    """From version 14 on gcc shows the source of each instantiation."""
    log = """\
t.cpp:1:5: error: ‘one’ bad
    1 | int one = two;
      |     ^~~
t.cpp: In instantiation of ‘int f(const T&)’:
t.cpp:3:7:   required from here
    3 | int x=f(1);
      |       ^~~~
t.cpp:2:5: error: ‘g’ bad
    2 | int g(int);
      |     ^
"""
    first, second = diagnose(log, {"t.cpp": "int one = two;\nint g(int);\nint x=f(1);\n"})
    assert spot(first) == ("t.cpp", 0, 4, 0, 7)
    assert first.related == ()
    assert spot(second) == ("t.cpp", 1, 4, 1, 5)
    assert [(r.range.start.line, r.message) for r in second.related] == [(2, "required from here")]
    assert second.rendered.startswith("t.cpp: In instantiation")


@pytest.mark.spec("D3")
@pytest.mark.parametrize(("file", "column"), [("k.kt", 9), ("z.zig", 12), ("x.unknown", 8)])
def test_units_of_other_compilers_of_this_shape(file: str, column: int) -> None:
    source = '/*😀é*/ bad = "x"\n'
    assert spot(diagnose(f"{file}:1:{column}: error: no\n", {file: source})[0]) == (file, 0, 8, 0, 11)


@pytest.mark.spec("D3")
def test_json_of_several_processes_amid_make() -> None:
    entry = {
        "kind": "error",
        "message": "‘widht’ undeclared",
        "locations": [
            {
                "caret": {"file": "a.c", "line": 3, "byte-column": 11, "display-column": 18},
                "finish": {"file": "a.c", "line": 3, "byte-column": 15},
            }
        ],
        "fixits": [
            {
                "start": {"file": "a.c", "line": 3, "byte-column": 11},
                "next": {"file": "a.c", "line": 3, "byte-column": 16},
                "string": "width",
            }
        ],
        "children": [
            {"kind": "note", "message": "here", "locations": [{"caret": {"file": "a.c", "line": 1, "byte-column": 8}}]}
        ],
    }
    log = f"cc -c a.c\n[]\n{json.dumps([entry])}\nmake: *** [a.o] Error 1\n{json.dumps([entry])}\n"
    (one,) = diagnose(log, {"a.c": A})
    assert spot(one) == ("a.c", 2, 10, 2, 15)
    assert [(r.range.start.line, r.message) for r in one.related] == [(0, "here")]
    assert one.suggestions[0].edits[0].new_text == "width"
    assert "a.c:3" in one.rendered


@pytest.mark.spec("D3")
def test_name_that_exists_nowhere_stays_text() -> None:
    (one,) = diagnose("src/gone.c:3:1: error: bad\n", {"a.c": A})
    assert (one.file, one.message) == (None, "src/gone.c:3:1: bad")


@pytest.mark.spec("D2")
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("gcc: error: nofile.c: No such file or directory", "nofile.c: No such file or directory"),
        ("cc1plus: fatal error: x.cc: No such file or directory", "x.cc: No such file or directory"),
        (
            "x86_64-linux-gnu-gcc-12: error: unrecognized command-line option ‘-foo’",
            "unrecognized command-line option ‘-foo’",
        ),
        ("clang: error: no such file or directory: 'x.c'", "no such file or directory: 'x.c'"),
    ],
)
def test_drivers(line: str, message: str) -> None:
    (one,) = diagnose(f"{line}\ngcc: fatal error: no input files\n", {})
    assert (one.file, one.message, one.phase) == (None, message, Phase.CONFIGURE)


@pytest.mark.spec("Q3")
@pytest.mark.parametrize(
    ("message", "phase"),
    [
        ("expected ‘;’ before ‘return’", Phase.PARSE),
        ("expected ';' after expression", Phase.PARSE),
        ("stray ‘@’ in program", Phase.PARSE),
        ('missing terminating " character', Phase.PARSE),
        ("x.h: No such file or directory", Phase.PARSE),
        ("'x.h' file not found", Phase.PARSE),
        ("‘x’ undeclared (first use in this function)", Phase.TYPE),
        ("unknown type name ‘foo’", Phase.TYPE),
        ("incompatible types when assigning", Phase.TYPE),
        ("use of undeclared identifier 'x'", Phase.TYPE),
    ],
)
def test_phases(message: str, phase: Phase) -> None:
    assert diagnose(f"a.c:1:1: error: {message}\n", {"a.c": A})[0].phase is phase


LINK = {"main.c": "int helper(void);\nint main(void) {\n    return helper();\n}\n", "b.c": "int x;\n"}


@pytest.mark.spec("D2")
@pytest.mark.parametrize(
    ("log", "place", "message"),
    [
        (
            "/usr/bin/ld: /tmp/x.o: in function `main':\nmain.c:(.text+0xa): undefined reference to `helper'",
            ("main.c", 0),
            "undefined reference to `helper'",
        ),
        (
            "/usr/bin/ld: /tmp/x.o: in function `main':\n/w/main.c:3: undefined reference to `helper'",
            ("main.c", 2),
            "undefined reference to `helper'",
        ),
        (
            "/usr/bin/ld: main.o:main.c:(.text+0xa): undefined reference to `helper'",
            ("main.c", 0),
            "undefined reference to `helper'",
        ),
        (
            "main.o: In function `main':\nmain.c:3: undefined reference to `helper'",
            ("main.c", 2),
            "undefined reference to `helper'",
        ),
        (
            "/usr/bin/ld: b.o:/w/b.c:1: multiple definition of `x'; a.o:/w/main.c:1: first defined here",
            ("b.c", 0),
            "multiple definition of `x'",
        ),
        (
            "/usr/bin/ld: cannot find -lnope: No such file or directory",
            (None, 0),
            "cannot find -lnope: No such file or directory",
        ),
        (
            "/tmp/x.o:main.c:function main: error: undefined reference to 'helper'",
            ("main.c", 0),
            "undefined reference to 'helper'",
        ),
        (
            "ld.lld: error: undefined symbol: helper\n>>> referenced by main.c:3 (/w/main.c:3)\n>>>               main.o:(main)",
            ("main.c", 2),
            "undefined symbol: helper",
        ),
        (
            "ld.lld: error: undefined symbol: helper\n>>> referenced by main.c\n>>>               main.o:(main)",
            ("main.c", 0),
            "undefined symbol: helper",
        ),
        (
            'Undefined symbols for architecture arm64:\n  "_helper", referenced from:\n      _main in main.o\n'
            "ld: symbol(s) not found for architecture arm64",
            (None, 0),
            "Undefined symbols for architecture arm64: _helper",
        ),
        (
            "main.obj : error LNK2019: unresolved external symbol helper",
            (None, 0),
            "main.obj: unresolved external symbol helper",
        ),
    ],
)
def test_linkers(log: str, place: tuple[str | None, int], message: str) -> None:
    found = diagnose(f"{log}\ncollect2: error: ld returned 1 exit status\n", LINK)
    assert (found[0].file, found[0].range.start.line) == place
    assert found[0].message == message
    assert {one.phase for one in found} == {Phase.LINK}


@pytest.mark.spec("D2")
@pytest.mark.parametrize(
    ("line", "place", "code", "source"),
    [
        ("a.c(3,9): error: use of undeclared identifier 'q'", (2, 8, 9), None, "clang"),
        (r"  3>C:\b\a.c(3,9): error C2065: 'q': undeclared identifier [C:\b\x.vcxproj]", (2, 8, 9), "C2065", "cl"),
        ("a.c(3): fatal error C1083: Cannot open include file: 'x.h'", (2, 1, 16), "C1083", "cl"),
        ("a.c(3,9,3,10): warning CS0168: The variable 'q' is declared [/w/x.csproj]", (2, 8, 9), "CS0168", "csc"),
    ],
)
def test_microsofts_shape(line: str, place: tuple[int, int, int], code: str | None, source: str) -> None:
    found = diagnose(line.replace("C:\\b\\", "") + "\n", {"a.c": A})
    assert [
        (one.range.start.line, one.range.start.character, one.range.end.character) for one in found if one.file
    ] == [place]
    assert (found[0].code, found[0].source) == (code, source)


@pytest.mark.spec("D2")
def test_cmake_call_stack_and_make_file() -> None:
    log = """\
CMake Error at cmake/x.cmake:2 (message):
  bad thing

  in two paragraphs
Call Stack (most recent call first):
  CMakeLists.txt:3 (include)


Makefile:2: *** missing separator.  Stop.
"""
    files = {
        "cmake/x.cmake": "\nmessage(FATAL_ERROR bad)\n",
        "CMakeLists.txt": "\n\n  include(cmake/x.cmake)\n",
        "Makefile": "all:\n  x\n",
    }
    first, second = diagnose(log, files)
    assert spot(first) == ("cmake/x.cmake", 1, 0, 1, 24)
    assert first.message == "bad thing\n\nin two paragraphs"
    assert [(r.file, r.range.start.line, r.range.start.character) for r in first.related] == [("CMakeLists.txt", 2, 2)]
    assert (spot(second), second.message) == (("Makefile", 1, 2, 1, 3), "missing separator.")
    assert {first.phase, second.phase} == {Phase.CONFIGURE}


@pytest.mark.spec("D3")
def test_what_is_printed_ahead_of_a_note_is_not_put_on_the_next_error() -> None:
    """gcc says of a declaration's file by whom it was included; the next error is in no header."""
    log = """\
main.c: In function ‘main’:
main.c:3:3: error: too many arguments to function ‘f’
    3 |   f(1, 2);
      |   ^
In file included from outer.h:1,
                 from main.c:1:
inner.h:1:6: note: declared here
    1 | void f(int);
      |      ^
main.c:4:10: error: ‘zz’ undeclared (first use in this function)
    4 |   return zz;
      |          ^~
In file included from main.c:1:
inner.h:1:6: error: the next one came from a header again
"""
    files = {
        "main.c": '#include "outer.h"\nint main(void) {\n  f(1, 2);\n  return zz;\n}\n',
        "outer.h": '#include "inner.h"\n',
        "inner.h": "void f(int);\n",
    }
    first, second, third = diagnose(log, files, hint="gcc")
    assert [(one.file, one.message) for one in first.related] == [("inner.h", "declared here")]
    assert "In file included from outer.h:1," in first.rendered
    assert second.related == ()
    assert "included" not in second.rendered
    assert [(one.file, one.message) for one in third.related] == [("main.c", "included from here")]
