"""Keys come out nowhere, whichever protocol has them (SPEC Z1)."""

from __future__ import annotations

import base64
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.asking import QUESTION, all_events, generator_for
from tests.support.dialects import DIALECTS, Dialect
from tests.support.model_server import Answer, ModelServer, Request, fails, says

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
    settings = Settings(
        api_key=KEY,
        headers={"X-Secret": HEADER},
        proxy=f"http://me:{HEADER}@proxy:1",
        base_url=f"https://me:{HEADER}@models.example/v1?key={KEY}",
    )
    assert settings.model_dump()["base_url"] == "https://models.example/v1"
    for shown in (repr(settings), str(settings), settings.model_dump_json(), str(settings.model_dump())):
        assert KEY not in shown
        assert HEADER not in shown


@pytest.mark.spec("Z1")
@pytest.mark.parametrize("login", ["me:pass-word-0123", "token-for-a-name-0123"])
async def test_a_login_in_the_address_is_sent_and_never_shown(login: str) -> None:
    """The server repeats what it got: the password as it is, as it was sent, and its end."""

    def repeat(request: Request) -> Answer:
        said = f"bad login {request.headers['authorization']} for {secret}, ending in {secret[-9:]}"
        return fails(401, {"error": {"message": said}})

    secret = login.rpartition(":")[2]
    with ModelServer(repeat) as server:
        address = server.base_url.replace("//", f"//{login}@")
        with pytest.raises(ModelError) as caught:
            await all_events(generator_for(address))
        sent = server.requests[0].headers["authorization"]
        assert base64.b64decode(sent.removeprefix("Basic ")).decode().rstrip(":") == login
    shown = f"{caught.value.message} {caught.value!r} {ModelSettings('openai', 'm', base_url=address)!r}"
    assert "bad login" in shown
    for part in (secret, secret[-9:], sent.removeprefix("Basic ")):
        assert part not in shown


@pytest.mark.spec("Z1")
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc")
@pytest.mark.parametrize("from_keyring", [False, True], ids=["environment", "keyring"])
def test_a_whole_run_leaves_the_key_nowhere(from_keyring: bool, tmp_path: Path) -> None:
    """A real process with a real check, which prints its environment; all that it wrote, said and started is searched."""
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a.c").write_text("int twice(int n) { return n * two; }\n", "utf-8")
    lines: list[bytes] = []
    block = "<<<<<<< SEARCH\nint twice(int n) { return n * two; }\n=======\nint twice(int n) { return n * 2; }\n>>>>>>> REPLACE\n"

    def answer(request: Request) -> Answer:
        lines.extend(place.read_bytes() for place in Path("/proc").glob("[0-9]*/cmdline") if place.exists())
        said = f"I was sent {dict(request.headers)}."
        return fails(503, {"error": {"message": said}}) if len(server.requests) == 1 else says(block)

    environ = {k: v for k, v in os.environ.items() if not k.endswith("_KEY")}
    environ |= {"XDG_STATE_HOME": str(tmp_path / "state"), "TMPDIR": str(tmp_path / "tmp")}
    (tmp_path / "tmp").mkdir()
    if from_keyring:
        environ |= {
            "PYTHON_KEYRING_BACKEND": "tests.support.file_keyring.FileKeyring",
            "PYTHONPATH": str(Path(__file__).parents[2]),
            "TEST_KEYRING_FILE": str(tmp_path / "keyring.json"),
        }
        kept = cli("models", "--set-key", "openai", environ=environ, given=KEY)
        assert kept.returncode == 0, kept.stderr
    else:
        environ["OPENAI_API_KEY"] = KEY
    check = "env && cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null; gcc -Wall -fsyntax-only a.c"
    with ModelServer(answer) as server:
        where = ["--model", "openai:m", "--base-url", server.base_url, "--api-key-env", "OPENAI_API_KEY"]
        done = cli("fix", "a.c", "--check", check, *where, "--apply", environ=environ, cwd=root)
        assert done.returncode == 0, done.stdout + done.stderr
        assert server.requests[1].headers["authorization"] == f"Bearer {KEY}"
    written = {str(p): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file() and p.name != "keyring.json"}
    assert any(name.endswith("events.jsonl") for name in written), "the run was recorded"
    places = {**written, "said": (done.stdout + done.stderr).encode(), "processes": b"".join(lines)}
    assert lines
    for secret in (KEY.encode(), base64.b64encode(KEY.encode()), KEY[-12:].encode()):
        assert [name for name, content in places.items() if secret in content] == []


def cli(
    *args: str, environ: dict[str, str], given: str = "", cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "compile_loop", *args],
        env=environ,
        cwd=cwd,
        input=given,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
