"""Hidden checks: a payment rule with one visible case and six hidden ones (SPEC K5, Q5, Q6)."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import sys
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.loop.running import Told, block, fix, workspace

from compile_loop.assemble import ConfigurationError
from compile_loop.checks.hidden_files import files_named
from compile_loop.contracts.checks import Check
from compile_loop.contracts.events import (
    CheckStarted,
    EditRefused,
    HoldoutFinished,
    ModelText,
    Pass,
    RolledBack,
    RunStarted,
    ToolCalled,
    Warned,
)
from compile_loop.contracts.outcome import Ending, FailureKind
from compile_loop.contracts.protocols import ToolCall
from compile_loop.models.scripted import ScriptedReply

RULE = '''\
def pay(balance, amount, limit=100):
    """Pay `amount` out of `balance`; returns (paid, left)."""
    return 0, balance
'''
VISIBLE = "from rule import pay\nassert pay(50, 20) == (20, 30), pay(50, 20)\n"
CASES = {
    "limit": "assert pay(500, 200) == (0, 500)",
    "at_limit": "assert pay(500, 100) == (100, 400)",
    "too_little": "assert pay(10, 20) == (0, 10)",
    "nothing": "assert pay(50, 0) == (0, 50)",
    "negative": "assert pay(50, -5) == (0, 50)",
    "twice": "assert pay(pay(50, 20)[1], 20) == (20, 10)",
}
GUIDANCE = "A payment outside the rules is not made at all: think of limits, of too little money, and of odd amounts."
VISIBLE_ONLY = block("    return 0, balance\n", "    return amount, balance - amount\n")
COMPLETE = block(
    "    return amount, balance - amount\n",
    "    if amount <= 0 or amount > limit or amount > balance:\n        return 0, balance\n    return amount, balance - amount\n",
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "ws"
    folder.mkdir()
    workspace(folder, rule_py=RULE, visible_py=VISIBLE)
    (folder / "hidden").mkdir()
    lines = [f'version = 1\n[[check]]\nname = "visible case"\ncommand = "{sys.executable} -B visible.py"\n']
    for name, case in CASES.items():
        (folder / "hidden" / f"{name}.py").write_text(f"from rule import pay\n{case}, 'SECRET {name}'\n")
        lines.append(
            f'[[holdout]]\nname = "{name}"\ncommand = "{sys.executable} -B -c \\"import sys; sys.path.insert(0, \'.\'); '
            f'exec(open(\'hidden/{name}.py\').read())\\""\nfiles = ["hidden/{name}.py"]\n'
            f'reveals = "guidance"\nguidance = "{GUIDANCE}"\n'
        )
    (folder / "compile-loop.toml").write_text("\n".join(lines))
    return folder


def said(told: Told) -> str:
    return "\n".join(m.content for request in told.model.requests for m in request)


async def test_a_builder_that_passes_the_visible_case_only_reaches_all_green_in_the_second_climb(root: Path) -> None:
    told = await fix(root, ["Pays now.\n" + VISIBLE_ONLY, "Checks the rules first.\n" + COMPLETE], targets=["rule.py"])
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.outcome.tally.rounds == 2
    climbs = [e.ok for e in told.of(HoldoutFinished)]
    assert climbs.count(False) > 3 and climbs[-6:] == [True] * 6
    assert GUIDANCE in told.asked[1]


@pytest.mark.spec("K5")
async def test_nothing_of_a_holdout_reaches_a_prompt_a_check_or_a_tool(root: Path) -> None:
    (root / "compile-loop.toml").write_text(
        (root / "compile-loop.toml")
        .read_text()
        .replace('visible.py"', 'visible.py; ls -R . hidden; cat hidden/*.py compile-loop.toml"')
    )
    told = await fix(root, [VISIBLE_ONLY, "I give up."], targets=["rule.py"], settings={"max_rounds": 1})
    for secret in ("SECRET", "hidden/limit.py", "pay(500, 200)", "exec(open"):
        assert secret not in said(told), secret
        assert secret not in repr([e for e in told.events if not isinstance(e, ModelText)])
    assert (root / "hidden" / "limit.py").exists()


@pytest.mark.spec("K5", "L16")
async def test_climbs_are_bounded_and_then_the_failure_is_holdout_with_a_partial_result(root: Path) -> None:
    replies = [VISIBLE_ONLY]
    for n in range(1, 6):
        before = (
            "    return amount, balance - amount\n"
            if n == 1
            else f"    return amount, balance - amount  # try {n - 1}\n"
        )
        replies.append(block(before, f"    return amount, balance - amount  # try {n}\n"))
    told = await fix(root, replies, targets=["rule.py"])
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.HOLDOUT
    assert "hidden checks still fail after 2 climbs" in told.outcome.failure.message
    assert len(told.model.requests) == 3
    assert told.outcome.edit.paths == ("rule.py",)


@pytest.mark.spec("Q5", "K5")
async def test_how_many_climbs_there_are_is_a_setting(root: Path) -> None:
    told = await fix(root, [VISIBLE_ONLY], targets=["rule.py"], settings={"max_holdout_rounds": 0})
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.HOLDOUT
    assert len(told.model.requests) == 1


@pytest.mark.spec("Q5")
@pytest.mark.parametrize(
    ("reveals", "told_model", "kept"),
    [
        ("nothing", "a hidden check failed", GUIDANCE),
        ("guidance", GUIDANCE, "SECRET"),
        ("observed", "SECRET limit", "zebra"),
    ],
)
async def test_a_holdout_says_what_it_reveals_and_no_more(root: Path, reveals: str, told_model: str, kept: str) -> None:
    file = root / "compile-loop.toml"
    file.write_text(file.read_text().replace('reveals = "guidance"', f'reveals = "{reveals}"'))
    told = await fix(root, [VISIBLE_ONLY, COMPLETE], targets=["rule.py"])
    assert told_model in told.asked[1] and kept not in told.asked[1]


@pytest.mark.spec("Q2")
async def test_nothing_to_fix_needs_green_holdouts(root: Path) -> None:
    (root / "rule.py").write_text(RULE.replace("0, balance", "amount, balance - amount"))
    told = await fix(root, [COMPLETE], targets=["rule.py"])
    assert told.outcome.ending is Ending.GREEN and len(told.model.requests) == 1
    assert GUIDANCE in told.asked[0]


@pytest.mark.spec("Q6")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("version = 2\n", "compile-loop.toml: version"),
        ("version = 1\ncheck = 3\n", "compile-loop.toml: check"),
        ("version = 1\n[[check]]\nname = 'a'\n", "compile-loop.toml: check.0.command"),
        ("version = 1\n[[check]]\nname = 'a'\ncommand = 'make'\ncolour = 1\n", "compile-loop.toml: check.0.colour"),
        ("version = [", "is no TOML"),
        ("version = 1\n[[holdout]]\nname = 'h'\ncommand = 'x'\nfiles = ['../x']\n", "lies outside the workspace"),
        ("version = 1\n[[holdout]]\nname = 'h'\ncommand = 'x'\nfiles = ['gone.py']\n", "is no file"),
    ],
)
async def test_a_wrong_contract_file_is_refused_with_the_place(root: Path, text: str, words: str) -> None:
    (root / "compile-loop.toml").write_text(text)
    with pytest.raises(ConfigurationError, match=words.replace(".", r"\.").replace("[", r"\[")):
        await fix(root, [], targets=["rule.py"])


@pytest.mark.spec("Q6", "E10")
async def test_a_run_never_edits_its_own_contract_file(root: Path) -> None:
    reply = f"<<< path=compile-loop.toml >>>\n{block('version = 1' + chr(10), 'version = 1 # changed' + chr(10))}"
    told = await fix(root, [reply], targets=["rule.py", "visible.py"], settings={"max_rounds": 1})
    assert "compile-loop.toml is the run's own configuration" in told.of(EditRefused)[0].reason
    assert "# changed" not in (root / "compile-loop.toml").read_text()


NAMED = [
    "{py} -m pytest -q -p no:cacheprovider hidden",
    "{py} -m pytest -q -p no:cacheprovider hidden/test_x.py::test_y",
    "cd hidden && {py} -m pytest -q -p no:cacheprovider test_x.py",
    "{py} -B -m hidden.test_x",
    "{py} -B runner.py --file=hidden/test_x.py",
    "{py} -B runner.py --cases hidden/",
    "{py} -B runner.py hidden/test_*.py",
    "{py} -B -c \"exec(open('hidden/test_x.py').read())\"",
    "sh -c '{py} -B runner.py hidden/test_x.py'",
]


@pytest.mark.spec("K5")
@pytest.mark.parametrize("command", NAMED)
async def test_however_a_command_names_its_files_neither_a_check_nor_a_tool_shows_them(
    tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    root = tmp_path / "ws"
    root.mkdir()
    workspace(root, rule_py=RULE, visible_py=VISIBLE, runner_py="", hidden__test_x_py="")
    case = "import sys\nsys.path[:0] = ['.', '..']\nfrom rule import pay\n"
    case += "def test_y():\n    assert pay(500, 200) == (0, 500), 'SECRET'\n"
    (root / "hidden/test_x.py").write_text(case + "if __name__ == '__main__':\n    test_y()\n")
    (root / "hidden/__init__.py").write_text("")
    (root / "runner.py").write_text(
        "import pathlib, sys\nfor word in sys.argv[1:]:\n    place = pathlib.Path(word.split('=')[-1])\n"
        "    for file in place.glob('*_x.py') if place.is_dir() else [place]:\n"
        "        if file.is_file(): exec(file.read_text(), {'__name__': '__main__'})\n"
    )
    line = command.replace("{py}", sys.executable)
    check = f"{sys.executable} -B visible.py; code=$?; cat hidden/test_x.py; ls hidden; exit $code"
    look = (ToolCall("c1", "read_file", '{"path": "hidden/test_x.py"}'),)
    told = await fix(
        root,
        [ScriptedReply("", tool_calls=look), VISIBLE_ONLY],
        targets=["rule.py"],
        checks=(check,),
        holdouts=(line,),
        settings={"max_holdout_rounds": 0},
    )
    assert told.of(ToolCalled) and not any(call.ok for call in told.of(ToolCalled))
    assert "SECRET" not in said(told) and "pay(500" not in said(told)
    assert "SECRET" not in repr([e for e in told.events if not isinstance(e, ModelText)])
    assert not [e for e in told.of(Warned) if "hidden check" in e.message]
    assert [e.ok for e in told.of(HoldoutFinished)] == [True, False], "it runs with its files"


@pytest.mark.spec("K5")
async def test_holdouts_that_name_nothing_to_hide_are_warned_of_once(root: Path) -> None:
    (root / "compile-loop.toml").unlink()
    holdouts = ("true && test -f rule.py", "make hidden", f"{sys.executable} -B hidden/limit.py")
    told = await fix(
        root, [VISIBLE_ONLY], targets=["rule.py"], checks=(f"{sys.executable} -B visible.py",), holdouts=holdouts
    )
    (warning,) = [e.message for e in told.of(Warned) if "hidden check" in e.message]
    assert "true && test -f rule.py; make hidden. List" in warning and "limit.py" not in warning


@pytest.mark.spec("K5")
@pytest.mark.parametrize(
    ("command", "hidden"),
    [
        ("pytest tests/hidden", {"tests/hidden/a.py", "tests/hidden/deep/b.py"}),
        ("pytest 'tests/hidden/a.py::test_x[a b]'", {"tests/hidden/a.py"}),
        ("cd tests/hidden && pytest", {"tests/hidden/a.py", "tests/hidden/deep/b.py"}),
        ("cd tests && make", set()),
        ("pytest .", set()),
        ("pytest src", set()),
        ("python3 -m src.other", {"src/other.py"}),
        ("./run.sh tests/hidden/a.py", {"tests/hidden/a.py"}),
        ("./run.sh link", {"tests/hidden/a.py", "tests/hidden/deep/b.py"}),
        ("go test ./tests/hidden/...", {"tests/hidden/a.py", "tests/hidden/deep/b.py"}),
        ("./run.sh tests/{hidden,visible}/a.py", {"tests/hidden/a.py", "tests/visible/a.py"}),
        ("npm test", set()),
        ("npm test -- tests/visible", {"tests/visible/a.py"}),
        ("make -C tests hidden.mk=tests", set()),
        ("mypy tests/hidden", set()),
        ("cd tests && ../run.sh @hidden/a.py", {"tests/hidden/a.py"}),
        ("node_modules/.bin/jest tests/visible", {"tests/visible/a.py"}),
        ("cat 'unclosed", set()),
    ],
)
def test_what_a_command_hides_and_what_it_must_leave(tmp_path: Path, command: str, hidden: set[str]) -> None:
    """Targets, the folder of a target, tools, tasks that are called as a folder is, and what the visible check runs stay."""
    root = tmp_path.resolve()
    for name in [
        "tests/hidden/a.py",
        "tests/hidden/deep/b.py",
        "tests/visible/a.py",
        "tests/Makefile",
        "src/rule.py",
        "src/other.py",
        "test/c.py",
        "run.sh",
        "node_modules/.bin/jest",
    ]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    (root / "link").symlink_to("tests/hidden")
    assert files_named(Check("h", command), root, ["src/rule.py"], [Check("v", "sh run.sh visible")]) == hidden


@pytest.mark.spec("K5")
@pytest.mark.skipif(os.name != "posix", reason="needs modes")
@pytest.mark.parametrize("isolation", ["auto", "copy"])
async def test_a_hidden_program_can_be_executed(root: Path, isolation: str) -> None:
    (root / "compile-loop.toml").unlink()
    (root / "hidden/run.sh").write_text("#!/bin/sh\ntest -f rule.py\n")
    (root / "hidden/run.sh").chmod(0o755)
    check = f"{sys.executable} -B visible.py"
    settings = {"isolation": isolation}
    told = await fix(
        root, [VISIBLE_ONLY], targets=["rule.py"], checks=(check,), holdouts=("hidden/run.sh",), settings=settings
    )
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert all(e.ok for e in told.of(HoldoutFinished))


@pytest.mark.spec("L9")
async def test_a_visibly_green_state_stays_the_best_one_whatever_later_rounds_break(tmp_path: Path) -> None:
    """What a round breaks in a file that it did not edit is no progress from a state where nothing was left to fix."""
    workspace(tmp_path, a_h="int one(void)\n", a_c='#include "a.h"\nint two(void) { return one(); }\n')
    worse = [block("int one(void);\n", f"int {name}(void);\n") for name in ("eins", "uno")]
    told = await fix(
        tmp_path,
        [block("int one(void)\n", "int one(void);\n"), *worse],
        targets=["a.h"],
        checks=("gcc -Wall -Werror -fsyntax-only a.c",),
        holdouts=("false",),
        settings={"max_rounds": 3, "suggestions": False},
    )
    assert told.outcome.ending is Ending.FAILED and told.outcome.tally.errors_after == 0
    (change,) = told.outcome.edit.files
    assert change.after == b"int one(void);\n"
    assert len(told.of(RolledBack)) == 2


LEAVES = """\
import atexit, os, pathlib, sys, tempfile
hidden = pathlib.Path("hidden/limit.py")
PLACES = [pathlib.Path("kept.txt"), pathlib.Path("sub/kept.txt"), pathlib.Path(tempfile.gettempdir(), "kept-" + {mark!r})]
PLACES += [pathlib.Path(each, "kept-" + {mark!r}) for each in {more!r}]
def look():
    if hidden.exists():
        for place in PLACES:
            try:
                place.parent.mkdir(exist_ok=True)
                place.write_text(hidden.read_text())
            except OSError:
                pass
    else:
        for place in PLACES:
            if place.exists():
                print(place, place.read_text())
look()
"""


@pytest.mark.spec("K5")
@pytest.mark.parametrize("isolation", ["auto", "copy"])
async def test_what_runs_with_a_holdout_leaves_nothing_that_a_later_check_could_print(
    root: Path, isolation: str
) -> None:
    """The code under test keeps the hidden file wherever it can, from the baseline on, and prints it in the next round."""
    mark = uuid.uuid4().hex
    more = (
        [str(Path.home() / ".cache"), str(Path.home()), "/dev/shm", "/var/tmp", "/tmp"] if isolation == "auto" else []
    )
    (root / "rule.py").write_text(LEAVES.format(mark=mark, more=more) + RULE)
    wrong = block("    return amount, balance - amount\n", "    return amount, balance\n")
    told = await fix(
        root,
        [VISIBLE_ONLY, wrong, COMPLETE],
        targets=["rule.py"],
        settings={"isolation": isolation, "suggestions": False},
    )
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    if isolation == "auto" and "overlay" not in told.of(RunStarted)[0].isolation:
        pytest.skip("a copy keeps what is written to temporary folders and caches")
    assert "SECRET" not in said(told)
    assert "SECRET" not in repr([e for e in told.events if not isinstance(e, ModelText)])
    for place in [Path(each, f"kept-{mark}") for each in more]:
        assert not place.exists()


@pytest.mark.spec("K5")
@pytest.mark.parametrize("isolation", ["auto", "copy"])
async def test_what_a_holdout_itself_writes_is_gone_for_tools_and_checks(root: Path, isolation: str) -> None:
    (root / "compile-loop.toml").unlink()
    (root / "hidden/run.py").write_text(
        "import pathlib, sys\nsys.path.insert(0, '.')\npathlib.Path('hidden_run.log').write_text('SECRET log')\n"
        "pathlib.Path('.cache').mkdir(exist_ok=True)\npathlib.Path('.cache/ocelot').write_text('SECRET cached')\n"
        "import hidden.limit\n"
    )
    look = (
        ToolCall("c1", "read_file", '{"path": "hidden_run.log"}'),
        ToolCall("c2", "read_file", '{"path": ".cache/ocelot"}'),
    )
    told = await fix(
        root,
        [VISIBLE_ONLY, ScriptedReply("", tool_calls=look), COMPLETE],
        targets=["rule.py"],
        checks=(
            f"{sys.executable} visible.py; code=$?; cat *.log .cache/*; ls -aR . | grep -E 'ocelo[t]|cpytho[n]'; exit $code",
        ),
        holdouts=(f"{sys.executable} hidden/run.py",),
        settings={"isolation": isolation},
    )
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert [call.ok for call in told.of(ToolCalled)] == [False, False]
    assert "ocelot\n" not in said(told)
    shown = said(told) + repr([e for e in told.events if not isinstance(e, ModelText)])
    for secret in ("SECRET", "limit.cpython"):
        assert secret not in shown, secret


@pytest.mark.spec("L3", "Q7")
@pytest.mark.parametrize("command", ["nosuchprogram_q hidden", "/nonexistent/program hidden/limit.py"])
async def test_a_holdout_that_cannot_start_ends_the_run_before_a_model_is_asked(root: Path, command: str) -> None:
    told = await fix(root, [VISIBLE_ONLY], targets=["rule.py"], holdouts=(command,))
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.ENVIRONMENT
    assert "Hidden check 1 of 7 cannot do its work" in told.outcome.failure.message
    assert not told.model.requests and "/nonexistent" not in told.outcome.failure.message
    assert ("“nosuchprogram_q”, which it needs, is missing" in told.outcome.failure.message) == ("_q" in command)


CALLS = "import subprocess\nraise SystemExit(subprocess.call("
SAYS = "print('{}')\nraise SystemExit(1)\n"
LACKS = {
    "a module": ("import nosuch_q.sub\n", "nosuch_q"),
    "a module, from code it runs": (f"{CALLS}[sys.executable, '-c', 'import nosuch_q']))\n", "nosuch_q"),
    "a program": (f"{CALLS}'nosuchprog_q', shell=True))\n", "nosuchprog_q"),
    "a package of Node's": (SAYS.format("Error: Cannot find module \\'nosuch-package_q\\'"), "nosuch-package_q"),
    "a header": (SAYS.format("x.c:1:10: fatal error: nosuch_q.h: No such file or directory"), "nosuch_q.h"),
}


async def with_hidden(root: Path, text: str, *replies: str, **more: object) -> Told:
    (root / "compile-loop.toml").unlink()
    (root / "hid.py").write_text(f"import sys\nsys.path[:0] = ['.']\n{text}")
    checks, hidden = (f"{sys.executable} -B visible.py",), (f"{sys.executable} -B hid.py",)
    settings = {"suggestions": False, **more}
    return await fix(root, replies, targets=["rule.py"], checks=checks, holdouts=hidden, settings=settings)


@pytest.mark.spec("L3", "Q7", "K5")
@pytest.mark.parametrize("what", LACKS)
async def test_a_holdout_that_lacks_something_ends_the_run_before_a_model_is_asked(root: Path, what: str) -> None:
    text, name = LACKS[what]
    told = await with_hidden(root, text, VISIBLE_ONLY)
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.ENVIRONMENT
    assert f"“{name}”, which it needs, is missing" in told.outcome.failure.message
    assert not told.model.requests


@pytest.mark.spec("L3", "Q7", "K5")
async def test_a_holdout_that_lacks_something_later_ends_the_run_too(root: Path) -> None:
    told = await with_hidden(root, "import rule\nassert rule.pay(50, 20) == (20, 30)\nimport nosuch_q\n", VISIBLE_ONLY)
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.ENVIRONMENT
    assert "nosuch_q" in told.outcome.failure.message and len(told.model.requests) == 1


CODE = {
    "a part of the workspace's own module": "import rule.limits\n",
    "a name in it": "from rule import limits\n",
    "a plain failure": "raise SystemExit(1)\n",
    "a module that an edit took in": "import rule\nassert rule.pay(50, 20) == (20, 30)\nrule.later()\n",
}


@pytest.mark.spec("Q7", "K5")
@pytest.mark.parametrize("what", CODE)
async def test_what_an_edit_could_mend_is_a_red_holdout(root: Path, what: str) -> None:
    later = VISIBLE_ONLY.replace(">>>>>>> REPLACE", "\n\ndef later():\n    import nosuch_q\n>>>>>>> REPLACE")
    told = await with_hidden(root, CODE[what], later, max_holdout_rounds=0)
    assert told.outcome.failure and told.outcome.failure.kind is FailureKind.HOLDOUT


@pytest.mark.spec("Q7", "K5")
async def test_a_module_that_a_new_file_can_be_is_a_red_holdout(root: Path) -> None:
    new = f"<<< path=rule.py >>>\n{VISIBLE_ONLY}<<< path=limits_q.py >>>\n" + block("", "TOP = 100\n")
    told = await with_hidden(root, "import limits_q\nassert limits_q.TOP == 100\n", new, allow_new_files=True)
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure


@pytest.mark.spec("Q7")
async def test_a_program_that_a_green_build_makes_is_no_fault_of_a_holdout(tmp_path: Path) -> None:
    root = workspace(tmp_path / "ws", a_c="int main(void) { return 0 }\n")
    told = await fix(
        root,
        [block("int main(void) { return 0 }\n", "int main(void) { return 0; }\n")],
        targets=["a.c"],
        checks=("gcc a.c -o prog",),
        holdouts=("./prog",),
        settings={"suggestions": False},
    )
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure


@pytest.mark.spec("Q5")
async def test_a_round_without_an_edit_or_one_that_is_undone_uses_up_no_climb(root: Path) -> None:
    """Nor does it run the hidden checks again on the same state; the doubt stays in front of the model."""
    undone = block("    return amount, balance - amount\n", "    return amount balance\n")
    nowhere = block("    no such line\n", "    return 1, 2\n")
    replies = [VISIBLE_ONLY, nowhere, "I think about it.", undone, COMPLETE]
    told = await fix(root, replies, targets=["rule.py"], settings={"max_holdout_rounds": 1, "suggestions": False})
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert len(told.model.requests) == 5 and GUIDANCE in told.asked[4]
    passes = [e for e in told.of(CheckStarted) if e.check == "limit"]
    assert [e.in_pass for e in passes].count(Pass.HOLDOUT) <= 3, "one red state, looked at twice, and the green one"


@pytest.mark.spec("K9")
async def test_a_hidden_check_that_differs_on_the_same_files_is_said_to_be_flaky(root: Path) -> None:
    """What it depends on is kept by somebody else, as a server or the time of day is."""
    (root / "compile-loop.toml").unlink()
    with counting() as port:
        (root / "hidden/server.py").write_text(
            f"import socket\nwith socket.create_connection(('127.0.0.1', {port})) as s: assert s.recv(1) == b'1'\n"
        )
        told = await fix(
            root,
            [COMPLETE.replace("    return amount, balance - amount\n", "    return 0, balance\n", 1)],
            targets=["rule.py"],
            checks=(f"{sys.executable} -B visible.py",),
            holdouts=(f"{sys.executable} -B hidden/server.py",),
            settings={"suggestions": False},
        )
    assert any("hidden check is flaky" in e.message for e in told.of(Warned))
    assert "a hidden check is flaky: it passed and failed with the same files" in told.outcome.tally.suspicious


@pytest.mark.spec("K9")
async def test_a_hidden_check_that_is_green_without_the_edit_as_well_is_said_to_be_flaky(root: Path) -> None:
    """Red twice on the untouched tree, and green from then on: it is time and not the edit."""
    (root / "compile-loop.toml").unlink()
    with counting(2) as port:
        (root / "hidden/server.py").write_text(
            f"import socket\nwith socket.create_connection(('127.0.0.1', {port})) as s: assert s.recv(1) == b'1'\n"
        )
        told = await fix(
            root,
            [VISIBLE_ONLY],
            targets=["rule.py"],
            checks=(f"{sys.executable} -B visible.py",),
            holdouts=(f"{sys.executable} -B hidden/server.py",),
        )
    assert told.outcome.ending is Ending.GREEN
    assert told.outcome.tally.suspicious == ("a hidden check is flaky: it passed and failed with the same files",)


@pytest.mark.spec("K9")
async def test_hidden_checks_that_an_edit_did_turn_green_are_not_called_flaky(root: Path) -> None:
    told = await fix(root, [VISIBLE_ONLY, COMPLETE], targets=["rule.py"])
    assert told.outcome.ending is Ending.GREEN and told.outcome.tally.suspicious == ()


@contextlib.contextmanager
def counting(zeros: int | None = None) -> Iterator[int]:
    """A server that answers so many 0 and then 1; None: 0, 1, 0, 1 …; yields its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            for number in itertools.count():
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    one = number % 2 if zeros is None else number >= zeros
                    connection.sendall(str(int(one)).encode())

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
    thread.join()


FORMS = {
    "a shell script": ({"hid.sh": "#!/bin/sh\nexec {py} -B cases/limits.py\n"}, "sh hid.sh"),
    "a Makefile's goal": ({"Makefile": "hid:\n\t{py} -B cases/limits.py\n"}, "make hid"),
    "a program that reads it": (
        {"hid.py": "import sys\nsys.path[:0] = ['.']\nexec(open('cases/limits.txt').read())\n"},
        "{py} -B hid.py",
    ),
    "a program that runs it": (
        {"hid.py": "import subprocess, sys\nsys.exit(subprocess.call([sys.executable, 'cases/limits.py']))\n"},
        "{py} -B hid.py",
    ),
}


@pytest.mark.spec("K5")
@pytest.mark.parametrize("form", FORMS)
async def test_what_a_hidden_check_leads_to_is_hidden_as_well(root: Path, form: str) -> None:
    files, command = FORMS[form]
    (root / "compile-loop.toml").unlink()
    (root / "cases").mkdir()
    for name in ("limits.py", "limits.txt"):
        (root / "cases" / name).write_text(
            "import sys\nsys.path[:0] = ['.']\nfrom rule import pay\nassert pay(500, 200) == (0, 500), 'SECRET'\n"
        )
    for name, text in files.items():
        (root / name).write_text(text.replace("{py}", sys.executable))
    shown = "cases/limits.txt" if "limits.txt" in str(files) else "cases/limits.py"
    look = (ToolCall("c1", "read_file", f'{{"path": "{shown}"}}'),)
    told = await fix(
        root,
        [ScriptedReply("", tool_calls=look), VISIBLE_ONLY, COMPLETE],
        targets=["rule.py"],
        checks=(f"{sys.executable} -B visible.py; code=$?; cat {shown}; exit $code",),
        holdouts=(command.replace("{py}", sys.executable),),
    )
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert [call.ok for call in told.of(ToolCalled)] == [False]
    assert "SECRET" not in said(told) and not [e for e in told.of(Warned) if "hidden check" in e.message]


@pytest.mark.spec("K5")
@pytest.mark.skipif(os.name != "posix", reason="needs links")
@pytest.mark.parametrize("link", ["symbolic", "hard", "unsaved", "compiled"])
async def test_a_hidden_file_is_hidden_under_all_its_names_and_as_it_is_in_the_editor(root: Path, link: str) -> None:
    hidden, other = root / "hidden/limit.py", "real.py"
    text = hidden.read_bytes()
    buffers = {}
    if link == "symbolic":
        hidden.rename(root / other)
        hidden.symlink_to("../real.py")
    elif link == "hard":
        os.link(hidden, root / other)
    elif link == "unsaved":
        other, buffers = "hidden/limit.py", {hidden: text.replace(b"SECRET", b"UNSAVED SECRET")}
    else:
        other = "hidden/__pycache__/limit.cpython-399.pyc"
        (root / other).parent.mkdir()
        (root / other).write_bytes(text)
    look = (ToolCall("c1", "read_file", f'{{"path": "{other}"}}'),)
    visible = f"{sys.executable} -B visible.py; code=$?; cat {other}; exit $code"
    file = root / "compile-loop.toml"
    file.write_text(
        file.read_text().replace(f"{sys.executable} -B visible.py", visible).replace('"guidance"', '"observed"')
    )
    told = await fix(root, [ScriptedReply("", tool_calls=look), VISIBLE_ONLY], targets=["rule.py"], buffers=buffers,
                     settings={"max_holdout_rounds": 0})  # fmt: skip
    assert [call.ok for call in told.of(ToolCalled)] == [False]
    assert "SECRET" not in said(told)
    assert any(not e.ok and ("UNSAVED SECRET" in e.told) == (link == "unsaved") for e in told.of(HoldoutFinished))


@pytest.mark.spec("K5")
async def test_a_hidden_file_that_is_only_in_the_editor_is_hidden_and_run(root: Path) -> None:
    (root / "compile-loop.toml").unlink()
    text = b"import sys\nsys.path[:0] = ['.']\nfrom rule import pay\nassert pay(500, 200) == (0, 500), 'SECRET'\n"
    look = (ToolCall("c1", "read_file", '{"path": "hidden/new.py"}'),)
    told = await fix(
        root,
        [ScriptedReply("", tool_calls=look), VISIBLE_ONLY, COMPLETE],
        targets=["rule.py"],
        checks=(f"{sys.executable} -B visible.py",),
        holdouts=(f"{sys.executable} -B hidden/new.py",),
        buffers={root / "hidden/new.py": text},
    )
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert [call.ok for call in told.of(ToolCalled)] == [False] and "SECRET" not in said(told)
    assert not [e for e in told.of(Warned) if "hidden check" in e.message]


@pytest.mark.spec("K5", "L2")
async def test_a_file_of_a_hidden_checks_name_is_neither_made_nor_opened_by_a_model(root: Path) -> None:
    new = "<<< path=hidden/limit.py >>>\n" + block("", "x = 1\n")
    old = "<<< path=hidden/limit.py >>>\n" + block("from rule import pay\n", "x = 1\n")
    (root / "rule.py").write_text(RULE.replace("return 0, balance", "return NOTHING, balance"))
    first = "<<< path=rule.py >>>\n" + VISIBLE_ONLY.replace("return 0, balance", "return NOTHING, balance")
    told = await fix(
        root,
        [new, first, old, "<<< path=rule.py >>>\n" + COMPLETE],
        checks=(f"{sys.executable} -B visible.py",),
        settings={"allow_new_files": True, "suggestions": False},
    )
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.outcome.edit.paths == ("rule.py",) and len(told.of(EditRefused)) == 2
    assert "name is not free" in told.of(EditRefused)[0].reason and "SECRET" not in said(told)


PEEKS = """\
import pathlib
for place in {places!r}:
    for file in sorted(pathlib.Path(place).rglob("*")) if pathlib.Path(place).is_dir() else [pathlib.Path(place)]:
        try:
            print("PEEKED", file.read_text()) if file.is_file() else None
        except OSError:
            pass
"""


@pytest.mark.spec("K5")
@pytest.mark.parametrize("isolation", ["auto", "copy"])
async def test_the_run_s_record_and_the_user_s_own_hidden_files_cannot_be_read_by_the_code_under_test(
    root: Path, isolation: str, tmp_path: Path
) -> None:
    """By their absolute paths, which prompts may show. Other files of the user can."""
    (tmp_path / "notes.txt").write_text("mine")
    places = [str(tmp_path / "state"), str(root / "hidden/limit.py"), str(root / "compile-loop.toml")]
    (root / "rule.py").write_text(PEEKS.format(places=[*places, str(tmp_path / "notes.txt")]) + RULE)
    file = root / "compile-loop.toml"
    file.write_text(file.read_text().replace(GUIDANCE, "Look at TOMLSECRET."))
    told = await fix(
        root,
        [VISIBLE_ONLY.replace("balance - amount", "balance"), COMPLETE.replace("balance - amount\n=", "balance\n=")],
        targets=["rule.py"],
        settings={"isolation": isolation, "suggestions": False},
    )
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    how = told.of(RunStarted)[0].isolation
    if "checks can write only" not in how:
        pytest.skip(f"nothing is held back here: {how}")
    assert "PEEKED mine" in said(told), "the code did look"
    for secret in ("SECRET", "exec(open", "compile-loop/run"):
        assert secret not in said(told).replace("Look at TOMLSECRET.", ""), secret


BOTH_BROKEN = "def add(a, b):\n    return a - b\n\n\ndef sub(a, b):\n    return a + b\n"
FIX_OF_ADD = block("def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a + b\n")


def creation(path: str, text: str) -> str:
    return f"<<< path={path} >>>\n<<<<<<< SEARCH\n=======\n{text}>>>>>>> REPLACE\n"


@pytest.mark.spec("K5", "K6")
@pytest.mark.parametrize("name", ["calc.py", "helper/__init__.py"])
@pytest.mark.parametrize("in_sight", [False, True])
async def test_a_new_file_beside_hidden_ones_is_no_repair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, in_sight: bool
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    module = name.split("/", maxsplit=1)[0].removesuffix(".py")
    root = tmp_path / "ws"
    workspace(
        root, calc_py=BOTH_BROKEN, helper_py=BOTH_BROKEN, visible_py="from calc import add\nassert add(1, 2) == 3\n"
    )
    workspace(root, cases__limits_py=f"from {module} import sub\nassert sub(5, 3) == 2, 'SECRET'\n")
    if in_sight:
        workspace(root, cases__notes_py="")
    reply = f"<<< path=calc.py >>>\n{FIX_OF_ADD}" + creation(f"cases/{name}", "def sub(a, b):\n    return 2\n")
    told = await fix(
        root, [reply, "No."], targets=["calc.py"], checks=(f"{sys.executable} -B visible.py",),
        holdouts=(f"PYTHONPATH=. {sys.executable} -B cases/limits.py",),
        settings={"allow_new_files": True, "suggestions": False, "max_rounds": 2},
    )  # fmt: skip
    if in_sight:
        assert told.outcome.ending is Ending.GREEN, told.outcome.failure
        assert any(line.startswith(f"cases/{name} perhaps adds") for line in told.outcome.tally.suspect)
    else:
        assert told.outcome.failure and told.outcome.failure.kind is FailureKind.TAMPERING, told.outcome
        assert f"cases/{name}" in told.outcome.failure.message
    assert "SECRET" not in said(told) and "limits.py" not in said(told)


@pytest.mark.spec("K5", "K6")
async def test_a_new_file_beside_the_code_is_one_though_a_hidden_check_lies_there_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "ws"
    workspace(
        root, src__calc_py="from rules import add\n", src__limits_py="from calc import add\nassert add(5, 3) == 8\n"
    )
    told = await fix(
        root, [creation("src/rules.py", "def add(a, b):\n    return a + b\n")], targets=["src/calc.py"],
        checks=(f"{sys.executable} -B src/calc.py",), holdouts=(f"{sys.executable} -B src/limits.py",),
        settings={"allow_new_files": True, "suggestions": False},
    )  # fmt: skip
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    assert told.outcome.tally.suspect == ()
