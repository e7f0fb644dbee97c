"""Command lines whose exit code says nothing of what they ran: `make | tail`, `./test; true`, `make -i` (SPEC Q9)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise

Words = list[str]
Pipeline = list[Words]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FILTERS = _words(
    "tail head tee cat less more sed tr sort uniq cut fold fmt nl wc tac rev column ts pr paste expand strings iconv jq bat"
)
_FILTERS_BY = {"grep": "-v", "egrep": "-v", "rg": "-v"}
_PASS = _words("true : echo printf cat ls date pwd rm sleep wait kill tail head popd cd touch clear tput stty unset")
_LOOKS = _words("[ [[ test command which type grep egrep exists hash")
_PRINTS = _words("echo printf cat yes true seq ls find date git")
_KEYWORDS = _words("if then elif else fi for while until do done case esac { } in !")
_WAYS_TO_FAIL = re.compile(
    r"\b(?:exit|return)\s+(?!0\b)\S|\bfalse\b|\bset\s+-\w*e|\bset\s+-o\s+errexit|\btrap\b|\bkill\b"
)
_HEEDS_PIPES = re.compile(r"\bpipefail\b|PIPESTATUS|\bpipestatus\b")
_ENDS_EARLY = re.compile(r"(?:^|[;\n]|\b(?:ba|da|z|k)?sh)\s*(?:set\s+)?-\w*e\w*\b|\berrexit\b")
_HEREDOC = re.compile(r"(?<!<)<<(?!<)")
_COMMENTS = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
_SHORT = r"[BbdeikLmnpqrRsStvwj\d]*"
"""Options of make that may stand together behind one dash."""
_HARMLESS: Sequence[tuple[str, str]] = (
    (
        rf"g?make\b.*\s(?:-{_SHORT}i{_SHORT}|--ignore-errors)(?:\s|$)",
        "make goes on after errors and passes",
    ),
    (
        rf"g?make\b.*\s(?:-{_SHORT}n{_SHORT}|--dry-run|--just-print|--recon)(?:\s|$)",
        "nothing is made",
    ),
    (r"ninja\b.*\s-n(?:\s|$)", "nothing is made"),
    (r"(?:ruff|flake8|pylint|isort|mypy)\b.*\s--exit-zero\b", "it passes whatever it finds"),
    (r"pylint\b.*\s--fail-under[= ]0\b", "it passes whatever it finds"),
    (r"golangci-lint\b.*\s--issues-exit-code[= ]0\b", "it passes whatever it finds"),
    (r"(?:py\.?test|pytest)\b.*\s(?:--collect-only|--co)\b", "tests are listed and not run"),
    (r"ctest\b.*\s(?:-N|--show-only)\b", "tests are listed and not run"),
    (
        r"(?:jest|vitest|playwright|phpunit|cargo|dotnet|go)\b.*\s--?list(?:-?[tT]ests)?(?:\s|$)",
        "tests are listed and not run",
    ),
    (r"(?:mocha|rspec|cucumber)\b.*\s--dry-run\b", "tests are listed and not run"),
    (r"mvnw?\b(?=.*\s(?:test|verify)\b).*\s-D(?:skipTests|maven\.test\.skip)(?:=true)?(?:\s|$)", "tests are skipped"),
    (
        r"mvnw?\b.*\s-D(?:maven\.test\.failure\.ignore|testFailureIgnore)(?:=true)?(?:\s|$)",
        "it passes where tests fail",
    ),
)
_OPTIONS = [(re.compile(rf"(?:^|[\s/]){command}"), why) for command, why in _HARMLESS]


def masked(line: str) -> str | None:
    """Why a shell's line passes whatever its programs say; None where it does not, or cannot be read."""
    if _HEREDOC.search(line):
        return None
    try:
        lists = list(_lists(_COMMENTS.sub("", line)))
    except ValueError:
        return None
    for words in (words for pipelines, _ in lists for pipeline in pipelines for words in pipeline):
        said = "" if _is(words, _PRINTS) else " ".join(words)
        for pattern, why in _OPTIONS:
            if pattern.search(said):
                return f"{why} (“{said}”)"
    return _by_a_pipe(line, lists) or _by_what_follows(line, lists)


def _by_a_pipe(line: str, lists: list[tuple[list[Pipeline], str]]) -> str | None:
    if _HEEDS_PIPES.search(line):
        return None
    for pipeline in (pipeline for pipelines, _ in lists for pipeline in pipelines):
        first, last = pipeline[0], pipeline[-1]
        if len(pipeline) > 1 and _filters(last) and not _is(first, _PRINTS):
            return f"its exit code is that of “{' '.join(last)}”, whatever “{' '.join(first)}” says"
    return None


def _by_what_follows(line: str, lists: list[tuple[list[Pipeline], str]]) -> str | None:
    """Commands joined by `;`, branches and loops: what the last of them says is all that counts."""
    if not lists or _WAYS_TO_FAIL.search(line) or _ENDS_EARLY.search(line):
        return None
    ran = [_name_of(p[0]) for pipelines, _ in lists for p in pipelines if not _is(p[0], _PASS | _LOOKS | _KEYWORDS)]
    last, end = lists[-1]
    if end == "&":
        return "its last command goes on in the background, and nobody hears how it ends"
    heads = [p[0][0] for pipelines, _ in lists for p in pipelines if p[0]]
    if "for" in heads and heads[-1] == "done" and ran:
        return "only the last turn of its loop counts"
    if (
        any(_decides(words) for pipelines, _ in lists for p in pipelines for words in p)
        and heads[-1] == "fi"
        and not _acts(lists)
    ):
        return "a failure only decides which branch is taken"
    if len(lists) > 1 and ran and heads[-1] not in _KEYWORDS and all(_is(words, _PASS) for p in last for words in p):
        return f"its last command, “{' '.join(last[-1][-1])}”, passes whatever came before"
    return None


def _decides(words: Words) -> bool:
    """Whether a program's failure is the condition of a branch."""
    return words[:1] in (["if"], ["elif"]) and not _is(words, _LOOKS)


def _acts(lists: list[tuple[list[Pipeline], str]]) -> bool:
    """Whether a branch does more than say something."""
    branch = [p[0] for pipelines, _ in lists for p in pipelines if p[0][:1] in (["then"], ["else"])]
    return any(len(words) > 1 and not _is(words, _PASS) for words in branch)


def _filters(words: Words) -> bool:
    name = _name_of(words)
    if name == "jq":
        return not any(re.fullmatch(r"-\w*e\w*|--exit-status", word) for word in words)
    wanted = _FILTERS_BY.get(name)
    return name in _FILTERS or (wanted is not None and any(re.fullmatch(r"-\w*v\w*|--invert-match", w) for w in words))


def _is(words: Words, names: frozenset[str]) -> bool:
    return _name_of(words) in names


def _name_of(words: Words) -> str:
    """The program of a simple command, past keywords and assignments."""
    for word in words:
        if word not in _KEYWORDS and not re.match(r"[A-Za-z_]\w*=", word):
            return word.rpartition("/")[2]
    return words[0] if words else ""


def _lists(line: str) -> Iterator[tuple[list[Pipeline], str]]:
    """Lists of pipelines joined by `&&` or `||`, each with what ends it: `;`, `&` or nothing. Raises `ValueError`."""
    reader = shlex.shlex(line, posix=True, punctuation_chars="();<>|&\n")
    reader.whitespace = " \t\r"
    reader.whitespace_split = True
    reader.commenters = ""
    pipelines: list[Pipeline] = [[[]]]
    for token, following in pairwise([*_whole(reader), ""]):
        if token in ("|", "|&"):
            pipelines[-1].append([])
        elif token in ("&&", "||"):
            pipelines.append([[]])
        elif token and set(token) <= {";", "\n", "&"} and (token != "&" or not following.startswith(">")):
            if any(words for pipeline in pipelines for words in pipeline):
                yield pipelines, token.strip("\n")[:1]
            pipelines = [[[]]]
        elif token not in ("(", ")"):
            pipelines[-1][-1].append(token)
    if any(words for pipeline in pipelines for words in pipeline):
        yield pipelines, ""


def _whole(tokens: Iterator[str]) -> Iterator[str]:
    """Tokens without redirections, the numbers before these and the names after them."""
    named = False
    for token, following in pairwise([*tokens, ""]):
        redirects = token[:1] in ("<", ">") or token in ("&>", "&>>")
        if not redirects and not named and not (token.isdigit() and following[:1] in ("<", ">") and following):
            yield token
        named = redirects
