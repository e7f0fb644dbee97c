"""C++ with g++ or clang++; the output is read as gcc's."""

from __future__ import annotations

from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.tools.gcc import CPP, check_cpp
from compile_loop.toolchains.tools.gnu_driver import GnuDriver
from compile_loop.toolchains.tools.gnu_json import GnuJson
from compile_loop.toolchains.tools.gnu_text import GnuText

TOOLCHAIN = Toolchain(
    name="g++",
    readers=(GnuJson, GnuDriver, GnuText),
    programs=(Program("g++", "g++"), Program("clang++", "clang")),
    endings=CPP,
    order=60,
    compile=check_cpp,
)
