"""What a green edit may have done to the check instead of the code: kinds of cheating, and the line that shows it (SPEC K7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from compile_loop.contracts.diagnostics import Diagnostic
from compile_loop.contracts.edits import Edit

KINDS: Mapping[str, str] = {
    "suppression": "silences a diagnostic instead of removing its cause",
    "moved_place": "makes tools report another place than the true one",
    "disabled_warning": "turns a warning or a rule off for the build",
    "skipped_test": "keeps a test from running",
    "deleted_test": "removes a test",
    "weakened_test": "makes a test accept more than before",
    "fewer_tests": "fewer tests ran than before",
    "emptied_body": "takes the work out of a function",
    "stub": "puts a placeholder where code is needed",
    "swallowed_exception": "hides a failure at run time",
    "any_cast": "switches type checking off for a value",
    "exit_zero": "reports success whatever happened",
    "special_case": "answers the check's own input instead of the general case",
    "disabled_code": "keeps the failing code from being compiled or reached",
    "deleted_code": "removes the failing code instead of repairing it",
    "protected_file": "adds a file that decides whether the code is right",
    "gone_by": "is what the check goes by",
    "not_inspected": "could not be examined",
}
"""Every kind that a finding may have, with what such a change does."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of an edit that gets green, or may get green, by something else than a repair.

    `line` counts from 1 in the new text, or in the old text where something was removed; it is 0 where no line can be
    named. `certain` False is a suspicion: it goes beside a green result and is for a person to judge.
    """

    file: str
    line: int
    kind: str
    text: str
    certain: bool

    @property
    def sentence(self) -> str:
        """The finding for a person or a model: where, what it does, and the line itself."""
        place = f"{self.file}:{self.line}" if self.line else self.file or "the check"
        verb = KINDS.get(self.kind, self.kind)
        return f"{place} {verb if self.certain else 'perhaps ' + verb}: {self.text}"


Inspect = Callable[[Edit, Sequence[Diagnostic], str, "int | None", "int | None"], Sequence[Finding]]
"""An edit, the errors that it was to repair, the user's words, how many tests ran before and with it (None where that is
not known; before alone where the tests no longer tell) → what looks like silencing."""
