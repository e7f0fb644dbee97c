"""What the commands print as JSON, and docs/json.md (SPEC P3): every field has its word there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_commands import cli, script
from tests.loop.running import block, workspace
from tests.support.tools import ROOT

PAGE = (ROOT / "docs" / "json.md").read_text()
BROKEN = "int one(void) { return 1 }\n"


@pytest.mark.spec("P3")
def test_every_field_of_the_documents_is_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = workspace(tmp_path / "ws", a_c=BROKEN)
    model = script(root, block(BROKEN, BROKEN.replace("1 }", "1; }")))
    check = ("--check", "gcc -fsyntax-only a.c")
    for words in (
        ("fix", "a.c", *check, "--no-suggestions", "--model", model, "--json"),
        ("check", *check, "--json"),
        ("runs", "--json"),
        ("show", "last", "--json"),
        ("replay", "last", "--json"),
        ("doctor", "--json"),
    ):
        document = json.loads(cli(root, *words).stdout)
        section = PAGE.partition(f"`{document['schema']}`")[2]
        assert section, document["schema"]
        lists = [value[0] for value in document.values() if isinstance(value, list) and value]
        fields = {*document, *(field for one in lists if isinstance(one, dict) for field in one)} - {"schema"}
        assert [field for field in sorted(fields) if f"`{field}`" not in PAGE] == [], words
