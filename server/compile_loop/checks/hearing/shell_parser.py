"""Reads a POSIX shell's text, with what bash adds, into a tree (SPEC Q9)."""

from __future__ import annotations

import re
from collections.abc import Collection

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
    Word,
)
from compile_loop.checks.hearing.shell_words import WordReader

_RESERVED = re.compile(r"(?:[a-z]+|\{|\}|!|\[\[)(?=[\s;&|()<>]|$)")
_FUNCTION = re.compile(
    r"(?:function[ \t]+([^\s;&|()<>]+)(?:[ \t]*\([ \t]*\))?|([\w.:+-]+)[ \t]*\([ \t]*\))\s*(?=[{(]|\[\[)"
)
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=")
_REDIRECT = re.compile(r"(\d+|\{\w+\})?(&>>?|<<<|<<-?|<>|<&|>>|>\||>&|[<>](?!\())")
_COMPOUND = frozenset({"if", "for", "while", "until", "case", "select", "{"})
_ENDS = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}"})
_MOST_DEPTH = 60


def parse_shell(text: str, depth: int = 0) -> Node:
    """The tree of a whole text. Raises `UnreadableShellError`."""
    parser = _Parser(text, depth)
    found = parser.sequence(())
    if parser.at < len(text):
        raise UnreadableShellError(text[parser.at : parser.at + 20])
    return found


class _Parser(WordReader):
    """A reader by descent; `sequence` reads until a word of `ends`, a closing bracket or the end."""

    def sequence(self, ends: Collection[str]) -> Node:
        items: list[tuple[Node, bool]] = []
        self._deeper(1)
        while True:
            self.gap(";" if items else "")
            if self.at >= len(self.text) or self.text[self.at] == ")" or self.looking_at(";;", ";&"):
                break
            word = self._reserved()
            if word in ends:
                break
            if word in _ENDS:
                raise UnreadableShellError(word)
            node = self._and_or()
            self.blanks()
            background = self.looking_at("&") and not self.looking_at("&&")
            items.append((node, background))
            if background or (self.looking_at(";") and not self.looking_at(";;", ";&")):
                self.at += 1
            elif not (self.at >= len(self.text) or self.text[self.at] in "\n)#" or self.looking_at(";;", ";&")):
                raise UnreadableShellError(self.text[self.at : self.at + 20])
        self._deeper(-1)
        return Sequence(tuple(items))

    def nested(self, text: str) -> Node:
        return parse_shell(text, self.depth + 1)

    def inner(self) -> Node:
        """The commands of a substitution that was just opened, up to behind its bracket."""
        found = self.sequence(())
        self._expect(")")
        return found

    def _deeper(self, by: int) -> None:
        self.depth += by
        if self.depth > _MOST_DEPTH:
            raise UnreadableShellError("nested too deep")

    def _reserved(self) -> str:
        found = _RESERVED.match(self.text, self.at)
        return found.group() if found else ""

    def _expect(self, word: str) -> None:
        self.gap(";")
        if not self.text.startswith(word, self.at):
            raise UnreadableShellError(f"no {word}")
        self.at += len(word)

    def _and_or(self) -> Node:
        first = self._pipeline()
        rest: list[tuple[str, Node, str]] = []
        while True:
            self.blanks()
            if not self.looking_at("&&", "||"):
                return AndOr(first, tuple(rest)) if rest else first
            sign = self.text[self.at : self.at + 2]
            self.at += 2
            self.gap()
            start = self.at
            node = self._pipeline()
            rest.append((sign, node, self.text[start : self.at].strip()))

    def _pipeline(self) -> Node:
        start, negated = self.at, False
        while (word := self._reserved()) in ("!", "time"):
            negated ^= word == "!"
            self.at += len(word)
            self.blanks()
            if word == "time" and self.looking_at("-p "):
                self.at += 2
                self.blanks()
        parts = [self._command()]
        while True:
            self.blanks()
            if not self.looking_at("|") or self.looking_at("||"):
                break
            self.at += 2 if self.looking_at("|&") else 1
            self.gap()
            parts.append(self._command())
        if len(parts) == 1 and not negated:
            return parts[0]
        return Pipeline(tuple(parts), negated, self.text[start : self.at].strip())

    def _command(self) -> Node:
        if made := _FUNCTION.match(self.text, self.at):
            self.at = made.end()
            return Function(made.group(1) or made.group(2), self._command())
        word = self._reserved()
        if self.looking_at("((") and (end := self._arithmetic_end()):
            start, self.at = self.at, end
            inside = self.text[start + 2 : end - 2]
            return self._redirected(Simple((Word("(("), self.arithmetic_word(inside)), (), (), self.text[start:end]))
        if word == "[[":
            return self._redirected(self._test())
        if self.looking_at("("):
            self.at += 1
            return self._redirected(self.inner(), subshell=True)
        if word in _COMPOUND:
            self.at += len(word)
            return self._redirected(self._compound(word))
        return self._simple()

    def _arithmetic_end(self) -> int:
        """Where `((…))` ends; 0 where these are two subshells."""
        end = self.matching("(", ")", self.at)
        return end + 1 if self.text[end - 1] == ")" else 0

    def _compound(self, word: str) -> Node:
        if word == "{":
            body = self.sequence(("}",))
            self._expect("}")
            return Group(body, False, ())
        if word == "if":
            return self._if()
        if word == "case":
            return self._case()
        if word in ("while", "until"):
            condition = self.sequence(("do",))
            return Loop(self._body(), condition, word == "until")
        self.blanks()
        if self.looking_at("(("):
            self.at = self.matching("(", ")", self.at) + 1
            return Loop(self._body(), variable="")
        variable, words = self.word().text, []
        self.gap()
        if self._reserved() == "in":
            self.at += 2
            self.blanks()
            while self.at < len(self.text) and self.text[self.at] not in ";\n#":
                words.append(self.word())
                self.blanks()
        return Loop(self._body(), variable=variable, words=tuple(words))

    def _body(self) -> Node:
        self.gap(";")
        if self._reserved() == "{":
            self.at += 1
            return self._compound("{")
        self._expect("do")
        body = self.sequence(("done",))
        self._expect("done")
        return body

    def _if(self) -> Node:
        branches = []
        while True:
            condition = self.sequence(("then",))
            self._expect("then")
            branches.append((condition, self.sequence(("elif", "else", "fi"))))
            word = self._reserved()
            self.at += len(word)
            if word == "elif":
                continue
            otherwise = None
            if word == "else":
                otherwise = self.sequence(("fi",))
                self._expect("fi")
            elif word != "fi":
                raise UnreadableShellError("no fi")
            return If(tuple(branches), otherwise)

    def _case(self) -> Node:
        self.blanks()
        word = self.word()
        self.gap()
        self._expect("in")
        branches: list[Node] = []
        while True:
            self.gap(";")
            if self._reserved() == "esac":
                self.at += 4
                return Case(word, tuple(branches))
            if self.looking_at("("):
                self.at += 1
            while not self.looking_at(")"):
                self.blanks()
                if self.looking_at("|"):
                    self.at += 1
                elif not self.looking_at(")"):
                    self.word()
            self.at += 1
            branches.append(self.sequence(("esac",)))
            if self.looking_at(";;&"):
                self.at += 3
            elif self.looking_at(";;", ";&"):
                self.at += 2

    def _test(self) -> Simple:
        """`[[ … ]]`, in which brackets and signs are other things."""
        start = self.at
        self.at += 2
        words = [Word("[[")]
        while True:
            self.gap()
            if self.at >= len(self.text):
                raise UnreadableShellError("no ]]")
            if re.compile(r"\]\](?=[\s;&|()<>]|$)").match(self.text, self.at):
                self.at += 2
                return Simple(tuple(words), (), (), self.text[start : self.at])
            if words[-1].text == "=~":
                words.append(self.regex_word())
            elif sign := re.compile(r"&&|\|\||[()<>]").match(self.text, self.at):
                self.at = sign.end()
                words.append(Word(sign.group()))
            else:
                words.append(self.word())

    def _redirected(self, node: Node, subshell: bool = False) -> Node:
        redirects: list[Redirect] = []
        while True:
            self.blanks()
            if (redirect := self._redirect()) is None:
                return Group(node, subshell, tuple(redirects)) if subshell or redirects else node
            redirects.append(redirect)

    def _redirect(self) -> Redirect | None:
        found = _REDIRECT.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        self.blanks()
        (stream, sign), start = found.groups(default=""), self.at
        target = self.word()
        if sign in ("<<", "<<-"):
            return self.here_document(sign, re.sub(r"['\"\\]", "", self.text[start : self.at]), target)
        return Redirect(sign, target, stream)

    def _simple(self) -> Node:
        start = self.at
        words: list[Word] = []
        assigned: list[tuple[str, Word]] = []
        redirects: list[Redirect] = []
        while True:
            self.blanks()
            if self.at >= len(self.text) or (self.text[self.at] in "\n;|)" or self.looking_at("#")):
                break
            if self.text[self.at] == "&" and not self.looking_at("&>"):
                break
            if (redirect := self._redirect()) is not None:
                redirects.append(redirect)
            elif self.text[self.at] == "(":
                raise UnreadableShellError("(")
            elif not words and (made := _ASSIGNED.match(self.text, self.at)):
                assigned.append((made.group(1), self.word()))
            else:
                words.append(self.word())
        if not (words or assigned or redirects):
            raise UnreadableShellError(self.text[self.at : self.at + 20] or "the text ends early")
        return Simple(tuple(words), tuple(assigned), tuple(redirects), self.text[start : self.at].strip())
