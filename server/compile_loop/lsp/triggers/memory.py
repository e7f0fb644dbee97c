"""What is remembered about runs that begin by themselves: consents, refusals, and how many there were today (SPEC V3, Q22)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

MOST = 500
"""Files that are remembered as not wanted; the oldest go."""


class TriggerMemory:
    """One small file on this machine, read at each question: other windows write it too. Damaged, it counts as empty."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def consented(self, root: Path) -> bool:
        """Whether runs may begin by themselves in this folder."""
        return str(root) in self._read()["consented"]

    def consent(self, root: Path) -> None:
        """They may, from now on."""
        state = self._read()
        self._write({**state, "consented": [*dict.fromkeys([*state["consented"], str(root)])]})

    def refused(self, key: str) -> bool:
        """Whether nothing is ever to be offered for this file or task."""
        return key in self._read()["never"]

    def refuse(self, keys: Iterable[str]) -> None:
        """Nothing is, from now on."""
        state = self._read()
        self._write({**state, "never": [*dict.fromkeys([*state["never"], *keys])][-MOST:]})

    def runs_on(self, day: date) -> int:
        """How many runs began by themselves on this day."""
        state = self._read()
        return int(state["runs"]) if state["day"] == day.isoformat() else 0

    def count(self, day: date) -> None:
        """One more."""
        self._write({**self._read(), "day": day.isoformat(), "runs": self.runs_on(day) + 1})

    def _read(self) -> dict[str, Any]:
        empty: dict[str, Any] = {"consented": [], "never": [], "day": "", "runs": 0}
        try:
            state = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return empty
        if not isinstance(state, dict):
            return empty
        return {key: state[key] if isinstance(state.get(key), type(value)) else value for key, value in empty.items()}

    def _write(self, state: dict[str, Any]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        new = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        new.write_text(json.dumps(state), "utf-8")
        new.replace(self._path)
