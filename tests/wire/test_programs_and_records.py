"""Programs as models, and recorded turns: what goes in, what comes out, what is refused (SPEC M1, R2, Z1)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.asking import QUESTION, READ, TOOLS, all_events, reply_of
from tests.support.subjects import command, program

from compile_loop.contracts.protocols import Message, ModelError, ModelErrorKind, Reply, ToolCall, Usage
from compile_loop.models.choose import ModelSettings, make_generator
from compile_loop.models.command import prompt_of
from compile_loop.models.replay import ReplayGenerator, read_turns
from compile_loop.models.scripted import ScriptedGenerator, ScriptedReply
from compile_loop.models.turn_log import LoggedGenerator, Turn, TurnLogWriter, turns_in

ECHO = "import sys; sys.stdout.write(sys.stdin.read())"
ENVIRONMENT = "import os, json, sys; sys.stdin.read(); print(json.dumps(dict(os.environ)))"


@pytest.mark.spec("M1")
async def test_the_prompt_on_stdin(tmp_path: Path) -> None:
    talk = (
        *QUESTION,
        Message("assistant", "Reading.", (ToolCall("k1", "read", '{"p":"a.c"}'),)),
        Message("tool", "int a; // 日本", tool_call_id="k1"),
    )
    text = reply_of(await all_events(command(program(tmp_path / "echo.py", ECHO)), talk, (READ,))).text
    assert text == prompt_of(talk, (READ,))
    assert text.index("# system\nFix it.") < text.index("# tools\n") < text.index("# user\nmain.c:1: error")
    assert 'read as k1 with {"p":"a.c"}' in text
    assert "int a; // 日本" in text
    assert '"description": "Read a file."' in text
    assert prompt_of((Message("user", "only this"),), ()) == "only this\n"


@pytest.mark.spec("M1")
async def test_a_large_prompt_that_is_not_read(tmp_path: Path) -> None:
    talk = (Message("user", "x" * 2_000_000),)
    assert reply_of(await all_events(command(program(tmp_path / "deaf.py", "print('ok')")), talk)).text == "ok\n"
    whole = reply_of(await all_events(command(program(tmp_path / "echo.py", ECHO)), talk))
    assert len(whole.text) == 2_000_001


@pytest.mark.spec("M1")
async def test_colours_are_no_text_and_complaints_do_not_block(tmp_path: Path) -> None:
    source = "import sys; sys.stderr.write('w' * 500000); print('\\x1b[32mok\\x1b[0m')"
    assert reply_of(await all_events(command(program(tmp_path / "noisy.py", source)))).text == "ok\n"


@pytest.mark.spec("Z1")
async def test_a_program_gets_no_key_but_the_one_that_is_named(tmp_path: Path) -> None:
    environ = {
        "PATH": "/usr/bin:/bin",
        "OPENAI_API_KEY": "sk-1",
        "ANTHROPIC_AUTH_TOKEN": "sk-2",
        "GROQ_API_KEY": "sk-3",
    }
    settings = ModelSettings("command", program(tmp_path / "env.py", ENVIRONMENT), api_key_env="GROQ_API_KEY")
    got = json.loads(reply_of(await all_events(make_generator(settings, environ))).text)
    assert {name: got[name] for name in environ if name in got} == {"PATH": "/usr/bin:/bin", "GROQ_API_KEY": "sk-3"}


REPLIES = (
    ScriptedReply("", "tool_calls", (ToolCall("k1", "read", '{"p": "a.c"}'),)),
    ScriptedReply("<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"),
)
AFTER = (
    *QUESTION,
    Message("assistant", "", (ToolCall("k1", "read", '{"p": "a.c"}'),)),
    Message("tool", "int a;\nbuilt in 0.31 s at /tmp/shadow-1/a.c", tool_call_id="k1"),
)


def keep(lines: list[str], path: Path) -> Path:
    path.write_text("".join(lines), "utf-8")
    return path


async def recorded(path: Path) -> Path:
    """A run of two turns, kept in a file."""
    lines: list[str] = []
    generator = LoggedGenerator(ScriptedGenerator(REPLIES), lines.append)
    await all_events(generator, QUESTION, TOOLS)
    await all_events(generator, AFTER, TOOLS)
    return keep(lines, path)


@pytest.mark.spec("R2")
async def test_a_recorded_run_replays(tmp_path: Path) -> None:
    path = await recorded(tmp_path / "turns.jsonl")
    generator = make_generator(ModelSettings("replay", str(path)), {})
    assert generator.name == f"replay:{path}"
    assert reply_of(await all_events(generator, QUESTION, TOOLS)).tool_calls == REPLIES[0].tool_calls
    slower = AFTER[-1].content.replace("0.31", "7.2").replace("shadow-1", "shadow-88")
    again = (*AFTER[:-1], Message("tool", slower, tool_call_id="k1"))
    assert reply_of(await all_events(generator, again, TOOLS)).text == REPLIES[1].text


OTHERS = {
    "the text": (("differs in line 1", '"int b;"', '"int a;"'), Message("tool", "int b;", tool_call_id="k1")),
    "the role": (("message 4 of 4 is of user, recorded was tool",), Message("user", "int a;")),
    "the call": (("answers call k2, recorded was k1",), Message("tool", "int a;", tool_call_id="k2")),
}


@pytest.mark.spec("R2")
@pytest.mark.parametrize("other", OTHERS)
async def test_another_request_than_recorded_says_where(other: str, tmp_path: Path) -> None:
    words, last = OTHERS[other]
    generator = ReplayGenerator(read_turns(str(await recorded(tmp_path / "turns.jsonl"))))
    await all_events(generator, QUESTION, TOOLS)
    with pytest.raises(ModelError) as caught:
        await all_events(generator, (*AFTER[:-1], last), TOOLS)
    for word in ("Request 2 is not the recorded one: message 4", *words):
        assert word in caught.value.message


@pytest.mark.spec("R2")
async def test_other_tools_or_fewer_messages_than_recorded(tmp_path: Path) -> None:
    turns = read_turns(str(await recorded(tmp_path / "turns.jsonl")))
    with pytest.raises(ModelError, match="offers the tools read, recorded were put, read"):
        await all_events(ReplayGenerator(turns), QUESTION, (READ,))
    with pytest.raises(ModelError, match="it has 1 messages, recorded were 2"):
        await all_events(ReplayGenerator(turns), QUESTION[:1], TOOLS)
    other = (*AFTER[:2], Message("assistant", "", (ToolCall("k1", "read", '{"p": "b.c"}'),)), AFTER[3])
    generator = ReplayGenerator(turns)
    await all_events(generator, QUESTION, TOOLS)
    with pytest.raises(ModelError, match=r"message 3 of 4 calls .*b\.c.*recorded was .*a\.c"):
        await all_events(generator, other, TOOLS)


@pytest.mark.spec("R2")
async def test_a_recorded_error_is_raised_again(tmp_path: Path) -> None:
    lines: list[str] = []
    with pytest.raises(ModelError):
        await all_events(LoggedGenerator(ScriptedGenerator([]), lines.append))
    with pytest.raises(ModelError, match="holds 0 replies") as caught:
        await all_events(ReplayGenerator(turns_in("".join(lines))))
    assert caught.value.kind is ModelErrorKind.CONFIGURATION


@pytest.mark.spec("R1")
def test_a_log_says_nothing_twice_and_loses_nothing() -> None:
    writer = TurnLogWriter()
    turns = [
        Turn(QUESTION, ("read",), Reply("a", "length", Usage(9, 2, 3, 1), 1.5, REPLIES[0].tool_calls)),
        Turn(AFTER, (), Reply("b")),
        Turn((QUESTION[0], Message("user", "compacted")), (), Reply("c")),
    ]
    lines = [writer.line(turn) for turn in turns]
    assert "main.c:1: error" not in lines[1]
    assert turns_in("".join(lines)) == turns
    assert turns_in("".join(lines) + '{"kept": 1, "mess') == turns, "a line that was cut off in the writing"


@pytest.mark.parametrize("text", ["{}\n", '{"kept":0,"messages":[],"tools":[]}\n', "[]\n", "nonsense\n\n"])
def test_a_record_that_is_none(text: str, tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(ModelError, match=r"cannot be read: line 1 is no turn"):
        read_turns(str(path))
    with pytest.raises(ModelError, match=r"cannot be read: No such file"):
        read_turns(str(tmp_path / "absent"))
