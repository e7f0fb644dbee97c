"""`go test`: failures in its text and in its JSON. Both print base names; the package's line says which folder."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass, field

from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Phase
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.tools.go_build import GoBuild
from compile_loop.toolchains.tools.go_panic import GoPanic

_RUNNING = re.compile(r"^=== (?:RUN|CONT|NAME|PAUSE)\s+(?P<name>\S+)$")
_ENDED = re.compile(r"^\s*--- (?P<how>PASS|FAIL|SKIP): (?P<name>\S+) \([\d.]+s\)$")
_SAID = re.compile(r"^\s{4,}(?P<file>[^\s:][^:]*\.go):(?P<line>\d{1,9}): ?(?P<message>.*)$")
_PACKAGE = re.compile(r"^(?:FAIL|ok  |---)?\t(?P<package>\S+)\s+(?:[\d.]+s|\[build failed\]|\(cached\)).*$")
_LOGGING = re.compile(r"\.Logf?\(")
_MOST_TESTS = 2000
_MOST_SAID = 100


@dataclass(slots=True)
class _Said:
    file: str
    line: int
    lines: list[str]


@dataclass(slots=True)
class TestLog:
    """What the tests of one package printed so far."""

    current: str = ""
    said: defaultdict[str, list[_Said]] = field(default_factory=lambda: defaultdict(list))
    failed: list[str] = field(default_factory=list)

    def take(self, text: str) -> bool:
        """Whether a line is a test's."""
        if running := _RUNNING.match(text):
            self.current = running["name"]
        elif ended := _ENDED.match(text):
            self.current = ended["name"]
            if ended["how"] != "FAIL":
                self.said.pop(self.current, None)
            elif len(self.failed) < _MOST_TESTS:
                self.failed.append(self.current)
        elif said := _SAID.match(text):
            if len(self.said[self.current]) < _MOST_SAID:
                self.said[self.current].append(_Said(said["file"], int(said["line"]) - 1, [said["message"]]))
        elif text.startswith("panic: "):
            if self.failed and self.failed[-1] == self.current:
                self.failed.pop()  # the panic is told by its own stack
            return False
        elif text.startswith("        ") and (last := self.said.get(self.current)):
            last[-1].lines.append(text.strip())
        else:
            return text in ("FAIL", "PASS")
        return True


def failures(log: TestLog, package: str, context: Context) -> list[Diagnostic]:
    """The failed tests of a package: each place where one said why, or the test alone if none of it did."""
    bases = _folders(package, context)
    found: list[Diagnostic] = []
    for name in dict.fromkeys(log.failed):
        said = [(one, context.tree.resolve(one.file, *bases)) for one in log.said.get(name, [])]
        reasons = [(one, path) for one, path in said if not _only_logs(one, path, context)] or said
        for one, path in reasons:
            message = "\n".join(line for line in one.lines if line)
            found.append(
                Diagnostic(
                    message=f"{name}: {message}",
                    file=context.tree.shown(path),
                    range=context.tree.whole_line(path, one.line) if path else NOWHERE,
                    source="go test",
                    phase=Phase.TEST,
                    rendered=f"--- FAIL: {name}\n    {one.file}:{one.line + 1}: {message}",
                )
            )
        inner = any(other.startswith(f"{name}/") for other in log.failed)
        if not reasons and not inner:
            found.append(Diagnostic(message=f"{name} failed", source="go test", phase=Phase.TEST))
    return found


def _only_logs(one: _Said, path: str | None, context: Context) -> bool:
    """The text of `t.Log` looks like that of `t.Error`; the source tells them apart."""
    line = context.tree.line(path, one.line) if path else None
    return line is not None and _LOGGING.search(line) is not None


def _folders(package: str, context: Context) -> list[str]:
    """Where a package may lie: its import path without the module's name, which may be any part of its start."""
    names = context.tree.names
    parts = package.split("/") if package else []
    tails = ["/".join(parts[i:]) for i in range(len(parts) + 1)]
    return [
        names.join(above, tail or ".") for tail in tails for above in (*names.directories, *names.parents(names.cwd))
    ]


class GoTest(Reader):
    """Reads the text. What a package's tests said is handed over when the package's own line comes."""

    source = "go test"
    triggers = ("--- FAIL: ", "--- PASS: ", "--- SKIP: ", "=== RUN", "=== CONT", "=== NAME", "FAIL\t", "ok  \t")
    order = 34

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._log = TestLog()
        self._found: list[Diagnostic] = []

    def begin(self, line: Line) -> bool:
        """Take a test's or a package's line."""
        return self.go_on(line)

    def go_on(self, line: Line) -> bool:
        """Take what tests say, up to their package's line."""
        if package := _PACKAGE.match(line.text):
            self._found = failures(self._log, package["package"], self.context)
            self._log = TestLog()
            return True
        return self._log.take(line.text)

    @property
    def complete(self) -> bool:
        """Whether a package is through."""
        return bool(self._found)

    def end(self) -> list[Diagnostic]:
        """The failures of the packages that are through."""
        found, self._found = self._found, []
        return found

    def finish(self, exit_code: int) -> list[Diagnostic]:
        """The failures of a package whose line never came."""
        return failures(self._log, "", self.context)


class GoTestJson(Reader):
    """Reads `go test -json` and `go build -json`: the same text, wrapped line by line, with its package."""

    source = "go test"
    triggers = ('"Action":',)
    apart = True
    order = 10

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._logs: defaultdict[str, TestLog] = defaultdict(TestLog)
        self._inner: list[Reader] = [GoPanic(context), GoBuild(context)]
        self._open: Reader | None = None
        self._found: list[Diagnostic] = []

    def begin(self, line: Line) -> bool:
        """Take an event."""
        if not line.text.startswith("{"):
            return False
        try:
            event = json.loads(line.text)
        except (ValueError, RecursionError):
            return False
        package, action = event.get("Package") or event.get("ImportPath"), event.get("Action")
        if not isinstance(package, str) or not isinstance(action, str):
            return False
        if action in ("output", "build-output"):
            self._take(package, str(event.get("Output", "")).rstrip("\r\n"))
        elif action in ("fail", "pass", "skip", "build-fail") and "Test" not in event:
            self._close()
            self._found += failures(self._logs.pop(package, TestLog()), package, self.context)
        return True

    def _take(self, package: str, text: str) -> None:
        if self._open is not None:
            if self._open.go_on(Line(text)):
                return
            self._close()
        if self._logs[package].take(text):
            return
        for reader in self._inner:
            if any(trigger in text for trigger in reader.triggers) and reader.begin(Line(text)):
                self._open = reader
                return

    def _close(self) -> None:
        if self._open is not None:
            self._found += self._open.end()
            self._open = None

    def end(self) -> list[Diagnostic]:
        """What is complete."""
        found, self._found = self._found, []
        return found

    def finish(self, exit_code: int) -> list[Diagnostic]:
        """What was still open when the output ended."""
        self._close()
        rest = [one for package, log in self._logs.items() for one in failures(log, package, self.context)]
        return self.end() + rest
