"""Anthropic's Messages: what only it demands of a conversation and of a client (SPEC M3, M6, M7)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.asking import QUESTION, READ, Waits, all_events, generator_for, reply_of
from tests.support.dialects import Messages
from tests.support.model_server import JSON, Answer, ModelServer, Request, fails, sends

from compile_loop.contracts.protocols import Message, ModelError, ModelErrorKind, Notice, Retrying, ToolCall, Usage

TALKING = Messages()
OVERLOADED = (
    'event: message_start\ndata: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":3,"output_tokens":0}}}'
    '\n\nevent: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
)


async def sent_for(talk: tuple[Message, ...], **settings: Any) -> Any:
    """The request that is made for a conversation."""
    with ModelServer(TALKING.says("ok")) as server:
        await all_events(generator_for(server.base_url, provider="anthropic", **settings), talk, (READ,))
        return server.requests[0]


def blocks(request: Any) -> list[dict[str, Any]]:
    return [*request.json["system"], *(block for turn in request.json["messages"] for block in turn["content"])]


@pytest.mark.spec("M1")
async def test_what_is_sent() -> None:
    request = await sent_for(QUESTION, api_key="sk-ant-0123456789", temperature=0.3)
    assert request.path == "/v1/messages"
    assert request.headers["x-api-key"] == "sk-ant-0123456789"
    assert "authorization" not in request.headers
    assert request.headers["anthropic-version"] == "2023-06-01"
    mark = {"cache_control": {"type": "ephemeral"}}
    assert request.json == {
        "model": "test-model",
        "max_tokens": 16384,
        "system": [{"type": "text", "text": "Fix it.", **mark}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "main.c:1: error", **mark}]}],
        "tools": [{"name": "read", "description": "Read a file.", "input_schema": dict(READ.parameters)}],
        "temperature": 0.3,
        "stream": True,
    }


@pytest.mark.spec("M6")
async def test_no_empty_text_and_no_mark_on_an_empty_block() -> None:
    talk = (
        *QUESTION,
        Message("assistant", ""),
        Message("user", "again"),
        Message("assistant", " ", (ToolCall("t1", "read", "{}"),)),
        Message("tool", "", tool_call_id="t1"),
    )
    request = await sent_for(talk)
    for block in blocks(request):
        assert block.get("text", block.get("content", "x")) not in ("", " ")
    assert [turn["role"] for turn in request.json["messages"]] == ["user", "assistant", "user", "assistant", "user"]


@pytest.mark.spec("M6")
async def test_every_call_has_its_result_in_the_next_turn() -> None:
    two = (ToolCall("t1", "read", "{}"), ToolCall("t2", "read", "{}"))
    talk = (*QUESTION, Message("assistant", "", two), Message("tool", "ok", tool_call_id="t1"), Message("user", "stop"))
    request = await sent_for(talk)
    last = request.json["messages"][-1]
    assert last["role"] == "user"
    assert [block.get("tool_use_id") for block in last["content"]] == ["t1", "t2", None]
    assert "interrupted" in last["content"][1]["content"]
    assert last["content"][2]["text"] == "stop"


@pytest.mark.spec("M6")
async def test_a_conversation_that_begins_with_the_assistant() -> None:
    request = await sent_for((Message("assistant", "I begin."), Message("user", "go on")))
    assert [turn["role"] for turn in request.json["messages"]] == ["user", "assistant", "user"]


@pytest.mark.spec("M6")
async def test_thinking_goes_back_as_it_came() -> None:
    """With its signature, before the calls that followed it, and only in its own place."""
    with ModelServer(TALKING.makes(("read", {"p": "a.c"}), thinking="hm"), TALKING.says("ok")) as server:
        generator = generator_for(server.base_url, provider="anthropic")
        reply = reply_of(await all_events(generator, QUESTION, (READ,)))
        said = Message("assistant", reply.text, reply.tool_calls)
        await all_events(generator, (*QUESTION, said, Message("tool", "int a;", tool_call_id="k0")), (READ,))
        turn = server.requests[1].json["messages"][1]
    assert turn["content"] == [
        {"type": "thinking", "thinking": "hm", "signature": "signed"},
        {"type": "tool_use", "id": "k0", "name": "read", "input": {"p": "a.c"}},
    ]


@pytest.mark.spec("M5")
async def test_overloaded_inside_the_stream_is_waited_out() -> None:
    waits = Waits()
    with ModelServer(sends(OVERLOADED), fails(529, {"type": "error", "error": {"type": "overloaded_error"}})) as server:
        with pytest.raises(ModelError, match=r"could not reply just now") as caught:
            await all_events(generator_for(server.base_url, waits, "anthropic"))
        assert caught.value.kind is ModelErrorKind.UNAVAILABLE
        assert len(server.requests) == 4
    assert waits.seconds == [0.5, 1.0, 2.0]
    with ModelServer(sends(OVERLOADED), TALKING.says("ok")) as server:
        events = await all_events(generator_for(server.base_url, provider="anthropic"))
    assert "Overloaded" in next(event.reason for event in events if isinstance(event, Retrying))
    assert reply_of(events).text == "ok"


@pytest.mark.spec("M2")
async def test_a_smaller_bound_of_the_model_is_learnt() -> None:
    def answer(request: Request) -> Answer:
        if request.json["max_tokens"] > 4096:
            said = "max_tokens: 16384 > 4096, which is the maximum allowed number of output tokens for claude-3"
            return fails(400, {"type": "error", "error": {"type": "invalid_request_error", "message": said}})
        return TALKING.says("ok")

    with ModelServer(answer) as server:
        generator = generator_for(server.base_url, provider="anthropic")
        events = await all_events(generator)
        assert "at most 4096 tokens" in next(event.message for event in events if isinstance(event, Notice))
        await all_events(generator)
        assert [request.json["max_tokens"] for request in server.requests] == [16384, 4096, 4096]
        with pytest.raises(ModelError, match="max_tokens"):
            await all_events(generator_for(server.base_url, provider="anthropic", max_tokens=9000))


@pytest.mark.spec("M2")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cache_control", "messages.0.content.0.text.cache_control: Extra inputs are not permitted"),
        ("temperature", "`temperature` may only be set to 1 when thinking is enabled."),
        ("temperature", "`temperature` is deprecated for this model."),
    ],
)
async def test_refused_parameters(name: str, message: str) -> None:
    def answer(request: Request) -> Answer:
        if f'"{name}"' in request.body.decode():
            return fails(400, {"type": "error", "error": {"type": "invalid_request_error", "message": message}})
        return TALKING.says("ok")

    with ModelServer(answer) as server:
        assert reply_of(await all_events(generator_for(server.base_url, provider="anthropic"))).text == "ok"
        assert len(server.requests) == 2


@pytest.mark.spec("M3")
async def test_a_message_that_is_not_streamed() -> None:
    body = {
        "content": [
            {"type": "text", "text": "ok"},
            {"type": "tool_use", "id": "t", "name": "read", "input": {"p": "a"}},
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 5, "output_tokens": 2},
    }
    with ModelServer(Answer((json.dumps(body).encode(),), headers=JSON)) as server:
        reply = reply_of(await all_events(generator_for(server.base_url, provider="anthropic"), QUESTION, (READ,)))
    assert (reply.text, reply.finish, reply.usage) == ("ok", "tool_calls", Usage(5, 2))
    assert reply.tool_calls == (ToolCall("t", "read", '{"p": "a"}'),)


@pytest.mark.spec("M3")
@pytest.mark.parametrize(
    ("reason", "finish"), [("max_tokens", "length"), ("stop_sequence", "stop"), ("pause_turn", "pause_turn")]
)
async def test_why_it_ended(reason: str, finish: str) -> None:
    end = TALKING.event("message_delta", delta={"stop_reason": reason}, usage={"output_tokens": 1})
    with ModelServer(TALKING.answer(*TALKING.text("half"), end)) as server:
        assert reply_of(await all_events(generator_for(server.base_url, provider="anthropic"))).finish == finish


@pytest.mark.spec("M5")
async def test_a_refusal_is_told() -> None:
    end = TALKING.event("message_delta", delta={"stop_reason": "refusal"}, usage={"output_tokens": 1})
    with ModelServer(TALKING.answer(*TALKING.text("half"), end)) as server, pytest.raises(ModelError) as caught:
        await all_events(generator_for(server.base_url, provider="anthropic"))
    assert caught.value.kind is ModelErrorKind.CONTENT_FILTER
