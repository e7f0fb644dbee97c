"""The texts that a command leads to: a shell's script, the recipes of a Makefile's goals, a package's scripts (SPEC Q9)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from compile_loop.checks.build_goals import MAKE, MANAGER, made_by, packaged
from compile_loop.checks.followed import is_shell_script, text_of
from compile_loop.checks.hearing.judging import Kind, kind_of, name_of
from compile_loop.checks.hearing.shell_commands import options_of, without_wrappers
from compile_loop.checks.hearing.shell_parser import parse_shell
from compile_loop.checks.hearing.shell_tree import Node, UnreadableShellError
from compile_loop.checks.hearing.ways import Reached, Shell

_SHELL = re.compile(r"(?:.*/)?(?:ba|da|z|k)?sh$")
_SHEBANG = re.compile(r"#!\s*(?:\S*/env\s+(?:-S\s+)?)?\S+(.*)")


@dataclass(frozen=True, slots=True)
class Part:
    """A text for one shell, and the folder that it starts in; `script` is its file.

    `ignored`: whoever runs it goes on whatever it says. `nothing` is why nothing is run there at all.
    """

    text: str
    shell: Shell
    folder: Path
    script: Path | None = None
    ignored: bool = False
    nothing: str = ""


def parts_behind(one: Reached, within: Part, root: Path) -> list[tuple[str, list[Part]]]:
    """The places that a command leads to, by name, each with its texts."""
    folder, words = _folder(one.folder, within), list(one.words)
    if not words:
        return []
    if MAKE.match(words[0]):
        return _recipes(words[1:], folder, root)
    if MANAGER.match(words[0]):
        return _package(words[1:], folder, root)
    return _script(words, folder, root)


def _folder(said: str, within: Part) -> Path:
    """Where a command runs: `@` is its script's own folder, `?` is taken for where the text starts."""
    if said.startswith("@"):
        return (within.script.parent if within.script else within.folder) / said[1:].lstrip("/")
    return within.folder / (said if said != "?" else ".")


def _script(words: list[str], folder: Path, root: Path) -> list[tuple[str, list[Part]]]:
    options: list[str] = []
    if _SHELL.match(words[0]):
        rest = words[1:]
        while rest and re.match(r"[-+]\w", rest[0]):
            options.append(rest.pop(0))
            if re.match(r"[-+]\w*o$", options[-1]) and rest:
                options.append(rest.pop(0))
        if "n" in "".join(option.lstrip("-") for option in options if re.match(r"-\w+$", option)):
            return []
        words = rest
    if not words or "\0" in words[0]:
        return []
    place = (folder / words[0]).resolve()
    if not (place.is_relative_to(root.resolve()) and place.is_file() and (options or is_shell_script(place))):
        return []
    text = text_of(place)
    first = _SHEBANG.match(text)
    errexit, pipefail = options_of([*(first.group(1).split() if first else []), *options], False, False)
    shell = Shell(errexit, pipefail, tuple(words[1:]), sourced(folder, place, root))
    return [(_named(place, root), [Part(text, shell, folder, place)])]


def sourced(folder: Path, script: Path | None, root: Path) -> Callable[[str, str], Node | None]:
    """How a text's shell reads in other files of the workspace."""
    known: dict[Path, Node | None] = {}

    def read(word: str, entered: str) -> Node | None:
        name = word.rpartition("/")[2] if "$" in word else word
        above = [script.parent] if script else []
        for place in ((each / name).resolve() for each in (folder / entered.strip("@?/"), folder, *above)):
            if "\0" not in name and place.is_relative_to(root.resolve()) and place.is_file():
                if place not in known:
                    try:
                        known[place] = parse_shell(text_of(place))
                    except UnreadableShellError:
                        known[place] = None
                return known[place]
        return None

    return read


def _recipes(words: list[str], folder: Path, root: Path) -> list[tuple[str, list[Part]]]:
    made = made_by(words, folder, root)
    if made is None:
        return []
    errexit, pipefail = options_of(made.makefile.shell_flags, False, False)
    own = made.makefile.shell
    nothing = f"its SHELL, {own}, runs nothing of it" if _shows(own) else ""
    found: dict[str, list[Part]] = {}
    for step in made.makefile.steps(made.goals):
        shell = Shell(errexit, pipefail, (), sourced(made.folder, None, root))
        part = Part(step.line, shell, made.folder, ignored=step.ignored, nothing=nothing)
        found.setdefault(f"the recipe of {step.goal} ({_named(made.makefile.path, root)})", []).append(part)
    return list(found.items())


def _shows(shell: str) -> bool:
    """Whether what stands in for a shell only prints or passes."""
    words = without_wrappers(shell.split())
    return bool(words) and kind_of(words[:1]) is Kind.SHOWS and not _SHELL.match(words[0])


def _package(words: list[str], folder: Path, root: Path) -> list[tuple[str, list[Part]]]:
    run = packaged(words, folder, root)
    if run is None:
        return []
    name = f"the script {run.name} ({_named(run.folder / 'package.json', root)})"
    if not run.lines:
        nothing = f"there is no script “{run.name}”, and nothing is run" if "--if-present" in words else ""
        return [(name, [Part("", Shell(), run.folder, nothing=nothing)])]
    return [(name, [Part(line, Shell(), run.folder) for line in run.lines])]


def _named(place: Path, root: Path) -> str:
    resolved = place.resolve()
    return (
        resolved.relative_to(root.resolve()).as_posix()
        if resolved.is_relative_to(root.resolve())
        else name_of([str(place)])
    )
