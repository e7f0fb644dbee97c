"""Python: what to run for single files; syntax errors and tracebacks are read by `python_traceback`."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from compile_loop.contracts.checks import Check, Unrun
from compile_loop.toolchains.language_server.servers import LanguageServer
from compile_loop.toolchains.manifest import installed, text_of
from compile_loop.toolchains.single import relative_names, scratch
from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.tools.pytest import check_tests, is_test
from compile_loop.toolchains.tools.python_traceback import Traceback
from compile_loop.toolchains.unrun import shown, tests_of


def _compile(files: Sequence[Path], root: Path) -> Check | None:
    if not files:
        return None
    if (tests := check_tests(files, root)) is not None:
        return tests
    venv = next((p for p in (".venv/bin/python", "venv/bin/python") if (root / p).exists()), None)
    program = venv or ("python3" if shutil.which("python3") else "python")
    # -f: a stale .pyc must not hide an error; the prefix keeps __pycache__ out of the tree.
    return Check(
        name="python compile",
        command=(program, "-m", "compileall", "-q", "-f", *relative_names(files, root)),
        env={"PYTHONPYCACHEPREFIX": scratch("pycache")},
        reason="each file is compiled, nothing is run",
    )


def _tests(files: Sequence[Path], root: Path) -> Unrun | None:
    """Tests by their name, else those that import the file."""
    found: list[Path] = []
    for file in files:
        if is_test(file):
            found.append(file)
            continue
        found += tests_of(file, root, partial(_is_named_for, file)) or tests_of(file, root, partial(_imports, file))
    if not found:
        return None
    for_pytest = installed("pytest", root) or any(_PYTEST.search(text_of(path)) for path in found)
    runner = "pytest -q" if for_pytest else "python3 -m unittest"
    return Unrun(shown(found, root), f"{runner} {shlex.join(shown(found, root))}")


def _is_named_for(file: Path, path: Path) -> bool:
    return path.name in (f"test_{file.stem}.py", f"{file.stem}_test.py")


def _imports(file: Path, path: Path) -> bool:
    statement = rf"^\s*(?:from|import)\s.*\b{re.escape(file.stem)}\b"
    return is_test(path) and re.search(statement, text_of(path), re.MULTILINE) is not None


_PYTEST = re.compile(r"^(?:import pytest|from pytest|(?:async )?def test)", re.MULTILINE)
_KNOWN = {".py": "python", ".pyi": "python"}
_CHECKERS = ("mypy", "pyright", "ruff")
SERVERS = (
    LanguageServer(("ty", "server"), "ty, from PyPI: pip install ty", _KNOWN, _CHECKERS),
    LanguageServer(
        ("basedpyright-langserver", "--stdio"), "basedpyright, from PyPI: pip install basedpyright", _KNOWN, _CHECKERS
    ),
    LanguageServer(("pyrefly", "lsp"), "pyrefly, from PyPI: pip install pyrefly", _KNOWN, _CHECKERS),
)

TOOLCHAIN = Toolchain(
    name="python",
    readers=(Traceback,),
    programs=(Program("python3", "python3"),),
    endings=(".py",),
    interpreters=("python",),
    order=60,
    compile=_compile,
    servers=SERVERS,
    only_compiles=True,
    tests=_tests,
)
