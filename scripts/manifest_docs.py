"""Write docs/settings.md and docs/commands.md from the extension's manifest.

python scripts/manifest_docs.py          # write
python scripts/manifest_docs.py --check  # exit 1 where a page is stale
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
MADE = "<!-- made by scripts/manifest_docs.py from package.json -->\n"
SCOPES = {
    "machine": "the user alone; a folder cannot set it",
    "machine-overridable": "user and trusted folder",
    "resource": "user, workspace and folder",
    "window": "user and workspace",
    "application": "the user alone, for all profiles",
}


def pages(manifest: dict[str, Any]) -> dict[str, str]:
    """The pages by file name."""
    return {"settings.md": _settings(manifest), "commands.md": _commands(manifest)}


def _settings(manifest: dict[str, Any]) -> str:
    properties: dict[str, Any] = manifest["contributes"]["configuration"]["properties"]
    restricted = set(manifest["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"])
    lines = [
        "# Settings of the extension",
        "",
        "The command line has an option for those that matter there: `compile-loop fix --help`. Keys are never a setting:",
        "see [models](models.md).",
        "",
        "| setting | what it does | default | who may set it |",
        "|---|---|---|---|",
    ]
    for name, each in sorted(properties.items(), key=lambda item: item[1].get("order", 0)):
        scope = SCOPES[each["scope"]] + (", not in Restricted Mode" if name in restricted else "")
        lines.append(f"| `{name}` | {_told(each)} | {_shown(each.get('default'))} | {scope} |")
    return MADE + "\n".join(lines) + "\n"


def _told(each: dict[str, Any]) -> str:
    text = each.get("markdownDescription") or each["description"]
    choices = each.get("enum", [])
    meanings = each.get("enumMarkdownDescriptions") or each.get("enumDescriptions") or [""] * len(choices)
    told = [f"`{choice}`: {meaning}" for choice, meaning in zip(choices, meanings, strict=True)]
    return "<br>".join([text, *told]).replace("|", "\\|")


def _shown(default: object) -> str:
    return "" if default in (None, "", [], {}) else f"`{json.dumps(default, ensure_ascii=False)}`"


def _commands(manifest: dict[str, Any]) -> str:
    contributed = manifest["contributes"]
    keys = {each["command"]: each["key"] for each in contributed.get("keybindings", [])}
    hidden = {
        each["command"]
        for each in contributed.get("menus", {}).get("commandPalette", [])
        if each.get("when") == "false"
    }
    lines = [
        "# Commands of the extension",
        "",
        "In the command palette under “Compile Loop”; those without a place there belong to a menu or a button.",
        "",
        "| command | id | palette | keys |",
        "|---|---|---|---|",
    ]
    for each in contributed["commands"]:
        name = each["command"]
        lines.append(f"| {each['title']} | `{name}` | {'' if name in hidden else 'yes'} | {keys.get(name, '')} |")
    return MADE + "\n".join(lines) + "\n"


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--check", action="store_true", help="write nothing; exit 1 where a page is stale")
    check = arguments.parse_args().check
    stale = []
    for name, text in pages(json.loads((ROOT / "package.json").read_text("utf-8"))).items():
        page = ROOT / "docs" / name
        if page.is_file() and page.read_text("utf-8") == text:
            continue
        stale.append(name)
        if not check:
            page.write_bytes(text.encode())
    if check and stale:
        print(f"{' and '.join(stale)} stale: run `python scripts/manifest_docs.py`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
