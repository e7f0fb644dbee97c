"""A keyring for tests: a real backend of the package `keyring`, which keeps its keys in the file of TEST_KEYRING_FILE."""

from __future__ import annotations

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend


class FileKeyring(KeyringBackend):
    """Chosen by PYTHON_KEYRING_BACKEND."""

    priority = 1.0  # type: ignore[assignment]

    def get_password(self, service: str, username: str) -> str | None:
        return self._read().get(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._write({**self._read(), f"{service} {username}": password})

    def delete_password(self, service: str, username: str) -> None:
        self._write({key: value for key, value in self._read().items() if key != f"{service} {username}"})

    def _read(self) -> dict[str, str]:
        place = Path(os.environ["TEST_KEYRING_FILE"])
        kept: dict[str, str] = json.loads(place.read_text("utf-8")) if place.exists() else {}
        return kept

    def _write(self, keys: dict[str, str]) -> None:
        Path(os.environ["TEST_KEYRING_FILE"]).write_text(json.dumps(keys), "utf-8")
