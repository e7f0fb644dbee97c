"""C and C++ with gcc, g++, clang: what to run for single files, and who reads the output."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.toolchains.language_server.servers import LanguageServer
from compile_loop.toolchains.single import relative_names
from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.tools.gnu_driver import GnuDriver
from compile_loop.toolchains.tools.gnu_json import GnuJson
from compile_loop.toolchains.tools.gnu_text import GnuText

C = (".c", ".h")
CPP = (".cc", ".cp", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".tcc")


HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".tcc")


def _check(compiler: str, other: str, files: Sequence[Path], root: Path) -> Check | None:
    if not files:
        return None
    # A header is checked where it is included, and alone only if nothing else is asked for.
    files = [file for file in files if file.suffix.lower() not in HEADERS] or files
    include = ("-Iinclude",) if (root / "include").is_dir() else ()
    program = compiler if shutil.which(compiler) or not shutil.which(other) else other
    # Parseable fix-its are understood by every version of gcc since 7 and by clang; text keeps the snippets for people.
    command = (
        program,
        "-fsyntax-only",
        "-Wall",
        "-fdiagnostics-parseable-fixits",
        *include,
        *relative_names(files, root),
    )
    return Check(name=program, command=command, reason=f"no build file above: each file is checked with {program}")


def check_c(files: Sequence[Path], root: Path) -> Check | None:
    """One command that checks C files and writes nothing."""
    return _check("gcc", "clang", files, root)


def check_cpp(files: Sequence[Path], root: Path) -> Check | None:
    """One command that checks C++ files and writes nothing."""
    return _check("g++", "clang++", files, root)


CLANGD = LanguageServer(
    # Neither an index on disk nor findings that no compiler has.
    ("clangd", "--background-index=false", "--clang-tidy=false", "--log=error"),
    "clangd",
    {**dict.fromkeys(C, "c"), **dict.fromkeys(CPP, "cpp")},
    sources=("gcc", "g++", "clang"),
    options={"fallbackFlags": ["-Iinclude", "-I."]},
)

TOOLCHAIN = Toolchain(
    name="gcc",
    readers=(GnuJson, GnuDriver, GnuText),
    programs=(Program("gcc", "gcc"), Program("clang", "clang")),
    endings=C,
    order=60,
    compile=check_c,
    sources=("clang", "clangd", "c/c++"),
    servers=(CLANGD,),
    # gcc's variable is documented; clang's has a leading "#" to keep quiet about itself.
    environment={
        "GCC_EXTRA_DIAGNOSTIC_OUTPUT": "fixits-v1",
        "CCC_OVERRIDE_OPTIONS": "#+-fdiagnostics-parseable-fixits",
    },
)
