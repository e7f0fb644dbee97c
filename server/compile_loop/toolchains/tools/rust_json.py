"""rustc's JSON, bare (`--error-format=json`) or in cargo's envelope (`--message-format=json`)."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from typing import Any

from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Range, Related, Severity, SuggestedEdit, Suggestion
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.terminal import Line, without_control
from compile_loop.toolchains.tools.rust_phase import error_page, is_summary, phase_of, with_details
from compile_loop.toolchains.tools.rust_workspace import bases, referenced

_SEVERITIES = {
    "error": Severity.ERROR,
    "error: internal compiler error": Severity.ERROR,
    "warning": Severity.WARNING,
    "note": Severity.INFORMATION,
    "help": Severity.HINT,
}
_ONE_WAY = re.compile(r"consider importing this |an? .* with a similar name exists")
"""Offers that rustc calls no more than likely, and that are the only one of their kind where there is one alternative."""


class RustJson(Reader):
    """Reads one JSON object a line. Ranges come from its byte offsets, which are exact with CRLF and BOM."""

    source = "rustc"
    triggers = ('{"',)
    apart = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._found: list[Diagnostic] = []
        self._base: tuple[str, ...] = ()

    def begin(self, line: Line) -> bool:
        """Take a line that is an object of cargo or rustc; those that are no diagnostics are taken, too."""
        text = line.text.strip()
        if not text.startswith("{") or ('"reason":' not in text and '"spans":' not in text):
            return False
        try:
            entry = json.loads(text)
        except (ValueError, RecursionError):
            return False
        if isinstance(entry.get("reason"), str):
            self.context.seen.add("cargo")
            if entry["reason"] != "compiler-message":
                return entry["reason"] in {"compiler-artifact", "build-script-executed", "build-finished"}
            self._base = bases(self.tree, posixpath.dirname(str(entry.get("manifest_path", "")).replace("\\", "/")))
            entry = entry.get("message")
        else:
            self._base = bases(self.tree, self.tree.names.cwd) if self.context.hinted("cargo") else ()
        if not isinstance(entry, dict) or "level" not in entry or "spans" not in entry:
            return False
        message, level = str(entry.get("message", "")), str(entry["level"])
        self.context.seen.add("rustc")
        if level in _SEVERITIES and not (is_summary(message) and not entry["spans"]):
            try:
                self._found.append(self._diagnostic(entry, message, level))
            except (KeyError, TypeError, ValueError, AttributeError):
                return False  # another tool's object
        return True

    def end(self) -> list[Diagnostic]:
        """The object's diagnostic, if it was one."""
        found, self._found = self._found, []
        return found

    def _diagnostic(self, entry: dict[str, Any], message: str, level: str) -> Diagnostic:
        code = (entry.get("code") or {}).get("code")
        path, found, primary = None, NOWHERE, None
        for span in sorted(entry["spans"], key=lambda span: not span["is_primary"]):
            path, found = self._outermost_ours(span)
            if path is not None:
                primary = span
                break
        children = entry.get("children", [])
        details = [str(child["message"]) for child in children if not child["spans"]]
        if primary is None:
            message = with_details(message, details)
            path, found = referenced(self.tree, message)
        return Diagnostic(
            message=message,
            file=self.tree.shown(path),
            range=found,
            severity=_SEVERITIES[level],
            code=code,
            code_href=error_page(code),
            source="rustc",
            phase=phase_of(str(entry["message"]), code),
            related=tuple(dict.fromkeys(self._related(entry, primary))),
            suggestions=tuple(self._suggestions(entry)),
            rendered=without_control(entry.get("rendered") or "").rstrip("\n"),
        )

    def _where(self, span: dict[str, Any]) -> tuple[str | None, Range]:
        path = self.tree.resolve(str(span["file_name"]), *self._base)
        if path is None:
            return None, NOWHERE
        first = self.tree.position_of_byte(path, int(span["byte_start"]))
        last = self.tree.position_of_byte(path, int(span["byte_end"]))
        if first is not None and last is not None and first.line == int(span["line_start"]) - 1:
            return path, Range(first, last)
        # The file changed meanwhile, or a lone CR makes two lines here where rustc sees one.
        start = self.tree.place(path, int(span["line_start"]) - 1, int(span["column_start"]) - 1, Unit.CODEPOINTS)
        end = self.tree.place(path, int(span["line_end"]) - 1, int(span["column_end"]) - 1, Unit.CODEPOINTS)
        return path, self.tree.between(start, end)

    def _expansions(self, span: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
        """A span and the macro calls that it came from, innermost first."""
        while span is not None:
            yield span
            span = (span.get("expansion") or {}).get("span")

    def _outermost_ours(self, span: dict[str, Any]) -> tuple[str | None, Range]:
        """The first place, going outwards from a macro's body to its call, that lies in a file we know."""
        places = (self._where(part) for part in self._expansions(span))
        return next(((path, found) for path, found in places if path is not None), (None, NOWHERE))

    def _related(self, entry: dict[str, Any], primary: dict[str, Any] | None) -> Iterator[Related]:
        labelled = [(span, span.get("label") or "") for span in entry["spans"] if span is not primary]
        for child in entry.get("children", []):
            for span in child["spans"]:
                if span.get("suggested_replacement") is None:
                    labelled.append((span, span.get("label") or str(child["message"])))
        for call in list(self._expansions(primary))[1:]:
            labelled.append((call, "in this macro call"))
        for span, label in labelled:
            path, found = self._where(span)
            if path is not None and (label or not span["is_primary"]):
                yield Related(self.tree.shown(path), found, label)

    def _suggestions(self, entry: dict[str, Any]) -> Iterator[Suggestion]:
        for child in [entry, *entry.get("children", [])]:
            spans = [span for span in child["spans"] if span.get("suggested_replacement") is not None]
            groups = list(self._alternatives(spans))
            for group in groups:
                words = {span.get("suggestion_applicability") for span in group}
                edits = [self._edit(span) for span in group]
                if "HasPlaceholders" in words or any(edit is None for edit in edits):
                    continue
                sure = words == {"MachineApplicable"}
                safe = (sure or _ONE_WAY.match(str(child["message"])) is not None) and len(groups) == 1
                yield Suggestion(str(child["message"]), tuple(edit for edit in edits if edit), safe, guess=not sure)

    @staticmethod
    def _alternatives(spans: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
        """The spans of one offer are in one list, those of its alternatives after them: a place met again starts one."""
        group: list[dict[str, Any]] = []
        for span in spans:
            place = (span["file_name"], span["byte_start"], span["byte_end"])
            if any((one["file_name"], one["byte_start"], one["byte_end"]) == place for one in group):
                yield group
                group = []
            group.append(span)
        if group:
            yield group

    def _edit(self, span: dict[str, Any]) -> SuggestedEdit | None:
        if span.get("expansion"):
            return None
        path, found = self._where(span)
        if path is None:
            return None
        return SuggestedEdit(self.tree.shown(path) or "", found, str(span["suggested_replacement"]))
