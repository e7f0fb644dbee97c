"""gcc's `-fdiagnostics-format=json` (versions 9 to 14): one array for each compiler process, on one line."""

from __future__ import annotations

import json
from typing import Any

from compile_loop.contracts.diagnostics import NOWHERE, Diagnostic, Range, Related, Severity, SuggestedEdit, Suggestion
from compile_loop.toolchains.columns import Unit
from compile_loop.toolchains.reader import Context, Reader
from compile_loop.toolchains.terminal import Line
from compile_loop.toolchains.tools.gnu_phase import phase_of
from compile_loop.toolchains.tree import Place

_SEVERITIES = {"warning": Severity.WARNING, "note": Severity.INFORMATION, "remark": Severity.INFORMATION}
_DROPPED = ("each undeclared identifier is reported only once",)


class GnuJson(Reader):
    """Reads gcc's JSON; columns are its `byte-column`s, ends inclusive."""

    source = "gcc"
    triggers = ('[{"',)
    apart = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._found: list[Diagnostic] = []

    def begin(self, line: Line) -> bool:
        """Take a line that is gcc's array."""
        if not line.text.startswith("[") or '"kind"' not in line.text:
            return False
        try:
            entries = json.loads(line.text)
        except (ValueError, RecursionError):
            return False
        try:
            self._found = [self._diagnostic(entry) for entry in entries if entry["kind"] != "note"]
        except (KeyError, TypeError, ValueError, AttributeError):
            return False  # another tool's array
        return True

    def end(self) -> list[Diagnostic]:
        """The array's diagnostics."""
        found, self._found = self._found, []
        return found

    def _diagnostic(self, entry: dict[str, Any]) -> Diagnostic:
        path, found = self._where(entry)
        message = str(entry["message"])
        children = [child for child in entry.get("children", []) if isinstance(child, dict)]
        related, suggestions = [], [self._suggestion(entry, safe=True)]
        for child in children:
            suggestions.append(self._suggestion(child, safe=False))
            child_path, child_range = self._where(child)
            if child_path and not str(child["message"]).startswith(_DROPPED):
                related.append(Related(self.tree.shown(child_path), child_range, str(child["message"])))
        name = path or ""
        return Diagnostic(
            message=message,
            file=self.tree.shown(path),
            range=found,
            severity=_SEVERITIES.get(str(entry["kind"]), Severity.ERROR),
            code=entry.get("option"),
            code_href=entry.get("option_url"),
            source="g++" if name.endswith((".cpp", ".cc", ".cxx", ".hpp", ".hh", ".C")) else "gcc",
            phase=phase_of(message),
            related=tuple(dict.fromkeys(related)),
            suggestions=tuple(suggestion for suggestion in suggestions if suggestion),
            rendered=self._rendered(entry, children),
        )

    def _place(self, point: dict[str, Any]) -> Place | None:
        path = self.tree.resolve(str(point.get("file", "")))
        if path is None:
            return None
        column = point.get("byte-column", point.get("column", 1))
        return self.tree.place(path, int(point.get("line", 1)) - 1, int(column) - 1, Unit.BYTES)

    def _where(self, entry: dict[str, Any]) -> tuple[str | None, Range]:
        """The primary place: from the caret to the end of what gcc underlines."""
        location = next(iter(entry.get("locations") or [{}]))
        caret = self._place(location.get("caret", {}))
        if caret is None:
            return None, NOWHERE
        finish = self._place(location["finish"]) if "finish" in location else None
        if finish is None or (finish.path, finish.line) != (caret.path, caret.line) or finish.index < caret.index:
            return caret.path, self.tree.token(caret)
        return caret.path, self.tree.between(caret, Place(finish.path, finish.line, finish.index + 1))

    def _suggestion(self, entry: dict[str, Any], *, safe: bool) -> Suggestion | None:
        edits = []
        for fixit in entry.get("fixits", []):
            start, end = self._place(fixit["start"]), self._place(fixit["next"])
            if start is None or end is None:
                return None
            edits.append(
                SuggestedEdit(self.tree.shown(start.path) or "", self.tree.between(start, end), str(fixit["string"]))
            )
        return Suggestion(str(entry.get("message", "")), tuple(edits), safe) if edits else None

    def _rendered(self, entry: dict[str, Any], children: list[dict[str, Any]]) -> str:
        lines = []
        for part in [entry, *children]:
            point = next(iter(part.get("locations") or [{}])).get("caret", {})
            where = ":".join(str(point[key]) for key in ("file", "line", "column") if key in point)
            option = f" [{part['option']}]" if "option" in part else ""
            lines.append(f"{where}: {part['kind']}: {part.get('message', '')}{option}")
        return "\n".join(lines)
