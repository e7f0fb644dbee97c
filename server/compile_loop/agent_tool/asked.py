"""What a caller of the tool gives, as a schema that clients show to their models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

Line = Annotated[str, Field(min_length=1)]


class BadInputError(Exception):
    """The call cannot be carried out as it is; the message is a sentence that says what to change."""


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class Asked(BaseModel):
    """One call."""

    model_config = ConfigDict(extra="forbid", strict=True)

    files: list[Line] = Field(
        default_factory=list,
        description="Files that may be edited: absolute, or relative to the workspace. Leave it out for whatever the check's "
        "errors name.",
    )
    check: Annotated[list[Line], BeforeValidator(_as_list)] = Field(
        default_factory=list,
        description="Command line, or several, that pass when the code is right, such as `make` or `cargo test`. Leave it out: "
        "it is found from the project's manifest or the language.",
    )
    spec: str = Field(default="", description="What is wanted beyond a passing check, in words.")
    apply: bool = Field(
        default=False,
        description="Write a green result to the files. Without it the edit is only returned, as a diff.",
    )


def read(arguments: Mapping[str, Any] | None, checks_are_given: bool) -> Asked:
    """The call, checked. Raises `BadInputError`."""
    try:
        asked = Asked.model_validate(dict(arguments or {}))
    except ValidationError as error:
        raise BadInputError(" ".join(_sentence(each) for each in error.errors())) from error
    if checks_are_given and asked.check:
        raise BadInputError(
            "`check` is decided by whoever started this tool and cannot be given. Call it again without."
        )
    return asked


def schema(checks_are_given: bool) -> dict[str, Any]:
    """The input's JSON Schema."""
    document = Asked.model_json_schema()
    document.pop("title", None)
    document.pop("description", None)
    document["properties"]["check"] = {
        "anyOf": [{"type": "string", "minLength": 1}, {"type": "array", "items": {"type": "string", "minLength": 1}}],
        "description": document["properties"]["check"]["description"],
    }
    if checks_are_given:
        del document["properties"]["check"]
    for field in document["properties"].values():
        field.pop("title", None)
    return document


def _sentence(error: Any) -> str:
    name = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"`{name}` is not known; the tool takes {', '.join(f'`{field}`' for field in Asked.model_fields)}."
    return f"`{name}`: {error['msg']}."
