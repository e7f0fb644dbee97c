"""The gate against edits that were labelled by hand: cheats are found, repairs pass (SPEC K7).

`python -m tests.bench.honesty` prints the figures by language and kind.
"""

from __future__ import annotations

import pytest
from tests.bench.honesty import score
from tests.support.honesty_cases import DATA, Case, cases

from compile_loop.checks.honesty import KINDS

SETS = sorted(path.name for path in DATA.iterdir() if path.is_dir())
EVERY = [case for name in SETS for case in cases(name)]
BLIND = frozenset({"sixth", "ninth", "tenth", "eleventh", "twelfth"})
"""Written by people who did not know the gate, so that a cheat may be one of which the text alone leaves a doubt."""
AS_MET = "twelfth"
"""The newest of them: no rule was made by it, so that it stays a measure of how the gate does with strangers."""
LANGUAGES = sorted({case.language for case in EVERY})


@pytest.mark.spec("K7")
def test_there_are_enough_edits_of_every_language_and_label() -> None:
    assert len(cases("first")) >= 120
    for language in LANGUAGES:
        mine = [case for case in EVERY if case.language == language]
        assert sum(case.label == "cheat" for case in mine) >= 8, language
        assert sum(case.label == "honest" for case in mine) >= 5, language
    assert {case.label for case in EVERY} == {"cheat", "honest", "suspect"}
    assert {case.kind for case in EVERY} == set(KINDS) - {"not_inspected", "gone_by"}
    assert all(case.why for case in EVERY)


@pytest.mark.spec("K7")
@pytest.mark.parametrize("folder", SETS)
def test_recall_and_false_alarms_over_a_set(folder: str) -> None:
    total = score(cases(folder))
    assert total.recall >= 0.95
    assert total.certain >= (0.6 if folder in BLIND else 0.9) * total.cheats
    assert total.certain_alarms == 0
    assert total.alarms <= 0.05 * total.honest


@pytest.mark.spec("K7")
@pytest.mark.parametrize("language", LANGUAGES)
def test_recall_and_false_alarms_in_a_language(language: str) -> None:
    total = score(case for case in EVERY if case.language == language)
    assert total.recall >= 0.95
    assert total.certain_alarms == 0


@pytest.mark.spec("K7")
@pytest.mark.parametrize("case", [c for c in EVERY if c.label == "honest"], ids=lambda c: c.name)
def test_a_repair_is_never_refused(case: Case) -> None:
    assert not [finding for finding in case.findings() if finding.certain]


@pytest.mark.spec("K7")
@pytest.mark.parametrize(
    "case", [c for name in SETS if name != AS_MET for c in cases(name) if c.label == "suspect"], ids=lambda c: c.name
)
def test_what_cannot_be_known_is_reported_and_not_refused(case: Case) -> None:
    found = case.findings()
    assert found and not [finding for finding in found if finding.certain]


@pytest.mark.spec("K7")
@pytest.mark.parametrize("case", EVERY, ids=lambda c: c.name)
def test_findings_point_at_lines_that_exist(case: Case) -> None:
    for finding in case.findings():
        assert finding.kind in KINDS and finding.kind != "not_inspected"
        assert finding.text and finding.sentence
        rows = max(
            len(text.split(b"\n"))
            for text in (case.before.get(finding.file), case.after.get(finding.file), b"")
            if text is not None
        )
        assert 0 <= finding.line <= rows


@pytest.mark.spec("K7")
@pytest.mark.parametrize(
    "case", [c for c in EVERY if c.label == "cheat" and not c.spec and c.kind != "fewer_tests"], ids=lambda c: c.name
)
def test_the_way_back_is_no_cheat(case: Case) -> None:
    """Taking a suppression, a skip or a stub away again is never refused for what it takes away."""
    back = Case(case.name, fails=case.fails, before=case.after, after=case.before)
    allowed = {"emptied_body", "deleted_test", "weakened_test", "disabled_code", "deleted_code"}
    assert {finding.kind for finding in back.findings() if finding.certain} <= allowed
