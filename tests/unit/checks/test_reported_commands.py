"""What users of such tools reported about running commands, by the numbers of the reports (area C): real processes."""

from __future__ import annotations

import os
import socket
import sys
import time
from pathlib import Path

import psutil
import pytest
from tests.unit.checks.test_live import check

from compile_loop.checks.contract import shell_vector
from compile_loop.checks.expectation import suspicious
from compile_loop.checks.process import cmd_line
from compile_loop.checks.tool_trouble import trouble
from compile_loop.checks.validate import ContractError, validate
from compile_loop.contracts.checks import Check, Expectation
from compile_loop.toolchains.missing import advice


def sleeping(seconds: str) -> list[psutil.Process]:
    """Processes that sleep so long: each test has a number of its own."""
    return [p for p in psutil.process_iter(["cmdline"]) if seconds in (p.info["cmdline"] or [])]


def own_seconds() -> str:
    """A time to sleep that no other process on this machine sleeps."""
    return f"3{os.getpid() % 10_000:04}.{time.monotonic_ns() % 1_000_000:06}"


@pytest.mark.spec("K3")
@pytest.mark.parametrize(
    "script",
    ["bash -c 'trap \"\" TERM; (sleep {0}); sleep {0}'", "setsid sleep {0} & sleep {0}"],
    ids=["trap", "setsid"],
)
async def test_c03_timeout_ends_what_ignores_signals_and_what_left_the_session(script: str, tmp_path: Path) -> None:
    seconds = own_seconds()
    result = await check(tmp_path, f"echo begun; {script.format(seconds)}", total_timeout=2)
    assert (result.ok, result.exit_code, result.timed_out) == (False, -1, True)
    assert result.stdout == "begun\n", "what was said so far is kept"
    assert sleeping(seconds) == []
    assert result.duration < 20


@pytest.mark.spec("K3")
async def test_c04_success_does_not_wait_for_a_child_that_holds_the_pipe(tmp_path: Path) -> None:
    seconds = own_seconds()
    result = await check(tmp_path, f"sleep {seconds} & echo done; exit 0")
    assert (result.ok, result.stdout) == (True, "done\n")
    assert result.duration < 20
    assert sleeping(seconds) == []


SERVER = """\
import http.server, sys, threading
server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), http.server.SimpleHTTPRequestHandler)
print("up", flush=True)
server.serve_forever()
"""


@pytest.mark.spec("K3", "Q7")
async def test_c05_a_server_of_an_earlier_run_does_not_hold_its_port(tmp_path: Path) -> None:
    (tmp_path / "serve.py").write_text(SERVER)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    command = f"setsid {sys.executable} serve.py {port} & wait"
    for _ in range(2):
        result = await check(tmp_path, command, total_timeout=2)
        assert result.timed_out
        assert result.stdout == "up\n", result.stderr


@pytest.mark.spec("Q7")
async def test_c05_a_port_that_is_taken_is_no_fault_of_the_code(tmp_path: Path) -> None:
    (tmp_path / "serve.py").write_text(SERVER)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        result = await check(tmp_path, f"{sys.executable} serve.py {taken.getsockname()[1]}")
    assert result.errors, "the traceback names a file"
    assert result.environment is not None
    assert "ddress already in use" in result.environment


@pytest.mark.spec("Q9")
@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("(echo 'a.c:1:1: error: boom'; exit 2) | tail -5", "1 error was printed"),
        ("false || echo failed", "|| echo"),
        ("false || true", "|| true"),
        ("echo '2 failing'; exit 0", "2 failing"),
        ("echo '=== 1 failed, 3 passed in 0.1s ==='; exit 0", "1 failed"),
        ("echo '--- FAIL: TestX (0.00s)'", "--- FAIL: TestX"),
    ],
)
async def test_c07_c15_green_that_hides_a_failure_is_suspicious(command: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int x\n")
    result = await check(tmp_path, command)
    assert result.ok
    assert any(words in note for note in result.suspicious), result.suspicious


@pytest.mark.spec("Q9")
@pytest.mark.parametrize(
    "command",
    ["echo 'error: Foo' >&2; exit 0", "echo '0 failing'", "echo 'not ok 1 - later # TODO'", "echo '3 passed'"],
)
async def test_c15_a_program_may_say_error(command: str, tmp_path: Path) -> None:
    result = await check(tmp_path, command)
    assert (result.ok, result.suspicious) == (True, ())


@pytest.mark.spec("D4")
async def test_c15_failure_that_says_nothing_is_told_as_such(tmp_path: Path) -> None:
    (one,) = (await check(tmp_path, "exit 3")).errors
    assert "exit code 3" in one.message
    assert "printed nothing" in one.message


@pytest.mark.spec("L3", "Q7")
async def test_c09_a_command_that_is_not_there_names_the_path_it_was_looked_for_in(tmp_path: Path) -> None:
    for command in ("definitely-not-on-path --version-of it", ("definitely-not-on-path", "x")):
        result = await check(tmp_path, command)  # type: ignore[arg-type]
        assert result.environment is not None
        assert "“definitely-not-on-path” was not found" in result.environment
        assert os.environ["PATH"][:40] in result.environment


@pytest.mark.spec("L3", "Q7")
async def test_command_that_the_project_has_itself_is_told_by_the_name_to_write(tmp_path: Path) -> None:
    """A shell looks into no `node_modules`, whatever npm's scripts do."""
    own = tmp_path / "node_modules" / ".bin" / "mytool"
    own.parent.mkdir(parents=True)
    own.write_text("#!/bin/sh\n")
    for command in ("mytool -p .", ("mytool",)):
        result = await check(tmp_path, command)  # type: ignore[arg-type]
        assert result.environment is not None
        assert "“mytool” was not found. The project has its own: write `npx mytool` or `node_modules/.bin/mytool`." in (
            result.environment
        )


@pytest.mark.spec("L3", "Q7")
@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("tsc", "Install it with `npm install --save-dev typescript` and write `npx tsc`, or put it on the PATH"),
        ("go", "Install it (Debian and Ubuntu: apt-get install golang-go) or put it on the PATH, then run again."),
        ("of-nobody", "Install it or put it on the PATH, then run again."),
        ("./of-nobody", "Install it or put it on the PATH, then run again."),
        ("ruff", "The project has its own: write `../venv/bin/ruff`."),
    ],
)
def test_what_to_do_about_a_missing_program_is_said_as_doctor_says_it(program: str, words: str, tmp_path: Path) -> None:
    own = tmp_path / "venv" / "bin" / "ruff"
    own.parent.mkdir(parents=True)
    own.touch()
    (tmp_path / "sub").mkdir()
    assert advice(program, tmp_path / "sub", tmp_path).startswith(words)


@pytest.mark.spec("K3")
async def test_c09_the_projects_own_environment_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "pyvenv.cfg").touch()
    program = tmp_path / ".venv" / "bin" / "checker"
    program.write_text("#!/bin/sh\necho mine\n")
    program.chmod(0o755)
    assert (await check(tmp_path, "checker")).stdout == "mine\n"
    monkeypatch.setenv("VIRTUAL_ENV", "/an/active/one")
    assert (await check(tmp_path, "checker")).environment is not None


@pytest.mark.spec("K1")
def test_c11_a_line_reaches_the_one_shell_of_the_platform_as_it_is() -> None:
    line = '"C:\\Program Files\\T\\t.exe" a && echo ok'
    assert shell_vector(line, "win32") == ("cmd", "/d", "/s", "/c", line)
    assert cmd_line(shell_vector(line, "win32")) == line, "no quoting of ours in between"
    assert shell_vector(line, "linux") == ("/bin/sh", "-c", line)
    assert cmd_line(shell_vector(("t.exe", "a b"), "win32")) is None, "a vector needs no shell"


@pytest.mark.spec("K1")
def test_c13_a_line_that_windows_cannot_start_is_refused() -> None:
    check = Check("long", "tool " + "x" * 40_000)
    with pytest.raises(ContractError, match="Put it into a script"):
        validate([check], platform="win32")
    validate([check], platform="linux")


@pytest.mark.spec("D3")
async def test_c14_colours_and_links_inside_paths(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for name in ("a.c", "b.c"):
        (tmp_path / "src" / name).write_text("int one;\nint two;\nint three;\nint four;\n")
    (tmp_path / "said").write_text(
        "\x1b[1m\x1b[Ksrc/a.c:3:5:\x1b[m\x1b[K \x1b[01;31m\x1b[Kerror: \x1b[m\x1b[Kboom\n"
        f"\x1b]8;;file://{tmp_path}/src/b.c\x07src/b.c\x1b]8;;\x07:4:1: error: bam\n10%\r50%\r100%\n"
    )
    result = await check(tmp_path, "cat said; exit 1")
    starts = [(one.file, one.range.start.line, one.range.start.character, one.message) for one in result.errors]
    assert starts == [("src/a.c", 2, 4, "boom"), ("src/b.c", 3, 0, "bam")]


MISSING = [
    # (files, command, the program that is not there)
    ({"Makefile": "a.o: a.c\n\tno-such-cc -c a.c\n", "a.c": "int x;\n"}, "make", "no-such-cc"),
    ({"Makefile": "CC = no-such-cc\na: a.o\n", "a.c": "int x;\n"}, "make -s a", "no-such-cc"),
    ({"Makefile": "all:\n\tcd . && no-such-cc -c a.c\n"}, "make -k", "no-such-cc"),
    ({"CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(a C)\n"}, "cmake -S . -B b", "no-such-cc"),
    (
        {"build.ninja": "rule cc\n command = no-such-cc -c $in\nbuild a.o: cc a.c\n", "a.c": ""},
        "ninja",
        "no-such-cc",
    ),
]


@pytest.mark.spec("L3", "Q7")
@pytest.mark.parametrize(
    ("files", "command", "name"), MISSING, ids=lambda value: value if isinstance(value, str) else ""
)
async def test_compiler_that_a_build_tool_does_not_find_is_no_fault_of_the_code(
    files: dict[str, str], command: str, name: str, tmp_path: Path
) -> None:
    for path, text in files.items():
        (tmp_path / path).write_text(text)
    result = await check(tmp_path, command, env={"CC": name})
    assert result.exit_code not in (0, 127, -1), "the build tool's own code"
    assert result.environment is not None, (result.stdout, result.stderr)
    assert f"“{name}” was not found" in result.environment


@pytest.mark.spec("L3", "Q7")
@pytest.mark.parametrize(
    ("said", "environment"),
    [
        ("/usr/bin/python3: No module named pytest\n", True),
        ("ModuleNotFoundError: No module named 'app.parts'\n", False),
        ("[ERROR] No compiler is provided in this environment. Perhaps you are running on a JRE\n", True),
        ("make: *** No rule to make target 'utils.o', needed by 'prog'.  Stop.\n", False),
        ("Makefile:3: parts.mk: No such file or directory\n", False),
        ("cat: parts.txt: No such file or directory\nmake: *** [Makefile:2: all] Error 1\n", False),
        ("main.c:1:10: fatal error: util.h: No such file or directory\n", False),
        ("./run.sh: line 3: parse_it: command not found\n", False),
    ],
)
def test_what_the_code_lacks_is_not_what_the_machine_lacks(said: str, environment: bool) -> None:
    assert (trouble(2, "", said, has_errors=False) is not None) is environment


@pytest.mark.spec("Q9")
def test_c07_a_pipe_hides_what_nothing_is_printed_about() -> None:
    (said,) = suspicious("", "", 0, "make 2>&1 | tee log")
    assert said.startswith("its exit code is that of “tee log”, whatever “make” says")
    assert suspicious("", "", 0, "set -o pipefail; make 2>&1 | tee log") == ()
    by_output = Expectation(exit_zero=False, output_contains=("done",))
    assert suspicious("done", "", 0, "make 2>&1 | tee log", by_output) == ()
