"""What is taken of a language server's answer (SPEC D5)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.sources import Tree as Files

from compile_loop.contracts.diagnostics import Diagnostic, Phase, Range, Severity
from compile_loop.toolchains.language_server.matching import finding_near, same_finding
from compile_loop.toolchains.language_server.python_imports import imports_a_stranger
from compile_loop.toolchains.language_server.servers import LanguageServer, server_question
from compile_loop.toolchains.language_server.workspace_edit import edits_of
from compile_loop.toolchains.registry import language_servers
from compile_loop.toolchains.tree import Tree

pytestmark = pytest.mark.spec("D5")


def finding(line: int, character: int, message: str = "", severity: int = 1) -> dict[str, Any]:
    place = {"line": line, "character": character}
    return {"range": {"start": place, "end": place}, "message": message, "severity": severity}


@pytest.mark.parametrize(
    ("found", "chosen"),
    [
        ([finding(3, 4, "other", 2), finding(3, 4, "such"), finding(3, 0, "x")], 1),  # the most severe at the place
        ([finding(3, 9, "x"), finding(5, 0, "Expected ';' (fix available)\n\nsee below")], 1),
        ([finding(9, 0, "expected ';'"), finding(3, 9, "x")], None),  # the same words, but far away; another place
    ],
)
def test_finding_of_a_check_is_found_again(found: list[dict[str, Any]], chosen: int | None) -> None:
    one = finding(3, 4, "expected ';'")
    assert same_finding(one, found) == (None if chosen is None else found[chosen])


def test_error_in_the_same_line_or_shortly_before_stands_for_one_that_is_not_found() -> None:
    hint, error = finding(3, 0, "unused", 4), finding(3, 9, "x")
    assert finding_near(finding(3, 4), [hint, error]) == error
    assert finding_near(finding(5, 4), [finding(1, 0), error, finding(4, 1, "y", 2)]) == error
    assert finding_near(finding(3, 4), [hint]) is None
    assert finding_near(finding(3, 4), [finding(4, 0)]) is None
    assert finding_near(finding(9, 4), [error]) is None


ROOT = Path("/w/a b").absolute()
EDIT = {"range": finding(0, 1)["range"], "newText": "é"}


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({(ROOT / "é 😀.py").as_uri(): [EDIT, EDIT]}, ["é 😀.py", "é 😀.py"]),
        ({(ROOT / "sub" / "a.py").as_uri().replace("file://", "file://localhost"): [EDIT]}, ["sub/a.py"]),
        ({(ROOT.parent / "a.py").as_uri(): [EDIT]}, []),
        ({ROOT.as_uri() + "/../a.py": [EDIT]}, []),
        ({ROOT.as_uri() + "/%2e%2e/a.py": [EDIT]}, []),
        ({ROOT.as_uri() + "c/a.py": [EDIT]}, []),
        ({"untitled:a.py": [EDIT]}, []),
        ({(ROOT / "a.py").as_uri(): [EDIT], (ROOT.parent / "b.py").as_uri(): [EDIT]}, []),  # all of it or nothing
        ({(ROOT / "a.py").as_uri(): [{**EDIT, "newText": "x" * 200_000}]}, []),
        ({(ROOT / "a.py").as_uri(): [{**EDIT, "newText": None}]}, []),
        ({(ROOT / "a.py").as_uri(): [{**EDIT, "range": finding(-1, 0)["range"]}]}, []),
        ({(ROOT / "a.py").as_uri(): [{**EDIT, "range": finding(True, 0)["range"]}]}, []),
        ({(ROOT / "a.py").as_uri(): 7}, []),
        ([], []),
    ],
)
def test_only_edits_of_files_of_the_workspace_are_taken(changes: Any, names: list[str]) -> None:
    assert [edit["file"] for edit in edits_of({"changes": changes}, ROOT)] == names


def test_both_forms_of_an_edit_are_read_together() -> None:
    uri = (ROOT / "a.py").as_uri()
    edit = {"changes": {uri: [EDIT]}, "documentChanges": [{"textDocument": {"uri": uri}, "edits": [EDIT]}]}
    assert len(edits_of(edit, ROOT)) == 2
    assert edits_of({**edit, "documentChanges": [{"kind": "delete", "uri": uri}]}, ROOT) == []
    assert edits_of(None, ROOT) == []


@pytest.mark.parametrize(
    ("text", "strange"),
    [
        ("import json\n", False),
        ("from pathlib import Path\n", False),
        ("from mine.parts import part\n", False),
        ("from other import part\n", False),
        ("from .near import part\n", False),
        ("value", False),
        ("import numpy\n", True),
        ("from jedi.third_party.typeshed.stdlib.pathlib import Path\n", True),
        ("\nfrom zipp import Path", True),
        ("from _collections import OrderedDict\n", True),
        ("from mine._hidden import part\n", True),
    ],
)
def test_python_module_that_the_project_does_not_know_is_a_stranger(text: str, strange: bool) -> None:
    tree = Tree(root="/w", cwd="/w", sources=Files({"src/mine/__init__.py": "", "other.py": ""}))
    assert imports_a_stranger(text, tree) is strange


@pytest.mark.parametrize(
    ("changed", "known"),
    [
        ({}, True),
        ({"file": "A.PY"}, True),
        ({"file": None}, False),
        ({"file": "/usr/lib/a.py"}, False),
        ({"file": "a.go"}, False),
        ({"source": "pytest"}, False),
        ({"phase": Phase.TEST}, False),
        ({"severity": Severity.WARNING}, False),
    ],
)
def test_server_is_asked_about_what_it_may_know(changed: dict[str, Any], known: bool) -> None:
    server = LanguageServer(("x",), "x", {".py": "python"}, ("mypy",))
    fields: dict[str, Any] = {"file": "a.py", "range": Range.of(0, 0, 0, 1), "source": "mypy", "phase": Phase.TYPE}
    assert server.knows(Diagnostic("m", **{**fields, **changed})) is known


def test_server_is_looked_for_in_the_project_and_on_the_path_and_not_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def put(folder: Path) -> str:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "served").write_text("#!/bin/sh\n")
        (folder / "served").chmod(0o755)
        return str(folder / "served")

    def asked() -> list[str]:
        server = LanguageServer(("served", "--stdio"), "x", {".py": "python"}, ("mypy",))
        one = Diagnostic("m", "a.py", Range.of(0, 0, 0, 1), source="mypy", phase=Phase.TYPE)
        questions = server_question((server,), [one], root)
        return [json.loads(question.command[-1])["server"][0] for question in questions]

    root = tmp_path / "above" / "root"
    root.mkdir(parents=True)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    put(tmp_path / "above" / "node_modules" / ".bin")
    assert asked() == []
    on_path = put(tmp_path / "bin")
    assert asked() == [on_path]
    own = put(root / ".venv" / "bin")
    assert asked() == [own]


def test_every_server_says_how_it_is_got_and_what_it_knows() -> None:
    servers = [server for group in language_servers() for server in group]
    assert {server.command[0] for server in servers} >= {"clangd", "gopls", "rust-analyzer", "ty"}
    for server in servers:
        assert server.package
        assert server.sources
        assert all(ending.startswith(".") and ending == ending.lower() for ending in server.languages)
        assert 0 < server.seconds <= 40
