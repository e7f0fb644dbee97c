"""Looking for models: keys by their names, this machine's usual ports, and nothing else (SPEC M1, M8, Q26, Z1)."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from tests.support.model_server import JSON, Answer, ModelServer, Pause, says
from typer.testing import CliRunner

from compile_loop.cli import models
from compile_loop.cli.main import app
from compile_loop.models.find import LOCAL_PORTS, LocalPort, find_keys, find_servers

KEY = "sk-found-0123456789"
TAGS = Answer(
    (json.dumps({"models": [{"name": "qwen2.5-coder:7b", "model": "qwen2.5-coder:7b"}]}).encode(),), headers=JSON
)
LISTED = Answer((json.dumps({"object": "list", "data": [{"id": "org/model"}, {"id": "b"}]}).encode(),), headers=JSON)


def at(server: ModelServer, kind: LocalPort) -> LocalPort:
    return replace(kind, port=urlsplit(server.origin).port or 0)


@pytest.mark.spec("Z1")
def test_keys_are_found_by_name_and_never_shown() -> None:
    found = find_keys({"OPENAI_API_KEY": KEY, "GEMINI_API_KEY": KEY, "ANTHROPIC_API_KEY": " ", "PATH": "/bin"})
    assert [each.variable for each in found] == ["OPENAI_API_KEY", "GEMINI_API_KEY"]
    assert KEY not in repr(found)


@pytest.mark.spec("M1")
async def test_servers_and_their_models() -> None:
    ollama, other = LOCAL_PORTS[0], LOCAL_PORTS[1]
    with ModelServer(TAGS) as first, ModelServer(LISTED) as second, ModelServer(says("ok")) as gone:
        closed = at(gone, other)
        gone.__exit__()
        found = await find_servers([at(first, ollama), at(second, other), closed])
        assert first.requests[0].path == "/api/tags"
        assert second.requests[0].path == "/v1/models"
        assert "authorization" not in second.requests[0].headers
    assert [each.models for each in found] == [("ollama:qwen2.5-coder:7b",), ("openai:org/model", "openai:b")]
    assert found[1].base_url.endswith("/v1")


@pytest.mark.spec("Q26")
async def test_what_is_no_model_server_is_left_alone() -> None:
    page = Answer((b"<html>hello</html>",), headers={"Content-Type": "text/html"})
    other = Answer((b'{"status": "ok"}',), headers=JSON)
    refused = Answer((b'{"data": []}',), 401, JSON)
    silent = Answer((Pause(20.0),), headers=JSON, before=20.0)
    for answer in (page, other, refused, silent):
        with ModelServer(answer) as server:
            assert await find_servers([at(server, LOCAL_PORTS[1])]) == []
            assert len(server.requests) == 1


@pytest.mark.spec("Q26")
def test_the_usual_ports_of_this_machine_and_no_others() -> None:
    assert sorted(each.port for each in LOCAL_PORTS) == [1234, 8000, 8080, 11434]


@pytest.mark.spec("P3")
def test_the_command_lists_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer(TAGS) as server:
        monkeypatch.setattr(models, "find_servers", lambda: find_servers([at(server, LOCAL_PORTS[0])]))
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        shown = CliRunner().invoke(app, ["models"])
        listed = CliRunner().invoke(app, ["models", "--json"])
    assert shown.exit_code == 0
    assert "OPENAI_API_KEY: --model openai:NAME" in shown.output
    assert "--model ollama:qwen2.5-coder:7b" in shown.output
    document = json.loads(listed.output)
    assert document["schema"] == "compile-loop/models/1"
    assert document["servers"][0]["models"] == ["ollama:qwen2.5-coder:7b"]
    assert KEY not in shown.output + listed.output


@pytest.mark.spec("P3")
def test_the_command_tries_one_token() -> None:
    with ModelServer(says("OK")) as server:
        tried = CliRunner().invoke(app, ["models", "--try", "openai:m", "--base-url", server.base_url])
        assert tried.exit_code == 0, tried.output
        assert server.requests[0].json["max_tokens"] == 1
    assert "openai:m answered" in tried.output
    gone = CliRunner().invoke(app, ["models", "--try", "openai:m", "--base-url", "http://127.0.0.1:9/v1"])
    assert gone.exit_code == 1
    assert "Nothing answers at" in gone.output
    assert CliRunner().invoke(app, ["models", "--try", "nonsense"]).exit_code == 2
