"""Keys come out nowhere, whichever protocol has them (SPEC Z1)."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from tests.support.asking import QUESTION, generator_for
from tests.support.dialects import DIALECTS, Dialect
from tests.support.model_server import Answer, ModelServer, Request, fails

from compile_loop.contracts.protocols import ModelError
from compile_loop.models.choose import ModelSettings
from compile_loop.models.turn_log import LoggedGenerator
from compile_loop.settings import Settings

KEY = "zz-no-shape-of-a-key-0123456789"
HEADER = "header-secret-0123456789"


@pytest.mark.spec("Z1")
@pytest.mark.parametrize("http", DIALECTS, ids=[each.provider for each in DIALECTS])
async def test_no_log_message_record_or_representation(http: Dialect, caplog: pytest.LogCaptureFixture) -> None:
    """The server repeats what it was sent, first in an error that is retried, then in one that ends the call."""
    caplog.set_level(logging.DEBUG)

    def repeat(request: Request) -> Answer:
        said = f"bad {dict(request.headers)}"
        return fails(503 if len(server.requests) == 1 else 400, {"error": {"message": said}})

    with ModelServer(repeat) as server:
        settings: dict[str, Any] = {"api_key": KEY, "headers": {"X-Secret": HEADER}}
        generator = generator_for(server.base_url, provider=http.provider, **settings)
        lines: list[str] = []
        events: list[Any] = []
        with pytest.raises(ModelError) as caught:
            async for event in LoggedGenerator(generator, lines.append).generate(QUESTION):
                events.append(event)
        await generator.aclose()
        assert KEY in str(dict(server.requests[0].headers)), "it was sent"
    chain = [caught.value, caught.value.__cause__, caught.value.__context__]
    parts = [repr(each) for each in (generator, generator._endpoint, generator._wire, *events, *chain)]
    parts += [*lines, *(f"{record.getMessage()} {record.exc_text}" for record in caplog.records)]
    parts.append(repr(ModelSettings(http.provider, "m", **settings)))
    assert len(events) >= 1
    assert len(lines) == 1
    for secret in (KEY, HEADER):
        assert [part for part in parts if secret in part] == []


@pytest.mark.spec("Z1")
def test_settings_that_may_hold_secrets_are_in_no_dump() -> None:
    settings = Settings(api_key=KEY, headers={"X-Secret": HEADER}, proxy=f"http://me:{HEADER}@proxy:1")
    for shown in (repr(settings), str(settings), settings.model_dump_json(), str(settings.model_dump())):
        assert KEY not in shown
        assert HEADER not in shown
