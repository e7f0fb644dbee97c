"""Which model is asked where the user named none: what was agreed to before, then a key together with a model's name.

Nobody is charged by surprise: a key that merely lies in the environment is not used before its owner also names a model,
and a server on this machine not before somebody said yes to it (SPEC M1, Q26).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from compile_loop.models.endpoint import is_loopback
from compile_loop.models.find import KEYS, find_keys
from compile_loop.models.keyring import key_in_keyring

NO_MODEL = "none"
"""The setting that says that no model is to be asked, whatever was found."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A model as `PROVIDER:NAME`, its address and the variable of its key where they are not the usual; and why it is it."""

    model: str
    why: str
    base_url: str = ""
    api_key_env: str = ""


def by_keys(environ: Mapping[str, str]) -> Choice | None:
    """The first key, in the environment or the keyring, beside which a model is named, such as in `OPENAI_MODEL`."""
    for key in KEYS:
        name = environ.get(key.model_variable, "").strip()
        if name and (environ.get(key.variable, "").strip() or key_in_keyring(key.variable)):
            address = environ.get(key.address_variable, "").strip()
            here = bool(address) and is_loopback(urlsplit(address).hostname or "")
            return Choice(
                f"{key.provider}:{name}",
                f"{key.variable} and {key.model_variable} are set",
                address or key.base_url or "",
                "" if here else key.variable,
            )
    return None


def advice(environ: Mapping[str, str]) -> str:
    """How to get a model, in a sentence."""
    keys = find_keys(environ)
    if not keys:
        return "Choose one, as PROVIDER:NAME; `compile-loop models` lists what is there."
    key = keys[0]
    address = f" with {key.base_url} as its address" if key.base_url else ""
    return f"{key.variable} is set: name a model, as {key.provider}:NAME{address}, or set {key.model_variable}."


@dataclass(frozen=True, slots=True)
class Memory:
    """What the user answered when asked for a model: the one `agreed` to, and the addresses `declined`."""

    agreed: Choice | None = None
    declined: tuple[str, ...] = ()

    def with_no(self, base_url: str) -> Memory:
        """The same, and this server is not offered again."""
        return replace(self, declined=(*self.declined, base_url))


def remembered(place: Path) -> Memory:
    """The answers kept in a file; none where it is not there or cannot be read."""
    try:
        kept = json.loads(place.read_text("utf-8"))
        agreed = kept["agreed"]
        return Memory(Choice(**agreed) if agreed else None, tuple(str(each) for each in kept["declined"]))
    except (OSError, ValueError, TypeError, KeyError):
        return Memory()


def remember(place: Path, memory: Memory) -> None:
    """Keep the answers, for this user alone. Raises `OSError`."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.touch(mode=0o600)
    place.write_text(json.dumps(asdict(memory), indent=2), "utf-8")
