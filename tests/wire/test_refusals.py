"""What an endpoint does not take is left out, once asked again, and remembered (SPEC M2)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from tests.support.asking import QUESTION, Waits, all_events, generator_for, reply_of
from tests.support.model_server import JSON, Answer, ModelServer, Request, fails, says

from compile_loop.contracts.protocols import Message, ModelError, Notice


def picky(refuses: Callable[[dict[str, Any]], bool], status: int, error: object) -> Callable[[Request], Answer]:
    """A server that refuses some requests and answers the others."""
    return lambda request: fails(status, error) if refuses(request.json) else says("ok")


CASES = {
    "max_tokens": (
        lambda body: "max_tokens" in body,
        400,
        {
            "error": {
                "message": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.",
                "param": "max_tokens",
                "code": "unsupported_parameter",
            }
        },
        {"max_completion_tokens": 99},
    ),
    "temperature": (
        lambda body: "temperature" in body,
        400,
        {
            "error": {
                "message": "'temperature' does not support 0 with this model",
                "param": "temperature",
                "code": "unsupported_value",
            }
        },
        {},
    ),
    "usage": (
        lambda body: "stream_options" in body,
        422,
        {"detail": [{"loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted: stream_options"}]},
        {},
    ),
    "thinking": (
        lambda body: "chat_template_kwargs" in body,
        400,
        {"error": {"message": "Unrecognized request argument supplied: chat_template_kwargs"}},
        {},
    ),
}


@pytest.mark.spec("M2")
@pytest.mark.parametrize("name", CASES)
async def test_refused_parameter(name: str) -> None:
    refuses, status, error, instead = CASES[name]
    waits = Waits()
    with ModelServer(picky(refuses, status, error)) as server:
        generator = generator_for(server.base_url, waits, max_tokens=99, disable_thinking=True)
        events = await all_events(generator)
        assert reply_of(events).text == "ok"
        assert len([event for event in events if isinstance(event, Notice)]) == 1
        assert len(server.requests) == 2
        again = await all_events(generator)
        assert len(server.requests) == 3, "remembered: the second turn is asked right at once"
        assert not [event for event in again if isinstance(event, Notice)]
        for request in server.requests[1:]:
            assert not refuses(request.json)
            assert request.json.items() >= instead.items()
    assert waits.seconds == [], "a refusal is no trouble that passes: nothing is waited for"


@pytest.mark.spec("M2")
@pytest.mark.parametrize(
    ("status", "message"),
    [
        (500, "System role not supported"),
        (400, "Developer instruction is not enabled for models/gemma-3-27b-it"),
        (400, "Unsupported value: 'messages[0].role' does not support 'system' with this model."),
    ],
)
async def test_refused_system_role(status: int, message: str) -> None:
    def refuses(body: dict[str, Any]) -> bool:
        return any(each["role"] == "system" for each in body["messages"])

    with ModelServer(picky(refuses, status, {"error": {"message": message}})) as server:
        events = await all_events(generator_for(server.base_url))
        assert reply_of(events).text == "ok"
        assert server.requests[1].json["messages"] == [
            {"role": "user", "content": f"{QUESTION[0].content}\n\n{QUESTION[1].content}"}
        ]


@pytest.mark.spec("M6")
async def test_roles_that_must_alternate() -> None:
    def refuses(body: dict[str, Any]) -> bool:
        roles = [each["role"] for each in body["messages"]]
        return any(a == b for a, b in pairwise(roles))

    error = {"error": {"message": "Conversation roles must alternate user/assistant/user/assistant/..."}}
    talk = (*QUESTION, Message("user", "and this"))
    with ModelServer(picky(refuses, 400, error)) as server:
        assert reply_of(await all_events(generator_for(server.base_url), talk)).text == "ok"
        assert [each["content"] for each in server.requests[1].json["messages"]] == [
            "Fix it.",
            "main.c:1: error\n\nand this",
        ]


@pytest.mark.spec("M6")
async def test_no_empty_message_is_sent() -> None:
    talk = (*QUESTION, Message("assistant", " \n"), Message("user", "again"))
    with ModelServer(says("ok")) as server:
        await all_events(generator_for(server.base_url), talk)
        sent = server.requests[0].json["messages"]
    assert [each["role"] for each in sent] == ["system", "user", "assistant", "user"]
    assert all(each["content"].strip() for each in sent)


@pytest.mark.spec("M2")
async def test_a_server_that_cannot_stream() -> None:
    whole = Answer(
        (
            b'{"choices": [{"index": 0, "message": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}],'
            b' "usage": {"prompt_tokens": 5, "completion_tokens": 1}}',
        ),
        headers=JSON,
    )
    error = {"error": {"message": "Your organization must be verified to stream this model.", "param": "stream"}}

    def answer(request: Request) -> Answer:
        return fails(400, error) if request.json.get("stream") else whole

    with ModelServer(answer) as server:
        reply = reply_of(await all_events(generator_for(server.base_url)))
    assert reply.text == "ok"
    assert reply.usage is not None


@pytest.mark.spec("M2")
async def test_a_server_that_ignores_the_wish_to_stream() -> None:
    whole = Answer((b'{"choices": [{"message": {"content": "ok"}, "finish_reason": "length"}]}',), headers=JSON)
    with ModelServer(whole) as server:
        reply = reply_of(await all_events(generator_for(server.base_url)))
    assert (reply.text, reply.finish) == ("ok", "length")


@pytest.mark.spec("M2")
@pytest.mark.parametrize(
    "error",
    [
        {"message": "max_tokens is too large: 99. This model supports at most 50.", "param": "max_tokens"},
        {"message": "Unknown model", "code": "invalid_request"},
        {"message": "Unsupported parameter: 'tools'", "param": "tools", "code": "unsupported_parameter"},
    ],
)
async def test_other_refusals_are_told_and_not_worked_around(error: dict[str, str]) -> None:
    with ModelServer(fails(400, {"error": error})) as server:
        with pytest.raises(ModelError, match=r"refused|knows no"):
            await all_events(generator_for(server.base_url, max_tokens=99))
        assert len(server.requests) == 1


@pytest.mark.spec("M2")
async def test_what_the_user_asks_for_is_refused_once_and_then_told() -> None:
    """A parameter of `extra_body` is the user's own: it is never dropped, and asking does not go on for ever."""
    error = {"error": {"message": "Unsupported parameter: 'temperature'", "param": "temperature"}}
    with ModelServer(fails(400, error)) as server:
        with pytest.raises(ModelError, match="temperature"):
            await all_events(generator_for(server.base_url, extra_body={"temperature": 1}))
        assert len(server.requests) == 2
