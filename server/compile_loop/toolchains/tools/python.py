"""Python: what to run for single files; syntax errors and tracebacks are read by `python_traceback`."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.toolchains.language_server.servers import LanguageServer
from compile_loop.toolchains.single import relative_names, scratch
from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.tools.pytest import check_tests
from compile_loop.toolchains.tools.python_traceback import Traceback


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
)
