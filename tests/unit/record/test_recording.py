"""Which secrets of the settings a record must not hold (SPEC R1, Z1)."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from compile_loop.recording import secrets_of
from compile_loop.settings import Settings


@pytest.mark.spec("R1", "Z1")
def test_keys_that_are_typed_named_or_sent_in_headers_are_secrets_and_other_headers_are_none() -> None:
    settings = Settings(
        api_key=SecretStr("typed"),
        api_key_env="MINE",
        headers={"Authorization": "Bearer sent", "X-Api-Key": "other", "Accept": "application/json"},
    )
    assert set(secrets_of(settings, {"MINE": "named", "YOURS": "not"})) == {
        "typed", "named", "Bearer sent", "sent", "other",
    }  # fmt: skip
    assert secrets_of(Settings(), {"": "x"}) == []


@pytest.mark.spec("R1", "Z1")
def test_settings_as_recorded_hold_no_key_no_header_and_no_proxy() -> None:
    settings = Settings(api_key=SecretStr("typed"), headers={"A": "sent"}, proxy="http://me:word@proxy")
    assert not {"api_key", "headers", "proxy"} & settings.model_dump(mode="json").keys()
