"""The worked example of docs/trust.md: one visible case, six hidden ones, green in the second climb (SPEC K5, Q5, R3)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.loop.running import block, fix, snapshot

from compile_loop.contracts.events import HoldoutFinished, RoundFinished
from compile_loop.contracts.outcome import Ending

DOCS = Path(__file__).parents[2] / "docs"
START = "    return [], balance\n"
VISIBLE_ONLY = """\
    made = []
    for name, amount in payments:
        made.append(name)
        balance -= amount
    return made, balance
"""
RULES_BUT_SPLITS = """\
    made = []
    for name, amount in payments:
        if 0 < amount <= min(limit, balance) and name not in made:
            made.append(name)
            balance -= amount
    return made, balance
"""
ALL = """\
    made, paid = [], {}
    for name, amount in payments:
        whole = name.partition("/")[0]
        together = paid.get(whole, 0) + amount
        if amount > 0 and together <= limit and amount <= balance and name not in made:
            made.append(name)
            paid[whole] = together
            balance -= amount
    return made, balance
"""


@pytest.mark.spec("K5", "Q5", "R3", "Q28")
async def test_a_builder_for_the_visible_case_alone_is_green_in_its_second_climb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "payment"
    shutil.copytree(DOCS / "examples" / "payment", root)
    before = snapshot(root)
    replies = [block(START, VISIBLE_ONLY), block(VISIBLE_ONLY, RULES_BUT_SPLITS), block(RULES_BUT_SPLITS, ALL)]
    told = await fix(root, replies, targets=["payments.py"])

    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert [e.errors_after for e in told.of(RoundFinished)] == [0, 0, 0], "visibly green from the first round on"
    red = [e.name for e in told.of(HoldoutFinished) if not e.ok]
    assert (red.count("splits"), red.count("duplicates")) == (3, 2), "before, and after the first green or two"
    in_the_docs = (DOCS / "trust.md").read_text(encoding="utf-8")
    first, second = told.asked[1:]
    assert "\n".join(f"    {line}" for line in first.splitlines()) in in_the_docs
    assert second.endswith("- The limit holds for a payment as a whole, whatever parts it comes in.")
    everything = "\n".join(message.content for request in told.model.requests for message in request)
    for hidden in ("hidden/", "101", "7/2", "-5", "duplicates"):
        assert hidden not in everything.replace('"7/1" and "7/2" are parts', ""), hidden

    report = json.loads(next((tmp_path / "state").rglob("report.json")).read_text())
    assert report["holdouts"] == {"run": 6, "failing": []} and report["protectedFilesUnchanged"]
    sentence = report["doesNotProve"].partition(" No hidden")[0]
    assert sentence == "The checks pass with this edit. That proves what they check, and no more: " + (
        "behaviour that none of them looks at may be wrong."
    )
    assert sentence in " ".join(in_the_docs.split())
    assert snapshot(root) == before
