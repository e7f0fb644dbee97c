"""The pages for people: their links lead somewhere, their prose can be read in an editor as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
WIDEST = 200


def prose(page: Path) -> list[str]:
    """Lines that are neither a table's nor code."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return [line for line in text.splitlines() if not line.startswith(("|", "    ", "<!--"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_line_of_prose_is_wider_than_a_screen(page: Path) -> None:
    assert [line for line in prose(page) if len(line) > WIDEST] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_pages_and_headings_that_are_there(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if "://" in target:
            continue
        name, _, heading = target.partition("#")
        other = page if not name else (page.parent / name)
        assert other.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.*)$", other.read_text(), re.MULTILINE)
            assert heading in [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles], target
