"""Which check is meant when nobody named one (SPEC D1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from compile_loop.toolchains.detect import candidates, check_of_source, detect
from compile_loop.toolchains.manifest import installed
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


@pytest.mark.parametrize(
    ("files", "target", "command"),
    [
        ({"go.mod": ""}, "a.go", "go build -gcflags=-e -o /dev/null ./... && go vet ./..."),
        ({}, "a.go", "go vet a.go"),
        ({"eslint.config.mjs": ""}, "a.js", "eslint -f json ."),
        ({"eslint.config.js": "", "package.json": '{"scripts": {"build": "vite build"}}'}, "a.js", "npm run build"),
        ({"package.json": '{"scripts": {"test": "x"}, "packageManager": "pnpm@9.1"}'}, "a.js", "pnpm run test"),
        (
            {"package.json": '{"scripts": {"build": "tsc --watch", "lint": "x"}}', "yarn.lock": ""},
            "a.js",
            "yarn run lint",
        ),
        ({"package.json": '{"scripts": {"test": "echo no test specified && exit 1"}}'}, "a.js", "node --check a.js"),
        ({"package.json": "["}, "a.mjs", "node --check a.mjs"),
        ({"sum.test.js": 'require("node:test")'}, "sum.test.js", "node --test --test-reporter=tap sum.test.js"),
        ({"mypy.ini": ""}, "a.py", "mypy --show-column-numbers --show-error-end --no-error-summary --no-pretty ."),
        ({"pyproject.toml": "[tool.pyright]\n[tool.ruff]\n"}, "a.py", "pyright --outputjson"),
        ({"pyproject.toml": "[tool.ruff.lint]\n"}, "a.py", "ruff check --output-format json"),
        (
            {"pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n"},
            "a.py",
            "pytest -q --tb=short --no-header -p no:cacheprovider",
        ),
        ({"pyproject.toml": "[project]\n"}, "a.py", "python3 -m compileall -q -f a.py"),
        ({"test_a.py": ""}, "test_a.py", "pytest -q --tb=short --no-header -p no:cacheprovider test_a.py"),
        ({"pom.xml": ""}, "A.java", "mvn -B -q -Dstyle.color=never --fail-at-end test-compile"),
        ({"mvnw": "", "pom.xml": ""}, "A.java", "./mvnw -B -q -Dstyle.color=never --fail-at-end test-compile"),
        (
            {"gradlew": "", "settings.gradle.kts": ""},
            "A.kt",
            "./gradlew --no-daemon --console=plain -q --continue testClasses",
        ),
        (
            {"a.csproj": ""},
            "A.cs",
            "dotnet build a.csproj -nologo -v:q -clp:NoSummary -p:GenerateFullPaths=true -nodeReuse:false",
        ),
        ({"stack.yaml": "", "a.cabal": ""}, "A.hs", "stack build --fast"),
        ({"a.cabal": ""}, "A.hs", "cabal build -v1 all"),
        ({}, "A.hs", "ghc -v1 -fno-code A.hs"),
        ({"build.zig": ""}, "a.zig", "zig build"),
        ({"a.zig": "pub fn main() void {}"}, "a.zig", "zig build-exe -fno-emit-bin a.zig"),
        ({"Package.swift": ""}, "Sources/a.swift", "swift build"),
        ({}, "a.swift", "swiftc -typecheck a.swift"),
        ({}, "a.php", "php -d display_errors=stderr -d log_errors=0 -l a.php"),
        ({}, "a.rb", "ruby -wc a.rb"),
        ({"lib/x.pm": ""}, "a.pl", "perl -w -Ilib -c a.pl"),
        ({}, "a.lua", "luac -p a.lua"),
        ({}, "a.sh", "bash -n a.sh"),
        ({"a.sh": "#!/bin/sh\n"}, "a.sh", "sh -n a.sh"),
        ({".shellcheckrc": ""}, "a.sh", "shellcheck -f json1 a.sh"),
        ({"run": "#!/usr/bin/env -S bash -e\n"}, "run", "bash -n run"),
        ({"tool": "#!/usr/bin/python3.11\n"}, "tool", "python3 -m compileall -q -f tool"),
        ({"build.ninja": "", "build/build.ninja": ""}, "a.c", "ninja"),
    ],
)
def test_check_of_one_file(
    files: dict[str, str], target: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda name, **_: f"/usr/bin/{name}")
    for name, text in {target: "", **files}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert found(tmp_path, target) == [(command, ".")]


def test_project_of_a_larger_gradle_build_is_built_from_there(tmp_path: Path) -> None:
    tree(tmp_path, "settings.gradle", "gradlew", "app/build.gradle", "app/src/A.java")
    assert [directory for _, directory in found(tmp_path, "app/src/A.java")] == ["."]


def test_everything_that_suits_a_file_is_offered(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.mypy]\n[tool.ruff]\n")
    (tmp_path / "sub" / "pytest.ini").write_text("")
    (tmp_path / "sub" / "a.py").write_text("")
    offered = candidates(tmp_path, Path("sub/a.py"))
    assert [one.toolchain for one in offered] == ["pytest", "mypy", "ruff", "python", "pyright", "mypy", "ruff"]
    assert [one.check.cwd for one in offered][:2] == ["sub", "."]


@pytest.mark.spec("Q1")
@pytest.mark.parametrize(
    ("source", "toolchain"),
    [
        ("Pylance", "pyright"),
        ("mypy", "mypy"),
        ("Ruff", "ruff"),
        ("python", "python"),
        ("nonsense", None),
        ("rustc", None),
    ],
)
def test_check_that_reproduces_an_editors_finding(source: str, toolchain: str | None, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")
    proposal = check_of_source(source, tmp_path, [Path("a.py")])
    assert (proposal.toolchain if proposal else None) == toolchain


def test_a_manifest_is_taken_for_a_finding_where_there_is_one(tmp_path: Path) -> None:
    tree(tmp_path, "Cargo.toml", "src/lib.rs", "tsconfig.json", "a.ts")
    rust, ts = (check_of_source(s, tmp_path, [Path(f)]) for s, f in (("rustc", "src/lib.rs"), ("ts", "a.ts")))
    assert rust is not None
    assert rust.check.command[:2] == ("cargo", "check")
    assert ts is not None
    assert ts.toolchain == "typescript"


@pytest.mark.spec("P3")
def test_a_projects_own_program_is_found_upward(tmp_path: Path) -> None:
    """What doctor says is installed: a tool of npm's lies in the project, and `node` alone is no TypeScript."""
    tree(tmp_path, "node_modules/.bin/nosuchtool", ".venv/bin/othertool", "packages/a/x.ts")
    inside = tmp_path / "packages" / "a"
    assert installed("nosuchtool", inside) == str(tmp_path / "node_modules" / ".bin" / "nosuchtool")
    assert installed("othertool", inside) == str(tmp_path / ".venv" / "bin" / "othertool")
    assert installed("no-such-tool-anywhere", inside) is None
    assert {programs for name, programs, _ in known_tools() if name == "typescript"} == {("tsc",)}
