"""Which files of the workspace a program takes in by its imports, by its text; nothing is run (SPEC K6)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

_PYTHON = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+([^\n#]+)|import[ \t]+([\w., \t]+))", re.MULTILINE
)
_PYTHON_CALLS = re.compile(
    r"\b(?:import_module|__import__)\s*\(\s*[\"']([\w.]+)|\brun_(?:path|module)\s*\(\s*[\"']([\w./]+)"
)
_SCRIPTS = re.compile(
    r"""(?:\brequire(?:\.resolve)?\s*\(|\bimport\s*\(|\bfrom|^\s*import|\bexport\s[^\n]*?\bfrom)\s*["'](\.{1,2}/[^"'\n]+)["']""",
    re.MULTILINE,
)
_OTHERS = {
    ".rb": re.compile(r"\b(?:require_relative|require|load)\s*\(?\s*[\"']([^\"'\n]+)"),
    ".php": re.compile(r"\b(?:require|include)(?:_once)?\b[^;\n\"']*[\"']/?([^\"'\n]+)"),
    ".pl": re.compile(r"\b(?:require|do)\s+[\"']([^\"'\n]+)|^\s*use\s+([A-Z]\w*(?:::\w+)*)", re.MULTILINE),
    ".lua": re.compile(r"\b(?:require|dofile|loadfile)\s*\(?\s*[\"']([^\"'\n]+)"),
}
_OF_SCRIPTS = re.compile(r"\.(?:[cm]?[jt]sx?)$")
ENDINGS = {
    "script": (
        "", ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".jsx", ".tsx", ".json", "/index.js", "/index.ts",
        "/index.cjs", "/index.mjs",
    ),
    "python": (".py", "/__init__.py"),
}  # fmt: skip


def is_program(name: str) -> bool:
    """Whether a file of this name is of a language whose imports are read here."""
    return re.search(r"\.(?:py|[cm]?[jt]sx?|rb|php|p[lm]|t|lua)$", name) is not None


def imported_words(name: str, text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What a program takes in, as paths without their endings, each with the endings that it may have."""
    if name.endswith((".py", ".pyi")):
        for word in _python(text):
            yield word, ENDINGS["python"]
        for made in re.finditer(r"\bexec\s*\(\s*(?:compile\s*\(\s*)?open\s*\(\s*[\"']([^\"']+)", text):
            yield made.group(1), ("",)
    elif _OF_SCRIPTS.search(name):
        yield from ((made.group(1), ENDINGS["script"]) for made in _SCRIPTS.finditer(text))
    elif (pattern := _OTHERS.get(Path(name).suffix.replace(".pm", ".pl").replace(".t", ".pl"))) is not None:
        for made in pattern.finditer(text):
            word = next(part for part in made.groups() if part)
            yield word.replace("::", "/"), ("", Path(name).suffix, ".pm", ".rb", ".lua")


def imports(place: Path, text: str, folders: Sequence[Path], root: Path) -> set[str]:
    """The files of the workspace, relative to `root`, that a program at `place` takes in; `folders` are searched after its own."""
    found = set()
    for word, endings in imported_words(place.name, text):
        if (path := find(word, (place.parent, *folders), root, endings)) is not None:
            found.add(path)
    return found


def find(word: str, folders: Sequence[Path], root: Path, endings: Sequence[str] = ("",)) -> str | None:
    """The first file of the workspace that a word may mean, relative to `root`."""
    if not word or "\0" in word or len(word) > 400:
        return None
    for folder in dict.fromkeys(map(str, folders)):
        for ending in endings:
            try:
                said = os.path.join(folder, word + ending)  # noqa: PTH118 - a Path costs four times as much, some ten thousand times
                place = Path(said).resolve() if os.path.isfile(said) else None  # noqa: PTH113
                if place is not None and place.is_relative_to(root):
                    return place.relative_to(root).as_posix()
            except (OSError, ValueError):
                continue
    return None


def _python(text: str) -> Iterator[str]:
    for made in _PYTHON.finditer(text):
        module, names, plain = made.groups()
        if plain is not None:
            for part in plain.split(","):
                yield part.split(" as ")[0].strip().replace(".", "/")
            continue
        dots = len(module) - len(module.lstrip("."))
        above = "../" * max(0, dots - 1)
        base = above + module.lstrip(".").replace(".", "/")
        if module.lstrip("."):
            yield base
        for name in re.findall(r"\w+", names):
            yield f"{base}/{name}" if module.lstrip(".") else f"{above}{name}"
    for made in _PYTHON_CALLS.finditer(text):
        yield (made.group(1) or made.group(2).removesuffix(".py")).replace(".", "/")
