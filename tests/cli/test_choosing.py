"""Which model is asked where none was named: in which order, said why, and never by surprise (SPEC M1, Q26)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.cli.test_commands import GCC, cli
from tests.loop.running import block, workspace
from tests.support.model_server import JSON, Answer, ModelServer, Request, says
from typer.testing import CliRunner

from compile_loop.cli import choosing
from compile_loop.cli.main import app
from compile_loop.models.choice import Choice, Memory, advice, by_keys, remember, remembered
from compile_loop.models.find import LOCAL_PORTS, find_servers

BROKEN = "int twice(int n) { return n * two; }\n"
FIX = block(BROKEN, BROKEN.replace("two", "2"))
NAMES = Answer((json.dumps({"data": [{"id": "coder"}, {"id": "other"}]}).encode(),), headers=JSON)
KEY = "sk-0123456789abcdef"


def both(request: Request) -> Answer:
    """A local server with two models, which fix it."""
    return NAMES if request.path.endswith("/models") else says(FIX)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace, a state folder and an environment without keys."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("COMPILE_LOOP_MODEL", "COMPILE_LOOP_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for prefix in ("OPENAI", "ANTHROPIC", "GEMINI"):
        for end in ("API_KEY", "MODEL", "BASE_URL"):
            monkeypatch.delenv(f"{prefix}_{end}", raising=False)
    root = workspace(tmp_path / "ws", a_c=BROKEN)
    monkeypatch.chdir(root)
    return root


def at_terminal(monkeypatch: pytest.MonkeyPatch, server: ModelServer) -> None:
    """Somebody sits there, and this server listens on LM Studio's port."""
    port = replace(LOCAL_PORTS[1], port=urlsplit(server.origin).port or 0)
    monkeypatch.setattr(choosing, "_somebody_is_there", lambda: True)
    monkeypatch.setattr(choosing, "find_servers", lambda: find_servers([port]))


def fix(*more: str, given: str = "") -> str:
    done = CliRunner().invoke(app, ["fix", "a.c", "--check", GCC, *more], input=given)
    return done.output + str(done.exception or "")


@pytest.mark.spec("M1")
@pytest.mark.parametrize(
    ("environ", "chosen"),
    [
        ({}, None),
        ({"OPENAI_API_KEY": KEY}, None),
        ({"OPENAI_MODEL": "gpt-5"}, None),
        (
            {"OPENAI_API_KEY": KEY, "OPENAI_MODEL": "gpt-5"},
            Choice("openai:gpt-5", "OPENAI_API_KEY and OPENAI_MODEL are set", "", "OPENAI_API_KEY"),
        ),
        (
            {"OPENAI_API_KEY": KEY, "OPENAI_MODEL": "m", "OPENAI_BASE_URL": "http://localhost:9/v1"},
            Choice("openai:m", "OPENAI_API_KEY and OPENAI_MODEL are set", "http://localhost:9/v1", ""),
        ),
        (
            {"OPENAI_API_KEY": KEY, "GEMINI_API_KEY": KEY, "GEMINI_MODEL": "flash"},
            Choice(
                "openai:flash",
                "GEMINI_API_KEY and GEMINI_MODEL are set",
                "https://generativelanguage.googleapis.com/v1beta/openai",
                "GEMINI_API_KEY",
            ),
        ),
    ],
    ids=["nothing", "a key alone", "a name alone", "key and name", "an address here", "the second key"],
)
def test_a_key_is_used_only_beside_a_name(environ: dict[str, str], chosen: Choice | None) -> None:
    assert by_keys(environ) == chosen


@pytest.mark.spec("M1")
def test_what_is_missing_is_said() -> None:
    assert "name a model, as openai:NAME, or set OPENAI_MODEL" in advice({"OPENAI_API_KEY": KEY})
    assert "compile-loop models" in advice({})
    assert KEY not in advice({"OPENAI_API_KEY": KEY})


def test_answers_that_cannot_be_read_are_none(tmp_path: Path) -> None:
    place = tmp_path / "state" / "model.json"
    assert remembered(place) == Memory()
    remember(place, Memory(Choice("ollama:m", "said so")).with_no("http://127.0.0.1:1"))
    assert remembered(place).agreed == Choice("ollama:m", "said so")
    assert remembered(place).declined == ("http://127.0.0.1:1",)
    for broken in ("", "[]", '{"agreed": 3, "declined": []}', '{"agreed": {"x": 1}, "declined": []}'):
        place.write_text(broken, "utf-8")
        assert remembered(place) == Memory()


@pytest.mark.spec("M1")
@pytest.mark.spec("Q26")
def test_a_server_here_is_asked_about_once_and_used_after_a_yes(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer(both) as server:
        at_terminal(monkeypatch, server)
        first = fix("--apply", given="1\n")
        assert "1  openai:coder" in first and "on this machine" in first
        assert "openai:coder  (you agreed to it" in first and "Green" in first
        (here / "a.c").write_text(BROKEN, "utf-8")
        monkeypatch.setattr(choosing, "find_servers", lambda: pytest.fail("it looks no more"))
        again = fix("--apply")
        assert "Which one may be asked" not in again and "Green" in again
    listed = CliRunner().invoke(app, ["models", "--forget"])
    assert listed.exit_code == 0 and remembered(choosing.answers_file()) == Memory()


@pytest.mark.spec("Q26")
def test_a_no_is_kept_and_nothing_is_sent(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer(both) as server:
        at_terminal(monkeypatch, server)
        first, second = fix(given="\n"), fix()
        assert "Which one may be asked" in first and "Which one may be asked" not in second
        assert {request.path for request in server.requests} == {"/v1/models"}
    assert "no model is set" in first and "no model is set" in second


@pytest.mark.spec("Q26")
def test_without_a_terminal_nothing_is_looked_for(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "find_servers", lambda: pytest.fail("nobody could be asked"))
    assert "no model is set" in fix()
    monkeypatch.setattr(choosing, "_somebody_is_there", lambda: True)
    for settled in (["--model", "none"], ["--json"], ["--diff"]):
        assert "no model is set" in fix(*settled)


@pytest.mark.spec("M1")
def test_a_named_model_and_an_earlier_yes_come_before_keys(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Someone who agreed to a model that costs nothing is not charged because a key appears."""
    with ModelServer(says(FIX)) as server:
        used = CliRunner().invoke(app, ["models", "--use", "openai:mine", "--base-url", server.base_url])
        assert used.exit_code == 0
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_MODEL", "expensive")
        listed = CliRunner().invoke(app, ["models"]).output
        assert "without --model asks openai:mine: you agreed to it" in listed
        assert "openai:mine" in fix() and server.requests[0].json["model"] == "mine"
        assert "authorization" not in server.requests[0].headers
        named = fix("--model", "openai:named", "--base-url", server.base_url)
        assert server.requests[-1].json["model"] == "named" and "openai:named\n" in named
    CliRunner().invoke(app, ["models", "--forget"])
    assert (
        "asks openai:expensive: OPENAI_API_KEY and OPENAI_MODEL are set" in CliRunner().invoke(app, ["models"]).output
    )
    assert CliRunner().invoke(app, ["models", "--use", "nonsense"]).exit_code == 2


@pytest.mark.spec("M1")
def test_without_a_model_it_says_what_one_would_have_been_asked(tmp_path: Path) -> None:
    root = workspace(tmp_path / "ws", a_c=BROKEN)
    done = cli(root, "fix", "a.c", "--check", GCC, "--model", "none")
    assert done.returncode == 2
    assert "no model is set; one would be sent" in done.stdout and len(done.stdout.splitlines()) < 12
    assert "int twice(int n)" in cli(root, "show", "last", "--prompt").stdout
    assert "suggestions were not enough (1 error left), and no model is set" in done.stdout
    wish = cli(workspace(tmp_path / "green", a_c="int a;\n"), "fix", "a.c", "--check", GCC, "--spec", "rename a to b")
    assert "Only a model can do what is wanted, and no model is set" in wish.stdout
    assert "rename a to b" in cli(root, "show", "last", "--prompt").stdout
    unwritten = cli(root, "fix", "a.c", "--check", GCC, "--model", "none", "--no-record")
    assert "one would be sent" in unwritten.stdout and "--prompt" not in unwritten.stdout


@pytest.mark.spec("Z1")
def test_keys_into_the_keyring_and_out_of_it(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = pytest.importorskip("keyring")
    from tests.support.file_keyring import FileKeyring

    monkeypatch.setenv("TEST_KEYRING_FILE", str(tmp_path / "keyring.json"))
    monkeypatch.setattr(keyring.core, "_keyring_backend", FileKeyring())
    run = CliRunner().invoke
    assert run(app, ["models", "--set-key", "gemini"], input=f"{KEY}\n").exit_code == 0
    assert keyring.get_password("compile-loop", "GEMINI_API_KEY") == KEY
    listed = run(app, ["models"])
    assert "GEMINI_API_KEY, in the keyring" in listed.output and KEY not in listed.output
    monkeypatch.setenv("GEMINI_MODEL", "flash")
    assert "asks openai:flash" in run(app, ["models"]).output
    assert run(app, ["models", "--delete-key", "gemini"]).exit_code == 0
    assert keyring.get_password("compile-loop", "GEMINI_API_KEY") is None
    assert run(app, ["models", "--set-key", "nobody"], input=KEY).exit_code == 2
    for nothing in ("", "two words", "kéy"):
        assert run(app, ["models", "--set-key", "openai"], input=f"{nothing}\n").exit_code == 2
    assert run(app, ["models", "--set-key", "openai", "--forget"]).exit_code == 2
