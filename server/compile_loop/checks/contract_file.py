"""`compile-loop.toml` at the workspace root: checks, holdouts and protected files of a project, versioned (SPEC Q6)."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from compile_loop.checks.validate import ContractError
from compile_loop.contracts.checks import Check, Expectation
from compile_loop.contracts.holdouts import Holdout, Reveals
from compile_loop.contracts.outcome import Ending, FailureKind
from compile_loop.toolchains.plain_files import text_in

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


class _Eval(_Table):
    outcome: str = Ending.GREEN.value
    targets: list[str] = Field(default_factory=list)
    spec: str = ""
    smallest_lines: int | None = Field(default=None, ge=1)

    @field_validator("outcome")
    @classmethod
    def _known(cls, value: str) -> str:
        known = [each.value for kind in (Ending, FailureKind) for each in kind if each is not Ending.FAILED]
        if value not in known:
            raise ValueError(f"must be one of {', '.join(known)}")
        return value


class _File(_Table):
    version: Literal[1]
    check: list[_Check] = Field(default_factory=list)
    holdout: list[_Holdout] = Field(default_factory=list)
    protected: list[str] = Field(default_factory=list)
    eval: _Eval = Field(default_factory=_Eval)


@dataclass(frozen=True, slots=True)
class EvalTable:
    """What `eval` should know of a program (SPEC R4).

    `outcome` is the ending or the kind of failure that is right for it. `targets` are workspace-relative; none: what
    the errors name. `smallest_lines` are those that the smallest known edit adds and removes, None where nobody counted.
    """

    outcome: str = Ending.GREEN.value
    targets: tuple[str, ...] = ()
    spec: str = ""
    smallest_lines: int | None = None


@dataclass(frozen=True, slots=True)
class ContractFile:
    """What the file says. `protected` are patterns as in `.gitignore`."""

    checks: tuple[Check, ...] = ()
    holdouts: tuple[Holdout, ...] = ()
    protected: tuple[str, ...] = ()
    evaluation: EvalTable = field(default_factory=EvalTable)


def read_contract_file(root: Path) -> ContractFile:
    """The workspace's contract file; an empty one where there is none. Raises `ContractError` with the place that is wrong."""
    path = root / NAME
    try:
        text = text_in(path, "strict")
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
        EvalTable(file.eval.outcome, tuple(file.eval.targets), file.eval.spec, file.eval.smallest_lines),
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
