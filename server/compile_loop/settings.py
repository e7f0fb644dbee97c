"""One model for every setting, whatever face read it: command line, editor or library."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr
from pydantic.alias_generators import to_camel


class Settings(BaseModel):
    """What a user can set. In the editor each is `compileLoop.<camelCase name>`."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore")

    check: str = ""
    """Command line of the check; empty: found from the manifest or the language."""
    model: str = ""
    """`provider:name`; empty: no model, only the toolchain's own suggestions."""
    base_url: str = ""
    """Address of the model's endpoint; empty: the provider's own."""
    api_key: SecretStr | None = Field(default=None, exclude=True)
    """Only ever in memory; never read from a settings file."""
    api_key_env: str = ""
    """Name of the environment variable with the key; empty: the provider's usual one."""
    max_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = None
    max_rounds: int = Field(default=5, ge=1, le=100)
    deadline_seconds: float = Field(default=900.0, gt=0)
    check_idle_timeout_seconds: float = Field(default=120.0, gt=0)
    check_timeout_seconds: float = Field(default=600.0, gt=0)
    suggestions: bool = True
    """Whether the toolchain's own fixes are tried before a model is asked."""
    allow_new_files: bool = False
    apply: Literal["preview", "auto"] = "preview"
