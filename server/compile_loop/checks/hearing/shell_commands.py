"""A simple command of a shell's tree as what it is: its program past wrappers, what it reads, writes, sets and hands on."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Sequence as Listed
from dataclasses import dataclass, field, replace
from itertools import pairwise

from compile_loop.checks.hearing.judging import Kind, drops_failure, judges_input, kind_of, name_of, place_of_program
from compile_loop.checks.hearing.shell_parser import parse_shell
from compile_loop.checks.hearing.shell_tree import (
    AndOr,
    Case,
    Function,
    Group,
    If,
    Loop,
    Node,
    Pipeline,
    Redirect,
    Sequence,
    Simple,
    UnreadableShellError,
)

_WRAPPERS = re.compile(
    r"(?:time|nice|nohup|ionice|setsid|g?timeout|stdbuf|sudo|doas|env|command|builtin|exec|xvfb-run|unbuffer|chronic|npx|bunx|busybox|"
    r"strace|ltrace|catchsegv|caffeinate|faketime|chrt|taskset|linux32|linux64|setarch)$"
)
_RUNNERS = frozenset(
    {"uv", "poetry", "pipenv", "pdm", "hatch", "rye", "bundle", "npm", "pnpm", "yarn", "conda", "mise", "direnv"}
)
_WRAPPERS_OWN = re.compile(r"-|\d+(?:\.\d+)?[smhd]?$|(?:SIG)?(?:KILL|TERM|INT)$|[A-Za-z_]\w*=")
_SHELL = re.compile(r"(?:.*/)?(?:ba|da|z|k)?sh$")
_ALL_ARGUMENTS = frozenset({"$@", "$*", "${@}", "${*}"})
_ARGUMENT = re.compile(r"\$(?:(\d)|\{(\d)\})$")
SHOWS = re.compile(r"(?:echo|printf|cat|tee|head|tail|sed|sort)\b")
"""The beginnings of commands that only show what they are given."""
_SAYS = frozenset({"echo", "printf", "cat", "head", "tail", "true", ":", "continue", "((", "let"})
_DECLARES = frozenset({"export", "local", "declare", "readonly", "typeset"})
_SET_IN_ARITHMETIC = re.compile(r"([A-Za-z_]\w*)\s*(?:\+\+|--|[-+*/%|&^]?=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)")
_OUTPUT_OPTION = frozenset({"-o", "--output", "-out", "--out", "--log", "--log-file", "--output-file", "--outfile"})
_COPIES = frozenset({"tee", "cp", "mv", "install", "ln", "sponge", "ts"})
_XARGS_VALUES = re.compile(r"-[nPILdasE]$|--(?:max-args|max-procs|max-lines|delimiter|arg-file)$")
_WRITES = frozenset({">", ">>", ">|", "&>", "&>>", ">&", "<>"})


@dataclass(frozen=True, slots=True)
class Handed:
    """A text that a command hands to a shell, and how that is started; `here`: to the shell itself, by `eval`.

    `at` is where its arguments begin among the command's words, 0 for none. `dropped`: nobody hears how it ends.
    """

    tree: Node
    errexit: bool = False
    pipefail: bool = False
    here: bool = False
    at: int = 0
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """`words` are those past wrappers; `own` are those of the program that it comes to (for `xargs` and `find` another).

    Files in `reads`, `writes` and `names` are told by `file:` and their name without a folder.
    """

    words: tuple[str, ...]
    own: tuple[str, ...]
    kind: Kind
    reads: frozenset[str]
    writes: frozenset[str]
    names: frozenset[str]
    judges_input: bool
    each: bool = False
    """Run for each of many, and nobody hears how that ends."""
    drops: bool = False
    """Code of its own that starts a program, and goes on whatever that says."""
    replaces: bool = False
    """`exec`: the shell ends with it."""
    sets: tuple[str, ...] = ()
    handed: Handed | None = None
    trapped: tuple[Node | None, frozenset[str]] = field(default=(None, frozenset()))

    @property
    def copies(self) -> frozenset[str]:
        """The files that hold what it reads, where it copies that."""
        return self.names if name_of(self.words) in _COPIES else frozenset()


def command_of(node: Simple, arguments: Listed[str], depth: int = 0) -> Command:
    """What a simple command is; `arguments` are those of the function or text that it stands in."""
    texts = list(_expanded([word.text for word in node.words], arguments))
    words = without_wrappers(texts)
    if texts and not words:
        words = ["env"] if texts[-1:] == ["env"] else ["true"]
    own, each = _own(words)
    silent = any(r.target.text == "/dev/null" and r.sign in _WRITES and r.stream in ("", "1") for r in node.redirects)
    return Command(
        tuple(words),
        tuple(own),
        kind_of(own),
        read(node.redirects),
        written(node.redirects) | _outputs(own),
        frozenset(_file(word.rpartition("=")[2]) for word in words if word and not word.startswith("--")),
        judges_input(own, silent),
        each=each,
        drops=drops_failure(own) or any(drops_failure([*own, "-c", each]) for each in _fed_code(own, node.redirects)),
        replaces="exec" in texts[:1] and words != ["true"],
        sets=tuple(_sets(words)),
        handed=_handed(words, node.redirects, each),
        trapped=_trapped(words) if words[:1] == ["trap"] else (None, frozenset()),
    )


def in_turns(command: Command, turns: Listed[tuple[str, str]]) -> Command:
    """The same where its program or script is the variable of a loop around: that is named by the loop's first word."""
    own, at = list(command.own), place_of_program(command.own)
    for variable, word in turns if own else ():
        for written_so in (f"${{{variable}}}", f"${variable}"):
            if own[at].endswith(written_so):
                own[at] = own[at].removesuffix(written_so) + word
    if own == [*command.own]:
        return command
    named = at == 0 and command.kind is Kind.UNKNOWN
    return replace(command, own=tuple(own), kind=kind_of(own) if named else command.kind)


def only_says(node: Node) -> bool:
    """Whether a branch only says something or counts: nothing that it does can matter later but what it has counted."""
    for each in simple_in(node):
        words = [word.text for word in each.words]
        counts = all(re.search(r"\$\(\(|\bexpr\b|^\+=", value.text) for _, value in each.assigned)
        if (words[:1] and words[0] not in _SAYS) or (not words and not counts):
            return False
    return True


def _expanded(texts: Iterable[str], arguments: Listed[str]) -> Iterator[str]:
    for text in texts:
        if text in _ALL_ARGUMENTS:
            yield from arguments
        elif (made := _ARGUMENT.match(text)) and 0 < int(made.group(1) or made.group(2)) <= len(arguments):
            yield arguments[int(made.group(1) or made.group(2)) - 1]
        else:
            yield text


def without_wrappers(words: Listed[str]) -> list[str]:
    """The words from the program itself on: without `time`, `env X=1`, `timeout 5`, `uv run` and their like."""
    rest, wrapped = list(words), False
    while rest:
        if _WRAPPERS.match(name_of(rest)) and not (name_of(rest) == "command" and rest[1:2] in (["-v"], ["-V"])):
            rest.pop(0)
            wrapped = True
        elif (
            rest[0] in _RUNNERS
            and rest[1:2] in (["run"], ["exec"])
            and not (rest[0] in ("npm", "pnpm", "yarn") and rest[1] == "run")
        ):
            del rest[:2]
            wrapped = True
        elif wrapped and _WRAPPERS_OWN.match(rest[0]):
            rest.pop(0)
        else:
            return rest
    return rest


def _own(words: list[str]) -> tuple[list[str], bool]:
    """The words of the program that a command comes to, and whether nobody hears how each of its runs ends."""
    name = name_of(words)
    if name == "find":
        for at, word in enumerate(words):
            if word in ("-exec", "-execdir", "-ok", "-okdir"):
                end = next((n for n in range(at, len(words)) if words[n] in (";", "+")), len(words))
                return without_wrappers(words[at + 1 : end]), words[end : end + 1] != ["+"]
    elif name == "xargs":
        rest = words[1:]
        while rest and rest[0].startswith("-"):
            rest = rest[2:] if _XARGS_VALUES.match(rest[0]) else rest[1:]
        return without_wrappers(rest) or ["echo"], False
    elif name == "parallel":
        rest = [word for word in words[1:] if not word.startswith("-")]
        return rest[: next((at for at, word in enumerate(rest) if word.startswith(":::")), len(rest))], False
    return words, False


def _fed_code(own: Listed[str], redirects: Listed[Redirect]) -> Iterator[str]:
    """The here-documents that an interpreter without a program reads as one."""
    if own[1:] in ([], ["-"]):
        yield from (redirect.here for redirect in redirects if redirect.here is not None)


def _handed(words: Listed[str], redirects: Listed[Redirect], each: bool) -> Handed | None:
    try:
        if words[:1] == ["eval"]:
            return Handed(parse_shell(" ".join(words[1:])), here=True)
        if name_of(words) == "script" and (found := _script_text(words)):
            return Handed(parse_shell(found), dropped=not any(re.match(r"-\w*e|--return", word) for word in words[1:]))
        for at, word in enumerate(words):
            if _SHELL.match(word):
                return _of_shell(words, at, redirects, each)
    except UnreadableShellError:
        pass
    return None


def _script_text(words: Listed[str]) -> str:
    return next((text for option, text in pairwise(words) if re.match(r"-\w*c$|--command$", option)), "")


def _of_shell(words: Listed[str], at: int, redirects: Listed[Redirect], each: bool) -> Handed | None:
    rest, given = list(words[at + 1 :]), False
    errexit = pipefail = False
    while rest and re.match(r"[-+]\w|--\w", rest[0]):
        option = rest.pop(0)
        given = given or re.match(r"-\w*c\w*$", option) is not None
        long = [rest.pop(0)] if re.match(r"[-+]\w*o$", option) and rest else []
        errexit, pipefail = options_of([option, *long], errexit, pipefail)
    if given and rest:
        return Handed(parse_shell(rest[0]), errexit, pipefail, at=len(words) - len(rest) + 1, dropped=each)
    here = [redirect.here for redirect in redirects if redirect.here is not None]
    if here and (not rest or "-s" in words) and at == 0:
        return Handed(parse_shell(here[-1]), errexit, pipefail)
    return None


def _trapped(words: Listed[str]) -> tuple[Node | None, frozenset[str]]:
    rest = [word for word in words[1:] if word != "--"]
    if not rest:
        return None, frozenset()
    signals = frozenset(word.upper().removeprefix("SIG") for word in rest[1:])
    try:
        return (None if rest[0] in ("-", "") else parse_shell(rest[0])), signals
    except UnreadableShellError:
        return None, signals


def options_of(words: Listed[str], errexit: bool, pipefail: bool) -> tuple[bool, bool]:
    """Whether a shell heeds failures, and those in pipes, after `set` with these words."""
    for word, following in pairwise([*words, ""]):
        if not re.match(r"[-+][A-Za-z]+$", word):
            continue
        on = word[0] == "-"
        errexit = on if "e" in word[1:] else errexit
        if word.endswith("o"):
            errexit = on if following == "errexit" else errexit
            pipefail = on if following == "pipefail" else pipefail
    return errexit, pipefail


def _file(word: str) -> str:
    return f"file:{word.rstrip('/').rpartition('/')[2]}"


def _outputs(words: Listed[str]) -> frozenset[str]:
    """The files that a program is told to make: by an option, or as goals of make."""
    if name_of(words) in ("make", "gmake"):
        return frozenset(_file(goal) for goal in words[1:] if re.fullmatch(r"[\w.][\w./-]*", goal))
    found = {_file(value) for option, value in pairwise(words) if option in _OUTPUT_OPTION}
    return frozenset(
        found | {_file(w.partition("=")[2]) for w in words if w.partition("=")[0] in _OUTPUT_OPTION and "=" in w}
    )


def written(redirects: Iterable[Redirect]) -> frozenset[str]:
    """The files that redirections write to."""
    return frozenset(
        _file(r.target.text)
        for r in redirects
        if r.sign in _WRITES and not re.match(r"\d+$|-$|/dev/", r.target.text) and r.stream != "2"
    )


def read(redirects: Iterable[Redirect]) -> frozenset[str]:
    """The files that redirections read from."""
    return frozenset(_file(r.target.text) for r in redirects if r.sign in ("<", "<>"))


def _sets(words: Listed[str]) -> Iterator[str]:
    """The variables that a builtin sets."""
    if words[:1] in (["(("], ["let"]):
        for found in _SET_IN_ARITHMETIC.finditer(" ".join(words[1:])):
            yield found.group(1) or found.group(2)
    elif words and words[0] in _DECLARES:
        yield from (made.group() for word in words[1:] if (made := re.match(r"[A-Za-z_]\w*(?=\+?=)", word)))
    elif words[:1] in (["read"], ["readarray"], ["mapfile"]):
        yield from (word for word in words[1:] if word.isidentifier())
    elif words[:2] == ["printf", "-v"]:
        yield words[2] if len(words) > 2 else ""


def set_in(node: Node, functions: Mapping[str, Node], calls: int = 0) -> frozenset[str]:
    """The variables and files that a command would have set or made."""
    found: set[str] = set()
    for each in simple_in(node):
        found |= {name for name, _ in each.assigned}
        words = [word.text for word in each.words]
        found |= {*_sets(words), *written(each.redirects)} | {_file(word) for word in words[1:]}
        if words and words[0] in functions and calls < 3:
            found |= set_in(functions[words[0]], functions, calls + 1)
    return frozenset(found)


def simple_in(node: Node | None, functions: bool = False) -> Iterator[Simple]:
    """The simple commands of a tree, substitutions left out, and where not asked for those in functions made there."""
    if isinstance(node, Simple):
        yield node
    elif isinstance(node, Function) and functions:
        yield from simple_in(node.body, functions)
    for each in _below(node):
        yield from simple_in(each, functions)


def _below(node: Node | None) -> Iterator[Node]:
    match node:
        case Sequence():
            yield from (each for each, _ in node.items)
        case AndOr():
            yield from (node.first, *(each for _, each, _ in node.rest))
        case Pipeline():
            yield from node.parts
        case If():
            yield from (each for branch in node.branches for each in branch)
            if node.otherwise is not None:
                yield node.otherwise
        case Loop():
            yield from (each for each in (node.condition, node.body) if each is not None)
        case Case():
            yield from node.branches
        case Group():
            yield node.body
        case Simple() | Function() | None:
            pass


def shown_in(node: Node | None) -> Iterator[Simple]:
    """The simple commands of a tree whose output goes to whoever looks on: into no file, and no program that may judge it."""
    if isinstance(node, Simple):
        if not written(node.redirects):
            yield node
    elif isinstance(node, Function):
        yield from shown_in(node.body)
    elif not isinstance(node, Pipeline) or all(SHOWS.match(raw_of(part)) for part in node.parts[1:]):
        for each in _below(node):
            yield from shown_in(each)


def raw_of(node: Node) -> str:
    """The text of a command, or of its first part."""
    if isinstance(node, Simple | Pipeline):
        return node.raw
    words = {If: "if …", Loop: "a loop", Case: "case …", Function: "a function"}
    if type(node) in words:
        return words[type(node)]
    return next((raw_of(each) for each in _below(node)), "")


def joined(folder: str, word: str) -> str:
    """A folder after `cd`; `@` is the script's own, `?` one that only a run can tell."""
    if "dirname" in word and re.search(r"\$0|\$\{0|BASH_SOURCE", word):
        return "@" + "/..".join([""] * (word.count("/..") + 1))
    if re.search(r"[$`*?~]", word) or folder == "?":
        return "?"
    return posixpath.normpath(posixpath.join(folder, word)) if not folder.startswith("@") else f"{folder}/{word}"
