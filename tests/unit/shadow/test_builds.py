"""Real builds in a shadow: they go on from what the user has built, and leave nothing in the user's tree (SPEC W1)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.tools import need, where

from .conftest import Workspace, everything, run

pytestmark = pytest.mark.spec("W1")


def build(folder: Path, *command: str) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def only_overlay(workspace: Workspace) -> None:
    if workspace.strategy != "overlay":
        pytest.skip("only on the same path does a build go on")


async def test_cargo_compiles_only_what_was_edited(workspace: Workspace) -> None:
    need("cargo")
    only_overlay(workspace)
    for name in ("app", "base", "other"):
        workspace.file(f"{name}/Cargo.toml", f'[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n')
        workspace.file(f"{name}/src/lib.rs", f"pub fn {name}() {{}}\n")
    workspace.file("Cargo.toml", '[workspace]\nresolver = "2"\nmembers = ["app", "base", "other"]\n')
    with (workspace.root / "app/Cargo.toml").open("a") as manifest:
        manifest.write('[dependencies]\nbase = { path = "../base" }\n')
    build(workspace.root, "cargo", "build", "--offline")
    before = everything(workspace.root)
    shadow = await workspace.opened({"other/src/lib.rs": b"pub fn other() {}\n"})
    first = await run(shadow, "cargo build --offline")
    assert first.exit_code == 0 and "Compiling" not in first.stderr, first.stderr
    await shadow.write("app/src/lib.rs", b"pub fn app() { base::base() }\n")
    second = await run(shadow, "cargo build --offline")
    assert re.findall(r"Compiling (\w+)", second.stderr) == ["app"], second.stderr
    await shadow.renew({"app/src/lib.rs": b"pub fn app() { base::base() }\n"})
    third = await run(shadow, "cargo build --offline")
    assert re.findall(r"Compiling (\w+)", third.stderr) == ["app"], third.stderr
    assert everything(workspace.root) == before


async def test_make_compiles_only_what_was_edited(workspace: Workspace) -> None:
    need("make")
    need("gcc")
    only_overlay(workspace)
    workspace.file("b.c", "int b;\n")
    workspace.file("Makefile", "all: a.o b.o\n%.o: %.c\n\tgcc -c $< -o $@\n")
    build(workspace.root, "make")
    before = everything(workspace.root)
    shadow = await workspace.opened()
    assert "gcc" not in (await run(shadow, "make")).stdout
    await shadow.write("b.c", b"int edited;\n")
    assert (await run(shadow, "make")).stdout == "gcc -c b.c -o b.o\n"
    assert everything(workspace.root) == before


@pytest.mark.parametrize("generator", ["Unix Makefiles", "Ninja"])
async def test_cmake_compiles_only_what_was_edited(workspace: Workspace, generator: str) -> None:
    need("cmake")
    need("gcc")
    need("ninja" if generator == "Ninja" else "make")
    workspace.file("CMakeLists.txt", "cmake_minimum_required(VERSION 3.13)\nproject(p C)\nadd_library(p a.c b.c)\n")
    workspace.file("b.c", "int b;\n")
    build(workspace.root, "cmake", "-S", ".", "-B", "build", "-G", generator)
    build(workspace.root, "cmake", "--build", "build")
    before = everything(workspace.root)
    shadow = await workspace.opened()
    await shadow.write("b.c", b"int edited;\n")
    done = await run(shadow, "cmake -S . -B build && cmake --build build")
    assert done.exit_code == 0, done.stderr
    compiled = set(re.findall(r"Building C object \S*?([ab])\.c", done.stdout))
    assert compiled == ({"b"} if workspace.strategy == "overlay" else {"a", "b"}), done.stdout
    assert everything(workspace.root) == before


async def test_a_copy_never_builds_in_the_user_s_build_folder(workspace: Workspace) -> None:
    """A configured build folder holds absolute paths: used from a copy, it would build the original."""
    need("cmake")
    need("gcc")
    workspace.file("CMakeLists.txt", "cmake_minimum_required(VERSION 3.13)\nproject(p C)\nadd_library(p a.c)\n")
    build(workspace.root, "cmake", "-S", ".", "-B", "build")
    before = everything(workspace.root)
    shadow = await workspace.opened()
    await shadow.write("a.c", b"int broken\n")
    done = await run(shadow, "cmake --build build || make -C build")
    assert done.exit_code != 0
    assert everything(workspace.root) == before


async def test_tsc_goes_on_from_its_own_notes(workspace: Workspace) -> None:
    need("tsc")
    tsc = where("tsc")
    only_overlay(workspace)
    options = '"incremental": true, "outDir": "out", "types": [], "skipLibCheck": true'
    workspace.file("tsconfig.json", f'{{"compilerOptions": {{{options}}}, "include": ["*.ts"]}}')
    for name in "abc":
        workspace.file(f"{name}.ts", f"export const {name}: number = 1;\n")
    build(workspace.root, str(tsc))
    before = everything(workspace.root)
    shadow = await workspace.opened()
    await shadow.write("b.ts", b"export const b: number = 2;\n")
    done = await run(shadow, f"{tsc} --listEmittedFiles")
    assert re.findall(r"out/(\w)\.js$", done.stdout, re.MULTILINE) == ["b"], done.stdout
    assert everything(workspace.root) == before


async def test_what_a_check_writes_into_node_modules_stays_in_the_shadow(workspace: Workspace) -> None:
    need("node")
    workspace.file("package.json", '{"name": "w", "workspaces": ["lib"]}')
    workspace.file("lib/index.js", "module.exports = 'original';\n")
    workspace.file("lib/package.json", '{"name": "lib", "main": "index.js"}')
    workspace.file("node_modules/dep/index.js", "module.exports = 'dep';\n")
    workspace.file("node_modules/@s/scoped/index.js", "module.exports = 'scoped ' + require('dep');\n")
    workspace.file("node_modules/.cache/old", "1")
    workspace.file("node_modules/.package-lock.json", "{}")
    (workspace.root / "node_modules/lib").symlink_to("../lib")
    (workspace.root / "node_modules/.bin").mkdir()
    (workspace.root / "node_modules/.bin/dep").symlink_to("../dep/index.js")
    before = everything(workspace.root)
    shadow = await workspace.opened()
    await shadow.write("lib/index.js", b"module.exports = 'edited';\n")
    done = await run(
        shadow,
        "node -p \"require('lib') + ' ' + require('@s/scoped') + ' ' + require('./node_modules/.bin/dep')\";"
        "mkdir -p node_modules/.cache node_modules/new; echo 2 > node_modules/.cache/new;"
        "echo '{\"a\": 1}' > node_modules/.package-lock.json; echo 3 > node_modules/@s/f; rm -r node_modules/dep;"
        "true",
    )
    assert done.stdout == "edited scoped dep dep\n", done.stderr
    assert everything(workspace.root) == before


async def test_no_check_writes_into_an_installed_package(workspace: Workspace) -> None:
    workspace.file("node_modules/dep/index.js", "original\n")
    before = everything(workspace.root)
    shadow = await workspace.opened()
    if "not held back" in shadow.isolation:
        pytest.skip(shadow.isolation)
    await run(
        shadow, "echo changed > node_modules/dep/index.js; touch node_modules/dep/new; mv node_modules/dep/index.js ."
    )
    assert everything(workspace.root) == before


async def test_a_virtual_environment_leads_to_the_edited_sources(workspace: Workspace) -> None:
    """An editable install names the workspace by its path; a check must see the edited module, not the original."""
    workspace.file("src/thing.py", "NAME = 'original'\n")
    build(workspace.root, sys.executable, "-m", "venv", "--without-pip", ".venv")
    (site,) = (workspace.root / ".venv/lib").glob("python*/site-packages")
    (site / "editable.pth").write_text(f"{workspace.root}/src\n")
    (site / "installed").mkdir()
    (site / "installed/__init__.py").write_text("")
    script = workspace.root / ".venv/bin/tool"
    script.write_text(f"#!/bin/sh\nexec '{workspace.root}/.venv/bin/python' \"$@\"\n")
    script.chmod(0o755)
    before = everything(workspace.root)
    shadow = await workspace.opened()
    await shadow.write("src/thing.py", b"NAME = 'edited'\n")
    ask = "import thing, installed; print(thing.NAME)"
    command = f'.venv/bin/python -c "{ask}"; .venv/bin/tool -c "{ask}"; "{workspace.root}/.venv/bin/python" -c "{ask}"'
    done = await run(shadow, f"{command}; touch .venv/lib/python*/site-packages/new.pth")
    assert done.stdout == "edited\n" * 3, done.stderr
    assert everything(workspace.root) == before


async def test_absolute_paths_in_commands_and_variables_mean_the_shadow(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = everything(workspace.root)
    monkeypatch.setenv("OUT_FOLDER", f"{workspace.root}/sub:{workspace.root}")
    shadow = await workspace.opened()
    await shadow.write("a.c", b"edited\n")
    done = await run(
        shadow,
        f'cat "{workspace.root}/a.c"; echo 1 > "{workspace.root}/made"; echo "$OUT_FOLDER"; echo 2 > "${{OUT_FOLDER%%:*}}/made"',
    )
    assert done.stdout == f"edited\n{workspace.root}/sub:{workspace.root}\n"
    assert await shadow.read("made") == b"1\n" and await shadow.read("sub/made") == b"2\n"
    assert everything(workspace.root) == before
    assert os.environ["OUT_FOLDER"] == f"{workspace.root}/sub:{workspace.root}"


@pytest.mark.spec("Q14")
async def test_a_daemon_that_runs_outside_is_not_asked(workspace: Workspace) -> None:
    """dmypy's status file leads to the daemon that checks the original."""
    dmypy = Path(sys.executable).with_name("dmypy")
    if not dmypy.exists():
        pytest.skip("dmypy is not installed")
    workspace.file("thing.py", "value: int = 1\n")
    build(workspace.root, str(dmypy), "run", "--", "thing.py")
    before = everything(workspace.root)
    try:
        shadow = await workspace.opened()
        await shadow.write("thing.py", b"value: int = 'no'\n")
        done = await run(shadow, f"{dmypy} run --timeout 60 -- thing.py")
        assert "thing.py:1: error: Incompatible types" in done.stdout, done.stdout + done.stderr
        assert everything(workspace.root) == before
        build(workspace.root, str(dmypy), "check", "thing.py")
    finally:
        build(workspace.root, str(dmypy), "kill")
