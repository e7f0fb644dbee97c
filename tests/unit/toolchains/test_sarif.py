"""SARIF in and out (SPEC D2)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.sources import diagnose, spot

from compile_loop.contracts.diagnostics import Diagnostic, Range, Related, Severity, SuggestedEdit, Suggestion
from compile_loop.toolchains.sarif import sarif_of

pytestmark = pytest.mark.spec("D2")

FILES = {"src/a b.c": "\tint é = 1; /* 😀 */ nope;\r\nsecond\r\n", "sub/b.c": "x\n"}


def run(results: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"tool": {"driver": {"name": "lint", "rules": more.pop("rules", [])}}, "results": results, **more}


def read(*runs: dict[str, Any], indent: int | None = None, exit_code: int = 0) -> list[Diagnostic]:
    log = {"$schema": "https://example.org/sarif-2.1.0.json", "version": "2.1.0", "runs": list(runs)}
    return diagnose(json.dumps(log, indent=indent) + "\n", FILES, exit_code=exit_code)


def at(region: dict[str, Any], uri: str = "src/a%20b.c", **more: Any) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": {"uri": uri, **more}, "region": region}}


def result(region: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"message": {"text": "no"}, "level": "error", "locations": [at(region)], **more}


@pytest.mark.parametrize("kind", [None, "utf16CodeUnits", "unicodeCodePoints"])
@pytest.mark.parametrize("indent", [None, 2])
def test_columns_by_their_kind(kind: str | None, indent: int | None) -> None:
    column = 20 if kind == "unicodeCodePoints" else 21
    found = read(run([result({"startLine": 1, "startColumn": column, "endColumn": column + 4})],
                     **({"columnKind": kind} if kind else {})), indent=indent)  # fmt: skip
    assert [spot(one) for one in found] == [("src/a b.c", 0, 20, 0, 24)]
    assert (found[0].source, found[0].severity) == ("lint", Severity.ERROR)


@pytest.mark.parametrize(
    ("region", "where"),
    [
        ({"startLine": 1}, (0, 1, 0, 26)),
        ({"startLine": 1, "startColumn": 2}, (0, 1, 0, 4)),
        ({"startLine": 1, "startColumn": 2, "endColumn": 2}, (0, 1, 0, 4)),
        ({"startLine": 1, "startColumn": 2, "endLine": 2}, (0, 1, 1, 6)),
        ({"startLine": 1, "startColumn": 2, "endLine": 2, "endColumn": 3}, (0, 1, 1, 2)),
        ({"charOffset": 1, "charLength": 3}, (0, 1, 0, 4)),
        ({"byteOffset": 1, "byteLength": 3}, (0, 1, 0, 4)),
        ({"startLine": 99, "startColumn": 9}, (2, 0, 2, 0)),
        ({}, (0, 0, 0, 0)),
    ],
)
def test_regions(region: dict[str, Any], where: tuple[int, int, int, int]) -> None:
    (one,) = read(run([result(region)]))
    assert spot(one) == ("src/a b.c", *where)


def test_bases_indices_and_absolute_addresses() -> None:
    bases = {"ROOT": {"uri": "file:///w/"}, "SUB": {"uri": "sub/", "uriBaseId": "ROOT"}, "BARE": {}}
    places = [
        at({"startLine": 1}, "b.c", uriBaseId="SUB"),
        at({"startLine": 1}, "sub/b.c", uriBaseId="BARE"),
        at({"startLine": 1}, "file:///w/sub/b.c"),
        {"physicalLocation": {"artifactLocation": {"index": 0}}},
    ]
    results = [{"message": {"text": str(n)}, "locations": [place]} for n, place in enumerate(places)]
    found = read(run(results, originalUriBaseIds=bases, artifacts=[{"location": {"uri": "b.c", "uriBaseId": "SUB"}}]))
    assert [one.file for one in found] == ["sub/b.c"] * 4


def test_rules_levels_messages_and_what_is_left_out() -> None:
    rules = [
        {"id": "R1", "helpUri": "https://x/R1", "defaultConfiguration": {"level": "note"}},
        {"id": "R2", "messageStrings": {"m": {"text": "bad {0} and {1} {9}"}}},
    ]
    region = {"startLine": 1}
    results = [
        {"ruleIndex": 0, "message": {"text": "a"}, "locations": [at(region)]},
        {"ruleId": "R2", "message": {"id": "m", "arguments": ["x", "y"]}, "locations": [at(region)]},
        {"message": {"text": "no place"}},
        result(region, kind="pass"),
        result(region, level="none"),
        result(region, baselineState="absent"),
        result(region, suppressions=[{"kind": "inSource"}]),
        result(region, suppressions=[{"kind": "inSource", "status": "rejected"}], ruleId="kept"),
    ]
    found = read(run(results, rules=rules))
    assert [(one.code, one.message, one.severity.value) for one in found] == [
        ("R1", "a", "information"),
        ("R2", "bad x and y {9}", "warning"),
        (None, "no place", "warning"),
        ("kept", "no", "error"),
    ]
    assert found[0].code_href == "https://x/R1"


def test_related_places_flows_and_fixes() -> None:
    step = {"location": {**at({"startLine": 2}), "message": {"text": "then here"}}}
    fix = {
        "description": {"text": "add it"},
        "artifactChanges": [
            {
                "artifactLocation": {"uri": "sub/b.c"},
                "replacements": [
                    {
                        "deletedRegion": {"startLine": 1, "startColumn": 2, "endColumn": 2},
                        "insertedContent": {"text": ";"},
                    }
                ],
            }
        ],
    }
    entry = result({"startLine": 1}, codeFlows=[{"threadFlows": [{"locations": [step]}]}], fixes=[fix],
                   relatedLocations=[{**at({"startLine": 1}, "sub/b.c"), "message": {"text": "declared"}}])  # fmt: skip
    (one,) = read(run([entry]))
    assert [(r.file, r.range.start.line, r.message) for r in one.related] == [
        ("sub/b.c", 0, "declared"),
        ("src/a b.c", 1, "then here"),
    ]
    (suggestion,) = one.suggestions
    assert (suggestion.message, suggestion.safe) == ("add it", False)
    assert suggestion.edits == (SuggestedEdit("sub/b.c", Range.of(0, 1, 0, 1), ";"),)


def test_documents_that_are_no_sarif_or_cut() -> None:
    assert diagnose('{"runs": 3}\n', FILES, exit_code=0) == []
    assert diagnose('{"version": "1.0.0", "runs": [{"results": []}]}\n', FILES, exit_code=0) == []
    whole = json.dumps({"version": "2.1.0", "runs": [run([result({"startLine": 1})])]}, indent=1)
    assert diagnose(whole[:-20] + "\n", FILES, exit_code=0) == []


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), min_size=1, max_size=20)
PLACES = st.builds(lambda a, b: Range.of(0, min(a, b), 0, max(a, b) + 1), st.integers(0, 10), st.integers(0, 10))
EDITS = st.builds(SuggestedEdit, st.sampled_from(["src/a b.c"]), PLACES, st.text(max_size=5))
DIAGNOSTICS = st.builds(
    Diagnostic,
    message=NAMES.map(str.strip).filter(bool),
    file=st.sampled_from(["src/a b.c", None]),
    range=PLACES,
    severity=st.sampled_from([Severity.ERROR, Severity.WARNING, Severity.INFORMATION]),
    code=st.none() | NAMES,
    source=st.sampled_from(["gcc", "tsc"]),
    related=st.lists(st.builds(Related, st.just("src/a b.c"), PLACES, NAMES), max_size=3).map(tuple),
    suggestions=st.lists(
        st.builds(Suggestion, NAMES, st.lists(EDITS, min_size=1, max_size=2).map(tuple)), max_size=2
    ).map(tuple),
)


@given(st.lists(DIAGNOSTICS, max_size=6, unique_by=lambda one: (one.source, one.message)))
def test_what_is_written_reads_back_the_same(diagnostics: list[Diagnostic]) -> None:
    log = json.dumps(sarif_of(diagnostics, Path("/w")))
    back = diagnose(log + "\n", FILES, exit_code=0)

    def told(one: Diagnostic, *, written: bool) -> tuple[object, ...]:
        where = one.range if one.file else None
        edits = [(fix.message, fix.edits) for fix in one.suggestions]
        related = list(dict.fromkeys(one.related)) if written else list(one.related)
        return one.message, one.file, where, one.severity, one.code, one.source, related, edits

    order = sorted(diagnostics, key=lambda one: [d.source for d in diagnostics].index(one.source))
    assert [told(one, written=False) for one in back] == [told(one, written=True) for one in order]


def test_log_without_findings_and_paths_outside() -> None:
    empty = sarif_of([], Path("/w"))
    assert [(r["tool"]["driver"]["name"], r["results"]) for r in empty["runs"]] == [("compile-loop", [])]
    outside = sarif_of([Diagnostic("x", "/usr/include/a.h", source="gcc")], Path("/w"))
    location = outside["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location == {"artifactLocation": {"uri": "file:///usr/include/a.h"}}
