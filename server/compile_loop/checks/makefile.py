"""What `make` runs for a goal, read from the Makefile; nothing is run, conditionals count with both branches (SPEC K6)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path

from compile_loop.checks.named_paths import places_of
from compile_loop.toolchains.plain_files import data_of

NAMES = ("GNUmakefile", "makefile", "Makefile")
_RULE = re.compile(r"([^\s#:=][^:=#]*?)\s*::?(?!=)\s*([^=#]*)")
_SET = re.compile(r"(?:export\s+|override\s+)*([\w.-]+)\s*(::?:?=|\?=|\+=|=)\s*(.*)$")
_SKIPPED = re.compile(r"(?:ifeq|ifneq|ifdef|ifndef|else|endif|define|endef|vpath|unexport)\b")
_SIGNS = re.compile(r"[@+\s-]*")
_GOES_ON = re.compile(r"(?:^|\s)-\w*i\w*(?:\s|$)|^\w*i\w*$|--ignore-errors")
_BUILT_IN = {
    "MAKE": "make",
    "CURDIR": ".",
    "RM": "rm -f",
    "CC": "cc",
    "CXX": "c++",
    "AR": "ar",
    "LD": "ld",
    "CPP": "cc -E",
}
_MOST_RULES = 500
_MOST_DEPTH = 12
_MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class _Rule:
    goals: tuple[str, ...]
    needs: tuple[str, ...]
    recipe: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a goal's recipe, for one shell; `ignored`: make goes on whatever it says."""

    goal: str
    line: str
    ignored: bool


class Makefile:
    """The rules of one Makefile and what it includes, from `folder` on. Variables given on the command line win.

    `includes` are the words of its includes, there or not, and whether make does without; `files` are those that were read.
    """

    def __init__(self, path: Path, given: Mapping[str, str], folder: Path | None = None) -> None:
        self.path = path
        self._folder = folder or path.parent
        self.includes: list[tuple[str, bool]] = []
        self.files: list[Path] = []
        self._given = dict(given)
        self._variables: dict[str, str] = {**_BUILT_IN, **given}
        self._rules: list[_Rule] = []
        self._default = ""
        self._read(path, 0)

    def recipes(self, goals: Sequence[str]) -> Iterator[str]:
        """The recipes of the goals and of all that they need, each as one shell text; no goals: the first rule's."""
        for _, lines in self._recipes(goals):
            yield "\n".join(line for line, _ in lines)

    def steps(self, goals: Sequence[str]) -> Iterator[Step]:
        """What is run for the goals, line by line, or recipe by recipe where the Makefile says so."""
        ignored = {goal for rule in self._rules if rule.goals == (".IGNORE",) for goal in (rule.needs or ("*",))}
        if _GOES_ON.search(self._variables.get("MAKEFLAGS", "")):
            ignored.add("*")
        whole = any(".ONESHELL" in rule.goals for rule in self._rules)
        for goal, lines in self._recipes(goals):
            passes = bool({"*", goal} & ignored)
            if whole:
                yield Step(goal, "\n".join(line for line, _ in lines), passes or lines[0][1])
            else:
                yield from (Step(goal, line, passes or goes_on) for line, goes_on in lines)

    @property
    def shell(self) -> str:
        """What recipes' lines are handed to."""
        return self._expanded(self._variables.get("SHELL", "/bin/sh"), {})

    @property
    def shell_flags(self) -> tuple[str, ...]:
        """The options that recipes' shells are started with."""
        posix = any(".POSIX" in rule.goals for rule in self._rules)
        return tuple(self._expanded(self._variables.get(".SHELLFLAGS", "-ec" if posix else "-c"), {}).split())

    def _recipes(self, goals: Sequence[str]) -> Iterator[tuple[str, list[tuple[str, bool]]]]:
        """Each goal with the lines of its recipe, and whether make goes on where a line fails."""
        done: set[str] = set()
        wanted = [(goal, 0) for goal in (goals or [self._default]) if goal]
        while wanted and len(done) < _MOST_RULES:
            goal, depth = wanted.pop(0)
            if goal in done:
                continue
            done.add(goal)
            for rule, stem in self._of(goal):
                needs = [need.replace("%", stem, 1) for need in rule.needs]
                if depth < _MOST_DEPTH:
                    wanted += [(need, depth + 1) for need in needs]
                own = {
                    "@": goal,
                    "<": needs[0] if needs else "",
                    "^": " ".join(needs),
                    "+": " ".join(needs),
                    "?": " ".join(needs),
                    "*": stem or goal.rpartition(".")[0],
                }
                if rule.recipe:
                    signs = [_SIGNS.match(line) for line in rule.recipe]
                    yield (
                        goal,
                        [
                            (self._expanded(line[sign.end() :], own).lstrip("@+ "), "-" in sign.group())
                            for line, sign in zip(rule.recipe, signs, strict=True)
                            if sign is not None
                        ],
                    )

    def _of(self, goal: str) -> Iterator[tuple[_Rule, str]]:
        """The rules for a goal, with what `%` stands for. Where it is a pattern itself, so may be the stem."""
        plain = [rule for rule in self._rules if goal in rule.goals]
        yield from ((rule, "") for rule in plain)
        if any(rule.recipe for rule in plain):
            return
        for rule in self._rules:
            for pattern in rule.goals:
                if "%" in pattern:
                    before, _, after = pattern.partition("%")
                    if goal.startswith(before) and goal.endswith(after) and len(goal) > len(before) + len(after):
                        yield rule, goal[len(before) : len(goal) - len(after)]
                        return
        if "*" in goal:
            alike = re.compile(translate(goal))
            yield from ((rule, "") for rule in self._rules if any(alike.match(each) for each in rule.goals))

    def _read(self, path: Path, depth: int) -> None:
        try:
            text = data_of(path, start=_MOST_BYTES).decode("utf-8", "replace")
        except OSError:
            return
        self.files.append(path)
        recipe: list[str] | None = None
        for raw in re.sub(r"\\\r?\n[ \t]*", " ", text).splitlines():
            line = raw.strip()
            if raw.startswith("\t") and recipe is not None:
                recipe.append(line)
                continue
            if not line or line.startswith("#") or _SKIPPED.match(line):
                continue
            if (made := re.match(r"[-s]?include\s+(.*)$", line)) and depth < _MOST_DEPTH:
                for name in self._expanded(made.group(1).partition("#")[0], {}).split():
                    self.includes.append((name, line[0] in "-s"))
                    for place in places_of(self._folder, name):
                        self._read(place, depth + 1)
            elif (made := _SET.match(line)) and ":" not in made.group(1):
                self._set(*made.groups())
                recipe = None
            else:
                head, _, first = line.partition(";")
                if made := _RULE.match(self._expanded(head, {})):
                    needs = made.group(2).rpartition(":")[2]  # a static pattern rule has its pattern in between
                    recipe = [first.strip()] if first else []
                    self._add(tuple(made.group(1).split()), tuple(n for n in needs.split() if n != "|"), recipe)

    def _add(self, goals: tuple[str, ...], needs: tuple[str, ...], recipe: list[str]) -> None:
        if goals == (".DEFAULT_GOAL",):
            return
        if not self._default and goals and not goals[0].startswith(".") and "%" not in goals[0]:
            self._default = goals[0]
        self._rules.append(_Rule(goals, needs, recipe))  # type: ignore[arg-type]

    def _set(self, name: str, sign: str, value: str) -> None:
        value = re.sub(r"\s+#.*$", "", value)
        if name == ".DEFAULT_GOAL":
            self._default = value
        elif name in self._given or (sign == "?=" and name in self._variables):
            return
        elif sign == "+=":
            self._variables[name] = f"{self._variables.get(name, '')} {value}".strip()
        elif sign.startswith(":") and ("$(shell " not in value or name in value):
            self._variables[name] = self._expanded(value, {})
        else:
            self._variables[name] = value

    # --- $(…)

    def _expanded(self, text: str, own: Mapping[str, str], depth: int = 0) -> str:
        """A text with its variables and functions; what only a run can tell is `*`."""
        if "$" not in text or depth > _MOST_DEPTH:
            return text
        parts, at = [], 0
        while (sign := text.find("$", at)) >= 0 and sign + 1 < len(text):
            parts.append(text[at:sign])
            following = text[sign + 1]
            if following in "({":
                end = _closed(text, sign + 1)
                parts.append(self._value(text[sign + 2 : end], own, depth))
                at = end + 1
            else:
                parts.append("$" if following == "$" else own.get(following, self._variables.get(following, "")))
                at = sign + 2
        return "".join([*parts, text[at:]])

    def _value(self, inside: str, own: Mapping[str, str], depth: int) -> str:
        function, _, rest = inside.partition(" ")
        if rest and re.fullmatch(r"[a-z-]+", function):
            return self._called(function, rest, own, depth)
        if made := re.fullmatch(r"([^:]+):([^=]*)=(.*)", inside):
            name, old, new = made.groups()
            old, new = self._expanded(old, own, depth + 1), self._expanded(new, own, depth + 1)
            pattern = old if "%" in old else f"%{old}"
            return _patsubst(pattern, new if "%" in old else f"%{new}", self._value(name, own, depth + 1))
        name = self._expanded(inside, own, depth + 1)
        if name[:1] in own and name[1:] in ("D", "F"):
            words = own[name[:1]].split()
            return " ".join(w.rpartition("/")[0] or "." if name[1:] == "D" else w.rpartition("/")[2] for w in words)
        if name in own:
            return own[name]
        value = self._variables.get(name)
        return self._expanded(value, own, depth + 1) if value is not None else ""

    def _read_out(self, function: str, text: str, *, in_recipe: bool) -> str:
        """What a command prints or a file holds: within a recipe as a shell would say it, to be seen as what it is."""
        if function == "file":
            if not text.startswith("<"):
                return ""
            name = text[1:].strip()
            self.includes.append((name, True))
            text = f"cat {name}"
        return f"$({text})" if in_recipe else "*"

    def _called(self, function: str, rest: str, own: Mapping[str, str], depth: int) -> str:
        if function == "foreach":
            parts = _arguments(rest)
            if len(parts) < 3:
                return "*"
            name, words, body = parts[0].strip(), self._expanded(parts[1], own, depth + 1).split(), ",".join(parts[2:])
            return " ".join(self._expanded(body, {**own, name: word}, depth + 1) for word in words[:_MOST_RULES])
        if function in ("shell", "file"):
            return self._read_out(function, self._expanded(rest, own, depth + 1), in_recipe="@" in own)
        given = [self._expanded(part, own, depth + 1) for part in _arguments(rest)]
        words = given[-1].split()
        if function in ("patsubst", "subst") and len(given) == 3:
            old, new, text = given
            return _patsubst(old.strip(), new.strip(), text) if function == "patsubst" else text.replace(old, new)
        if function in ("addprefix", "addsuffix") and len(given) == 2:
            return " ".join(given[0] + w if function == "addprefix" else w + given[0] for w in words)
        change = _OF_WORDS.get(function)
        return " ".join(map(change, words)) if change is not None else "*"


_OF_WORDS: dict[str, Callable[[str], str]] = {
    **dict.fromkeys(("wildcard", "sort", "strip", "abspath", "realpath", "filter", "filter-out"), str),
    "notdir": lambda word: word.rpartition("/")[2],
    "dir": lambda word: (word.rpartition("/")[0] or ".") + "/",
    "basename": lambda word: re.sub(r"\.[^./]*$", "", word),
}
"""Functions that change each word by itself, or none."""


def _closed(text: str, at: int) -> int:
    """Where the bracket that opens at `at` is shut, or the text's end."""
    opener = text[at]
    closer = ")" if opener == "(" else "}"
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] == opener) - (text[place] == closer)
        if not depth:
            return place
    return len(text)


def _arguments(text: str) -> list[str]:
    """A function's arguments: what stands between the commas outside of brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += (char in "({") - (char in ")}")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _patsubst(pattern: str, replacement: str, text: str) -> str:
    before, _, after = pattern.partition("%")
    found = []
    for word in text.split():
        if "%" in pattern and word.startswith(before) and word.endswith(after):
            found.append(replacement.replace("%", word[len(before) : len(word) - len(after)], 1))
        else:
            found.append(replacement if word == pattern else word)
    return " ".join(found)
