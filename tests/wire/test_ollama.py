"""Ollama's own chat: its window, its lines, its prompts cut in silence (SPEC M1, C3)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.asking import QUESTION, READ, all_events, generator_for, reply_of
from tests.support.dialects import LINES, OllamaChat
from tests.support.model_server import JSON, Answer, ModelServer, Request, fails

from compile_loop.contracts.protocols import Message, ModelError, ModelErrorKind, ToolCall, Usage
from compile_loop.models.choose import ModelSettings, make_generator
from compile_loop.models.ollama import base_url_in

OLLAMA = OllamaChat()


def asking(server: ModelServer, **settings: Any) -> Any:
    return generator_for(server.origin, provider="ollama", **settings)


@pytest.mark.spec("M1")
async def test_what_is_sent() -> None:
    talk = (
        *QUESTION,
        Message("assistant", "", (ToolCall("k0", "read", '{"p":"a.c"}'),)),
        Message("tool", "int a;", tool_call_id="k0"),
    )
    with ModelServer(OLLAMA.says("ok")) as server:
        await all_events(asking(server, max_tokens=50, extra_body={"options": {"seed": 7}, "keep_alive": "5m"}), talk)
        request = server.requests[0]
    assert request.path == "/api/chat"
    assert "authorization" not in request.headers
    sent = request.json
    assert sent["options"] == {"temperature": 0.0, "num_ctx": 16384, "num_predict": 50, "seed": 7}
    assert (sent["stream"], sent["truncate"], sent["shift"], sent["keep_alive"]) == (True, False, False, "5m")
    call = {"id": "k0", "function": {"name": "read", "arguments": {"p": "a.c"}}}
    assert sent["messages"][2:] == [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "int a;", "tool_name": "read", "tool_call_id": "k0"},
    ]


@pytest.mark.spec("C3")
async def test_the_window_grows_with_the_conversation_and_never_shrinks() -> None:
    answer = json.dumps({"message": {"content": "ok"}, "done": True, "done_reason": "stop"}).encode() + b"\n"
    with ModelServer(Answer((answer,), headers=LINES)) as server:
        generator = asking(server)
        for size in (100, 60_000, 200_000, 100):
            await all_events(generator, (Message("user", "x" * size),))
        assert [r.json["options"]["num_ctx"] for r in server.requests] == [16384, 32768, 131072, 131072]


@pytest.mark.spec("C3")
@pytest.mark.parametrize(("counted", "cut"), [(2050, True), (8500, False), (None, False)])
async def test_a_prompt_that_was_cut_in_silence_is_not_believed(counted: int | None, cut: bool) -> None:
    line: dict[str, Any] = {"message": {"content": "How can I help?"}, "done": True, "done_reason": "stop"}
    if counted is not None:
        line["prompt_eval_count"] = counted
    talk = (Message("system", "Fix it."), Message("user", "error: x\n" * 4000))
    with ModelServer(Answer((json.dumps(line).encode(),), headers=LINES)) as server:
        if not cut:
            assert reply_of(await all_events(asking(server), talk)).text == "How can I help?"
            return
        with pytest.raises(ModelError, match=r"prompt was truncated by the server: it counted 2050 tokens") as caught:
            await all_events(asking(server), talk)
        assert caught.value.kind is ModelErrorKind.CONTEXT
        assert len(server.requests) == 1


@pytest.mark.spec("M3")
@pytest.mark.parametrize("split", [None, 1, 7])
async def test_lines_in_any_pieces(split: int | None) -> None:
    called = OLLAMA.makes(("read", {"p": "日本 😀.c"}), text="naïve")
    with ModelServer(Answer(called.pieces, headers=LINES, split=split)) as server:
        reply = reply_of(await all_events(asking(server), QUESTION, (READ,)))
    assert reply.text == "naïve"
    assert [json.loads(call.arguments) for call in reply.tool_calls] == [{"p": "日本 😀.c"}]


@pytest.mark.spec("M3")
async def test_calls_without_ids_and_a_whole_reply() -> None:
    call = {"function": {"name": "read", "arguments": {}}}
    body = {
        "message": {"content": "", "tool_calls": [call, call]},
        "done": True,
        "prompt_eval_count": 3,
        "eval_count": 2,
    }
    with ModelServer(Answer((json.dumps(body).encode(),), headers=JSON)) as server:
        reply = reply_of(await all_events(asking(server), QUESTION, (READ,)))
    assert reply.usage == Usage(3, 2)
    assert [call.id for call in reply.tool_calls] == ["call_synth_0", "call_synth_1"]


@pytest.mark.spec("M2")
async def test_a_model_that_cannot_think() -> None:
    def answer(request: Request) -> Answer:
        refusal = fails(400, {"error": '"test-model" does not support thinking'})
        return refusal if "think" in request.json else OLLAMA.says("ok")

    with ModelServer(answer) as server:
        assert reply_of(await all_events(asking(server, disable_thinking=True))).text == "ok"


@pytest.mark.spec("M2")
@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("box:1234", "http://box:1234"),
        ("http://box.lan", "http://box.lan"),
        ("[::1]", "http://[::1]:11434"),
    ],
)
def test_the_host_of_the_environment(host: str, address: str) -> None:
    assert base_url_in({"OLLAMA_HOST": host}) == address


@pytest.mark.spec("M2")
@pytest.mark.parametrize("base", ["http://box.lan:11434", "http://box.lan:11434/v1", "http://box.lan:11434/api/chat"])
def test_a_server_in_the_house_needs_no_key(base: str) -> None:
    generator: Any = make_generator(ModelSettings("ollama", "m", base_url=base), {})
    assert generator._endpoint.url("/api/chat") == "http://box.lan:11434/api/chat"
