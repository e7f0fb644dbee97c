"""Which words of commands name data that a check compares with or feeds to a program (SPEC K6).

What a program prints, or writes where a command says so, is the product; what it is held against is the expectation. Where
two files are held against each other, their names must tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from compile_loop.checks.scripts import Command, without_what_stands_before
from compile_loop.checks.shell_text import Simple

_COMPARES = re.compile(
    r"(?:.*/)?(?:diff3?|colordiff|sdiff|wdiff|numdiff|icdiff|difft|cmp|comm|dyff|jd|json-?diff)(?:\.exe)?$"
)
_TESTS = frozenset({"test", "[", "[[", "case"})
_FILTERS = re.compile(
    r"(?:.*/)?(?:cat|head|tail|sort|uniq|sed|awk|gawk|mawk|tr|cut|paste|column|fold|fmt|expand|unexpand|nl|tac|rev|grep|egrep|fgrep|rg|jq|yq|"
    r"xmllint|xxd|od|hexdump|strings|base64|zcat|gunzip|gzip|xz|xzcat|iconv|dos2unix|wc|tee|md5sum|sha\d+sum|shasum|cksum)$"
)
"""Programs that pass on the text of files: what they are given is what is compared."""
_NEUTRAL = re.compile(
    r"(?:.*/)?(?:cd|pwd|dirname|basename|readlink|realpath|echo|printf|set|true|mktemp|date|sleep|:|done|fi|\}|rm|mkdir|touch|trap|popd|pushd|read)$"
)
"""Programs that say nothing of the code."""
_OWN_SCRIPT = frozenset({"sed", "awk", "gawk", "mawk", "grep", "egrep", "fgrep", "rg", "jq", "yq", "tr"})
"""Filters whose first plain word is no file."""
_OF_DIFF = frozenset(
    {
        "-I",
        "-x",
        "-X",
        "-F",
        "-U",
        "-C",
        "-W",
        "--label",
        "--exclude",
        "--exclude-from",
        "--ignore-matching-lines",
        "--width",
    }
)
_OF_FILTERS = frozenset(
    {
        "-n",
        "-c",
        "-b",
        "-d",
        "-f",
        "-e",
        "-k",
        "-t",
        "-s",
        "-m",
        "-A",
        "-B",
        "-w",
        "-F",
        "--tabsize",
        "--lines",
        "--bytes",
        "--indent",
    }
)
"""Options that take the next word."""
_TAKES_VALUE_OF = {
    "cmp": frozenset({"-n", "-i", "--bytes", "--ignore-initial"}),
    "comm": frozenset[str](),
    "cat": frozenset[str](),
    "jq": frozenset({"--indent", "-L"}),
}
_FILES_OF_OPTIONS = frozenset({"--slurpfile", "--rawfile", "--argfile"})
_HELD_AGAINST = re.compile(r"(?:.*/)?(?:md5sum|sha\d+sum|shasum|cksum|b2sum)$")

EXPECTED = re.compile(
    r"(?:^|[/._-])(?:exp|expect(?:ed|ation)?s?|want(?:ed)?|golden|gold|ref|refs|reference|correct|right|answers?|ans|solutions?|sol|baseline|"
    r"approved|verified|snapshots?|snap|oracle|truth|canonical|model|ok|good)(?=$|[/._-]|\d)",
    re.IGNORECASE,
)
"""Names of what is to come out."""
PRODUCED = re.compile(
    r"(?:^|[/._-])(?:out|output|outputs|actual|got|result|results|received|tmp|temp|generated|stdout|stderr|log|current|new|mine|my|observed|"
    r"produced|build|dist)(?=$|[/._-]|\d)",
    re.IGNORECASE,
)
"""Names of what came out."""


@dataclass(frozen=True, slots=True)
class Held:
    """Words that are held against each other, or against what a program prints.

    `twice`: words that stand on both sides: such a file is compared with what becomes of itself.
    """

    words: tuple[str, ...]
    by_program: bool
    twice: frozenset[str]


def held_against(command: Command) -> Held | None:
    """What a command compares; None where it compares nothing."""
    bare = command.bare
    if not bare:
        return None
    own = _operands_of_comparison(bare)
    if own is None and not _HELD_AGAINST.match(bare[0]) and bare[0] not in _TESTS:
        return None
    if _HELD_AGAINST.match(bare[0]):
        if not {"-c", "--check"} & set(bare):
            return None
        return Held((*(w for w in bare[1:] if not w.startswith("-")), *command.reads), True, frozenset())
    words = [*(own or ()), *command.reads]
    sides: list[str] = []
    by_program = False
    for feed in command.said.feeds:
        passed, program = _passed_on(feed)
        sides += passed
        by_program = by_program or program
    # What only runs through a program is not compared itself, but comparing it with that tells of its form alone.
    through = {word for feed in command.said.feeds for word in _all_words(feed)}
    twice = (set(words) & through) | {word for word in sides if sides.count(word) > 1}
    plain = dict.fromkeys([word for word in (*words, *sides) if word not in ("-", "/dev/stdin")])
    return Held(tuple(plain), by_program, frozenset(twice))


def given_to_programs(command: Command) -> Iterator[str]:
    """Files that a command is given as its input: by redirection, or by a filter before it in the pipeline."""
    bare = command.bare
    if bare and (_FILTERS.match(bare[0]) or _COMPARES.match(bare[0])):
        if not command.said.used and not _COMPARES.match(bare[0]):
            yield from command.reads
        return
    yield from command.reads
    if not bare or bare[0] in _TESTS or _NEUTRAL.match(bare[0]):
        return
    for feed in command.said.feeds:
        passed, program = _passed_on(feed)
        if not program:
            yield from passed


def expected_by_options(command: Command) -> Iterator[str]:
    """Files of options that are data to hold something against: `jq --slurpfile`, `grep -f`, `--expected=x`."""
    words = command.words
    for at, word in enumerate(words):
        if word in _FILES_OF_OPTIONS:
            yield from words[at + 2 : at + 3]
    bare = command.bare
    if bare and re.match(r"(?:.*/)?[ef]?grep$", bare[0]):
        for word, following in pairwise([*bare[1:], ""]):
            if re.match(r"-[A-Za-z]*f$", word):
                yield following


def written_by(command: Command) -> Iterator[str]:
    """Files that a command says it writes."""
    yield from command.said.writes
    bare = command.bare
    if not bare:
        return
    name = bare[0].rpartition("/")[2]
    plain = [word for word in bare[1:] if not word.startswith("-")]
    if name in ("tee", "touch", "rm", "truncate"):
        yield from plain
    elif name in ("cp", "mv", "install", "ln") and len(plain) > 1:
        yield plain[-1]
    elif name == "sed" and any(word.startswith(("-i", "--in-place")) for word in bare):
        yield from plain
    for word, following in pairwise([*bare[1:], ""]):
        if word in ("-o", "--output", "--out", "--output-file", "--outfile", "--out-file"):
            yield following
        elif made := re.match(r"(?:--out(?:put)?(?:-?file)?|of)=(.+)", word):
            yield made.group(1)


def plain_words(command: Command) -> Iterator[str]:
    """Words that may name files, options' values too."""
    for word in command.bare[1:]:
        yield word.partition("=")[2] if word.startswith("-") else word


def _operands_of_comparison(bare: Sequence[str]) -> list[str] | None:
    """What a comparing program is given; None where it is none. `git diff` compares files only where it is told so."""
    name = bare[0].rpartition("/")[2]
    if name == "git" and "diff" in bare and "--no-index" in bare:
        return _operands(bare[bare.index("diff") + 1 :], _OF_DIFF)
    if name == "cmake" and "compare_files" in bare:
        return _operands(bare[bare.index("compare_files") + 1 :], frozenset())
    if name in ("fc", "fc.exe"):
        return [word for word in bare[1:] if not word.startswith("/")]
    if not _COMPARES.match(bare[0]):
        return None
    named = [w.partition("=")[2] for w in bare[1:] if w.startswith(("--from-file=", "--to-file="))]
    words = _operands(bare[1:], _TAKES_VALUE_OF.get(name, _OF_DIFF))
    return [*words[:2], *named] if name == "cmp" else [*words, *named]


def _passed_on(said: Simple) -> tuple[list[str], bool]:
    """The files whose text comes out of a command, and whether a program of the project's had its hand in it."""
    bare = without_what_stands_before(said.words)
    if not bare:
        return list(said.reads), False
    found: list[str] = []
    program = False
    for feed in said.feeds:
        passed, by_program = _passed_on(feed)
        found += passed
        program = program or by_program
    if _NEUTRAL.match(bare[0]):
        return found, program
    if re.match(r"(?:.*/)?python[\d.]*$", bare[0]) and bare[1:3] == ["-m", "json.tool"]:
        return [*found, *said.reads, *bare[3:4]], program
    if not _FILTERS.match(bare[0]):
        return [], True
    name = bare[0].rpartition("/")[2]
    words = _operands(bare[1:], _TAKES_VALUE_OF.get(name, _OF_FILTERS))
    own_script = name in _OWN_SCRIPT and not {"-e", "-f"} & set(bare)
    return [*found, *said.reads, *(words[1:] if own_script else words)], program


def _operands(words: Iterable[str], takes_value: frozenset[str]) -> list[str]:
    found: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return [*found, *rest]
        if word in ("--arg", "--argjson", *_FILES_OF_OPTIONS):
            del rest[:2]
        elif word in takes_value:
            del rest[:1]
        elif word == "-" or not word.startswith("-"):
            found.append(word)
    return found


def _all_words(said: Simple) -> set[str]:
    return {*said.words, *said.reads, *(word for feed in said.feeds for word in _all_words(feed))}
