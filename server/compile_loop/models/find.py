"""Finds what could be asked: keys in the environment, and servers on this machine, when somebody wants to know (SPEC M1, Q26)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import anyio
import httpx

from compile_loop.contracts.json_text import value_in
from compile_loop.models.anthropic import KEY_VARIABLE as ANTHROPIC_KEY
from compile_loop.models.openai import KEY_VARIABLE as OPENAI_KEY
from compile_loop.models.reading import entries, mapping

_PATIENCE = 1.0
_MOST_MODELS = 50
_LARGEST_LIST = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class KeyFound:
    """A variable of the environment that holds a key, by its name alone, and how to use it."""

    variable: str
    provider: str
    base_url: str | None = None

    @property
    def model_variable(self) -> str:
        """The variable in which people name the model to use with the key, such as `OPENAI_MODEL`."""
        return self.variable.removesuffix("API_KEY") + "MODEL"

    @property
    def address_variable(self) -> str:
        """The variable in which they name another address, such as `OPENAI_BASE_URL`."""
        return self.variable.removesuffix("API_KEY") + "BASE_URL"


@dataclass(frozen=True, slots=True)
class ServerFound:
    """A model server on this machine that answered, and its models as `PROVIDER:MODEL`."""

    name: str
    base_url: str
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LocalPort:
    """Where a kind of server listens if nobody told it otherwise."""

    name: str
    port: int
    provider: str
    list_path: str
    base_path: str


KEYS = (
    KeyFound(ANTHROPIC_KEY, "anthropic"),
    KeyFound(OPENAI_KEY, "openai"),
    KeyFound("GEMINI_API_KEY", "openai", "https://generativelanguage.googleapis.com/v1beta/openai"),
    KeyFound("OPENROUTER_API_KEY", "openai", "https://openrouter.ai/api/v1"),
    KeyFound("MISTRAL_API_KEY", "openai", "https://api.mistral.ai/v1"),
    KeyFound("DEEPSEEK_API_KEY", "openai", "https://api.deepseek.com/v1"),
    KeyFound("GROQ_API_KEY", "openai", "https://api.groq.com/openai/v1"),
    KeyFound("XAI_API_KEY", "openai", "https://api.x.ai/v1"),
    KeyFound("CEREBRAS_API_KEY", "openai", "https://api.cerebras.ai/v1"),
    KeyFound("MOONSHOT_API_KEY", "openai", "https://api.moonshot.ai/v1"),
    KeyFound("TOGETHER_API_KEY", "openai", "https://api.together.xyz/v1"),
)
LOCAL_PORTS = (
    LocalPort("Ollama", 11434, "ollama", "/api/tags", ""),
    LocalPort("LM Studio", 1234, "openai", "/v1/models", "/v1"),
    LocalPort("llama.cpp", 8080, "openai", "/v1/models", "/v1"),
    LocalPort("vLLM", 8000, "openai", "/v1/models", "/v1"),
)


def find_keys(environ: Mapping[str, str]) -> list[KeyFound]:
    """Which of the usual variables hold something; nothing is contacted."""
    return [each for each in KEYS if environ.get(each.variable, "").strip()]


async def find_servers(ports: Sequence[LocalPort] = LOCAL_PORTS) -> list[ServerFound]:
    """Ask the usual ports of 127.0.0.1, all at once and for a second at most, which models they have.

    Only for somebody who asked to look: nothing else probes. No proxy is used and no key is sent.
    """
    timeout = httpx.Timeout(_PATIENCE)
    async with httpx.AsyncClient(timeout=timeout, trust_env=False, follow_redirects=False) as client:
        found = await asyncio.gather(*(_ask(client, port) for port in ports))
    return [each for each in found if each is not None]


async def _ask(client: httpx.AsyncClient, port: LocalPort) -> ServerFound | None:
    origin = f"http://127.0.0.1:{port.port}"
    try:
        with anyio.fail_after(_PATIENCE):
            async with client.stream("GET", f"{origin}{port.list_path}") as response:
                body = bytearray()
                async for piece in response.aiter_bytes():
                    body += piece
                    if len(body) > _LARGEST_LIST:
                        return None
        listed = value_in(bytes(body))
    except (httpx.HTTPError, OSError, ValueError):
        return None
    names = _names_in(listed)
    if response.status_code != 200 or names is None:
        return None
    models = tuple(f"{port.provider}:{name}" for name in names[:_MOST_MODELS])
    return ServerFound(port.name, f"{origin}{port.base_path}", models)


def _names_in(listed: object) -> list[str] | None:
    """The models' names in either form of list; None where it is no such list, but some other server's answer."""
    lists = mapping(listed)
    if not isinstance(lists.get("data"), list) and not isinstance(lists.get("models"), list):
        return None
    rows = entries(lists.get("data")) or entries(lists.get("models"))
    names = [row.get("id") or row.get("model") or row.get("name") for row in rows]
    return [name for name in names if isinstance(name, str)]
