"""The red programs of a folder: each sub-folder with a contract file is one (SPEC R4, Q6)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from compile_loop.checks.contract_file import NAME, EvalTable, read_contract_file
from compile_loop.checks.validate import ContractError


@dataclass(frozen=True, slots=True)
class Case:
    """One program. `trouble` says why it cannot be run, if so."""

    name: str
    root: Path
    table: EvalTable
    trouble: str | None = None


def cases_in(folder: Path) -> list[Case]:
    """Every case of a folder, by name. A damaged contract file is a case that says so."""
    return [_case(place.parent) for place in sorted(folder.glob(f"*/{NAME}"))]


def _case(root: Path) -> Case:
    try:
        return Case(root.name, root, read_contract_file(root).evaluation)
    except ContractError as error:
        return Case(root.name, root, EvalTable(), trouble=str(error))
