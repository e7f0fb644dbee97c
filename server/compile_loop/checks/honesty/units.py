"""One test in one version of one file (SPEC K7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compile_loop.checks.honesty.grammar import Tree
from compile_loop.checks.honesty.survey import Assertion, Function, Language
from compile_loop.checks.honesty.texts import Change


@dataclass(frozen=True, slots=True)
class Unit:
    """One test in one version of one file."""

    change: Change
    tree: Tree
    language: Language
    function: Function

    @property
    def assertions(self) -> Sequence[Assertion]:
        """What it demands."""
        return self.language.assertions(self.tree, self.function)
