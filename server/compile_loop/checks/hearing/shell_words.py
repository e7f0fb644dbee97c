"""Reads the words of a shell's text, with the commands in them (SPEC Q9)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from compile_loop.checks.hearing.shell_tree import Node, Redirect, UnreadableShellError, Word

_ENDS_WORD = frozenset(" \t\r\n;&|()<>")
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
_IN_BRACES = re.compile(r"[!#]?([A-Za-z_]\w*|[0-9@*#?$!-])")
_IN_ARITHMETIC = re.compile(r"[A-Za-z_]\w*|(?<=\$)[?#0-9]")
_ESCAPED = '$`"\\\n'


class _Parts:
    """What was read of a word."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.names: list[str] = []
        self.outputs: list[Node] = []
        self.into: list[Node] = []

    def word(self) -> Word:
        return Word("".join(self.text), tuple(self.names), tuple(self.outputs), tuple(self.into))


class WordReader:
    """A place in a text, and the reading of words from there. What holds commands is read by `inner` and `nested`."""

    def __init__(self, text: str, depth: int) -> None:
        self.text = text
        self.at = 0
        self.depth = depth
        self._waiting: list[tuple[str, bool, Redirect]] = []

    def inner(self) -> Node:
        """The commands up to behind the next closing bracket."""
        raise NotImplementedError

    def nested(self, text: str) -> Node:
        """The commands of another text."""
        raise NotImplementedError

    def looking_at(self, *signs: str) -> bool:
        """Whether one of these stands here."""
        return self.text.startswith(signs, self.at)

    def blanks(self) -> None:
        """Go past blanks and joined lines."""
        while self.at < len(self.text):
            if self.text[self.at] in " \t\r":
                self.at += 1
            elif self.looking_at("\\\n"):
                self.at += 2
            elif self.looking_at("\\\r\n"):
                self.at += 3
            else:
                return

    def gap(self, also: str = "") -> None:
        """Go past blanks, comments, ends of lines, and one sign of `also`."""
        while True:
            self.blanks()
            if self.looking_at("#"):
                self._to_line_end()
            elif self.looking_at("\n"):
                self.at += 1
                self._here_documents()
            elif also and self.looking_at(also) and not self.looking_at(";;", ";&"):
                self.at += 1
                also = ""
            else:
                return

    def here_document(self, sign: str, name: str, target: Word) -> Redirect:
        """A here-document whose text comes after this line."""
        end = re.compile(rf"^{chr(9) + '*' if sign == '<<-' else ''}{re.escape(name)}\r?$", re.MULTILINE)
        start = self._here_start()
        found = end.search(self.text, start) if start else None
        if found is None or start is None:
            raise UnreadableShellError(f"no {name}")
        redirect = Redirect(sign, target, here=self.text[start : found.start()])
        self._waiting.append((name, sign == "<<-", redirect))
        self._here_end = found.end() + 1
        return redirect

    _here_end = 0

    def _here_start(self) -> int | None:
        """Where the text of the next here-document begins: behind the one before it on this line, or the next line."""
        if self._waiting:
            return self._here_end
        end = self.text.find("\n", self.at)
        return end + 1 if end >= 0 else None

    def _here_documents(self) -> None:
        if self._waiting:
            self.at = max(self.at, min(self._here_end, len(self.text)))
            self._waiting = []

    def _to_line_end(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

    def matching(self, opener: str, closer: str, at: int) -> int:
        """Where the bracket that opens at `at` is shut."""
        depth = 0
        while at < len(self.text):
            char = self.text[at]
            if char == "\\":
                at += 1
            elif char == "'" and opener == "{":
                at = self._quote_end(at)
            depth += (char == opener) - (char == closer)
            if depth == 0:
                return at
            at += 1
        raise UnreadableShellError(f"no {closer}")

    def _quote_end(self, at: int) -> int:
        end = self.text.find("'", at + 1)
        return end if end >= 0 else at

    def arithmetic_word(self, inside: str) -> Word:
        """An arithmetic expression: the names in it are variables."""
        return Word(inside.strip(), tuple(_IN_ARITHMETIC.findall(inside)))

    def regex_word(self) -> Word:
        """The right side of `=~`, in which brackets are plain."""
        parts = _Parts()
        depth = 0
        while self.at < len(self.text) and (depth or self.text[self.at] not in " \t\r\n"):
            char = self.text[self.at]
            depth += (char == "(") - (char == ")")
            if char in "'\"\\$`":
                self._piece(parts)
            else:
                self.at += 1
                parts.text.append(char)
        return parts.word()

    def word(self) -> Word:
        """The word that starts here. Raises `UnreadableShellError` where none does."""
        start, parts = self.at, _Parts()
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in _ENDS_WORD and not self.looking_at("<(", ">("):
                if char == "(" and self.at > start and self.text[self.at - 1] in "@+?*!=":
                    if self.text[self.at - 1] == "=":
                        self._array(parts)
                    else:
                        self._pattern(parts)
                    continue
                break
            self._piece(parts)
        if self.at == start:
            raise UnreadableShellError(self.text[start : start + 20] or "the text ends early")
        return parts.word()

    def _pattern(self, parts: _Parts) -> None:
        end = self.matching("(", ")", self.at)
        parts.text.append(self.text[self.at : end + 1])
        self.at = end + 1

    def _array(self, parts: _Parts) -> None:
        self.at += 1
        self.gap()
        while not self.looking_at(")"):
            one = self.word()
            parts.text.append(f" {one.text}")
            parts.names += one.names
            parts.outputs += one.outputs
            self.gap()
        self.at += 1

    def _piece(self, parts: _Parts) -> None:
        """One quoted text, expansion or character of a word."""
        char = self.text[self.at]
        if char == "'" or self.looking_at("$'"):
            self._single(parts)
        elif char == '"' or self.looking_at('$"'):
            self.at += 1 if char == '"' else 2
            self._double(parts)
        elif char == "\\":
            following = self.text[self.at + 1 : self.at + 2]
            parts.text.append("" if following == "\n" else following)
            self.at += 2
        elif char in "$`" or self.looking_at("<(", ">("):
            self._expansion(parts)
        else:
            parts.text.append(char)
            self.at += 1

    def _single(self, parts: _Parts) -> None:
        escapes = self.text[self.at] == "$"
        start = self.at = self.at + (2 if escapes else 1)
        while self.at < len(self.text) and self.text[self.at] != "'":
            self.at += 2 if escapes and self.text[self.at] == "\\" else 1
        if self.at >= len(self.text):
            raise UnreadableShellError("a quote that is not shut")
        parts.text.append(self.text[start : self.at])
        self.at += 1

    def _double(self, parts: _Parts) -> None:
        while not self.looking_at('"'):
            if self.at >= len(self.text):
                raise UnreadableShellError("a quote that is not shut")
            char = self.text[self.at]
            if char == "\\":
                following = self.text[self.at + 1 : self.at + 2]
                parts.text.append(following.strip("\n") if following in _ESCAPED else char + following)
                self.at += 2
            elif char in "$`":
                self._expansion(parts)
            else:
                parts.text.append(char)
                self.at += 1
        self.at += 1

    def _expansion(self, parts: _Parts) -> None:
        start, before = self.at, len(parts.text)
        if self.looking_at("`"):
            self.at += 1
            while not self.looking_at("`"):
                if self.at >= len(self.text):
                    raise UnreadableShellError("a quote that is not shut")
                self.at += 2 if self.looking_at("\\") else 1
            text = re.sub(r"\\([`\\$])", r"\1", self.text[start + 1 : self.at])
            self.at += 1
            parts.outputs.append(self.nested(text))
        elif self.looking_at("$((") and self.text[(end := self.matching("(", ")", self.at + 1)) - 1] == ")":
            self._arithmetic(parts, end)
        elif self.looking_at("$(", "<(", ">("):
            wanted = parts.into if self.looking_at(">") else parts.outputs
            self.at += 2
            with self._alone():
                wanted.append(self.inner())
        elif self.looking_at("${"):
            self._braces(parts)
        elif self.looking_at("$") and (name := _NAME.match(self.text, self.at + 1)):
            parts.names.append(name.group())
            self.at = name.end()
        else:
            self.at += 1
        parts.text[before:] = [self.text[start : self.at]]

    def _arithmetic(self, parts: _Parts, end: int) -> None:
        """`$((…))`, with the commands in it."""
        parts.names += _IN_ARITHMETIC.findall(self.text[self.at + 3 : end - 1])
        self.at += 3
        inside = _Parts()
        while self.at < end - 1:
            self._piece(inside)
        parts.outputs += inside.outputs
        self.at = end + 1

    def _braces(self, parts: _Parts) -> None:
        """`${…}`, with the words in it."""
        if name := _IN_BRACES.match(self.text, self.at + 2):
            parts.names.append(name.group(1))
        self.at += 2
        quoted = _Parts()
        while not self.looking_at("}"):
            if self.at >= len(self.text):
                raise UnreadableShellError("no }")
            if self.looking_at("'") or self.looking_at("#"):
                self.at += 1
            else:
                self._piece(quoted)
        self.at += 1
        parts.names += quoted.names
        parts.outputs += quoted.outputs

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Here-documents within are none of the line around."""
        before, self._waiting = self._waiting, []
        yield
        self._waiting = before
