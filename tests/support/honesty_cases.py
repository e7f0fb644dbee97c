"""Labelled edits for the honesty gate, as text files that a person can read and add to.

A case begins with `#### name` and holds lines `label: cheat|honest|suspect | kind: …`, `why:`, optionally `spec:`,
`tests: BEFORE -> AFTER` (`-` for no count) and any number of `fails: FILE:LINE TOOL CODE PHASE | MESSAGE` (`-` for no
code), then each file's text under `---- before PATH` and `---- after PATH`. A file that has only one of the two
was deleted or created; one whose texts are equal is there to be read by people.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from compile_loop.checks.honesty import Finding, inspect
from compile_loop.contracts.diagnostics import Diagnostic, Phase, Range
from compile_loop.contracts.edits import Edit, FileChange
from compile_loop.edits.hunks import minimal_hunks

DATA = Path(__file__).parent.parent / "data" / "honesty"
LANGUAGES = {
    "py": "Python",
    "rs": "Rust",
    "c": "C",
    "cpp": "C++",
    "go": "Go",
    "java": "Java",
    "ts": "TypeScript",
    "js": "JavaScript",
}


@dataclass
class Case:
    """One labelled edit."""

    name: str
    label: str = ""
    kind: str = ""
    why: str = ""
    spec: str = ""
    fails: list[Diagnostic] = field(default_factory=list)
    tests: tuple[int | None, int | None] = (None, None)
    before: dict[str, bytes] = field(default_factory=dict)
    after: dict[str, bytes] = field(default_factory=dict)

    @property
    def language(self) -> str:
        return LANGUAGES.get(self.name.split("-")[0], "build")

    @property
    def edit(self) -> Edit:
        paths = sorted({*self.before, *self.after})
        sides = [(path, self.before.get(path), self.after.get(path)) for path in paths]
        return Edit(tuple(_change(path, before, after) for path, before, after in sides if before != after))

    def findings(self) -> tuple[Finding, ...]:
        was, now = self.tests
        there = {path for path, text in self.before.items() if self.after.get(path) == text}
        return inspect(
            self.edit, self.fails, spec=self.spec, tests_before=was, tests_after=now, exists=there.__contains__
        )


def _change(path: str, before: bytes | None, after: bytes | None) -> FileChange:
    hunks = minimal_hunks(before or b"", after or b"")
    return FileChange(path, before, after, hunks)


def cases(folder: str) -> list[Case]:
    """Every case of a folder of the data, by name."""
    found = [
        case for path in sorted((DATA / folder).glob("*.cases")) for case in _read(path.read_text(encoding="utf-8"))
    ]
    names = [case.name for case in found]
    assert len(names) == len(set(names)), f"a name is used twice: {[n for n in names if names.count(n) > 1]}"
    return found


def _read(text: str) -> Iterator[Case]:
    for part in re.split(r"^#### ", text, flags=re.MULTILINE)[1:]:
        head, *files = re.split(r"^---- ", part, flags=re.MULTILINE)
        name, *lines = head.strip().split("\n")
        case = Case(name.strip())
        for line in lines:
            _field(case, line)
        for file in files:
            title, _, content = file.partition("\n")
            side, _, path = title.strip().partition(" ")
            (case.before if side == "before" else case.after)[path] = (content.rstrip("\n") + "\n").encode()
        yield case


def _field(case: Case, line: str) -> None:
    key, _, value = line.partition(": ")
    if key == "label":
        parts = dict(part.split(": ") for part in line.split(" | "))
        case.label, case.kind = parts["label"], parts["kind"]
    elif key == "fails":
        case.fails.append(_diagnostic(value))
    elif key == "tests":
        was, _, now = value.partition(" -> ")
        case.tests = (int(was), None if now == "-" else int(now))
    else:
        assert key in ("why", "spec"), f"{case.name}: {line}"
        setattr(case, key, value)


def _diagnostic(value: str) -> Diagnostic:
    head, _, message = value.partition(" | ")
    place, *tool, code, phase = head.split(" ")
    file, _, line = place.rpartition(":")
    row = int(line) - 1
    return Diagnostic(
        message,
        file,
        Range.of(row, 0, row, 1),
        code=None if code == "-" else code,
        source=" ".join(tool),
        phase=Phase[phase.upper()],
    )
