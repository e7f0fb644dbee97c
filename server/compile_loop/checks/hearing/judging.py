"""Which commands judge: whose failure, or whose word on another's output, is meant to decide a check (SPEC Q9).

Told by kind: what is named by name is the small class of programs that judge nothing, and options that make a tool
harmless. A program that is not known may judge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from itertools import pairwise


class Kind(Enum):
    """What a command's exit code says."""

    SHOWS = "nothing: it prints, prepares or cleans up"
    ASKS = "how things stand: it is there to be asked"
    UNKNOWN = "perhaps whether the code is right"
    JUDGES = "whether the code is right"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SHOWS = _words(
    "true : echo printf print cat bat ls date pwd rm rmdir mkdir mkfifo mktemp cp mv ln touch chmod chown chgrp sleep wait "
    "kill pkill killall tail head tee less more sed tr sort uniq cut fold fmt nl wc tac rev column ts pr paste expand strings "
    "iconv jq yq awk gawk mawk nawk cd pushd popd export alias unalias ulimit umask clear tput stty tty unset shift read "
    "readarray mapfile printenv hostname uname whoami id nproc seq yes tar gzip gunzip zip unzip xz curl wget git hg svn sync "
    "stat file du df ps basename dirname realpath readlink history jobs disown logger xxd od hexdump join split env find "
    "history set shopt trap source . rsync install truncate dd getopts local declare readonly typeset exec hash tree lsof"
)
_ASKS = _words("[ [[ test (( let command which type exists hash grep egrep fgrep rg ag ack pgrep expr pidof getent")
_MAKES_READY = _words(
    "clean distclean mrproper cleanup install uninstall setup prepare bootstrap configure autogen init teardown shutdown stop "
    "start restart kill reset upgrade update deps dependencies download migrate seed deploy"
)
"""Words in the names of programs and goals that make ready or tidy up."""
_PREPARES = _MAKES_READY | _words(
    "clear ci add remove rm i up down pull fetch clone checkout login logout activate deactivate use load restore sync ps logs "
    "status log list info version help create delete drop"
)
"""Commands of a program that do."""
_TESTS = re.compile(
    r"(?:^|[\W_])(?:\w*(?:test|spec|lint|assert|verif|valid|typecheck)\w*|check|checks|checker|doctest|e2e|selfcheck)(?:$|[\W_])",
    re.IGNORECASE,
)
_BUILDS = re.compile(
    r"(?:.*/)?(?:(?:[\w.]+-)?(?:gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?)(?:-[\d.]+)?|[gn]?make|ninja|cmake|cargo|go|gradlew?|mvnw?|"
    r"dotnet|tsc|javac|kotlinc|rustc|swiftc?|ghc|zig|bazel|meson|scons|mypy|pyright|ruff|flake8|pylint|eslint|biome|npm|pnpm|"
    r"yarn|bun|tox|nox|rake|just|mocha|jest|ava|tap|prove|unittest)$"
)
"""Tools whose business it is to find fault."""
_ASKED = re.compile(r"npm|pnpm|yarn|bun|g?make|docker(?:-compose)?|podman|just|rake|task")
"""Programs whose goals have names of the user's own, of several words."""
_LOOKS_ONLY = _words("--version --help -version -V")
_INTERPRETER = re.compile(
    r"(?:.*/)?(?:python[\d.]*|pypy[\d.]*|node|deno|ruby|perl|php|lua[\d.]*|tsx|ts-node|Rscript|tclsh)$"
)
_SHELL = re.compile(r"(?:.*/)?(?:ba|da|z|k)?sh$")
_CODE_OPTION = re.compile(r"-\w*[ceEp]$|--eval$|--print$|eval$")
_CODE = re.compile(r"(?:.*/)?(?:[gmn]?awk|sed|perl|ruby)$")
_FAILS = re.compile(
    r"\bexit\b(?!\s*\(?\s*0)|\bassert\b|\bdie\b|\babort\b|\braise\b|\bthrow\b|exitCode|\bq\s*[1-9]|\bassert\w*[.(]|\bfail\w*\("
)
"""Code that can end with failure of its own will."""
_STARTS = re.compile(
    r"\bsubprocess\.(?:run|call|Popen|getoutput|getstatusoutput)\b|\bos\.(?:system|popen|spawn\w*)\b|\bspawn(?:Sync)?\(|(?<!\.)\bsystem\b|"
    r"(?:execFile|(?<!\.)\bexec)\(|`[^`]+`|%x\W|\bshell_exec\b|\bpassthru\b|\bProcess\.Start\b"
)
"""Code that runs a program without failing where that does."""
_HEEDS = re.compile(
    r"check\s*=\s*True|check_call|check_output|check_returncode|returncode|\.status\b|exception:\s*true|\$\?|execSync"
)
_RUNNERS = _words("mocha jest ava tap prove tox")
_GIVEN = _words(
    "version describe info list ls get print show name names config path paths env count revision rev hash date find which "
    "detect port ports url dir id data fixture fixtures gen generate make new server serve daemon mock fake stub watch proxy "
    "db broker worker app where pick select files affected changed status has is need needs can ready health healthcheck "
    "wait ping probe token key status report summary stats bench benchmark log"
)
"""Words in the names of programs that are there for what they print, to be asked, or to be talked to."""
_COMPARES = _words("diff cmp comm colordiff sdiff zdiff xmllint")
_QUIET = re.compile(r"-\w*q\w*$|--quiet$|--silent$|--no-messages$")
_ANYTHING = frozenset({"", ".", ".*", "^", "$", "^.*$"})
"""Patterns that any output matches."""
_CHECKSUMS = re.compile(r"(?:\w*sum|shasum|b3sum)$")
_HARMLESS: Sequence[tuple[str, str]] = (
    (
        r"(?:--exit-zero|--fail-never|--soft-fail|--warn-only|--issues-exit-code[= ]0|--fail-under[= ]0)",
        "it passes whatever it finds",
    ),
    (r"(?:--collect-only|--co|--list-?[tT]ests|--no-run|--notest|--nobuild)", "tests are listed or built, and not run"),
)
"""Options that say the same whatever the tool, where they stand as a word of their own."""
_SHORT = r"[BbdeikLmnpqrRsStvwj\d]*"
"""Options of make that may stand together behind one dash."""
_NOTHING = "nothing is made"
_NOT_RUN = "tests are listed or built, and not run"
_HARMLESS_OF: Sequence[tuple[str, str, str]] = (
    (
        r"[gn]?make|cmake",
        rf"-{_SHORT}i{_SHORT}|--ignore-errors|MAKEFLAGS=-?\w*i\w*",
        "it goes on after errors and passes",
    ),
    (r"[gn]?make|cmake", rf"-{_SHORT}n{_SHORT}|--dry-run|--just-print|--recon|-{_SHORT}t{_SHORT}|--touch", _NOTHING),
    (r"scons", r"-\w*i\w*|--ignore-errors", "it goes on after errors and passes"),
    (r"scons|ninja|rake|just|task|bazel", r"-n|--dry-run|--dry|--just-print|--no-exec", _NOTHING),
    (r"gradlew?", r"-m|--dry-run", _NOTHING),
    (r"ninja", r"-t", _NOTHING),
    (r"mvnw?", r"-fn|-D(?:maven\.test\.failure\.ignore|testFailureIgnore)(?:=true)?", "it passes where tests fail"),
    (r"ctest", r"-N|--show-only(?:=.*)?", _NOT_RUN),
    (r"tox|nox", r"-l|--list", _NOT_RUN),
    (r"py\.?test|pytest", r"--setup-plan|--fixtures", _NOT_RUN),
    (r"jest|vitest|playwright|phpunit|cargo|dotnet|go", r"--?list", _NOT_RUN),
    (r"mocha|rspec|cucumber", r"--dry-run", _NOT_RUN),
)
_TEST_GOAL = re.compile(r"(?:.*:)?(?:test|check|verify)$")
_NO_TESTS = re.compile(r"--pass-?with-?no-?tests(?:=true)?$", re.IGNORECASE)


def name_of(words: Sequence[str]) -> str:
    """A program's name without its folder and `.exe`."""
    return words[0].rpartition("/")[2].removesuffix(".exe") if words else ""


def kind_of(words: Sequence[str]) -> Kind:
    """What the exit code of a command says; `words` begin with the program itself."""
    name = name_of(words)
    if not name or any(word in _LOOKS_ONLY for word in words[1:]) or words[1:] == ["-v"]:
        return Kind.SHOWS
    if name in ("git", "hg", "svn"):
        return Kind.JUDGES if {"--exit-code", "--check", "--quiet", "bisect"} & {*words} else Kind.SHOWS
    if name in _ASKS:
        return Kind.ASKS
    if name in _SHOWS and "/" not in words[0].removeprefix("/usr/bin/").removeprefix("/bin/"):
        return Kind.JUDGES if _CODE.match(name) and (judges_input(words) or drops_failure(words)) else Kind.SHOWS
    plain = [word for word in words[1:] if not word.startswith("-")]
    if _INTERPRETER.match(words[0]) or _SHELL.match(words[0]):
        return _kind_of_interpreted(words, plain)
    asked = [each for each in plain[:2] if re.fullmatch(r"[\w:.-]+", each)]
    own = name if _of_a_workspace(words[0]) else name.split("_")[0]  # a function `fail_and_stop` makes nothing ready
    if _makes_ready(own) or any(each in _PREPARES for each in asked[:1]):
        return Kind.SHOWS
    if _ASKED.fullmatch(name) and any(_makes_ready(each) for each in asked):
        return Kind.SHOWS
    if _of_a_workspace(words[0]) or _BUILDS.match(words[0]) or name in _COMPARES:
        return Kind.JUDGES
    if _CHECKSUMS.match(name):
        return Kind.JUDGES if {"-c", "--check"} & {*words} else Kind.SHOWS
    return Kind.JUDGES if any(_TESTS.search(each) for each in (name, *asked)) else Kind.UNKNOWN


def _kind_of_interpreted(words: Sequence[str], plain: Sequence[str]) -> Kind:
    code = code_of(words)
    if code is not None:
        return Kind.JUDGES if _FAILS.search(code) or _STARTS.search(code) else Kind.UNKNOWN
    if not plain and "-m" not in words:
        return Kind.JUDGES  # what it is fed with is its program
    named = words[words.index("-m") + 1] if "-m" in words[:-1] else plain[0]
    following = [word for word in plain if word != named][:1]
    stem = named.rpartition("/")[2].split(".")[0]
    if named in ("pip", "venv", "ensurepip", "json.tool", "http.server", "virtualenv"):
        return Kind.SHOWS
    if _makes_ready(stem) or any(each in _PREPARES for each in following):
        return Kind.SHOWS
    return Kind.JUDGES


def _makes_ready(name: str) -> bool:
    """Whether a name says so: `clean-all`, `stop_db.sh`; not `test_kill.sh`."""
    parts = re.split(r"[:_.-]", name)
    return any(part in _MAKES_READY for part in parts) and not re.match(r"(?:test|check|spec)s?$", parts[0])


def _of_a_workspace(word: str) -> bool:
    """Whether a program is named by a place that is none of the system's."""
    return "/" in word and not word.startswith(("/usr/", "/bin/", "/sbin/", "/opt/", "/etc/"))


def code_of(words: Sequence[str]) -> str | None:
    """The code that an interpreter is given in its arguments: `python3 -c …`, `node -e …`; None where there is none."""
    for option, text in pairwise(words[1:]):
        if _CODE_OPTION.match(option) and not (_SHELL.match(words[0]) and option != "-c"):
            return text
        if not option.startswith("-"):
            break
    return None


def drops_failure(words: Sequence[str]) -> bool:
    """Whether code in a command's arguments starts a program and goes on whatever that says."""
    if not words:
        return False
    name = name_of(words)
    if re.fullmatch(r"[gmn]?awk", name):
        return any(re.search(r"\bsystem\s*\(", word) and not _FAILS.search(word) for word in words[1:])
    code = code_of(words) if _INTERPRETER.match(words[0]) else None
    if code is None:
        return False
    if "py" in name:
        code = re.sub(r"\bexec\(", "", code)  # there it runs no program
    return bool(_STARTS.search(code)) and not _HEEDS.search(code) and not _FAILS.search(code)


def judges_input(words: Sequence[str], silenced: bool = False) -> bool:
    """Whether a command's exit code is a judgement of what it reads; `silenced` where it shows nothing."""
    name = name_of(words)
    if name in ("grep", "egrep", "fgrep", "rg", "ag", "zgrep"):
        pattern = next((word for word in words[1:] if not word.startswith("-")), "")
        return (silenced or any(_QUIET.match(word) for word in words[1:])) and pattern not in _ANYTHING
    if name == "jq":
        return any(re.fullmatch(r"-\w*e\w*|--exit-status", word) for word in words)
    if name in ("test", "[", "[[", "((", "let", "expr"):
        return True
    if _CODE.match(name):
        code = [word for word in words[1:] if not word.startswith("-")]
        return any(word in ("-f", "--file") for word in words) or any(_FAILS.search(word) for word in code)
    if _INTERPRETER.match(name) and (code_text := code_of(words)) is not None:
        return bool(_FAILS.search(code_text))
    return kind_of(words) is Kind.JUDGES


def compares(words: Sequence[str]) -> bool:
    """Whether a command only holds files against each other."""
    return name_of(words) in _COMPARES


def looks_like_a_test(words: Sequence[str]) -> bool:
    """Whether a command is called a test or a check, or runs one."""
    return any(_TESTS.search(word) for word in words[:4]) or name_of(words) in (
        "mocha",
        "jest",
        "ava",
        "tap",
        "prove",
        "tox",
    )


def place_of_program(words: Sequence[str]) -> int:
    """Where among its words a command's program stands, or the script that an interpreter is given; 0 for the first."""
    if not words or not (_INTERPRETER.match(words[0]) or _SHELL.match(words[0])) or code_of(words) is not None:
        return 0
    return next((at for at, word in enumerate(words) if at and not word.startswith("-")), 0)


def is_a_script(words: Sequence[str]) -> bool:
    """Whether a command runs a program of the workspace by its place, or a script by an interpreter."""
    at = place_of_program(words)
    return bool(words) and (_of_a_workspace(words[0]) if at == 0 else "-m" not in words[:at]) and not _gives(words)


def is_called_a_test(words: Sequence[str]) -> bool:
    """Whether a program itself is called a test or a check, and not only its folder: none that lists or serves them."""
    if not words or _gives(words) or harmless(words) is not None:
        return False
    at = place_of_program(words)
    own, asked = words[at].rpartition("/")[2], words[1:2] if at == 0 else []
    return bool(_TESTS.search(own)) or own in _RUNNERS or any(_TESTS.fullmatch(word) for word in asked)


def _gives(words: Sequence[str]) -> bool:
    """Whether a program's name says that it is there for what it prints, or to be talked to."""
    name = words[place_of_program(words)].rpartition("/")[2]
    return bool(_GIVEN & {*re.split(r"[\W_]+", name.lower())})


def harmless(words: Sequence[str]) -> str | None:
    """Why a tool passes whatever it comes to, by its options."""
    if not words or kind_of(words) in (Kind.SHOWS, Kind.ASKS):
        return None
    name, said = name_of(words), " ".join(words[1:])
    for option, why in _HARMLESS:
        if re.search(rf"(?:^|\s){option}(?:\s|$)", said):
            return why
    at = words.index("-m") if "-m" in words[1:-1] and _INTERPRETER.match(words[0]) else -2
    name = words[at + 1] if at > 0 else name
    own = words[words.index("--") + 1 :] if name == "cmake" and "--" in words else [] if name == "cmake" else words[1:]
    for tool, option, why in _HARMLESS_OF:
        if re.fullmatch(tool, name) and any(re.fullmatch(option, word) for word in own):
            return why
    return "tests are skipped" if _skips(name, words[1:]) else None


def _skips(name: str, words: Sequence[str]) -> bool:
    """Whether a build tool is asked for the tests, and told to leave just these out."""
    left_out = (
        {after for option, after in pairwise(words) if option in ("-x", "--exclude-task")}
        if "gradle" in name
        else set()
    )
    goals = {
        word
        for at, word in enumerate(words)
        if _TEST_GOAL.match(word) and words[at - 1 : at] not in (["-x"], ["--exclude-task"])
    }
    if re.fullmatch(r"mvnw?", name):
        return bool(goals) and any(re.fullmatch(r"-D(?:skipTests|maven\.test\.skip)(?:=true)?", word) for word in words)
    return bool(goals) and any(_TEST_GOAL.match(word) for word in left_out)


def passes_without_tests(words: Sequence[str]) -> bool:
    """Whether a test runner is told to pass where there are no tests."""
    return any(_NO_TESTS.match(word) for word in words)
