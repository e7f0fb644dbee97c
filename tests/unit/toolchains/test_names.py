"""Paths: a file that exists is found wherever the tool counted from, and none is invented (SPEC D3)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.support.sources import Tree, diagnose

from compile_loop.toolchains.names import Names

pytestmark = pytest.mark.spec("D3")


def names(files: Sequence[str], cwd: str = "/ws", root: str = "/ws") -> Names:
    return Names(root=root, cwd=cwd, sources=Tree(dict.fromkeys(files, ""), root))


@pytest.mark.parametrize(
    ("cwd", "printed", "files", "meant"),
    [
        ("/ws/member", "member/src/main.rs", ["/ws/member/src/main.rs"], "/ws/member/src/main.rs"),
        ("/ws/cli", "cli/src/main.rs", ["/ws/cli/src/main.rs"], "/ws/cli/src/main.rs"),
        ("/ws/app", "/ws/lib/src/m.rs", ["/ws/lib/src/m.rs"], "/ws/lib/src/m.rs"),
        ("/ws/a", "x.c", ["/ws/a/x.c", "/ws/x.c"], "/ws/a/x.c"),
        ("/ws/a/b", "../x.c", ["/ws/a/x.c"], "/ws/a/x.c"),
        ("/ws/build", "../src/x.c", ["/ws/src/x.c"], "/ws/src/x.c"),
        ("/ws", "./x.c", ["/ws/x.c"], "/ws/x.c"),
        ("/ws", "my src/a b.c", ["/ws/my src/a b.c"], "/ws/my src/a b.c"),
        ("/ws", "a(b).c", ["/ws/a(b).c"], "/ws/a(b).c"),
        ("/ws", "'q.c'", ["/ws/q.c"], "/ws/q.c"),
        ("/ws", "file:///ws/a%20b.c", ["/ws/a b.c"], "/ws/a b.c"),
        ("/ws", "file:///ws/main.mjs", ["/ws/main.mjs"], "/ws/main.mjs"),
        ("/ws", "demo/App.java", ["/ws/src/demo/App.java"], "/ws/src/demo/App.java"),
        ("/ws", "App.java", ["/ws/a/App.java", "/ws/b/App.java"], None),
        ("/ws", "gone.c", ["/ws/x.c"], None),
        ("/ws", "/app/src/x.c", ["/ws/src/x.c"], "/ws/src/x.c"),
        ("/ws", "/rustc/0123/library/core/src/lib.rs", ["/ws/lib.rs"], None),
        ("/ws", "/usr/include/stdio.h", ["/usr/include/stdio.h"], "/usr/include/stdio.h"),
        ("/ws", "@x/core: src/index.ts", ["/ws/packages/core/src/index.ts"], "/ws/packages/core/src/index.ts"),
        (
            "/ws",
            "@x/core: src/index.ts",
            ["/ws/packages/core/src/index.ts", "/ws/packages/app/src/index.ts"],
            "/ws/packages/core/src/index.ts",
        ),
        ("/ws", "@x/core: src/index.ts", ["/ws/packages/a/src/index.ts", "/ws/packages/b/src/index.ts"], None),
        ("/ws", "web:build: src/a.ts", ["/ws/apps/web/src/a.ts"], "/ws/apps/web/src/a.ts"),
        ("/ws", "<stdin>", ["/ws/<stdin>"], None),
        ("/ws", "<built-in>", ["/ws/x"], None),
        ("/ws", "{standard input}", ["/ws/x"], None),
        ("/ws", "http://localhost/x.c", ["/ws/x.c"], None),
        ("/ws", "", ["/ws/x.c"], None),
        ("/ws", "x\0.c", ["/ws/x.c"], None),
    ],
)
def test_resolve(cwd: str, printed: str, files: list[str], meant: str | None) -> None:
    assert names(files, cwd).resolve(printed) == meant


@pytest.mark.parametrize(
    ("printed", "meant"),
    [
        (r"C:\w\src\main.cpp", "C:/w/src/main.cpp"),
        (r"src\main.cpp", "C:/w/src/main.cpp"),
        ("src/main.cpp", "C:/w/src/main.cpp"),
        ("/c/w/src/main.cpp", "C:/w/src/main.cpp"),
        ("/mnt/c/w/src/main.cpp", "C:/w/src/main.cpp"),
        ("file:///C:/w/src/main.cpp", "C:/w/src/main.cpp"),
        ("file:///C%3A/w/src/main.cpp", "C:/w/src/main.cpp"),
        (r"..\src\main.cpp", None),
    ],
)
def test_windows(printed: str, meant: str | None) -> None:
    class Windows(Tree):
        def exists(self, path: str) -> bool:
            return path.upper() in {file.upper() for file in self.files}

    found = Names(
        root=r"C:\w",
        cwd=r"C:\w\build" if meant is None else r"C:\w",
        sources=Windows({"C:/w/src/main.cpp": ""}, "C:/w"),
    )
    resolved = found.resolve(printed)
    if meant is None:
        assert resolved == "C:/w/src/main.cpp", "one up from the build folder"
    else:
        assert resolved is not None
        assert resolved.upper() == meant.upper()
        assert found.shown(resolved) == "src/main.cpp"


def test_shown_is_relative_inside_and_absolute_outside() -> None:
    found = names([])
    assert found.shown("/ws/a/b.c") == "a/b.c"
    assert found.shown("/ws2/b.c") == "/ws2/b.c"
    assert found.shown("/usr/include/x.h") == "/usr/include/x.h"


MAKE = """\
make: Entering directory '/w'
make[1]: Entering directory '/w/p1'
src/i.c:1:5: error: ‘a’ undeclared
make[1]: Leaving directory '/w/p1'
make[1]: Entering directory `/w/p2'
src/i.c:1:5: error: ‘a’ undeclared
make[1]: Leaving directory `/w/p2'
src/i.c:1:5: error: ‘a’ undeclared
@x/core: src/index.ts(3,5): error TS2322: no
"""


def test_make_directories() -> None:
    files = {f"{p}src/i.c": "int a;\n" for p in ("", "p1/", "p2/")} | {
        "packages/core/src/index.ts": "\n\nlet abc = 1;\n"
    }
    found = diagnose(MAKE, files, hint="make -w")
    assert [one.file for one in found] == ["p1/src/i.c", "p2/src/i.c", "src/i.c", "packages/core/src/index.ts"]


def test_directories_of_a_parallel_make() -> None:
    """Under -j the directories interleave: whoever leaves is taken out, wherever it stands in the stack."""
    log = """\
make[1]: Entering directory '/w/p1'
make[1]: Entering directory '/w/p2'
make[1]: Leaving directory '/w/p1'
only2.c:1:5: error: x
make[1]: Leaving directory '/w/p2'
"""
    assert diagnose(log, {"p2/only2.c": "int a;\n"})[0].file == "p2/only2.c"
    log = log.replace("make[1]: Leaving directory '/w/p1'\n", "").replace("only2", "only1")
    assert diagnose(log, {"p1/only1.c": "int a;\n"})[0].file == "p1/only1.c"


def test_ninja_directory_and_failed_command_line() -> None:
    log = """\
ninja: Entering directory `build'
[1/2] Building C object a.o
FAILED: a.o
/usr/bin/cc -Werror -Wno-error=x -c ../src/a.c:1:1: -o a.o
../src/a.c:1:5: error: ‘a’ undeclared
ninja: build stopped: subcommand failed.
"""
    found = diagnose(log, {"src/a.c": "int a;\n", "build/build.ninja": ""})
    assert [(one.file, one.message) for one in found] == [("src/a.c", "‘a’ undeclared")]


@pytest.mark.parametrize("command", ["cd crates/app && make", "cd 'crates/app' && make", '(cd "crates/app"; make)'])
def test_command_that_changes_directory(command: str) -> None:
    found = diagnose("x.c:1:5: error: no\n", {"crates/app/x.c": "int a;\n", "x.c": ""}, hint=command)
    assert [one.file for one in found] == ["crates/app/x.c"]
