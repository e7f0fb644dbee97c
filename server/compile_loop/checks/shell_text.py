"""A POSIX shell's text as simple commands, with what feeds what; nothing is run (SPEC E10, K6).

What a word becomes only when it is run (a loop's variable, a command's output) is a pattern as of `glob`: `*` where
nothing is known, `{a,b}` where there are several. A text that no shell would read gives what was read of it until then.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

_BLANK = " \t\r"
_ENDS_WORD = frozenset(" \t\r\n;&|()<>")
_RESERVED = frozenset({"if", "then", "elif", "else", "while", "until", "do", "!", "{", "time"})
_DECLARES = frozenset({"local", "export", "declare", "readonly", "typeset"})
_OPENS, _SHUTS = frozenset({"if", "case"}), frozenset({"fi", "esac"})
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)\+?=")
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
_FUNCTION = re.compile(r"(?:function[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*\([ \t]*\)\s*\{|function[ \t]+([\w.-]+)\s*\{")
_ELSEWHERE = "/-/elsewhere"
"""Stands for a place that is surely none of the workspace's."""
_OUTSIDE = {"HOME": _ELSEWHERE, "TMPDIR": _ELSEWHERE, "TMP": _ELSEWHERE, "TEMP": _ELSEWHERE, "PWD": ".", "OLDPWD": "."}
_MOST_CALLS = 200
_MOST_DEPTH = 6
UNKNOWN = "*"


@dataclass(frozen=True, slots=True)
class Simple:
    """A simple command: its words, the files it reads from and writes to by redirection, and the commands that feed it.

    `feeds` are those before it in the pipeline, and those whose output its words hold. `used`: its own output goes to
    another command or into a word. `maybe`: it stands in a branch.
    """

    words: tuple[str, ...]
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    feeds: tuple[Simple, ...] = ()
    used: bool = False
    maybe: bool = False


@dataclass(frozen=True, slots=True)
class _Value:
    """What a word or a variable holds: its text, and the commands whose output is in it."""

    text: str
    feeds: tuple[Simple, ...] = ()


def read_shell(text: str, arguments: Sequence[str] = (), place: str = "") -> list[Simple]:
    """The simple commands of a text in their order, those in substitutions before the command they are in.

    `arguments` are `$1` and on; `place` is `$0`, the script's own path.
    """
    state = _State({name: _Value(value) for name, value in _OUTSIDE.items()}, {}, place)
    return list(_Reader(text, state, tuple(arguments)).commands())


class _State:
    """What the commands of one text share."""

    def __init__(self, variables: Mapping[str, _Value], functions: Mapping[str, str], place: str) -> None:
        self.variables = dict(variables)
        self.functions = dict(functions)
        self.place = place
        self.calls = 0


class _UnreadableError(Exception):
    """The text ends within a quote or a bracket."""


class _Pending:
    """What was read of a pipeline that is not complete; `said` are the commands of the list so far."""

    def __init__(self) -> None:
        self.said: list[Simple] = []
        self.words: list[_Value] = []
        self.reads: list[_Value] = []
        self.writes: list[str] = []
        self.group: list[Simple] = []
        self.upstream: tuple[Simple, ...] = ()
        self.maybe = False


class _Reader:
    def __init__(self, text: str, state: _State, arguments: tuple[str, ...], depth: int = 0) -> None:
        self._text = text
        self._at = 0
        self._state = state
        self._arguments = arguments
        self._depth = depth
        self._found: list[Simple] = []
        self._heredocs: list[tuple[str, bool]] = []
        self._branches = 0

    def commands(self) -> Iterator[Simple]:
        """All commands of the text."""
        with contextlib.suppress(_UnreadableError):
            self._list("")
        yield from self._found

    # --- lists of commands

    def _list(self, closer: str) -> list[Simple]:
        """Commands until `closer`, each put into `_found` as well."""
        line = _Pending()
        while True:
            self._blanks()
            char = self._peek()
            if not char or char == closer:
                self._end(line, piped=False)
                if closer and not char:
                    raise _UnreadableError
                self._at += 1
                return line.said
            if char == "#":
                self._at = self._line_end()
            elif char in "\n;&|" and not self._looking_at("&>"):
                self._separator(line)
            elif char == "(" and self._looking_at("((") and not line.words:
                self._arithmetic()
            elif char == "(":
                self._at += 1
                line.group += self._list(")")
            elif char == ")":  # of a pattern of `case`
                self._at += 1
                line.words = []
            elif (char in "<>" and not self._looking_at("<(", ">(")) or self._looking_at("&>"):
                self._redirect(line)
            elif not line.words and (made := _FUNCTION.match(self._text, self._at)):
                self._function(made)
            else:
                self._take(line)

    def _separator(self, line: _Pending) -> None:
        char, two = self._peek(), self._text[self._at : self._at + 2]
        self._at += 2 if two in ("&&", "||", ";;", "|&") else 1
        self._end(line, piped=two == "|&" or (char == "|" and two != "||"))
        if char == "\n":
            self._skip_heredocs()
        line.maybe = two == "||" or (line.maybe and char not in "\n;")

    def _take(self, line: _Pending) -> None:
        word = self._word()
        if line.words or not _ASSIGNED.match(word.text) or self._goes_on():
            line.words.append(word)
        else:
            self._assign(word)
        if len(line.words) == 1 and word.text in _OPENS:
            self._branches += 1
        elif len(line.words) == 1 and word.text in _SHUTS:
            self._branches = max(0, self._branches - 1)

    def _end(self, line: _Pending, *, piped: bool) -> None:
        """The command that was read so far is complete; `piped`: what follows reads its output."""
        parts = [*line.group, *self._made(line, piped)]
        if line.group and (line.reads or line.writes):
            reads = tuple(read.text for read in line.reads)
            parts.append(Simple((), reads, tuple(line.writes), line.upstream, piped, line.maybe))
            self._found.append(parts[-1])
        line.said += parts
        line.upstream = (*line.upstream, *parts) if piped else ()
        line.words, line.reads, line.writes, line.group = [], [], [], []

    def _goes_on(self) -> bool:
        """Whether a command follows on an assignment: then it is only that command's."""
        at = self._at
        while at < len(self._text) and self._text[at] in _BLANK:
            at += 1
        return at < len(self._text) and self._text[at] not in "\n;&|)#"

    def _assign(self, word: _Value) -> None:
        name, _, value = word.text.partition("=")
        self._state.variables[name.removesuffix("+")] = replace(word, text=value)

    def _made(self, line: _Pending, used: bool) -> list[Simple]:
        """The command that was read, and those of a function that it calls."""
        words, reads, writes, upstream, maybe = line.words, line.reads, line.writes, line.upstream, line.maybe
        while words and words[0].text in _RESERVED:
            words = words[1:]
        if words and words[0].text in ("for", "select") and words[2:3] == [_Value("in")]:
            loop = words[3:]
            feeds = tuple(feed for value in loop for feed in value.feeds)
            self._state.variables[words[1].text] = _Value(_either([v.text for v in loop]), feeds)
            return []
        if words and words[0].text in _DECLARES:
            for word in words[1:]:
                if _ASSIGNED.match(word.text):
                    self._assign(word)
            return []
        if not words and (line.group or (not reads and not writes)):
            return []
        feeds = (*upstream, *(feed for value in (*words, *reads) for feed in value.feeds))
        texts = tuple(value.text for value in words)
        made = Simple(texts, tuple(r.text for r in reads), tuple(writes), feeds, used, maybe or self._branches > 0)
        self._found.append(made)
        body = self._state.functions.get(texts[0]) if texts else None
        if body is None or self._depth >= _MOST_DEPTH or self._state.calls >= _MOST_CALLS:
            return [made]
        self._state.calls += 1
        called = _Reader(body, self._state, texts[1:], self._depth + 1)
        parts = [replace(part, used=part.used or used) for part in called.commands()]
        self._found += parts
        return [made, *parts]

    def _function(self, made: re.Match[str]) -> None:
        """Keep a function's text; it is read where it is called."""
        start = self._at = made.end()
        depth = 1
        while depth:
            char = self._peek()
            if not char:
                raise _UnreadableError
            if char in "'\"`\\$":
                self._piece([], [])
                continue
            starts_word = self._text[self._at - 1] in " \t\n;"
            if char == "#" and starts_word:
                self._at = self._line_end()
                continue
            depth += (char == "{" and starts_word) - (char == "}" and starts_word)
            self._at += 1
        self._state.functions[made.group(1) or made.group(2)] = self._text[start : self._at - 1]

    def _redirect(self, line: _Pending) -> None:
        words, reads, writes = line.words, line.reads, line.writes
        sign = re.compile(r"&>>?|<<<|<<-?|<>|<&|>>|>\||>&|<|>").match(self._text, self._at)
        assert sign is not None
        if words and words[-1].text.isdigit() and self._text[self._at - 1].isdigit():
            words.pop()  # the number of a stream
        self._at = sign.end()
        self._blanks()
        if sign.group() in ("<<", "<<-"):
            quoted = self._at
            word = self._word()
            self._heredocs.append(
                (re.sub(r"['\"\\]", "", self._text[quoted : self._at]) or word.text, sign.group() == "<<-")
            )
            return
        target = self._word()
        if sign.group() in ("<", "<>"):
            reads.append(target)
        elif sign.group() == "<<<":
            reads += [replace(target, text="")] if target.feeds else []
        elif not re.fullmatch(r"\d+|-", target.text):
            writes.append(target.text)

    def _skip_heredocs(self) -> None:
        for name, indented in self._heredocs:
            while self._at < len(self._text):
                end = self._line_end()
                line = self._text[self._at : end]
                self._at = min(end + 1, len(self._text))
                if (line.lstrip("\t") if indented else line) == name:
                    break
        self._heredocs = []

    # --- words

    def _word(self) -> _Value:
        parts: list[str] = []
        feeds: list[Simple] = []
        start = self._at
        while (char := self._peek()) and (char not in _ENDS_WORD or self._looking_at("<(", ">(")):
            if char == "(":
                break
            self._piece(parts, feeds)
        if self._peek() == "(" and parts and parts[-1].endswith("="):  # an array
            self._at += 1
            inside = []
            while self._skip_space() and self._peek() != ")":
                before = self._at
                value = self._word()
                if self._at == before:
                    self._at += 1
                    continue
                inside.append(value.text)
                feeds += value.feeds
            self._at += 1
            parts.append(_either(inside))
        if self._at == start:
            self._at += 1  # a sign that has no place here
        return _Value("".join(parts), tuple(feeds))

    def _skip_space(self) -> bool:
        while self._peek() and self._peek() in " \t\r\n":
            self._at += 1
        if not self._peek():
            raise _UnreadableError
        return True

    def _piece(self, parts: list[str], feeds: list[Simple]) -> None:
        """One quoted text, expansion or character of a word."""
        char = self._text[self._at]
        if char == "'":
            end = self._to("'", self._at + 1)
            parts.append(self._text[self._at + 1 : end])
            self._at = end + 1
        elif char == '"':
            self._at += 1
            while self._peek() != '"':
                if not self._peek():
                    raise _UnreadableError
                if self._peek() == "'":
                    parts.append("'")
                    self._at += 1
                else:
                    self._piece(parts, feeds)
            self._at += 1
        elif char == "\\":
            following = self._text[self._at + 1 : self._at + 2]
            parts.append("" if following == "\n" else following)
            self._at += 2
        elif char == "`":
            end = self._to("`", self._at + 1)
            self._substituted(self._text[self._at + 1 : end].replace("\\`", "`"), parts, feeds)
            self._at = end + 1
        elif self._looking_at("$(("):
            self._arithmetic()
            parts.append(UNKNOWN)
        elif self._looking_at("$(", "<(", ">("):
            opened = self._at
            self._at += 2
            start, inner = self._at, self._nested()
            text = self._text[start : self._at - 1]
            feeds += [replace(each, used=True) for each in inner]
            parts.append(self._output(text) if self._text[opened] == "$" else _ELSEWHERE)
        elif self._looking_at("${"):
            end = self._matching("{", "}", self._at + 1)
            parts.append(self._parameter(self._text[self._at + 2 : end], feeds))
            self._at = end + 1
        elif char == "$" and self._looking_at("$'"):
            self._at += 1
        elif char == "$" and (name := _NAME.match(self._text, self._at + 1)):
            parts.append(self._variable(name.group(), feeds))
            self._at = name.end()
        else:
            parts.append(char)
            self._at += 1

    def _nested(self) -> list[Simple]:
        """The commands of a substitution that was just opened."""
        before = len(self._found)
        branches, self._branches = self._branches, 0
        self._list(")")
        self._branches = branches
        self._found[before:] = [replace(each, used=True) for each in self._found[before:]]
        return self._found[before:]

    def _substituted(self, text: str, parts: list[str], feeds: list[Simple]) -> None:
        inner = _Reader(text, self._state, self._arguments, self._depth + 1)
        if self._depth < _MOST_DEPTH:
            made = [replace(each, used=True) for each in inner.commands()]
            self._found += made
            feeds += made
        parts.append(self._output(text))

    def _output(self, text: str) -> str:
        """What a command prints, where that can be told: its own place, a name without its folder or ending."""
        text = text.strip()
        if re.fullmatch(r"pwd(?: -[LP])?", text):
            return "."
        own = re.compile(r"""dirname (?:-- )?["']?(?:\$0|\$\{0\}|\$\{?BASH_SOURCE(?:\[0\])?\}?)["']?""")
        if own.search(text) and re.match(r"dirname|cd |readlink|realpath", text):
            above = re.search(r"\)[\"']?((?:/\.\.)+)", text)
            return (self._state.place.rpartition("/")[0] or ".") + (above.group(1) if above else "")
        if text.startswith("mktemp"):
            return _ELSEWHERE
        name = re.fullmatch(r"(basename|dirname) (?:-- )?(\S+)(?: (\S+))?", text)
        if name:
            values = [_Reader(word, self._state, self._arguments)._word().text for word in name.groups()[1:] if word]
            if name.group(1) == "dirname":
                return _each(values[0], lambda word: word.rpartition("/")[0] or ".")
            ending = values[1] if len(values) > 1 else ""
            return _each(values[0], lambda word: word.rpartition("/")[2].removesuffix(ending))
        return UNKNOWN

    def _variable(self, name: str, feeds: list[Simple]) -> str:
        if name.isdigit():
            number = int(name)
            if number == 0:
                return self._state.place or UNKNOWN
            return self._arguments[number - 1] if number <= len(self._arguments) else UNKNOWN
        if name in "@*":
            return _either(self._arguments) if self._arguments else UNKNOWN
        if (value := self._state.variables.get(name)) is None:
            return UNKNOWN
        feeds += value.feeds
        return value.text

    def _parameter(self, inside: str, feeds: list[Simple]) -> str:
        """`${…}`: a variable, with a default, or without its beginning or ending."""
        made = re.match(r"(!?)([A-Za-z_]\w*|[0-9@*])(?:\[[^\]]*\])?(.*)", inside, re.DOTALL)
        if made is None or made.group(1):
            return UNKNOWN
        if made.group(2) == "BASH_SOURCE":
            return self._state.place or UNKNOWN
        value, rest = self._variable(made.group(2), feeds), made.group(3)
        if not rest:
            return value
        sign = re.match(r":?[-=+?]|%%?|##?", rest)
        if sign is None:
            return UNKNOWN
        other = _Reader(f'"{rest[sign.end() :]}"', self._state, self._arguments)._word().text
        if sign.group().lstrip(":") in ("-", "="):
            return other if value == UNKNOWN or made.group(2) in _OUTSIDE else value
        if sign.group().startswith("%"):
            if other.startswith("/") and "*" in other:  # ${0%/*}
                return _each(value, lambda word: word.rpartition("/")[0] or ".")
            if "*" in other:
                return _each(value, lambda word: word.partition(other.rstrip("*"))[0] if other.rstrip("*") else UNKNOWN)
            return _each(value, lambda word: word.removesuffix(other))
        if sign.group().startswith("#"):
            return _each(value, lambda word: word.rpartition("/")[2] if other == "*/" else word.removeprefix(other))
        return UNKNOWN

    # --- places in the text

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _looking_at(self, *signs: str) -> bool:
        return self._text.startswith(signs, self._at)

    def _line_end(self) -> int:
        end = self._text.find("\n", self._at)
        return len(self._text) if end < 0 else end

    def _blanks(self) -> None:
        while self._at < len(self._text):
            if self._text[self._at] in _BLANK:
                self._at += 1
            elif self._looking_at("\\\n"):
                self._at += 2
            elif self._looking_at("\\\r\n"):
                self._at += 3
            else:
                return

    def _to(self, sign: str, start: int) -> int:
        at = start
        while at < len(self._text) and self._text[at] != sign:
            at += 2 if self._text[at] == "\\" and sign == "`" else 1
        if at >= len(self._text):
            raise _UnreadableError
        return at

    def _matching(self, opener: str, closer: str, at: int) -> int:
        depth = 0
        for place in range(at, len(self._text)):
            depth += (self._text[place] == opener) - (self._text[place] == closer)
            if depth == 0:
                return place
        raise _UnreadableError

    def _arithmetic(self) -> None:
        self._at = self._matching("(", ")", self._text.index("(", self._at)) + 1


def _either(values: Sequence[str]) -> str:
    """One pattern for several values."""
    if len(values) == 1:
        return values[0]
    return "{" + ",".join(values) + "}" if values else UNKNOWN


def _each(value: str, change: Callable[[str], str]) -> str:
    """A value with each of its alternatives changed."""
    if value.startswith("{") and value.endswith("}") and "{" not in value[1:]:
        return _either([change(part) for part in value[1:-1].split(",")])
    return change(value)
