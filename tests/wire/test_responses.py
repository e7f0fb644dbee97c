"""OpenAI's Responses: going on from a stored response, and doing without (SPEC M1, M3, M6)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.asking import PUT, QUESTION, READ, TOOLS, all_events, generator_for, reply_of, shown_in
from tests.support.dialects import sse
from tests.support.model_server import JSON, Answer, ModelServer, Request, fails, sends

from compile_loop.contracts.protocols import Message, ModelError, Notice, Retrying, ToolCall, Usage

REASONING = {"type": "reasoning", "id": "rs_1", "summary": []}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "k1", "name": "put", "arguments": "{}"}
SAID = {"type": "message", "id": "m_1", "role": "assistant", "content": [{"type": "output_text", "text": "ok"}]}
AFTER = (
    *QUESTION,
    Message("assistant", "", (ToolCall("k1", "put", "{}"),)),
    Message("tool", "written", tool_call_id="k1"),
)


def completed(*output: dict[str, Any], key: str = "resp_1", **more: Any) -> Answer:
    """A stream that is nothing but its last event, as translators send it."""
    response = {"id": key, "status": "completed", "output": list(output), **more}
    return Answer((sse({"type": "response.completed", "response": response}, "response.completed"),))


def asking(server: ModelServer, **settings: Any) -> Any:
    return generator_for(server.base_url, provider="responses", **settings)


@pytest.mark.spec("M1")
async def test_it_goes_on_from_the_stored_response() -> None:
    with ModelServer(completed(REASONING, CALL), completed(SAID, key="resp_2"), completed(SAID)) as server:
        generator = asking(server, temperature=0.5, max_tokens=70)
        reply = reply_of(await all_events(generator, QUESTION, (PUT,)))
        assert reply.tool_calls == (ToolCall("k1", "put", "{}"),)
        assert reply.finish == "tool_calls"
        assert reply_of(await all_events(generator, AFTER, (PUT,))).text == "ok"
        await all_events(generator, (*AFTER, Message("assistant", "ok"), Message("user", "more")), (PUT,))
        first, second, third = (request.json for request in server.requests)
    function = {"name": "put", "description": PUT.description, "parameters": dict(PUT.parameters)}
    assert first == {
        "model": "test-model",
        "instructions": "Fix it.",
        "input": [{"type": "message", "role": "user", "content": "main.c:1: error"}],
        "tools": [{"type": "function", **function, "strict": False}],
        "stream": True,
        "store": True,
        "temperature": 0.5,
        "max_output_tokens": 70,
    }
    assert second["previous_response_id"] == "resp_1"
    assert second["input"] == [{"type": "function_call_output", "call_id": "k1", "output": "written"}]
    assert second["instructions"] == "Fix it.", "they are not carried over by the server"
    assert third["previous_response_id"] == "resp_2"
    assert third["input"] == [{"type": "message", "role": "user", "content": "more"}]


@pytest.mark.spec("M6")
async def test_a_conversation_that_was_compacted_is_sent_whole_with_reasoning_and_call_together() -> None:
    with ModelServer(completed(REASONING, CALL), completed(SAID)) as server:
        generator = asking(server)
        await all_events(generator, QUESTION, (PUT,))
        compacted = (QUESTION[0], Message("user", "[left out]"), *AFTER[2:])
        await all_events(generator, compacted, (PUT,))
        sent = server.requests[1].json
    assert "previous_response_id" not in sent
    assert sent["input"] == [
        {"type": "message", "role": "user", "content": "[left out]"},
        REASONING,
        CALL,
        {"type": "function_call_output", "call_id": "k1", "output": "written"},
    ]


@pytest.mark.spec("M6")
async def test_a_call_that_was_interrupted_gets_its_output() -> None:
    """Cancelled or crashed between two calls: both have an output, in the place of the results."""
    two = (ToolCall("t1", "put", "{}"), ToolCall("t2", "put", "{}"))
    talk = (
        *QUESTION,
        Message("assistant", "", two),
        Message("tool", "ok", tool_call_id="t1"),
        Message("user", "go on"),
    )
    with ModelServer(completed(SAID)) as server:
        await all_events(asking(server), talk, (PUT,))
        sent = server.requests[0].json["input"]
    assert [(each["type"], each.get("call_id")) for each in sent[1:]] == [
        ("function_call", "t1"),
        ("function_call", "t2"),
        ("function_call_output", "t1"),
        ("function_call_output", "t2"),
        ("message", None),
    ]
    assert "interrupted" in sent[4]["output"]


REFUSALS = {
    "not supported": (400, {"message": "llama.cpp does not support 'previous_response_id'."}),
    "not found": (404, {"message": "Previous response with id 'resp_1' not found.", "param": "previous_response_id"}),
    "not stored": (400, {"message": "previous_response_id cannot be used when responses are not stored"}),
}


@pytest.mark.spec("M1")
@pytest.mark.parametrize("refusal", REFUSALS)
async def test_a_server_that_refuses_to_go_on_gets_everything(refusal: str) -> None:
    status, error = REFUSALS[refusal]

    def answer(request: Request) -> Answer:
        if "previous_response_id" in request.json:
            return fails(status, {"error": error})
        return completed(SAID) if len(request.json["input"]) > 1 else completed(REASONING, CALL)

    with ModelServer(answer) as server:
        generator = asking(server)
        await all_events(generator, QUESTION, (PUT,))
        events = await all_events(generator, AFTER, (PUT,))
        assert reply_of(events).text == "ok"
        assert "previous_response_id" in next(event.message for event in events if isinstance(event, Notice))
        sent = server.requests[2].json
        assert sent["store"] is False
        assert [item.get("type") for item in sent["input"]] == ["message", "function_call", "function_call_output"]
        assert {"type": "reasoning"}.items() not in sent["input"], "it cannot be found there, and has no encrypted form"
        await all_events(generator, (*AFTER, Message("assistant", "ok"), Message("user", "more")), (PUT,))
        assert "previous_response_id" not in server.requests[3].json
        assert len(server.requests) == 4


@pytest.mark.spec("M1")
async def test_a_server_that_ignores_what_it_should_go_on_from_is_found_out() -> None:
    """Nothing of the reply that it gave without the conversation is used, or shown."""

    def answer(request: Request) -> Answer:
        created = sse({"type": "response.created", "response": {"id": "r", "previous_response_id": None}})
        if "previous_response_id" in request.json:
            confused = sse({"type": "response.output_text.delta", "delta": "What do you mean?"})
            return Answer((created, confused), then="hold_open")
        return completed(SAID if len(request.json["input"]) > 1 else CALL, previous_response_id=None)

    with ModelServer(answer) as server:
        generator = asking(server)
        await all_events(generator, QUESTION, (PUT,))
        events = await all_events(generator, AFTER, (PUT,))
        assert shown_in(events) == reply_of(events).text == "ok"
        assert len(server.requests) == 3


@pytest.mark.spec("M1")
@pytest.mark.parametrize("told", [{"store": False}, {}], ids=["by the server", "by the user"])
async def test_without_storing_encrypted_reasoning_goes_back(told: dict[str, Any]) -> None:
    secret = {**REASONING, "encrypted_content": "gAAA"}
    with ModelServer(completed(secret, CALL, **told), completed(SAID)) as server:
        generator = asking(server, **({} if told else {"extra_body": {"store": False}}))
        await all_events(generator, QUESTION, (PUT,))
        await all_events(generator, AFTER, (PUT,))
        sent = server.requests[1].json
    assert "previous_response_id" not in sent
    assert sent["store"] is False
    assert [item["type"] for item in sent["input"]] == ["message", "reasoning", "function_call", "function_call_output"]


@pytest.mark.spec("M3")
async def test_cut_off_with_nothing_but_reasoning() -> None:
    body = (
        'event: response.incomplete\ndata: {"type":"response.incomplete","response":{"status":"incomplete",'
        '"incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"reasoning","id":"r","summary":[]}],'
        '"usage":{"input_tokens":9,"output_tokens":64}}}\n\n'
    )
    with ModelServer(sends(body)) as server:
        events = await all_events(asking(server))
        reply = reply_of(events)
        assert (reply.finish, reply.text, reply.usage) == ("length", "", Usage(9, 64))
        assert not [event for event in events if isinstance(event, Retrying)]
        assert len(server.requests) == 1
    with ModelServer(sends(body)) as server:
        reply = reply_of(await all_events(asking(server, max_tokens=64)))
        assert reply.finish == "length"
        assert [request.json["max_output_tokens"] for request in server.requests] == [64, 256], "once, and no more"


@pytest.mark.spec("M3")
async def test_a_response_that_failed() -> None:
    body = (
        'event: response.failed\ndata: {"type":"response.failed","response":{"status":"failed",'
        '"error":{"code":"server_error","message":"boom"}}}\n\n'
    )
    with ModelServer(sends(body, then="hold_open")) as server, pytest.raises(ModelError, match="boom"):
        await all_events(asking(server))


@pytest.mark.spec("M3")
@pytest.mark.parametrize("split", [None, 1])
async def test_items_without_their_beginning_or_end(split: int | None) -> None:
    events = [
        {"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "id": "r"}},
        {
            "type": "response.output_item.done",
            "output_index": 1,
            "item": {**CALL, "id": "f", "arguments": '{"p":"a.c"}'},
        },
        {"type": "response.completed", "response": {"status": "completed"}},
    ]
    with ModelServer(sends("".join(f"data: {json.dumps(each)}\n\n" for each in events), split=split)) as server:
        reply = reply_of(await all_events(asking(server), QUESTION, TOOLS))
    assert reply.tool_calls == (ToolCall("k1", "put", '{"p":"a.c"}'),)


@pytest.mark.spec("M3")
async def test_arguments_that_come_only_at_their_end() -> None:
    added = {"type": "response.output_item.added", "output_index": 0, "item": {**CALL, "arguments": ""}}
    done = {"type": "response.function_call_arguments.done", "output_index": 0, "arguments": '{"p":"a.c"}'}
    end = {"type": "response.completed", "response": {"status": "completed"}}
    with ModelServer(Answer(tuple(sse(each) for each in (added, done, end)))) as server:
        reply = reply_of(await all_events(asking(server), QUESTION, TOOLS))
    assert reply.tool_calls == (ToolCall("k1", "put", '{"p":"a.c"}'),)


@pytest.mark.spec("M3")
async def test_text_that_comes_only_at_the_end_is_shown_once() -> None:
    done = {"type": "response.output_item.done", "output_index": 0, "item": SAID}
    end = {"type": "response.completed", "response": {"status": "completed", "output": [SAID]}}
    with ModelServer(Answer((sse(done), sse(end)))) as server:
        events = await all_events(asking(server))
    assert shown_in(events) == reply_of(events).text == "ok"


@pytest.mark.spec("M3")
async def test_a_response_that_is_not_streamed() -> None:
    body = {"id": "r", "status": "completed", "output": [SAID], "usage": {"input_tokens": 3, "output_tokens": 1}}
    with ModelServer(Answer((json.dumps(body).encode(),), headers=JSON)) as server:
        reply = reply_of(await all_events(asking(server), QUESTION, (READ,)))
    assert (reply.text, reply.finish, reply.usage) == ("ok", "stop", Usage(3, 1))


@pytest.mark.spec("M3")
async def test_an_error_event() -> None:
    event = {"type": "error", "code": "rate_limit_exceeded", "message": "slow down", "param": None}
    with ModelServer(Answer((sse(event, "error"),)), completed(SAID)) as server:
        assert reply_of(await all_events(asking(server))).text == "ok"
        assert len(server.requests) == 2
