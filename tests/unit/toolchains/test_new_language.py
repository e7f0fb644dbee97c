"""A new language is one file in `tools/`: nothing else has to be told of it (SPEC D2)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.sources import diagnose, spot

from compile_loop.toolchains import interest, registry, tools
from compile_loop.toolchains.detect import detect

PAGE = (Path(__file__).parents[3] / "docs" / "toolchains.md").read_text()
MODULE = PAGE.partition("```python\n")[2].partition("```\n")[0]
"""The page's example is the whole module."""


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


@pytest.mark.spec("D2")
def test_page_names_every_toolchain() -> None:
    table = PAGE.partition("| toolchain |")[2]
    programs = {program.name for toolchain in registry.toolchains() for program in toolchain.programs}
    missing = [name for name in programs - {"python3", "bash", "mvn", "ld"} if f"{name}" not in table]
    assert missing == []
    assert all(one.name.rstrip("c") in table for one in registry.toolchains())
