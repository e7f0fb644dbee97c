"""What users of such tools reported about diagnostics, by the numbers of the reports (area D)."""

from __future__ import annotations

import pytest
from tests.support.sources import Tree, diagnose, spot

from compile_loop.toolchains.names import Names

pytestmark = pytest.mark.spec("D3")

FOUR = "one\ntwo\nthree\nfour\nfive\n"


def rust(name: str) -> str:
    return f"error[E0308]: mismatched types\n --> {name}\n  |\n4 | four\n  | ^^^^ expected `i32`\n\n"


def test_d06_cargo_names_paths_from_the_workspaces_root() -> None:
    files = {"member/src/main.rs": FOUR}
    (one,) = diagnose(rust("member/src/main.rs:4:1"), files, cwd="/w/member")
    assert spot(one)[:3] == ("member/src/main.rs", 3, 0)


def test_d06_a_path_that_could_be_several_stays_text() -> None:
    files = {"a/src/main.rs": FOUR, "b/src/main.rs": FOUR}
    (one,) = diagnose(rust("src/main.rs:4:1"), files)
    assert one.file is None
    assert "src/main.rs:4:1" in one.rendered


@pytest.mark.parametrize(
    ("cwd", "name", "file"),
    [
        ("/w/cli", "cli/src/main.rs", "cli/src/main.rs"),
        ("/w/cli", "src/main.rs", "cli/src/main.rs"),
        ("/w/app", "/w/lib/src/m.rs", "lib/src/m.rs"),
    ],
)
def test_d07_a_path_is_never_joined_twice(cwd: str, name: str, file: str) -> None:
    files = {"cli/src/main.rs": FOUR, "lib/src/m.rs": FOUR, "app/src/other.rs": FOUR}
    (one,) = diagnose(rust(f"{name}:4:1"), files, cwd=cwd)
    assert one.file == file


def test_d08_directories_of_make_and_prefixes_of_monorepo_runners() -> None:
    log = (
        "make[1]: Entering directory '/w/p1'\nsrc/i.c:3:5: error: no\nmake[1]: Leaving directory '/w/p1'\n"
        "@x/core: src/index.ts(3,5): error TS2322: no\n"
    )
    files = {
        "p1/src/i.c": FOUR,
        "p2/src/i.c": FOUR,
        "packages/core/src/index.ts": FOUR,
        "packages/ui/src/index.ts": FOUR,
    }
    assert [one.file for one in diagnose(log, files)] == ["p1/src/i.c", "packages/core/src/index.ts"]


def test_d08_two_candidates_are_no_guess() -> None:
    files = {"packages/a/src/index.ts": FOUR, "packages/b/src/index.ts": FOUR}
    assert [one.file for one in diagnose("src/index.ts(3,5): error TS2322: no\n", files)] == [None]


@pytest.mark.parametrize("printed", ["file:///C:/p/a b.c", "file:///c%3A/p/a%20b.c", "C:\\p\\a b.c", "/c/p/a b.c"])
def test_d09_spellings_of_one_windows_file(printed: str) -> None:
    names = Names(root="C:\\p", cwd="C:\\p", sources=WindowsDisk("C:/p/a b.c"))
    path = names.resolve(printed)
    assert path is not None
    assert names.shown(path) == "a b.c"


def test_d09_upper_and_lower_case_differ_where_the_file_system_says_so() -> None:
    names = Names(root="/w", cwd="/w", sources=Tree({"Src/a.c": FOUR}))
    assert names.resolve("/w/Src/a.c") == "/w/Src/a.c"
    assert names.resolve("/w/src/a.c") is None


def test_d10_the_spelling_on_disk_is_shown() -> None:
    """cl.exe prints lower case; the file would open twice."""
    names = Names(root="C:\\w", cwd="C:\\w", sources=WindowsDisk("C:/w/Src/Main.cpp"))
    path = names.resolve("c:\\w\\src\\main.cpp")
    assert path is not None
    assert names.shown(path) == "Src/Main.cpp"


class WindowsDisk:
    """A disk that tells no upper from lower case, with one file."""

    def __init__(self, path: str) -> None:
        self._path = path

    def read(self, path: str) -> bytes | None:
        return FOUR.encode() if self.exists(path) else None

    def exists(self, path: str) -> bool:
        return path.replace("\\", "/").lower() == self._path.lower()

    def find(self, suffix: str) -> list[str]:
        return [self._path] if self._path.lower().endswith("/" + suffix.lower()) else []

    def spelling(self, path: str) -> str:
        return self._path if self.exists(path) else path
