"""Where a model is asked: its address, its key, and how both are shown to people (SPEC M2, M8, Z1)."""

from __future__ import annotations

import base64
import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from compile_loop.contracts.protocols import ModelError, ModelErrorKind
from compile_loop.models.keyring import key_in_keyring
from compile_loop.models.model_settings import ModelSettings

_SHORTEST_SECRET = 4
_PIECE = 8
"""Characters of a secret that give it away, as where an endpoint repeats the end of a key that it refuses."""
_WORD = re.compile(r"[^\s\"'`,;:()<>\[\]{}]{8,}")
_KEY_SHAPED = re.compile(r"\b(?:sk|pk|key|gsk|xai)[-_][A-Za-z0-9_\-*]{8,}|\bAIza[A-Za-z0-9_\-]{20,}")
_SECRET_NAME = re.compile(r"auth|key|token|secret|cookie|password|sig", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One configured address.

    `base_url` has no credentials in it and no final slash, `shown` neither these nor a query. `loopback` says whether
    it is this machine. `key_named` names the key by where it came from, never by its value.
    """

    base_url: str = field(repr=False)
    shown: str
    model: str
    loopback: bool
    key: str | None = field(repr=False)
    key_named: str
    basic: tuple[str, str] | None = field(default=None, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def url(self, path: str) -> str:
        """The address of `path` below the base, with the base's own query kept."""
        parts = urlsplit(self.base_url)
        return urlunsplit((parts.scheme, parts.netloc, parts.path + path, parts.query, ""))

    def redact(self, text: str) -> str:
        """The text without any secret of this endpoint, nor a piece of one, nor anything shaped like a key."""
        for secret in self.secrets:
            text = text.replace(secret, "[hidden]")
        pieces = {secret[at : at + _PIECE] for secret in self.secrets for at in range(len(secret) - _PIECE + 1)}
        if pieces:
            text = _WORD.sub(lambda word: "[hidden]" if _holds(word.group(), pieces) else word.group(), text)
        return _KEY_SHAPED.sub("[hidden]", text)


def find_endpoint(
    settings: ModelSettings,
    *,
    default_url: str,
    key_variable: str,
    path: str,
    environ: Mapping[str, str] = os.environ,
    root: str = "/v1",
    needs_key: bool = True,
) -> Endpoint:
    """Settle address and key.

    The provider's usual variable `key_variable` goes to the provider's own address and to another one that was
    configured, but never to a server on this machine, which needs no key unless one is named. `root` is where the API
    begins on a host that is given alone. Raises `ModelError` where the address cannot be used, or where the API
    `needs_key` and none is there.
    """
    parts = _parse(settings.base_url or default_url)
    host = parts.hostname or ""
    loopback = is_loopback(host)
    key, named = _find_key(settings, key_variable, environ, loopback)
    netloc = parts.netloc.rpartition("@")[2]
    basic = (unquote(parts.username), unquote(parts.password or "")) if parts.username and not key else None
    if needs_key and not (key or basic or loopback or any(_SECRET_NAME.search(name) for name in settings.headers)):
        raise ModelError(
            ModelErrorKind.AUTH,
            f"{settings.api_key_env or key_variable} is not set; set it, or pass --base-url of a local server",
        )
    location = parts.path.rstrip("/").removesuffix(path)
    if not root:
        location = location.removesuffix("/v1").removesuffix("/api")
    elif not location and settings.base_url:
        location = root
    return Endpoint(
        base_url=urlunsplit((parts.scheme, netloc, location, parts.query, "")),
        shown=urlunsplit((parts.scheme, netloc, location, "", "")),
        model=settings.model,
        loopback=loopback,
        key=key,
        key_named=named,
        basic=basic,
        secrets=_secrets_in(settings, parts, key),
    )


def logins_in(address: str) -> list[str]:
    """The password of an address, or the name that stands alone there, as it may be a token; and how both are sent."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return []
    if not parts.username:
        return []
    name, password = unquote(parts.username), unquote(parts.password or "")
    sent = base64.b64encode(f"{name}:{password}".encode()).decode()
    return [*((parts.password, password) if parts.password else (parts.username, name)), sent]


def is_loopback(host: str) -> bool:
    """Whether a host's name or address is this machine's own."""
    if host.lower().rstrip(".") == "localhost" or host.lower().endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _parse(address: str) -> SplitResult:
    """Split an address; raises `ModelError` where it is none, without repeating what might be a password."""
    shown = address.strip().rpartition("@")[2]
    try:
        parts = urlsplit(address.strip())
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        hint = "" if "://" in shown else f" Did you mean http://{shown}?"
        raise ModelError(ModelErrorKind.CONFIGURATION, f"The base address {shown} is no http or https address.{hint}")
    return parts


def _find_key(
    settings: ModelSettings, key_variable: str, environ: Mapping[str, str], loopback: bool
) -> tuple[str | None, str]:
    """The key and where it came from."""
    variable = settings.api_key_env or ("" if loopback else key_variable)
    named, key = "the key", settings.api_key
    if not key and variable:
        named, key = f"the key in {variable}", environ.get(variable)
        if not key and environ is os.environ:
            named, key = f"the key of {variable} in the keyring", key_in_keyring(variable)
    key = (key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise ModelError(
            ModelErrorKind.CONFIGURATION, f"{named[0].upper()}{named[1:]} holds characters that no key has"
        )
    return (key, named) if key else (None, "a request without a key")


def _secrets_in(settings: ModelSettings, parts: SplitResult, key: str | None) -> tuple[str, ...]:
    """Everything that must not be repeated to anybody, longest first."""
    secrets = [key or "", *logins_in(parts.geturl()), *logins_in(settings.proxy or "")]
    secrets += [base64.b64encode(key.encode()).decode()] if key else []
    secrets += [value for name, value in settings.headers.items() if _SECRET_NAME.search(name)]
    secrets += [value.rpartition(" ")[2] for value in secrets]
    secrets += [value for name, value in parse_qsl(parts.query) if _SECRET_NAME.search(name)]
    return tuple(sorted({each for each in secrets if len(each) >= _SHORTEST_SECRET}, key=len, reverse=True))


def _holds(word: str, pieces: set[str]) -> bool:
    return any(word[at : at + _PIECE] in pieces for at in range(len(word) - _PIECE + 1))
