"""SARIF 2.1.0, whatever tool wrote it (SPEC D2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from compile_loop.contracts.diagnostics import (
    NOWHERE,
    Diagnostic,
    Phase,
    Position,
    Range,
    Related,
    Severity,
    SuggestedEdit,
    Suggestion,
)
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.json_documents import JsonShape
from compile_loop.toolchains.toolchain import Toolchain
from compile_loop.toolchains.tree import Place, Tree

_LEVELS = {"error": Severity.ERROR, "warning": Severity.WARNING, "note": Severity.INFORMATION}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_PLACEHOLDER = re.compile(r"\{(\d+)\}")
_MOST_RELATED = 24


@dataclass(frozen=True, slots=True)
class _Run:
    """What the results of one run refer to."""

    document: Mapping[str, Any]
    unit: Unit
    bases: Mapping[str, str]
    name: str

    @staticmethod
    def of(document: Mapping[str, Any]) -> _Run:
        given = document.get("originalUriBaseIds") or {}
        unit = Unit.CODEPOINTS if document.get("columnKind") == "unicodeCodePoints" else Unit.UTF16
        name = document["tool"]["driver"].get("name") or "sarif"
        return _Run(document, unit, {key: _base(given, key) for key in given}, name)

    def rule(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """The rule that a result names by index or by id, of the tool or of one of its extensions."""
        named = result.get("rule") or {}
        tool = self.document["tool"]
        extension = (named.get("toolComponent") or {}).get("index")
        component: dict[str, Any] = tool["extensions"][extension] if extension is not None else tool["driver"]
        rules: list[dict[str, Any]] = component.get("rules") or []
        index = int(result.get("ruleIndex", named.get("index", -1)))
        if 0 <= index < len(rules):
            return rules[index]
        wanted = result.get("ruleId") or named.get("id")
        found: dict[str, Any] = next((rule for rule in rules if rule.get("id") == wanted), {})
        return found

    def uri(self, location: Mapping[str, Any]) -> str | None:
        """An artifact's address, its base before it."""
        if "uri" not in location and location.get("index", -1) >= 0:
            location = self.document["artifacts"][location["index"]]["location"]
        if not isinstance(uri := location.get("uri"), str):
            return None
        if _SCHEME.match(uri):
            return uri
        base = self.bases.get(location.get("uriBaseId") or "", "")
        return f"{base.rstrip('/')}/{uri}" if base else unquote(uri)


def _base(given: Mapping[str, Any], key: str, depth: int = 0) -> str:
    """A base's address; a base may lie below another one."""
    entry = given.get(key) or {}
    uri = str(entry.get("uri") or "")
    above = entry.get("uriBaseId")
    if above and depth < len(given):
        return _base(given, above, depth + 1).rstrip("/") + "/" + uri
    return uri


class Sarif(JsonShape):
    """Reads a log with all its runs. Results that passed, are suppressed, or are gone since a baseline are left out."""

    depths = (0,)
    marks = ('"runs"',)

    def read(self, entry: dict[str, Any]) -> Iterator[Diagnostic]:
        """Every result of every run."""
        if not str(entry.get("version", "2.")).startswith("2."):
            raise ValueError("another version")
        for document in entry["runs"]:
            run = _Run.of(document)
            for result in document.get("results") or []:
                found = _result(self.tree, run, result)
                if found is not None:
                    yield found


def _result(tree: Tree, run: _Run, result: Mapping[str, Any]) -> Diagnostic | None:
    suppressed = any(one.get("status", "accepted") == "accepted" for one in result.get("suppressions") or [])
    if result.get("kind", "fail") != "fail" or suppressed or result.get("baselineState") == "absent":
        return None
    rule = run.rule(result)
    level = result.get("level") or (rule.get("defaultConfiguration") or {}).get("level") or "warning"
    if level not in _LEVELS:
        return None
    locations = result.get("locations") or [{}]
    path, where = _where(tree, run, locations[0])
    message = _text(result["message"], rule)
    code = result.get("ruleId") or (result.get("rule") or {}).get("id") or rule.get("id")
    related = [*_related(tree, run, locations[1:]), *_related(tree, run, result.get("relatedLocations") or [])]
    for flow in result.get("codeFlows") or []:
        steps = [
            step["location"]
            for thread in flow.get("threadFlows") or []
            for step in thread["locations"]
            if "location" in step
        ]
        related += _related(tree, run, steps)
    return Diagnostic(
        message=message,
        file=tree.shown(path),
        range=where,
        severity=_LEVELS[level],
        code=code,
        code_href=rule.get("helpUri"),
        source=run.name,
        phase=Phase.TYPE,
        related=tuple(dict.fromkeys(related))[:_MOST_RELATED],
        suggestions=tuple(_fixes(tree, run, result.get("fixes") or [])),
        rendered=f"{run.uri(_artifact(locations[0])) or ''}:{where.start.line + 1}: {level}: {message}".lstrip(":"),
    )


def _text(message: Mapping[str, Any], rule: Mapping[str, Any]) -> str:
    """A message's text, or the rule's text that it names, with its arguments put in."""
    text = message.get("text") or message.get("markdown")
    if text is None:
        text = ((rule.get("messageStrings") or {}).get(message.get("id")) or {}).get("text") or str(
            message.get("id", "")
        )
    arguments = message.get("arguments") or []

    def argument(found: re.Match[str]) -> str:
        return str(arguments[int(found[1])]) if int(found[1]) < len(arguments) else found[0]

    return _PLACEHOLDER.sub(argument, str(text)) if arguments else str(text)


def _artifact(location: Mapping[str, Any]) -> Mapping[str, Any]:
    return (location.get("physicalLocation") or {}).get("artifactLocation") or {}


def _where(tree: Tree, run: _Run, location: Mapping[str, Any]) -> tuple[str | None, Range]:
    uri = run.uri(_artifact(location))
    path = tree.resolve(uri) if uri else None
    if path is None:
        return None, NOWHERE
    region = (location.get("physicalLocation") or {}).get("region") or {}
    return path, _range(tree, run, path, region) or NOWHERE


def _range(tree: Tree, run: _Run, path: str, region: Mapping[str, Any], *, exact: bool = False) -> Range | None:
    """A region. `exact`: an empty one is a place to insert at, not a token whose end was left out."""
    if "startLine" in region:
        line = int(region["startLine"]) - 1
        start = tree.place(path, line, int(region.get("startColumn", 1)) - 1, run.unit)
        if "endColumn" not in region and "endLine" not in region and not exact:
            return tree.whole_line(path, line) if "startColumn" not in region else tree.token(start)
        last = int(region.get("endLine", region["startLine"])) - 1
        if "endColumn" in region:
            end = tree.place(path, last, int(region["endColumn"]) - 1, run.unit)
        else:
            end = Place(path, last, len(tree.line(path, last) or ""))
        return tree.token(start) if end == start and not exact else tree.between(start, end)
    kind = next((kind for kind in ("byte", "char") if region.get(f"{kind}Offset", -1) >= 0), None)
    if kind is None:
        return None
    first = int(region[f"{kind}Offset"])
    position = tree.position_of_byte if kind == "byte" else tree.position_of_utf16
    edges = [position(path, at) for at in (first, first + int(region.get(f"{kind}Length", 0)))]
    begin, until = edges
    return Range(begin, until) if isinstance(begin, Position) and isinstance(until, Position) else None


def _related(tree: Tree, run: _Run, locations: Iterable[Mapping[str, Any]]) -> Iterator[Related]:
    for location in locations:
        path, where = _where(tree, run, location)
        if path is not None:
            yield Related(tree.shown(path), where, _text(location.get("message") or {"text": ""}, {}))


def _fixes(tree: Tree, run: _Run, fixes: Iterable[Mapping[str, Any]]) -> Iterator[Suggestion]:
    """Proposed fixes; SARIF has no word for how safe they are."""
    for fix in fixes:
        edits: list[SuggestedEdit] = []
        for change in fix.get("artifactChanges") or []:
            uri = run.uri(change["artifactLocation"])
            path = tree.resolve(uri) if uri else None
            for replacement in change["replacements"] if path else ():
                where = _range(tree, run, path or "", replacement["deletedRegion"], exact=True)
                text = (replacement.get("insertedContent") or {}).get("text", "")
                edits += [SuggestedEdit(tree.shown(path) or "", where, text)] if where else []
        if edits:
            yield Suggestion(_text(fix.get("description") or {"text": "proposed fix"}, {}), tuple(edits), safe=False)


TOOLCHAIN = Toolchain(name="sarif", shapes=(Sarif,), order=90)
