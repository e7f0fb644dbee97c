"""Repair memory: failure → the edit that proved green, per workspace; on this machine only (SPEC T8)."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from compile_loop.contracts.edits import Edit

MAX_ENTRIES = 200
MAX_EDIT = 20_000


class FileMemory:
    """One JSON file a workspace, below `folder`.

    Readable, deletable, at most 200 entries. A damaged file counts as empty.
    """

    def __init__(self, folder: Path, workspace: Path) -> None:
        name = hashlib.sha256(str(workspace).encode()).hexdigest()[:16]
        self.path = folder / f"{workspace.name or 'root'}-{name}.json"

    def recall(self, failures: frozenset[str]) -> Sequence[str]:
        """Edits that repaired some of these failures, those with the most in common first."""
        scored = [(len(failures & set(entry["failures"])), entry["at"], entry["text"]) for entry in self._entries()]
        return [text for common, _, text in sorted(scored, reverse=True) if common][:3]

    def remember(self, failures: frozenset[str], edit: Edit, explanation: str) -> None:
        """Keep an edit that proved green. What cannot be written is not kept; a run never fails for it."""
        text = _show(edit, explanation)
        if not failures or len(text) > MAX_EDIT:
            return
        entries = [e for e in self._entries() if set(e["failures"]) != failures]
        entries.append({"at": time.time(), "failures": sorted(failures), "text": text})
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            fresh = self.path.with_suffix(".new")
            fresh.write_text(json.dumps(entries[-MAX_ENTRIES:], ensure_ascii=False, indent=1), encoding="utf-8")
            fresh.replace(self.path)
        except OSError:
            return

    def _entries(self) -> list[dict[str, Any]]:
        try:
            entries = json.loads(self.path.read_text(encoding="utf-8"))
            return [
                e
                for e in entries
                if isinstance(e["failures"], list) and isinstance(e["text"], str) and isinstance(e["at"], float)
            ]
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return []


def _show(edit: Edit, explanation: str) -> str:
    parts = [explanation] if explanation else []
    for change in edit.files:
        before = change.before or b""
        for hunk in change.hunks:
            old = before[hunk.start : hunk.end].decode(change.encoding, "replace")
            parts.append(f"{change.path}: {old!r} → {hunk.new.decode(change.encoding, 'replace')!r}")
    return "\n".join(parts)
