"""The manifest and the server agree on every setting, in both directions (SPEC M2, V8)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from compile_loop.lsp.config import settings_from
from compile_loop.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "manifest_docs.py"
MANIFEST = json.loads((ROOT / "package.json").read_text("utf-8"))
PROPERTIES: dict[str, Any] = {
    name.removeprefix("compileLoop."): value
    for name, value in MANIFEST["contributes"]["configuration"]["properties"].items()
}
RESTRICTED = {
    name.removeprefix("compileLoop.")
    for name in MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
}
NEVER_A_SETTING = {"apiKey"}
FIELDS = {field.alias or name: name for name, field in Settings.model_fields.items()}
OF_THE_USER_ALONE = {
    "baseUrl",
    "apiKeyEnv",
    "headers",
    "extraBody",
    "consultBaseUrl",
    "consultApiKeyEnv",
    "proxy",
    "caFile",
    "confineChecks",
    "writableFolders",
}
"""Addresses, secrets, and what lets checks out: no folder may set them."""


def sources(folder: str, pattern: str) -> str:
    return "\n".join(path.read_text("utf-8") for path in (ROOT / folder).rglob(pattern) if path.name != "settings.py")


def of_the_client() -> set[str]:
    """Settings that the client itself reads, such as where Python is."""
    texts = "\n".join(
        path.read_text("utf-8") for path in (ROOT / "extension/src").glob("*.ts") if path.name != "protocol.ts"
    )
    return {name for name in PROPERTIES if name not in FIELDS and f'"{name}"' in texts}


def test_every_setting_is_in_the_manifest_and_the_other_way_round() -> None:
    assert set(PROPERTIES) == (set(FIELDS) - NEVER_A_SETTING) | of_the_client()


def test_every_setting_is_used() -> None:
    texts = sources("server/compile_loop", "*.py")
    unused = [name for name, field in FIELDS.items() if not re.search(rf"settings\.{field}\b", texts)]
    assert unused == []


@pytest.mark.parametrize("name", sorted(set(PROPERTIES) & set(FIELDS)))
def test_a_default_is_the_servers_default(name: str) -> None:
    """What the editor sends where nothing is set changes nothing, and every choice is one for the server."""
    field, given = FIELDS[name], PROPERTIES[name]
    default = given["default"]
    assert getattr(settings_from({name: default}), field) == getattr(Settings(), field)
    assert not isinstance(default, dict) or set(default) <= set(given.get("properties", default))
    for choice in given.get("enum", []):
        assert getattr(settings_from({name: choice}), field) == choice
    assert (given.get("markdownDescription") or given["description"]).endswith((".", "`"))


def test_null_takes_a_bound_away_and_is_the_default_elsewhere() -> None:
    settings = settings_from({"maxCost": None, "maxTokensPerRun": None, "maxRounds": None, "model": None})
    assert (settings.max_cost, settings.max_tokens_per_run) == (None, None)
    assert (settings.max_rounds, settings.model) == (Settings().max_rounds, "")


@pytest.mark.spec("V8")
def test_no_folder_names_a_program_an_address_or_a_secret() -> None:
    """Restricted Mode's list holds no name that is gone, and every setting that could do harm (fault G04)."""
    assert set(PROPERTIES) >= RESTRICTED
    assert {name for name, each in PROPERTIES.items() if each["scope"] == "machine"} >= OF_THE_USER_ALONE
    assert OF_THE_USER_ALONE | {"check", "model", "server.python"} <= RESTRICTED
    for name, each in PROPERTIES.items():
        assert each["scope"] in ("machine", "machine-overridable", "resource", "window", "application"), name
        assert not each["scope"].startswith("machine") or name in RESTRICTED, name


def check(script: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)


def test_a_stale_page_is_noticed(tmp_path: Path) -> None:
    script = tmp_path / "scripts" / SCRIPT.name
    script.parent.mkdir()
    (tmp_path / "docs").mkdir()
    shutil.copy(SCRIPT, script)
    shutil.copy(ROOT / "package.json", tmp_path)
    assert check(script).returncode == 1
    subprocess.run([sys.executable, script], check=True)
    assert check(script).returncode == 0
    for name in ("settings.md", "commands.md"):
        assert (tmp_path / "docs" / name).read_bytes() == (ROOT / "docs" / name).read_bytes()
    changed = (tmp_path / "package.json").read_text("utf-8").replace('"Show Log"', '"Show the Log"')
    (tmp_path / "package.json").write_text(changed, "utf-8")
    stale = check(script)
    assert stale.returncode == 1 and stale.stderr == "commands.md stale: run `python scripts/manifest_docs.py`\n"
