"""Go: what to run for a module, and who reads the output."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from compile_loop.contracts.checks import Check, Unrun
from compile_loop.toolchains.language_server.servers import LanguageServer
from compile_loop.toolchains.manifest import first_file, manifest_check
from compile_loop.toolchains.single import relative_names
from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.tools.go_build import GoBuild, GoVetJson
from compile_loop.toolchains.tools.go_panic import GoPanic
from compile_loop.toolchains.tools.go_test import GoTest, GoTestJson
from compile_loop.toolchains.unrun import inside, shown

# Vet knows the tests, too, but stops at the first type error of a package; build names them all.
_EVERYTHING = f"go build -gcflags=-e -o {os.devnull} ./... && go vet ./..."


def _notice(directory: Path, root: Path) -> Check | None:
    manifest = first_file(directory, "go.mod")
    return manifest_check("go build", _EVERYTHING, manifest, directory, root) if manifest else None


def _compile(files: Sequence[Path], root: Path) -> Check | None:
    if not files or len({file.parent for file in files}) > 1:
        return None  # the files of one command are one package
    command = ("go", "vet", *relative_names(files, root))
    return Check(name="go vet", command=command, reason="no go.mod above: the files are checked as one package")


def _tests(files: Sequence[Path], root: Path) -> Unrun | None:
    """The tests of the files' packages."""
    packages = list(dict.fromkeys(file.parent for file in files))
    found = [path for package in packages for path in sorted(package.glob("*_test.go"))]
    module = next((above for above in files[0].parents if (above / "go.mod").is_file()), None) if files else None
    if not found or module is None or not module.is_relative_to(root):
        return None
    places = ["./" + os.path.relpath(package, module).removeprefix(".") for package in packages]
    return Unrun(shown(found, root), inside(module, root, f"go test {shlex.join(places)}"))


GOPLS = LanguageServer(("gopls",), "gopls", {".go": "go"}, sources=("go", "go vet"))


TOOLCHAIN = Toolchain(
    name="go",
    readers=(GoTestJson, GoTest, GoPanic, GoBuild),
    shapes=(GoVetJson,),
    programs=(Program("go", "golang-go"),),
    endings=(".go",),
    builds=(".go", "go.mod"),
    order=12,
    notice=_notice,
    compile=_compile,
    servers=(GOPLS,),
    sources=("compiler", "gopls"),
    only_compiles=True,
    tests=_tests,
)
