"""What a turn generator is built from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long an endpoint may be silent, in seconds (SPEC M5).

    `connect` is for the connection alone, `first_byte` from the sent request to the first byte of the reply's body (a
    cold model loads then), `idle` between two pieces of it. Nothing bounds a reply as a whole but the run's deadline.
    """

    connect: float = 10.0
    first_byte: float = 120.0
    idle: float = 120.0


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model to ask, where and how (SPEC M2).

    `provider` and `model` are the two halves of `provider:model`. `base_url` None is the provider's own address.
    `api_key` wins over the variable named by `api_key_env`, and that over the provider's usual variable. `temperature`
    None is `COMPILE_LOOP_LLM_TEMPERATURE`, else 0.0; `max_tokens` None sends no limit. `headers` and `extra_body` are
    added to every request; `extra_body` wins over what the product would send. `proxy` None means the environment's,
    which is never used for loopback. `ca_file` is a PEM file of further trusted certificates' issuers. Whatever may
    hold a secret is left out of the representation.
    """

    provider: str
    model: str
    base_url: str | None = field(default=None, repr=False)
    api_key: str | None = field(default=None, repr=False)
    api_key_env: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    timeouts: Timeouts = field(default_factory=Timeouts)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    extra_body: Mapping[str, object] = field(default_factory=dict, repr=False)
    disable_thinking: bool = False
    proxy: str | None = field(default=None, repr=False)
    ca_file: str | None = None
    retries: int = 3
    """How often a call that failed in a way that may pass is made again."""
