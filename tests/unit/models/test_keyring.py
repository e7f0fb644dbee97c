"""Keys in the system's keyring come after the environment's, and only for this process's own environment (SPEC Z1)."""

from __future__ import annotations

import os
import sys
from types import ModuleType

import pytest

from compile_loop.contracts.protocols import ModelError
from compile_loop.models.endpoint import Endpoint, find_endpoint
from compile_loop.models.keyring import key_in_keyring
from compile_loop.models.model_settings import ModelSettings


def endpoint(environ: dict[str, str] | None = None) -> Endpoint:
    return find_endpoint(
        ModelSettings("openai", "m"),
        default_url="https://models.example/v1",
        key_variable="KEPT_KEY",
        path="/chat/completions",
        environ=os.environ if environ is None else environ,
    )


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], str]:
    """A keyring with what is in this dictionary."""
    keys: dict[tuple[str, str], str] = {}
    module = ModuleType("keyring")
    module.get_password = lambda service, name: keys.get((service, name))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", module)
    monkeypatch.delenv("KEPT_KEY", raising=False)
    return keys


def test_the_environment_comes_first(kept: dict[tuple[str, str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    kept["compile-loop", "KEPT_KEY"] = "from-the-keyring"
    found = endpoint()
    assert found.key == "from-the-keyring"
    assert found.key_named == "the key of KEPT_KEY in the keyring"
    assert found.redact("it is from-the-keyring") == "it is [hidden]"
    monkeypatch.setenv("KEPT_KEY", "from-the-environment")
    assert endpoint().key == "from-the-environment"
    with pytest.raises(ModelError, match="KEPT_KEY is not set"):
        endpoint({})


def test_a_keyring_that_does_not_open(kept: dict[tuple[str, str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(_service: str, _name: str) -> str:
        raise RuntimeError("locked")

    monkeypatch.setattr(sys.modules["keyring"], "get_password", locked)
    assert key_in_keyring("KEPT_KEY") == ""
    with pytest.raises(ModelError, match="KEPT_KEY is not set"):
        endpoint()
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert key_in_keyring("KEPT_KEY") == ""
