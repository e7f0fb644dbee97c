"""Rust with cargo or rustc: what to run, and who reads the output."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from compile_loop.contracts.checks import Check, Unrun
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.toolchains.advice import Question, lacking
from compile_loop.toolchains.language_server.servers import LanguageServer
from compile_loop.toolchains.manifest import manifest_check, text_of
from compile_loop.toolchains.single import relative_names, scratch
from compile_loop.toolchains.toolchain import Program, Toolchain
from compile_loop.toolchains.tools.rust_json import RustJson
from compile_loop.toolchains.tools.rust_panic import RustPanic
from compile_loop.toolchains.tools.rust_text import RustText
from compile_loop.toolchains.unrun import inside, shown

_MAIN = re.compile(rb"^\s*(?:pub\s+)?(?:async\s+)?fn\s+main\s*\(", re.MULTILINE)
_CHECK = ("cargo", "check", "--all-targets", "--message-format=json")


def _notice(directory: Path, root: Path) -> Check | None:
    if not (directory / "Cargo.toml").is_file():
        return None
    return manifest_check("cargo check", _CHECK, "Cargo.toml", directory, root)


def _compile(files: Sequence[Path], root: Path) -> Check | None:
    if len(files) != 1:
        return None  # rustc takes one crate at a time; `detect` asks again for each file
    try:
        kind = "bin" if _MAIN.search(files[0].read_bytes()) else "lib"
    except OSError:
        kind = "lib"
    (name,) = relative_names(files, root)
    return Check(
        name=f"rustc {name}",
        command=(
            *("rustc", "--edition", "2021", "--crate-type", kind, "--emit=metadata", "--error-format=json"),
            *("--out-dir", scratch("rustc"), name),
        ),
        reason="no Cargo.toml above: the file is checked as a crate of its own",
    )


def _advise(diagnostics: Sequence[Diagnostic], root: Path) -> Iterator[Question]:
    """Cargo's text has its offers only as drawings; its JSON says where they go."""
    by_place: dict[str, list[Diagnostic]] = {}
    for one in lacking(diagnostics, "rustc"):
        above = (place for place in (root / str(one.file)).parents if place.is_relative_to(root))
        package = next((place for place in above if (place / "Cargo.toml").is_file()), None)
        if package is not None:
            by_place.setdefault(package.relative_to(root).as_posix(), []).append(one)
    for place, about in by_place.items():
        yield Question(_CHECK, tuple(about), cwd=place)


def _tests(files: Sequence[Path], root: Path) -> Unrun | None:
    """Tests in the files themselves, and the package's own folder of tests."""
    package = next((above for above in files[0].parents if (above / "Cargo.toml").is_file()), None) if files else None
    if package is None or not package.is_relative_to(root):
        return None
    inner = [f"the tests in {name}" for name, file in zip(shown(files, root), files, strict=True) if _is_tested(file)]
    found = (*inner, *shown(sorted((package / "tests").glob("*.rs")), root))
    return Unrun(found, inside(package, root, "cargo test")) if found else None


def _is_tested(file: Path) -> bool:
    return re.search(r"^\s*#\[(?:\w+::)*test\b", text_of(file), re.MULTILINE) is not None


RUST_ANALYZER = LanguageServer(
    ("rust-analyzer",),
    "rust-analyzer, from rustup: rustup component add rust-analyzer rust-src",
    {".rs": "rust"},
    sources=("rustc",),
    # Cargo itself was asked before: what it finds is known, and would be found at the price of one more check.
    options={"checkOnSave": False, "cachePriming": {"enable": False}, "primeCaches": {"enable": False}},
    seconds=25.0,
)

TOOLCHAIN = Toolchain(
    name="rust",
    readers=(RustJson, RustText, RustPanic),
    programs=(Program("cargo", "cargo"), Program("rustc", "rustc")),
    endings=(".rs",),
    builds=(".rs", "Cargo.toml", "Cargo.lock"),
    order=10,
    notice=_notice,
    compile=_compile,
    sources=("clippy", "rust-analyzer"),
    advise=_advise,
    servers=(RUST_ANALYZER,),
    only_compiles=True,
    tests=_tests,
)
