"""What no model sees, by whatever name a program under test gives it (SPEC E10, T3, Q26)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.loop.running import Told, block, fix, snapshot, workspace

from compile_loop.contracts.events import ToolCalled
from compile_loop.contracts.outcome import Ending
from compile_loop.contracts.protocols import ToolCall
from compile_loop.models.scripted import ScriptedReply

SECRET = "swordfish-in-the-env"
OUTSIDE = "swordfish-outside"
BROKEN = "def total(a, b):\n    return a - b\n"
REPAIR = block("    return a - b\n", "    return a + b\n")
LINKS = {
    "a link": ("os.symlink('.env', 'e.txt')", "e.txt"),
    "a hard link": ("os.link('.env', 'e.txt')", "e.txt"),
    "in the place of a file": ("os.remove('notes.txt'); os.symlink('.env', 'notes.txt')", "notes.txt"),
    "a hard link in the place of a file": ("os.remove('notes.txt'); os.link('.env', 'notes.txt')", "notes.txt"),
    "by two links": ("os.symlink('.', 'd'); os.symlink('d/.env', 'e.txt')", "e.txt"),
    "an absolute link": ("os.symlink(os.path.abspath('.env'), 'e.txt')", "e.txt"),
    "a folder outside": ("os.symlink({outside!r}, 'd')", "d/secret.txt"),
    "a file outside": ("os.symlink({outside!r} + '/secret.txt', 'e.txt')", "e.txt"),
    "a folder of keys": ("os.symlink('keys', 'd')", "d/server.pem"),
    "the process": ("os.symlink('/proc/self', 'd')", "d/environ"),
    "a huge file": ("os.truncate(os.open('e.txt', os.O_CREAT | os.O_RDWR), 1 << 33)", "e.txt"),
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text(f"{OUTSIDE}\n")
    root = workspace(tmp_path / "ws", calc_py=BROKEN, notes_txt="nothing here\n")
    (root / ".env").write_text(f"PIN={SECRET}\n")
    (root / "keys").mkdir()
    (root / "keys" / "server.pem").write_text(f"{SECRET}\n")
    (root / "test.py").write_text("import made\nfrom calc import total\nassert total(2, 3) == 5, total(2, 3)\n")
    return root


@pytest.fixture(params=["overlay", "copy"])
def isolation(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def reads(*paths: str) -> ScriptedReply:
    whole = [ToolCall(f"w{n}", "read_file", f'{{"path": "{path}"}}') for n, path in enumerate(paths)]
    ranges = [
        ToolCall(f"r{n}", "read_file_range", f'{{"path": "{path}", "start": 1, "end": 1}}')
        for n, path in enumerate(paths)
    ]
    return ScriptedReply("", tool_calls=(*whole, *ranges))


def everything_sent(told: Told) -> str:
    return "\n".join(message.content for messages in told.model.requests for message in messages)


async def run(root: Path, isolation: str, makes: str, *replies: str | ScriptedReply, **how: object) -> Told:
    made = f"import os\nif not os.path.exists('made'):\n    open('made', 'w').close()\n    {makes}\n"
    (root / "made.py").write_text(made.replace("{outside!r}", repr(str(root.parent / "outside"))))
    targets = ["calc.py"] if not how.pop("workspace", False) else []
    settings = {"isolation": isolation, "suggestions": False}
    check = str(how.pop("check", "python3 -B test.py"))
    return await fix(root, [*replies, REPAIR], targets=targets, checks=(check,), settings=settings)


@pytest.mark.spec("E10", "T3", "Q26")
@pytest.mark.parametrize("way", LINKS)
async def test_a_link_that_the_program_makes_opens_nothing(root: Path, isolation: str, way: str) -> None:
    makes, path = LINKS[way]
    before = snapshot(root.parent / "outside")
    told = await run(root, isolation, makes, reads(path))
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    called = told.of(ToolCalled)
    assert len(called) == 2 and not any(call.ok for call in called)
    assert all("is not shown: " in call.answer for call in called), called
    assert SECRET not in everything_sent(told) and OUTSIDE not in everything_sent(told)
    assert snapshot(root.parent / "outside") == before


MOVES = {
    "renamed": "os.rename('.env', 'e.txt')",
    "copied": "import shutil; shutil.copy('.env', 'e.txt')",
    "written anew": "open('e.txt', 'w').write('the pin is ' + open('.env').read()[4:])",
    "renamed with its folder": "os.rename('keys', 'd'); os.rename('d/server.pem', 'e.txt')",
    "as JSON": "import json; json.dump([open('.env').read()], open('e.txt', 'w'))",
    "in a file of the user's": "open('notes.txt', 'a').write(open('.env').read())",
    "in two-byte letters": "open('e.txt', 'w', encoding='utf-16').write(open('.env').read())",
}


@pytest.mark.spec("Q26", "R1")
@pytest.mark.parametrize("way", MOVES)
async def test_what_a_program_takes_out_of_a_secret_file_is_redacted(root: Path, isolation: str, way: str) -> None:
    """By whatever name it then lies there: in tools' answers, around errors, in a check's output and in the record."""
    path = "notes.txt" if "user" in way else "e.txt"
    (root / "go.sh").write_text(
        f"python3 -B test.py || {{ echo '{path}:1:1: error: no sum'; echo 'calc.py:2:5: error: no sum'; exit 1; }}"
    )
    told = await run(root, isolation, MOVES[way], reads(path), check="sh go.sh")
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert all(call.ok for call in told.of(ToolCalled))
    assert SECRET not in everything_sent(told)
    assert ("[redacted]" in everything_sent(told)) or way == "in two-byte letters"
    kept = [p.read_bytes() for p in (root.parent / "state").rglob("*") if p.is_file()]
    assert kept and not any(SECRET.encode() in data or SECRET.encode("utf-16-le") in data for data in kept)
    assert (root / ".env").read_text() == f"PIN={SECRET}\n"


@pytest.mark.spec("Q26", "R1")
async def test_what_a_check_prints_of_a_secret_file_is_redacted(root: Path, isolation: str) -> None:
    told = await run(root, isolation, "pass", check="cat .env; python3 -B test.py")
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert SECRET not in everything_sent(told) and "PIN=[redacted]" in everything_sent(told)


@pytest.mark.spec("Q26")
async def test_a_value_that_the_workspace_shows_elsewhere_is_no_secret(root: Path, isolation: str) -> None:
    (root / ".env").write_text("APP_NAME=Orders-and-Returns\n")
    (root / "calc.py").write_text(f"NAME = 'Orders-and-Returns'\n{BROKEN}")
    told = await run(root, isolation, "print('Orders-and-Returns')")
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert "Orders-and-Returns" in everything_sent(told) and "[redacted]" not in everything_sent(told)


@pytest.mark.spec("Q26")
async def test_a_check_that_writes_a_secret_into_a_target_does_not_make_it_an_edit(root: Path, isolation: str) -> None:
    (root / "test.py").write_text(
        "from calc import total\nopen('calc.py', 'a').write('#' + open('.env').read())\nassert total(2, 3) == 5\n"
    )
    (root / "made.py").write_text("")
    told = await fix(
        root, [REPAIR], targets=["calc.py"], checks=("python3 -B test.py",), settings={"isolation": isolation}
    )
    assert SECRET not in everything_sent(told)
    assert all(SECRET.encode() not in (change.after or b"") for change in told.outcome.edit.files)


@pytest.mark.spec("T3")
async def test_what_a_program_makes_honestly_is_shown(root: Path, isolation: str) -> None:
    makes = (
        "open('new.txt', 'w').write('made of plums'); os.symlink('new.txt', 'also.txt'); os.symlink('notes.txt', 'n')"
    )
    told = await run(root, isolation, makes, reads("new.txt", "also.txt", "n", "notes.txt"))
    assert [call.ok for call in told.of(ToolCalled)] == [True] * 8
    assert told.of(ToolCalled)[1].answer.startswith("made of plums")
    assert told.of(ToolCalled)[2].answer.startswith("nothing here")


@pytest.mark.spec("E10", "Q26", "C5")
@pytest.mark.parametrize("path", [".env", "keys/server.pem", "e.txt", "d/secret.txt"])
async def test_no_line_of_a_secret_stands_around_an_error_that_names_it(root: Path, isolation: str, path: str) -> None:
    """A program can print any place as that of an error; in a run over the workspace that would also be a file to edit."""
    makes = "os.symlink('.env', 'e.txt'); os.symlink({outside!r}, 'd')"
    (root / "go.sh").write_text(
        f"python3 -B test.py 2>/dev/null || {{ echo 'calc.py:2:5: error: no sum'; echo '{path}:1:1: error: bad'; exit 1; }}"
    )
    repair = f"<<< path=calc.py >>>\n{REPAIR}"
    told = await run(root, isolation, makes, repair, check="sh go.sh", workspace=True)
    assert f"{path}:1:1: bad" in everything_sent(told)
    assert SECRET not in everything_sent(told) and OUTSIDE not in everything_sent(told)
    assert told.outcome.edit.paths == ("calc.py",)


@pytest.mark.spec("E10", "Q26")
@pytest.mark.parametrize(
    "target",
    [
        "os.symlink('.env', 'calc.py')",
        "os.link('.env', 'calc.py')",
        "os.symlink({outside!r} + '/secret.txt', 'calc.py')",
    ],
)
async def test_a_target_that_the_check_replaces_by_a_link_is_the_users_own(
    root: Path, isolation: str, target: str
) -> None:
    (root / "test.py").write_text("from calc import total\nimport made\nassert total(2, 3) == 5, total(2, 3)\n")
    told = await run(root, isolation, f"os.remove('calc.py'); {target}")
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.outcome.edit.paths == ("calc.py",) and BROKEN in told.asked[0]
    assert SECRET not in everything_sent(told) and OUTSIDE not in everything_sent(told)
    assert (root / ".env").read_text() == f"PIN={SECRET}\n"
