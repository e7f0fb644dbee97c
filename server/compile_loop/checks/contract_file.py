"""`compile-loop.toml` at the workspace root: checks, holdouts and protected files of a project, versioned (SPEC Q6)."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from compile_loop.checks.validate import ContractError
from compile_loop.contracts.checks import Check, Expectation
from compile_loop.contracts.holdouts import Holdout, Reveals

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NAME = "compile-loop.toml"


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Expect(_Table):
    exit_zero: bool = True
    output_contains: list[str] = Field(default_factory=list)
    json_equals: dict[str, Any] = Field(default_factory=dict)


class _Check(_Table):
    name: str
    command: str | list[str]
    cwd: str = "."
    env: dict[str, str] = Field(default_factory=dict)
    idle_timeout: float = 120.0
    total_timeout: float = 600.0
    expect: _Expect = Field(default_factory=_Expect)


class _Holdout(_Check):
    reveals: Literal["nothing", "guidance", "observed"] = "nothing"
    guidance: str = ""
    guidance_for: dict[str, str] = Field(default_factory=dict)
    files: list[str] = Field(default_factory=list)


class _File(_Table):
    version: Literal[1]
    check: list[_Check] = Field(default_factory=list)
    holdout: list[_Holdout] = Field(default_factory=list)
    protected: list[str] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ContractFile:
    """What the file says. `protected` are patterns as in `.gitignore`."""

    checks: tuple[Check, ...] = ()
    holdouts: tuple[Holdout, ...] = ()
    protected: tuple[str, ...] = ()


def read_contract_file(root: Path) -> ContractFile:
    """The workspace's contract file; an empty one where there is none. Raises `ContractError` with the place that is wrong."""
    path = root / NAME
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ContractFile()
    except (OSError, UnicodeDecodeError) as error:
        raise ContractError(f"{NAME} cannot be read: {error}.") from error
    try:
        file = _File.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ContractError(f"{NAME} is no TOML: {error}.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ContractError(f"{NAME}: {place}: {first['msg']}.") from error
    return ContractFile(
        tuple(_check(each) for each in file.check),
        tuple(_holdout(each, root) for each in file.holdout),
        tuple(file.protected),
    )


def _check(table: _Check) -> Check:
    expect: Mapping[str, Any] = table.expect.model_dump()
    return Check(
        table.name,
        table.command if isinstance(table.command, str) else tuple(table.command),
        table.cwd,
        table.env,
        table.idle_timeout,
        table.total_timeout,
        Expectation(expect["exit_zero"], tuple(expect["output_contains"]), expect["json_equals"]),
        reason=f"from {NAME}",
    )


def _holdout(table: _Holdout, root: Path) -> Holdout:
    for name in table.files:
        place = (root / name).resolve()
        if not place.is_relative_to(root.resolve()):
            raise ContractError(f"{NAME}: the holdout “{table.name}” names {name}, which lies outside the workspace.")
        if not place.is_file():
            raise ContractError(f"{NAME}: the holdout “{table.name}” names {name}, which is no file.")
    return Holdout(_check(table), Reveals(table.reveals), table.guidance, table.guidance_for, tuple(table.files))
