"""Node: what to run for single files, and who reads the output."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from compile_loop.contracts.checks import Check, Unrun
from compile_loop.toolchains.manifest import text_of
from compile_loop.toolchains.single import relative_names
from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.tools.node_stack import NodeStack
from compile_loop.toolchains.tools.node_test import NodeSpec, NodeTap
from compile_loop.toolchains.tools.npm import script_tests, tests_by_name
from compile_loop.toolchains.unrun import shown

_TEST = re.compile(r"[.\-_]test\.[cm]?js$")


def _is_test(file: Path) -> bool:
    return _TEST.search(file.name) is not None and "node:test" in text_of(file)


def _compile(files: Sequence[Path], root: Path) -> Check | None:
    tests = [file for file in files if _is_test(file)]
    if tests:
        command = ("node", "--test", "--test-reporter=tap", *relative_names(tests, root))
        return Check(
            name="node --test", command=command, reason="no manifest above, and the files are tests of node:test"
        )
    if len(files) != 1:
        return None  # --check takes one file; `detect` asks again for each
    (name,) = relative_names(files, root)
    command = ("node", "--check", name)
    return Check(name=f"node --check {name}", command=command, reason="no manifest above: the file is parsed, not run")


def _tests(files: Sequence[Path], root: Path) -> Unrun | None:
    """What the package's own script runs, else tests of node:test."""
    if (by_script := script_tests(files, root)) is not None:
        return by_script
    found = [path for path in tests_by_name(files, root) if _is_test(path)]
    return Unrun(shown(found, root), f"node --test {shlex.join(shown(found, root))}") if found else None


TOOLCHAIN = Toolchain(
    name="node",
    readers=(NodeStack, NodeTap, NodeSpec),
    programs=(Program("node", "nodejs"),),
    endings=(".js", ".mjs", ".cjs"),
    interpreters=("node", "nodejs"),
    order=60,
    compile=_compile,
    only_compiles=True,
    tests=_tests,
)
