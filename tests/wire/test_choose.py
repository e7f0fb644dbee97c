"""From settings to a generator, with a sentence for everything that is missing (SPEC M1, M2, Z1)."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.asking import QUESTION, all_events, generator_for, reply_of, shown_in
from tests.support.model_server import ModelServer, fails, says

from compile_loop.contracts.protocols import Message, ModelError, ModelErrorKind, Notice
from compile_loop.models.choose import ConfigurationError, ModelSettings, make_generator, parse_model
from compile_loop.models.endpoint import Endpoint, find_endpoint
from compile_loop.models.openai import DEFAULT_BASE_URL, KEY_VARIABLE
from compile_loop.models.scripted import ScriptedGenerator, ScriptedReply

KEY = "sk-very-secret-0123456789"


@pytest.mark.spec("M1")
@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("openai:gpt-x", ("openai", "gpt-x")),
        (" openai:qwen2.5-coder:7b ", ("openai", "qwen2.5-coder:7b")),
        ("scripted:C:\\replies.json", ("scripted", "C:\\replies.json")),
    ],
)
def test_parse_model(text: str, parsed: tuple[str, str]) -> None:
    assert parse_model(text) == parsed


@pytest.mark.spec("M1")
@pytest.mark.parametrize(
    ("text", "says_what"),
    [("gpt-x", "openai:gpt-x"), ("", "PROVIDER:MODEL"), ("acme:x", "no provider 'acme'"), ("openai:", "openai:MODEL")],
)
def test_parse_model_says_what_is_wrong(text: str, says_what: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_model(text)
    assert says_what in str(caught.value)
    assert isinstance(caught.value, ValueError)
    if text != "openai:":
        assert "openai, responses, anthropic, ollama, vscode, command, scripted, replay" in str(caught.value)


def endpoint(environ: dict[str, str] | None = None, **settings: Any) -> Endpoint:
    return find_endpoint(
        ModelSettings("openai", "m", **settings),
        default_url=DEFAULT_BASE_URL,
        key_variable=KEY_VARIABLE,
        path="/chat/completions",
        environ=environ or {},
    )


@pytest.mark.spec("M2")
def test_missing_key_says_which_variable() -> None:
    with pytest.raises(ModelError) as caught:
        make_generator(ModelSettings("openai", "m"), {})
    assert caught.value.kind is ModelErrorKind.AUTH
    assert caught.value.message == "OPENAI_API_KEY is not set; set it, or pass --base-url of a local server"
    with pytest.raises(ModelError, match="MY_KEY is not set"):
        make_generator(ModelSettings("openai", "m", api_key_env="MY_KEY"), {"OPENAI_API_KEY": KEY})


@pytest.mark.spec("M2")
def test_where_the_key_comes_from() -> None:
    environ = {"OPENAI_API_KEY": "usual-one", "MY_KEY": "named-one"}
    assert endpoint(environ).key == "usual-one"
    assert endpoint(environ, api_key_env="MY_KEY").key == "named-one"
    assert endpoint(environ, api_key_env="MY_KEY", api_key="given-one").key == "given-one"
    assert endpoint({"OPENAI_API_KEY": " padded\n"}).key == "padded"
    assert endpoint(environ, base_url="https://models.example/v1").key == "usual-one"
    assert endpoint({}, base_url="https://m.example/v1", headers={"X-Api-Key": "k"}).key is None
    with pytest.raises(ModelError, match="holds characters that no key has"):
        endpoint({"OPENAI_API_KEY": "ab\ncd"})


@pytest.mark.spec("Z1")
@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost:11434", "[::1]:1234", "box.localhost"])
def test_a_server_on_this_machine_needs_no_key_and_gets_none(host: str) -> None:
    found = endpoint({"OPENAI_API_KEY": KEY}, base_url=f"http://{host}/v1")
    assert (found.loopback, found.key) == (True, None)
    assert endpoint({"MINE": "for-it"}, base_url=f"http://{host}/v1", api_key_env="MINE").key == "for-it"


@pytest.mark.parametrize("host", ["10.0.0.5", "127.0.0.1.example.com", "localhost.example.com", "models.example"])
def test_what_is_not_this_machine(host: str) -> None:
    assert not endpoint({}, base_url=f"http://{host}/v1", api_key="x").loopback


@pytest.mark.spec("M2")
@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        (None, "https://api.openai.com/v1/chat/completions"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/chat/completions"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1/chat/completions"),
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1/chat/completions"),
        ("http://127.0.0.1:8080/api/v3", "http://127.0.0.1:8080/api/v3/chat/completions"),
        ("http://127.0.0.1/v1/chat/completions", "http://127.0.0.1/v1/chat/completions"),
        ("https://a.example/dep/x?api-version=1", "https://a.example/dep/x/chat/completions?api-version=1"),
        ("https://user:pass@a.example/v1", "https://a.example/v1/chat/completions"),
    ],
)
def test_addresses(base_url: str | None, url: str) -> None:
    assert endpoint({}, base_url=base_url, api_key="k").url("/chat/completions") == url


@pytest.mark.parametrize(
    "address", ["localhost:8080", "ftp://x/v1", "http://", "http://x:notaport", "models.example/v1"]
)
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(ModelError, match="is no http or https address") as caught:
        endpoint({}, base_url=address, api_key="k")
    assert caught.value.kind is ModelErrorKind.CONFIGURATION


@pytest.mark.spec("Z1")
async def test_secrets_are_in_no_message_log_or_representation(caplog: pytest.LogCaptureFixture) -> None:
    """The server repeats every secret it got; nothing of it comes out at this end."""
    caplog.set_level(logging.DEBUG)
    secrets = {"header": "Bearer-like-header-secret", "query": "query-secret-value", "user": "password-in-address"}

    def repeat(request: Any) -> Any:
        said = [request.headers["x-api-key"], request.headers["authorization"], request.path, secrets["user"]]
        return fails(400, {"error": {"message": " ".join(said) + "x" * 150 + secrets["header"]}})

    with ModelServer(repeat) as server:
        address = server.base_url.replace("//", f"//me:{secrets['user']}@") + f"?key={secrets['query']}"
        generator = generator_for(address, api_key=KEY, headers={"X-Api-Key": secrets["header"]})
        with pytest.raises(ModelError) as caught:
            await all_events(generator)
        got = server.requests[0]
        assert got.headers["authorization"] == f"Bearer {KEY}"
        assert got.headers["x-api-key"] == secrets["header"]
        assert secrets["query"] in got.path
    settings = ModelSettings("openai", "m", base_url=address, api_key=KEY, headers={"X-Api-Key": secrets["header"]})
    logs = "\n".join(f"{record.name}: {record.getMessage()}" for record in caplog.records)
    assert "httpx: HTTP Request: POST http://127.0.0.1" in logs
    places = [caught.value.message, repr(caught.value), repr(settings), repr(endpoint({}, base_url=address)), logs]
    for secret in (KEY, *secrets.values()):
        assert not [place for place in places if secret[:12] in place], "not even the head of it, where text is cut off"


@pytest.mark.spec("M2")
async def test_what_is_sent() -> None:
    with ModelServer(says("ok")) as server:
        settings = {"max_tokens": 50, "temperature": 0.7, "headers": {"X-Title": "t"}, "extra_body": {"seed": 7}}
        await all_events(generator_for(server.base_url, api_key=KEY, **settings))
        request = server.requests[0]
    assert request.json == {
        "model": "test-model",
        "messages": [{"role": "system", "content": "Fix it."}, {"role": "user", "content": "main.c:1: error"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0.7,
        "max_tokens": 50,
        "seed": 7,
    }
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["x-title"] == "t"


@pytest.mark.spec("M2")
@pytest.mark.parametrize(
    ("asked", "environ", "sent", "warned"),
    [
        (None, {}, 0.0, False),
        (None, {"COMPILE_LOOP_LLM_TEMPERATURE": "0.4"}, 0.4, False),
        (1.2, {"COMPILE_LOOP_LLM_TEMPERATURE": "0.4"}, 1.2, False),
        (None, {"COMPILE_LOOP_LLM_TEMPERATURE": "hot"}, 0.0, True),
        (None, {"COMPILE_LOOP_LLM_TEMPERATURE": "nan"}, 0.0, True),
        (None, {"COMPILE_LOOP_LLM_TEMPERATURE": ""}, 0.0, False),
        (float("inf"), {}, 0.0, True),
    ],
)
async def test_temperature(asked: float | None, environ: dict[str, str], sent: float, warned: bool) -> None:
    with ModelServer(says("ok")) as server:
        events = await all_events(generator_for(server.base_url, temperature=asked, environ=environ))
        assert server.requests[0].json["temperature"] == sent
    assert bool([event for event in events if isinstance(event, Notice)]) is warned


@pytest.mark.spec("M3")
async def test_text_that_is_no_unicode_is_sent_all_the_same(model_server: Callable[..., ModelServer]) -> None:
    """Compiler output may hold half a surrogate pair; that must not end the run."""
    server = model_server(says("ok"))
    await all_events(generator_for(server.base_url), (Message("user", "bad \udcff byte, good 😀"),))
    assert server.requests[0].json["messages"][0]["content"] == "bad ? byte, good 😀"


@pytest.mark.spec("M1")
async def test_script(tmp_path: Path) -> None:
    path = tmp_path / "replies.json"
    path.write_text(json.dumps(["first\nreply", {"text": "second", "finish": "length"}]), "utf-8")
    generator = make_generator(ModelSettings("scripted", str(path)), {})
    assert generator.name == f"scripted:{path}"
    events = await all_events(generator)
    assert reply_of(events).text == shown_in(events) == "first\nreply"
    assert reply_of(await all_events(generator)).finish == "length"
    with pytest.raises(ModelError, match="holds 2 replies, and reply 3 was asked for"):
        await all_events(generator)


@pytest.mark.spec("M1")
async def test_scripted_generator_keeps_what_it_was_asked() -> None:
    generator = ScriptedGenerator(["a", ScriptedReply("b", "length")])
    await all_events(generator)
    assert generator.requests == [QUESTION]


@pytest.mark.parametrize(
    ("content", "says_what"),
    [("{", "is no JSON"), ("{}", "no list of replies"), ('["a", 3]', "no text in reply 2"), (None, "cannot be read")],
)
def test_script_that_cannot_be_read(tmp_path: Path, content: str | None, says_what: str) -> None:
    path = tmp_path / "replies.json"
    if content is not None:
        path.write_text(content, "utf-8")
    with pytest.raises(ModelError, match=says_what) as caught:
        make_generator(ModelSettings("scripted", str(path)), {})
    assert caught.value.kind is ModelErrorKind.CONFIGURATION
