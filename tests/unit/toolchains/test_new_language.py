"""A new language is one file in `tools/`: nothing else has to be told of it (SPEC D2)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.sources import diagnose, spot

from compile_loop.toolchains import interest, registry, tools
from compile_loop.toolchains.detect import detect

MODULE = """
from compile_loop.contracts.checks import Check
from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.toolchains.reader import Reader
from compile_loop.toolchains.single import relative_names
from compile_loop.toolchains.toolchain import Program, Toolchain


class Oops(Reader):
    source = "newlang"
    triggers = ("oops at ",)
    apart = True

    def begin(self, line):
        if not line.text.startswith("oops at "):
            return False
        name, number = line.text.removeprefix("oops at ").split("#")
        path = self.tree.resolve(name)
        self.found = [Diagnostic("oops", self.tree.shown(path), self.tree.whole_line(path, int(number) - 1))]
        return True

    def end(self):
        return self.found


TOOLCHAIN = Toolchain(
    name="newlang",
    readers=(Oops,),
    programs=(Program("newc", "newlang"),),
    endings=(".new",),
    compile=lambda files, root: Check("newc", ("newc", *relative_names(files, root))),
)
"""


def forget() -> None:
    for remembered in (registry.toolchains, registry.reader_types, registry.shape_types, interest.needed_words):
        remembered.cache_clear()


@pytest.fixture
def language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "newlang.py").write_text(MODULE)
    monkeypatch.setattr(tools, "__path__", [*tools.__path__, str(tmp_path)])
    forget()
    yield
    sys.modules.pop("compile_loop.toolchains.tools.newlang", None)
    monkeypatch.undo()
    forget()


@pytest.mark.spec("D2")
@pytest.mark.usefixtures("language")
def test_it_is_detected_read_and_named(tmp_path: Path) -> None:
    assert [one.check.command for one in detect(tmp_path, [Path("a.new")])] == [("newc", "a.new")]
    assert [spot(one) for one in diagnose("working\noops at a.new#2\n", {"a.new": "\n  bad\n"})] == [
        ("a.new", 1, 2, 1, 5)
    ]
    assert ("newlang", ("newc",), "Debian and Ubuntu: apt-get install newlang") in registry.known_tools()
