""".NET: what to run for a solution or a project; its output has the shape that `msbuild` reads."""

from __future__ import annotations

from pathlib import Path

from compile_loop.contracts.checks import Check
from compile_loop.toolchains.manifest import manifest_check
from compile_loop.toolchains.toolchain import Program, Toolchain

_MANIFESTS = ("*.sln", "*.slnx", "*.csproj", "*.fsproj", "*.vbproj")
_FLAGS = ("-nologo", "-v:q", "-clp:NoSummary", "-p:GenerateFullPaths=true", "-nodeReuse:false")


def _notice(directory: Path, root: Path) -> Check | None:
    found = next((file for pattern in _MANIFESTS for file in sorted(directory.glob(pattern))), None)
    if found is None:
        return None
    return manifest_check("dotnet build", ("dotnet", "build", found.name, *_FLAGS), found.name, directory, root)


TOOLCHAIN = Toolchain(
    name="dotnet",
    programs=(Program("dotnet", "see https://dotnet.microsoft.com/download"),),
    builds=(".cs", ".fs", ".vb", ".csproj", ".fsproj", ".vbproj", ".sln", ".razor"),
    order=29,
    notice=_notice,
    sources=("csharp", "roslyn"),
)
