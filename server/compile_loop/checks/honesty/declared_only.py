"""Declarations of the project's own modules for which there is no program: types that hold nothing at run time (SPEC K7)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from compile_loop.checks.honesty.texts import Text
from compile_loop.checks.honesty.weigh import Case
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.edits import FileChange
from compile_loop.contracts.honesty import Finding

_SCRIPT = re.compile(r"\.(?:[cm]?[jt]s|[jt]sx)$")
_DECLARATIONS = re.compile(r"\.d\.[cm]?ts$")
_PROGRAMS = ("ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "json", "node", "wasm", "vue", "svelte")
_COMPILED = ("py", "pyx", "so", "pyd", "c", "cc", "cpp", "rs")
_BUILDS = ("Cargo.toml", "CMakeLists.txt", "meson.build", "setup.py")
"""With one of these a Python module may be compiled from a program of another name."""
_ASSET = re.compile(
    r"[?!:]|\.(?:svg|png|jpe?g|gif|webp|avif|ico|bmp|css|scss|sass|less|styl|pcss|json[5c]?|ya?ml|toml|txt|mdx?|html?|vue|svelte|astro|"
    r"graphql|gql|glsl|vert|frag|wgsl|wasm|node|mp[34]|webm|ogg|wav|woff2?|ttf|eot|otf|pdf|csv|xml|proto|sql|po|hbs|ejs|pug|njk)$"
)
"""What a bundler makes a module of."""
_OF_OTHERS = re.compile(r"(?:^|/)(?:@?types|typings|stubs|typeshed|vendor|node_modules|[^/]+-stubs)/")
"""Folders of declarations for installed packages."""
_GENERATED = re.compile(r"_pb2(?:_grpc)?$|(?:^|/)_version$")

_TS_VALUE = re.compile(
    r"^\s*(?:export\s+(?:default\b|=)|(?:export\s+)?(?:declare\s+)?"
    r"(?:async\s+)?(?:function|const(?!\s+enum)|let|var|(?:abstract\s+)?class|enum|namespace)\b)",
    re.MULTILINE,
)
_VALUE_INSIDE = re.compile(
    r"[{;\n]\s*(?:export\s+(?:default\b|=)|(?:export\s+)?(?:declare\s+)?(?:function|const(?!\s+enum)|let|var|(?:abstract\s+)?class|enum)\b)"
)
_PY_VALUE = re.compile(
    r"^(?:async\s+)?def\s|^class\s+\w+(?!\w|\s*\([^)]*\b(?:Protocol|TypedDict)\b)|^[a-z_]\w*\s*:(?!\s*(?:\w+\.)?TypeAlias\b)",
    re.MULTILINE,
)
_AMBIENT = re.compile(r"""\bdeclare\s+module\s+["']([^"'\n]+)["']\s*(\{)?""")
_TYPES_IMPORTED = re.compile(r"""\b(?:im|ex)port\s+type\b[^;'"]*?\bfrom\s*["'][^"'\n]+["']""")
_IMPORTED = re.compile(r"""(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*["']([^"'\n]+)["']""")
_NOT_FOUND = re.compile(
    r"""(?:[Cc]annot find module|[Uu]nable to resolve path to module|[Cc]an't resolve) ["']([^"']+)["']"""
)
_PY_IMPORTED = re.compile(r"^\s*(?:from\s+([\w.]+)\s+import\s+([^#\n]+)|import\s+([\w.]+))", re.MULTILINE)
_PY_NOT_FOUND = re.compile(
    r"""(?:[Cc]annot find implementation or library stub for module named|[Cc]annot find module|No module named|Import|"""
    r"""[Cc]annot resolve imported module|[Cc]ould not find import of) ["'`]([\w.]+)["'`]"""
)

_WHOLE = "no program of the workspace implements what it declares"


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A module by the name that a file asks for."""

    name: str
    file: str

    @property
    def own(self) -> bool:
        return self.name.startswith((".", "/", "~/", "@/", "#"))

    @property
    def place(self) -> str:
        """The path without its ending; an alias or a package gives the end of one."""
        name = re.sub(r"\.[cm]?jsx?$", "", self.name)
        if name.startswith("."):
            return posixpath.normpath(posixpath.join(posixpath.dirname(self.file), name))
        return re.sub(r"^(?:[~@]?/|#/?)", "", name)

    def leads_to(self, stem: str) -> bool:
        stem = stem.removesuffix("/index")
        place = self.place.removesuffix("/index")
        if self.name.startswith("."):
            return stem == place
        if self.own:
            return f"/{stem}".endswith(f"/{place}")
        return "/" in self.name and not _OF_OTHERS.search(stem) and stem.rsplit("/", 1)[-1] == place.rsplit("/", 1)[-1]


def declared_only(
    case: Case, files: Sequence[FileChange], baseline: Sequence[Diagnostic], exists: Callable[[str], bool]
) -> list[Finding]:
    """Suspicions over the declaration files of an edit. `exists`: whether the workspace has a file, before the edit."""
    left = {file.path for file in files if file.after is not None}
    gone = {file.path for file in files if file.after is None}

    def stays(path: str) -> bool:
        return path in left or (path not in gone and exists(path))

    found = []
    for file in files:
        if file.after is None or case.wish.mentions(file.path) or case.wish.mentions(file.path.rsplit("/", 1)[-1]):
            continue
        new, old = Text(file.after, file.encoding), Text(file.before, file.encoding)
        for line in _without_program(file, new.text, old.text, files, baseline, stays, gone):
            text = f"no program of the workspace implements it: {new.row(line - 1)}" if line else _WHOLE
            found.append(Finding(file.path, line, "stub", text[:160].rstrip(" {"), False))
    return found


def _without_program(
    file: FileChange,
    new: str,
    old: str,
    files: Sequence[FileChange],
    baseline: Sequence[Diagnostic],
    stays: Callable[[str], bool],
    gone: set[str],
) -> Iterator[int]:
    """Lines that declare what nothing implements; 0 for a whole file."""
    if file.path.endswith(".pyi"):
        stem = file.path.removesuffix(".pyi").removesuffix("/__init__")
        if file.before is None and _PY_VALUE.search(new) and not _compiled(stem, stays):
            replaced = {f"{stem}.py", f"{stem}/__init__.py"} & gone
            if replaced or any(_is_module(name, stem) for name in _python_modules(files, baseline)):
                yield 0
        return
    if not _SCRIPT.search(file.path):
        return
    wanted = [one for one in _modules(files, baseline) if not _ASSET.search(one.name)]
    if file.before is None and _DECLARATIONS.search(file.path) and _TS_VALUE.search(_outside_ambient(new)):
        stem = _DECLARATIONS.sub("", file.path)
        replaced = {f"{stem}.{ending}" for ending in _PROGRAMS} & gone
        asked = bool(replaced) or any(one.leads_to(stem) for one in wanted)
        if asked and not _ASSET.search(stem) and not _has_program(stem, stays):
            yield 0
    before = {match[1] for match in _AMBIENT.finditer(old)}
    for match in _AMBIENT.finditer(new):
        if match[1] in before or (match[2] and not _declares_value(new, match.end())):
            continue
        if any(_is_said(match[1], one) and not _implemented(one, stays) for one in wanted if one.own):
            yield new.count("\n", 0, match.start()) + 1


def _is_said(pattern: str, one: _Wanted) -> bool:
    """Whether an ambient module's name, in which a star stands for anything, takes in the module."""
    return fnmatchcase(one.name, re.sub(r"([\[?])", r"[\1]", pattern))


def _implemented(one: _Wanted, stays: Callable[[str], bool]) -> bool:
    if one.name.startswith("."):
        return _has_program(one.place, stays)
    return any(_has_program(f"{root}{one.place}", stays) for root in ("", "src/", "app/", "lib/"))


def _has_program(stem: str, stays: Callable[[str], bool]) -> bool:
    return any(stays(f"{stem}.{ending}") or stays(f"{stem}/index.{ending}") for ending in _PROGRAMS)


def _declares_value(text: str, start: int) -> bool:
    """Whether the braces that open before `start` hold more than types."""
    return _VALUE_INSIDE.search(text, start - 1, _end_of(text, start)) is not None


def _end_of(text: str, start: int) -> int:
    depth = 1
    for match in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if match[0] == "{" else -1
        if not depth:
            return match.start()
    return len(text)


def _outside_ambient(text: str) -> str:
    """The text without `declare module` and `declare global` blocks, which speak of other modules."""
    kept, at = [], 0
    for match in re.finditer(r"""\bdeclare\s+(?:module\s+["'][^"'\n]+["']|global)\s*\{""", text):
        if match.start() >= at:
            kept.append(text[at : match.start()])
            at = _end_of(text, match.end())
    return "".join([*kept, text[at:]])


def _modules(files: Sequence[FileChange], baseline: Sequence[Diagnostic]) -> Iterator[_Wanted]:
    """Modules that failures miss, and those that the edit newly imports."""
    for diagnostic in baseline:
        for name in _NOT_FOUND.findall(diagnostic.message):
            yield _Wanted(name, diagnostic.file or "")
    for file in files:
        if file.after is not None and _SCRIPT.search(file.path) and not _DECLARATIONS.search(file.path):
            old, new = (
                set(_IMPORTED.findall(_TYPES_IMPORTED.sub("", Text(side, file.encoding).text)))
                for side in (file.before, file.after)
            )
            for name in new - old:
                yield _Wanted(name, file.path)


def _compiled(stem: str, stays: Callable[[str], bool]) -> bool:
    """Whether a Python module has a program, or may have one of another name, or is no module of the project's."""
    if _OF_OTHERS.search(f"{stem}/") or _GENERATED.search(stem):
        return True
    if any(stays(f"{stem}.{ending}") for ending in _COMPILED) or stays(f"{stem}/__init__.py"):
        return True
    folders = [stem[:at] for at, sign in enumerate(stem) if sign == "/"]
    return any(stays(f"{folder}/{name}" if folder else name) for folder in ["", *folders] for name in _BUILDS)


def _python_modules(files: Sequence[FileChange], baseline: Sequence[Diagnostic]) -> Iterator[str]:
    for diagnostic in baseline:
        yield from _PY_NOT_FOUND.findall(diagnostic.message)
    for file in files:
        if file.after is not None and file.path.endswith(".py"):
            old = set(_imported(Text(file.before, file.encoding).text))
            yield from set(_imported(Text(file.after, file.encoding).text)) - old


def _imported(text: str) -> Iterator[str]:
    for source, names, whole in _PY_IMPORTED.findall(text):
        yield whole or source
        for name in re.findall(r"\w+", names) if source else ():
            yield f"{source.rstrip('.')}.{name}"


def _is_module(name: str, stem: str) -> bool:
    path = name.strip(".").replace(".", "/")
    return bool(path) and f"/{stem}".endswith(f"/{path}")
