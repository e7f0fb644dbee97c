"""Which check is meant when nobody named one (SPEC D1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from compile_loop.toolchains.detect import detect
from compile_loop.toolchains.reader import Reader
from compile_loop.toolchains.registry import known_tools, reader_types, toolchains

pytestmark = pytest.mark.spec("D1")


def tree(root: Path, *files: str) -> Path:
    for file in files:
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text({"main.rs": "fn main() {}\n", "App.java": "package demo;\nclass App {}\n"}.get(path.name, ""))
    return root


def found(root: Path, *targets: str) -> list[tuple[str, str]]:
    """Command line and directory of each proposal."""
    return [
        (one.check.command if isinstance(one.check.command, str) else " ".join(one.check.command), one.check.cwd)
        for one in detect(root, [Path(target) for target in targets])
    ]


CARGO = "cargo check --all-targets --message-format=json"


@pytest.mark.parametrize(
    ("files", "targets", "expected"),
    [
        (["Cargo.toml", "src/main.rs"], ["src/main.rs"], [(CARGO, ".")]),
        (
            ["Cargo.toml", "crates/a/Cargo.toml", "crates/a/src/main.rs"],
            ["crates/a/src/main.rs"],
            [(CARGO, "crates/a")],
        ),
        (["Cargo.toml"], ["Cargo.toml"], [(CARGO, ".")]),
        (["Makefile", "src/a.c"], ["src/a.c"], [("make", ".")]),
        (["Makefile", "lib/GNUmakefile", "lib/a.cpp"], ["lib/a.cpp"], [("make", "lib")]),
        (["CMakeLists.txt", "Makefile", "a.c"], ["a.c"], [("cmake -S . -B build && cmake --build build", ".")]),
        (
            ["CMakeLists.txt", "src/CMakeLists.txt", "src/a.c"],
            ["src/a.c"],
            [("cmake -S . -B build && cmake --build build", ".")],
        ),
        (["CMakeLists.txt", "build/CMakeCache.txt", "a.c"], ["a.c"], [("cmake --build build", ".")]),
        (["tsconfig.json", "src/a.ts"], ["src/a.ts"], [("tsc -p . --noEmit --pretty false", ".")]),
        (
            ["package.json", "node_modules/.bin/tsc", "packages/a/tsconfig.json", "packages/a/a.ts"],
            ["packages/a/a.ts"],
            [("../../node_modules/.bin/tsc -p . --noEmit --pretty false", "packages/a")],
        ),
        (["a.c", "b.c"], ["a.c", "b.c"], [("gcc -fsyntax-only -Wall -fdiagnostics-parseable-fixits a.c b.c", ".")]),
        (["a.c", "a.h"], ["a.c", "a.h"], [("gcc -fsyntax-only -Wall -fdiagnostics-parseable-fixits a.c", ".")]),
        (["a.h"], ["a.h"], [("gcc -fsyntax-only -Wall -fdiagnostics-parseable-fixits a.h", ".")]),
        (
            ["include/x.h", "a.cpp"],
            ["a.cpp"],
            [("g++ -fsyntax-only -Wall -fdiagnostics-parseable-fixits -Iinclude a.cpp", ".")],
        ),
        (["-x.c"], ["-x.c"], [("gcc -fsyntax-only -Wall -fdiagnostics-parseable-fixits ./-x.c", ".")]),
        (["Cargo.toml", "tools/x.py"], ["tools/x.py"], [("python3 -m compileall -q -f tools/x.py", ".")]),
        (["notes.xyz", "README"], ["notes.xyz", "README"], []),
    ],
)
def test_check_of_files(
    files: list[str],
    targets: list[str],
    expected: list[tuple[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shutil.which", lambda name, **_: f"/usr/bin/{name}")
    assert found(tree(tmp_path, *files), *targets) == expected


def test_single_rust_and_java_files_write_outside_the_tree(tmp_path: Path) -> None:
    tree(tmp_path, "main.rs", "lib.rs", "src/demo/App.java")
    rust = found(tmp_path, "main.rs", "lib.rs")
    assert [command.split("--crate-type ")[1].split()[0] for command, _ in rust] == ["bin", "lib"]
    ((java, _),) = found(tmp_path, "src/demo/App.java")
    assert java.endswith("-sourcepath src src/demo/App.java")
    for command in (*(command for command, _ in rust), java):
        words = command.split()
        written = Path(words[words.index("--out-dir" if "rustc" in command else "-d") + 1])
        assert written.is_absolute()
        assert tmp_path not in written.parents


def test_files_of_two_packages_and_a_loose_one(tmp_path: Path) -> None:
    tree(tmp_path, "a/Cargo.toml", "a/src/main.rs", "b/tsconfig.json", "b/x.ts", "b/y.ts", "z.py")
    checks = found(tmp_path, "a/src/main.rs", "b/x.ts", "b/y.ts", "z.py")
    assert [directory for _, directory in checks] == ["b", "a", "."], "most files first"


def test_no_manifest_above_the_workspace_is_taken(tmp_path: Path) -> None:
    tree(tmp_path, "Cargo.toml", "ws/src/main.rs")
    ((command, _),) = found(tmp_path / "ws", "src/main.rs")
    assert command.startswith("rustc ")


@pytest.mark.parametrize(
    ("files", "directories"),
    [
        (["Cargo.toml", "sub/Makefile"], ["."]),
        (
            ["packages/a/tsconfig.json", "packages/b/tsconfig.json", "node_modules/c/tsconfig.json", ".x/Makefile"],
            ["packages/a", "packages/b"],
        ),
        (["src/a.c", "src/b.c"], ["."]),
        (["README.md"], []),
        ([], []),
    ],
)
def test_whole_workspace(files: list[str], directories: list[str], tmp_path: Path) -> None:
    assert [directory for _, directory in found(tree(tmp_path, *files))] == directories


def test_reason_names_the_manifest(tmp_path: Path) -> None:
    (proposal,) = detect(tree(tmp_path, "crates/a/Cargo.toml", "crates/a/x.rs"), [Path("crates/a/x.rs")])
    assert proposal.check.reason == "crates/a/Cargo.toml is the nearest manifest"
    assert proposal.toolchain == "rust"


def test_registry_is_whole() -> None:
    """Every module that declares a toolchain is found, each reader stands once, and doctor has what to say."""
    names = [toolchain.name for toolchain in toolchains()]
    assert len(names) == len(set(names))
    assert {"gcc", "g++", "rust", "typescript", "javac", "python", "make", "cmake", "linker"} <= set(names)
    readers = reader_types()
    assert len(readers) == len(set(readers))
    assert all(issubclass(reader, Reader) and reader.triggers and reader.source for reader in readers)
    for name, programs, how in known_tools():
        assert name
        assert programs
        assert how
