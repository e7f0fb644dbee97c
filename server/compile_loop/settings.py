"""One model for every setting, whatever face read it: command line, editor or library."""

from __future__ import annotations

from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_serializer
from pydantic.alias_generators import to_camel


class ModelTimeouts(BaseModel):
    """How long a model's endpoint may be silent, in seconds: to connect, until its first byte, between two pieces."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore")

    connect: float = Field(default=10.0, gt=0)
    first_byte: float = Field(default=120.0, gt=0)
    idle: float = Field(default=120.0, gt=0)


class Settings(BaseModel):
    """What a user can set. In the editor each is `compileLoop.<camelCase name>`."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore")

    check: str = ""
    """Command line of the check; empty: found from the manifest or the language."""
    model: str = ""
    """`provider:name`; `none`: no model, only the toolchain's own suggestions; empty: chosen by the face, or none."""
    base_url: str = Field(default="", repr=False)
    """Address of the model's endpoint; empty: the provider's own."""
    api_key: SecretStr | None = Field(default=None, exclude=True)
    """Only ever in memory; never read from a settings file."""
    api_key_env: str = ""
    """Name of the environment variable with the key; empty: the provider's usual one."""
    max_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = None
    disable_thinking: bool = False
    """Ask a model that can reason not to."""
    timeouts: ModelTimeouts = Field(default_factory=ModelTimeouts)
    headers: dict[str, str] = Field(default_factory=dict, exclude=True, repr=False)
    """Sent with every request to the model; they may hold a secret, so they are in no record."""
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """Added to every request to the model; wins over what would be sent without it."""
    proxy: str = Field(default="", exclude=True, repr=False)
    """Address of a proxy for the model's endpoint; empty: the environment's, which is not used for this machine."""
    ca_file: str = ""
    """PEM file of further issuers of certificates that are trusted for the model's endpoint."""
    consult_model: str = ""
    """A stronger model that the model may ask a question, as `provider:name`; empty: none."""
    consult_base_url: str = Field(default="", repr=False)
    consult_api_key_env: str = ""
    """Address and key's variable of the stronger model, as `base_url` and `api_key_env` are the model's."""
    prices: dict[str, dict[str, float]] = Field(default_factory=dict)
    """Of a million tokens, by `provider:name` or `name`: `input`, `output`, `cached`, `written`; wins over the table."""
    tool_mode: Literal["auto", "read_only", "none", "adaptive"] = "auto"
    """Which channel the model has: tools and text, reading tools and text, text alone, or text alone as a rescue."""
    max_steps: int = Field(default=40, ge=1)
    max_holdout_rounds: int = Field(default=2, ge=0, le=20)
    max_tokens_per_run: int | None = Field(default=400_000, ge=1)
    max_cost: float | None = Field(default=1.0, gt=0)
    """In the account's currency, where the model's price is known."""
    context_window: int = Field(default=128_000, ge=1_000)
    """The model's, in tokens."""
    system_prompt: str = ""
    """Words of your own, put before the system prompt."""
    question_seconds: float = Field(default=600.0, gt=0)
    """How long a question to you may wait for an answer; it costs no deadline."""
    guardrails: bool = True
    plan: bool = True
    isolation: Literal["auto", "overlay", "clone", "copy"] = "auto"
    """How edits are kept from your files while they are tried; `auto`: the best way that works here."""
    confine_checks: bool = True
    """Whether checks can write only to the isolated copy, temporary folders and caches (Linux)."""
    writable_folders: list[str] = Field(default_factory=list)
    """Further folders that checks may write to."""
    repair_memory: bool = True
    """Whether edits that proved green are remembered, on this machine, for the same failure."""
    record: bool = True
    """Whether each run is written down on this machine, without keys, for 30 days or 1 GiB."""
    max_rounds: int = Field(default=5, ge=1, le=100)
    deadline_seconds: float = Field(default=900.0, gt=0)
    check_idle_timeout_seconds: float = Field(default=120.0, gt=0)
    check_timeout_seconds: float = Field(default=600.0, gt=0)
    suggestions: bool = True
    """Whether the toolchain's own fixes are tried before a model is asked."""
    allow_new_files: bool = False
    apply: Literal["preview", "ask", "auto"] = "preview"
    """What happens with a result: shown as a diff, asked about by the editor's refactor preview, or applied at once."""
    trigger: Literal["off", "offer", "auto"] = "off"
    """What happens on a save, a failed build task, or errors of other extensions that stay: nothing, an offer, a run."""
    trigger_cooldown_seconds: float = Field(default=60.0, ge=0)
    """How long a file is left alone after a run was offered or begun for it by itself."""
    auto_runs_per_day: int = Field(default=20, ge=0)
    """How many runs may begin by themselves in a day; after that they are offered."""
    save_after_apply: bool = False
    """Whether files are saved once a result is applied."""

    @field_serializer("base_url", "consult_base_url")
    def _without_credentials(self, address: str) -> str:
        """A user's name and password, or a key in the query, are in no record (SPEC Z1)."""
        try:
            parts = urlsplit(address.strip())
        except ValueError:
            return ""
        if "@" not in parts.netloc and not parts.query:
            return address
        return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()
