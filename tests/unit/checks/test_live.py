"""Diagnostics while the check runs, whatever becomes of it (SPEC D4, D6)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from compile_loop.checks.contract import CommandContract
from compile_loop.contracts.checks import Check, CheckResult
from compile_loop.contracts.events import CheckFinished, DiagnosticFound, Event, Pass
from compile_loop.shadow.in_place import InPlaceShadow


async def check(root: Path, command: str, hear: list[Event] | None = None, **more: object) -> CheckResult:
    """Run one check in place, and tell `hear` everything."""
    events: list[Event] = [] if hear is None else hear
    contract = CommandContract([Check("it", command, **more)], os.environ)  # type: ignore[arg-type]
    result = await contract.run(InPlaceShadow(root, root / ".journal"), Pass.BASELINE, 0, events.append)
    return result.results[0]


class Answering(list[Event]):
    """Lets the command go on once it hears of a diagnostic."""

    def __init__(self, go: Path) -> None:
        super().__init__()
        self._go = go

    def append(self, event: Event) -> None:
        super().append(event)
        if isinstance(event, DiagnosticFound):
            self._go.touch()


@pytest.mark.spec("D4")
@pytest.mark.parametrize(
    "said",
    [
        r"a.c:1:5: error: expected ‘;’\n    1 | int x\n      |      ^\n",
        r"src/a.ts(1,5): error TS2322: no.\n  more\n",
        r"A.java:1: error: no\nint x\n    ^\n",
        r"error[E0425]: no\n --> a.rs:1:5\n  |\n1 | int x\n  |     ^\n",
    ],
)
async def test_the_last_diagnostic_is_told_before_anything_else_is_printed(said: str, tmp_path: Path) -> None:
    """The compiler works on in silence: until somebody heard of its error, for this one."""
    for name in ("a.c", "src/a.ts", "A.java", "a.rs"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("int x\n")
    heard = Answering(tmp_path / "go")
    script = f"printf '{said}'; until [ -e go ]; do sleep 0.05; done; exit 1"
    result = await check(tmp_path, script, heard)
    assert len(result.errors) == 1
    assert [event.diagnostic for event in heard if isinstance(event, DiagnosticFound)] == list(result.errors)
    assert isinstance(heard[-1], CheckFinished)


@pytest.mark.spec("D4")
async def test_what_comes_after_a_pause_is_in_the_result_and_told_once(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int x\nint y\n")
    heard = Answering(tmp_path / "go")
    script = "echo 'a.c:1:5: error: one'; until [ -e go ]; do sleep 0.05; done; echo 'a.c:2:5: note: here'; exit 1"
    result = await check(tmp_path, script, heard)
    (error,) = result.errors
    assert [place.message for place in error.related] == ["here"]
    assert [event.diagnostic.related for event in heard if isinstance(event, DiagnosticFound)] == [()]


@pytest.mark.spec("D4")
async def test_json_that_was_cut_off_gives_what_was_whole(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("x\ny\n")
    finding = '{"ruleId": "r", "severity": 2, "message": "one", "line": 1, "column": 1}'
    whole = f'{{"filePath": "{tmp_path}/a.js", "messages": [{finding}]}}'
    (tmp_path / "said").write_text(f'[{whole},{{"filePath": "{tmp_path}/a.js", "messages": [{{"rul')
    result = await check(tmp_path, "cat said; exit 1")
    assert [one.message for one in result.errors] == ["one"]


@pytest.mark.spec("D4")
@pytest.mark.parametrize(("script", "words"), [("exit 3", "exit code 3"), ("echo boo; exit 4", "boo")])
async def test_failure_without_anything_readable_is_one_diagnostic(script: str, words: str, tmp_path: Path) -> None:
    """C15: the tool said nothing, or nothing that anybody knows."""
    result = await check(tmp_path, script)
    (one,) = result.errors
    assert one.file is None
    assert words in one.message


@pytest.mark.spec("D3")
async def test_output_in_latin_1_is_read_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_bytes(b"/* caf\xe9 */ int x = y;\n")
    (tmp_path / "said").write_bytes(b"a.c:1:21: error: caf\xe9 \xab y \xbb\n")
    result = await check(tmp_path, "cat said; exit 1")
    (one,) = result.errors
    assert (one.file, one.range.start.line, one.range.start.character) == ("a.c", 0, 20)
    assert one.message.startswith("caf")


@pytest.mark.spec("D3", "Z1")
@pytest.mark.parametrize("path", ["../outside.c", "/etc/passwd", "link/outside.c"])
async def test_a_place_outside_the_workspace_is_told_as_such(path: str, tmp_path: Path) -> None:
    root = tmp_path / "w"
    root.mkdir()
    (tmp_path / "outside.c").write_text("int x\n")
    (root / "link").symlink_to(tmp_path)
    result = await check(root, f"echo '{path}:1:1: error: no'; exit 1")
    (one,) = result.errors
    assert one.file is None or Path(one.file).is_absolute() or one.file == "link/outside.c"
    assert one.suggestions == ()
