"""Every habit of servers that stream tool calls, and calls that models write as text (SPEC M3, M4, M6)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.asking import PUT, QUESTION, READ, TOOLS, all_events, generator_for, reply_of
from tests.support.model_server import JSON, Answer, ModelServer, Request, calls, fails, says, sends

from compile_loop.contracts.protocols import Message, ModelError, Notice, Reply, ToolCall
from compile_loop.models.scripted import ScriptedGenerator, read_script

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "wire" / "tool_calls.jsonl").read_text("utf-8").splitlines()
]


def listed(reply: Reply) -> list[list[str]]:
    return [[call.id, call.name, call.arguments] for call in reply.tool_calls]


@pytest.mark.spec("M3")
@pytest.mark.parametrize("split", [None, 1], ids=["whole", "bytes"])
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
async def test_tool_calls(case: dict[str, Any], split: int | None) -> None:
    with ModelServer(sends(case["body"], split=split)) as server:
        reply = reply_of(await all_events(generator_for(server.base_url), tools=TOOLS))
        assert len(server.requests) == 1
    assert listed(reply) == case["calls"]
    assert reply.text.strip() == case["text"].strip()
    assert reply.finish == case["finish"]


@pytest.mark.spec("M3")
async def test_calls_in_a_reply_that_is_not_streamed() -> None:
    call = {"id": "k1", "type": "function", "function": {"name": "put", "arguments": '{"p":"a.c"}'}}
    body = {"choices": [{"message": {"content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    with ModelServer(Answer((json.dumps(body).encode(),), headers=JSON)) as server:
        reply = reply_of(await all_events(generator_for(server.base_url), tools=TOOLS))
    assert listed(reply) == [["k1", "put", '{"p":"a.c"}']]


@pytest.mark.spec("M3")
async def test_without_tools_nothing_in_the_text_is_a_call() -> None:
    text = '{"name": "read", "arguments": {"p": "a.c"}}'
    with ModelServer(says(text)) as server:
        reply = reply_of(await all_events(generator_for(server.base_url)))
        assert "tools" not in server.requests[0].json
    assert (reply.text, reply.tool_calls) == (text, ())


@pytest.mark.spec("M3")
async def test_tools_and_the_conversation_with_them_as_sent() -> None:
    talk = (
        *QUESTION,
        Message("assistant", "", (ToolCall("k1", "read", '{"p":"a.c"}'), ToolCall("k2", "read", '{"p":"b.c"}'))),
        Message("tool", "int a;", tool_call_id="k1"),
        Message("tool", "int b;", tool_call_id="k2"),
    )
    with ModelServer(says("ok")) as server:
        await all_events(generator_for(server.base_url), talk, (READ,))
        sent = server.requests[0].json
    function = {"name": "read", "description": "Read a file.", "parameters": dict(READ.parameters)}
    assert sent["tools"] == [{"type": "function", "function": function}]

    def call(key: str, path: str) -> dict[str, Any]:
        arguments = json.dumps({"p": path}, separators=(",", ":"))
        return {"id": key, "type": "function", "function": {"name": "read", "arguments": arguments}}

    assert sent["messages"][2:] == [
        {"role": "assistant", "content": None, "tool_calls": [call("k1", "a.c"), call("k2", "b.c")]},
        {"role": "tool", "content": "int a;", "tool_call_id": "k1"},
        {"role": "tool", "content": "int b;", "tool_call_id": "k2"},
    ]


@pytest.mark.spec("M3")
async def test_a_made_up_id_is_carried_to_its_result_and_never_used_twice() -> None:
    answer = calls(("put", {"p": "a.c"}), ids=False)
    with ModelServer(answer, answer, says("done")) as server:
        generator = generator_for(server.base_url)
        talk = QUESTION
        for expected in ("call_synth_0", "call_synth_1"):
            reply = reply_of(await all_events(generator, talk, (PUT,)))
            (call,) = reply.tool_calls
            assert call.id == expected
            result = Message("tool", "written", tool_call_id=call.id)
            talk = (*talk, Message("assistant", reply.text, reply.tool_calls), result)
        await all_events(generator, talk, (PUT,))
        sent = server.requests[2].json["messages"]
    assert [each["tool_call_id"] for each in sent if each["role"] == "tool"] == ["call_synth_0", "call_synth_1"]
    assert [each["tool_calls"][0]["id"] for each in sent if "tool_calls" in each] == ["call_synth_0", "call_synth_1"]


@pytest.mark.spec("M6")
async def test_a_call_that_was_interrupted_gets_a_result_in_its_place() -> None:
    two = (ToolCall("t1", "put", "{}"), ToolCall("t2", "put", "{}"))
    answered = Message("tool", "ok", tool_call_id="t1")
    talk = (*QUESTION, Message("assistant", "", two), answered, Message("user", "go on"))
    with ModelServer(says("ok")) as server:
        await all_events(generator_for(server.base_url), talk, (PUT,))
        sent = server.requests[0].json["messages"]
    assert [each["role"] for each in sent] == ["system", "user", "assistant", "tool", "tool", "user"]
    assert sent[3] == {"role": "tool", "content": "ok", "tool_call_id": "t1"}
    assert sent[4]["tool_call_id"] == "t2"
    assert "interrupted" in sent[4]["content"]


@pytest.mark.spec("M6")
async def test_results_stand_in_the_order_of_their_calls_and_orphans_are_left_out() -> None:
    two = (ToolCall("t1", "put", "{}"), ToolCall("t2", "put", "{}"))
    late = [Message("tool", f"result {key}", tool_call_id=key) for key in ("t2", "gone", "t1")]
    talk = (*QUESTION, Message("assistant", "", two), late[0], Message("user", "note"), *late[1:])
    with ModelServer(says("ok")) as server:
        await all_events(generator_for(server.base_url), talk, (PUT,))
        sent = server.requests[0].json["messages"]
    assert [each.get("tool_call_id") for each in sent[3:]] == ["t1", "t2", None]
    assert sent[5]["content"] == "note"


@pytest.mark.spec("M4")
@pytest.mark.parametrize(
    ("arguments", "sent_back"),
    [
        ("{}", "{}"),
        ("null", "{}"),
        ("3", "{}"),
        ("[1]", "{}"),
        ('{"p": "a', "{}"),
        ("", "{}"),
        ('{"p":"a"}', '{"p":"a"}'),
    ],
)
async def test_arguments_go_back_as_an_object(arguments: str, sent_back: str) -> None:
    """What came as no object was answered with an error; strict servers refuse to see it again."""
    talk = (*QUESTION, Message("assistant", "", (ToolCall("k", "put", arguments),)), Message("tool", "no", (), "k"))
    with ModelServer(says("ok")) as server:
        await all_events(generator_for(server.base_url), talk, (PUT,))
        assert server.requests[0].json["messages"][2]["tool_calls"][0]["function"]["arguments"] == sent_back


@pytest.mark.spec("M2")
@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"message": "registry.ollama.ai/library/gemma3:1b does not support tools"}),
        (404, {"message": "No endpoints found that support tool use. Try disabling a tool.", "code": 404}),
        (400, {"message": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'}),
        (500, {"message": "tools param requires --jinja flag"}),
        (400, {"message": "Unsupported parameter: 'tools'", "param": "tools", "code": "unsupported_parameter"}),
    ],
)
async def test_refused_tools(status: int, error: dict[str, Any]) -> None:
    def answer(request: Request) -> Answer:
        return fails(status, {"error": error}) if "tools" in request.json else says("ok")

    talk = (
        *QUESTION,
        Message("assistant", "Reading.", (ToolCall("k1", "read", '{"p":"a.c"}'),)),
        Message("tool", "int a;", tool_call_id="k1"),
    )
    with ModelServer(answer) as server:
        generator = generator_for(server.base_url)
        events = await all_events(generator, talk, (READ,))
        assert reply_of(events).text == "ok"
        assert "takes no tools" in next(event.message for event in events if isinstance(event, Notice))
        sent = server.requests[1].json["messages"]
        assert [each["role"] for each in sent] == ["system", "user", "assistant", "user"]
        assert 'read as k1 with {"p":"a.c"}' in sent[2]["content"]
        assert "int a;" in sent[3]["content"]
        await all_events(generator, talk, (READ,))
        assert len(server.requests) == 3, "remembered"


@pytest.mark.spec("M1")
async def test_script_with_tool_calls(tmp_path: Path) -> None:
    calls_put = {"tool_calls": [{"name": "put", "arguments": {"p": "a.c"}}, {"name": "read", "arguments": '{"p":'}]}
    path = tmp_path / "replies.json"
    path.write_text(json.dumps([calls_put, {"text": "done"}]), "utf-8")
    generator = ScriptedGenerator(read_script(str(path)))
    reply = reply_of(await all_events(generator, tools=TOOLS))
    assert listed(reply) == [["call_synth_0", "put", '{"p": "a.c"}'], ["call_synth_1", "read", '{"p":']]
    assert reply.text == ""
    assert generator.tools == [TOOLS]
    path.write_text('[{"tool_calls": [{"arguments": {}}]}]', "utf-8")
    with pytest.raises(ModelError, match="tool call in reply 1 that is no object with a name"):
        read_script(str(path))
