"""A command as it was given: its arguments, and what the editor showed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from compile_loop.lsp.protocol import Facts
from compile_loop.lsp.rpc import Refused


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a command."""

    args: tuple[Any, ...]
    facts: Facts

    def text(self, index: int = 0) -> str | None:
        """An argument that is a text, such as a URI or a node's id."""
        value = self.args[index] if index < len(self.args) else None
        return value if isinstance(value, str) and value else None

    def file(self) -> str:
        """The URI of the file that was named, else of the one in front. Raises `Refused` where there is none."""
        uri = self.text() or self.facts.active
        if uri is None:
            raise Refused("There is no file to fix: open one first.")
        if not uri.startswith("file:"):
            raise Refused("This document is no file on a disk, so no check can see it: save it first.")
        return uri

    def nearby(self) -> list[str]:
        """The file in front, for choosing the workspace folder; empty where there is none on a disk."""
        uri = self.text() or self.facts.active
        return [uri] if uri is not None and uri.startswith("file:") else []
