"""Node's test runner: TAP, and the form for people; each failed test at the place in its own files that threw."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Phase, Range, Related
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.tools.node_stack import NodeStack, name_at, places
from compile_loop.toolchains.tree import Tree

_NOT_OK = re.compile(
    r"^(?P<indent>\s*)not ok \d+(?: - )?(?P<name>.*?)(?: # (?P<directive>TODO|SKIP)\b.*)?$", re.IGNORECASE
)
_PLACE = re.compile(r"(?P<file>\S.*?):(?P<line>\d{1,9}):(?P<column>\d{1,9})'?$")
_TEST_AT = re.compile(r"^test at (?P<file>.+?):(?P<line>\d{1,9}):(?P<column>\d{1,9})$")
_FIELD = re.compile(r"^(?P<key>\w+): (?P<value>.*)$")
_MOST_LINES = 200
_MOST_RELATED = 8


def _failure(tree: Tree, name: str, message: str, stack: list[str], at: re.Match[str] | None, text: str) -> Diagnostic:
    found = list(places(tree, stack))
    path, where = (found[0][0], found[0][1]) if found else _start(tree, at)
    related = [Related(tree.shown(other), span, "called from here") for other, span, _ in found[1:]]
    return Diagnostic(
        message=f"{name}: {message}".strip(": "),
        file=tree.shown(path),
        range=where,
        source="node",
        phase=Phase.TEST,
        related=tuple(dict.fromkeys(related))[:_MOST_RELATED],
        rendered=text,
    )


def _start(tree: Tree, at: re.Match[str] | None) -> tuple[str | None, Range]:
    path = tree.resolve(at["file"]) if at else None
    if at is None or path is None:
        return None, NOWHERE
    return path, name_at(tree, tree.place(path, int(at["line"]) - 1, int(at["column"]) - 1, Unit.UTF16))


@dataclass(slots=True)
class _Tap:
    name: str
    indent: int
    comments: list[str]
    lines: list[str]
    fields: dict[str, list[str]] = field(default_factory=dict)
    key: str = ""
    ended: bool = False


class NodeTap(Reader):
    """Reads `not ok` with the YAML below it; the TAP of other tools has no such block, or another one."""

    source = "node"
    triggers = ("not ok ",)
    order = 40

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._block: _Tap | None = None

    def begin(self, line: Line) -> bool:
        """Take a failed test that is neither to do nor skipped."""
        failed = _NOT_OK.match(line.text)
        if failed is None or failed["directive"]:
            return False
        comments: list[str] = []
        for n in range(1, 40):
            before = self.context.before(n)
            if not before.lstrip().startswith("#"):
                break
            comments.insert(0, before.lstrip()[2:])
        self._block = _Tap(failed["name"], len(failed["indent"]) + 2, comments, [line.text])
        return True

    def go_on(self, line: Line) -> bool:
        """Take the YAML up to its `...`."""
        block, text = self._block, line.text
        if block is None or block.ended or len(block.lines) > _MOST_LINES or text[: block.indent].strip():
            return False
        inner = text[block.indent :]
        if inner == "...":
            block.ended = True
        elif found := _FIELD.match(inner):
            block.key, value = found["key"], found["value"]
            block.fields[block.key] = [] if value in ("|-", ">-", "|", ">") else [_unquoted(value)]
        elif inner.strip() not in ("---",) and block.key:
            block.fields[block.key].append(inner[2:].rstrip())
        block.lines.append(text)
        return True

    @property
    def complete(self) -> bool:
        """Whether the YAML is over."""
        return self._block is not None and self._block.ended

    def end(self) -> list[Diagnostic]:
        """The failed test; one that only counts failed tests in it is told by those."""
        block, self._block = self._block, None
        if block is None or block.fields.get("failureType") == ["subtestsFailed"]:
            return []
        message = "\n".join(block.fields.get("error", [])).strip()
        crashed = message == "test failed" and self._crash(block.comments)
        if crashed:
            return crashed
        at = _PLACE.match("".join(block.fields.get("location", [])))
        return [_failure(self.tree, block.name, message, block.fields.get("stack", []), at, "\n".join(block.lines))]

    def _crash(self, comments: list[str]) -> list[Diagnostic]:
        """A test file that died on its own: its stack stands in comments above."""
        inner = NodeStack(self.context)
        for n, text in enumerate(comments):
            if inner.begin(Line(text)):
                inner.go_on(Line(""))  # the source line and the caret are not printed
                for following in comments[n + 1 :]:
                    inner.go_on(Line(following))
                return inner.end()
        return []


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value


@dataclass(slots=True)
class _Spec:
    at: re.Match[str]
    lines: list[str]
    name: str = ""
    message: list[str] = field(default_factory=list)
    stack: list[str] = field(default_factory=list)


class NodeSpec(Reader):
    """Reads the summary of failed tests: `test at file:line:column`, then the test with its error and stack."""

    source = "node"
    triggers = ("test at ",)
    order = 40

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._block: _Spec | None = None

    def begin(self, line: Line) -> bool:
        """Take the place of a test."""
        at = _TEST_AT.match(line.text)
        if at is None:
            return False
        self._block = _Spec(at, [line.text])
        return True

    def go_on(self, line: Line) -> bool:
        """Take the test's name, its error and its stack."""
        block, text = self._block, line.text
        if block is None or len(block.lines) > _MOST_LINES:
            return False
        if not block.name:
            if not text.startswith("✖ "):
                return False
            block.name = re.sub(r" \([\d.]+ms\)$", "", text[2:])
        elif text.startswith("      at ") or (block.stack and text.startswith("  ")):
            block.stack.append(text)
        elif text.startswith("  ") or not text.strip():
            block.message.append(text[2:])
        else:
            return False
        block.lines.append(text)
        return True

    def end(self) -> list[Diagnostic]:
        """The failed test."""
        block, self._block = self._block, None
        if block is None or not block.name or "subtest failed" in "".join(block.message[:1]):
            return []
        message = "\n".join(block.message).strip()
        return [_failure(self.tree, block.name, message, block.stack, block.at, "\n".join(block.lines).rstrip())]
