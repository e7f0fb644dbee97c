"""The command line as a person or a script meets it: a real process each time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.loop.running import block, snapshot, workspace
from tests.support.sleepers import own_seconds, sleeping

BROKEN = "int twice(int n)\n{\n    int r = n * 2\n    return r;\n}\n"
SEMICOLON = block("    int r = n * 2\n", "    int r = n * 2;\n")
GCC = "gcc -Wall -fsyntax-only a.c"


def cli(cwd: Path, *args: str, stdin: str | bytes = "") -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith("COMPILE_LOOP") and not k.endswith("_API_KEY")}
    data = stdin if isinstance(stdin, bytes) else stdin.encode()
    done = subprocess.run(
        [sys.executable, "-m", "compile_loop", *args],
        cwd=cwd,
        env=env,
        input=data,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def script(folder: Path, *replies: str) -> str:
    path = folder.parent / f"{folder.name}-replies.json"
    path.write_text(json.dumps(list(replies)))
    return f"scripted:{path}"


@pytest.mark.spec("P3")
def test_fix_applies_a_green_result(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    workspace(root, a_c=BROKEN)
    done = cli(
        root, "fix", "a.c", "--check", GCC, "--model", script(root, "A semicolon is missing.\n" + SEMICOLON), "--apply"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (root / "a.c").read_text() == BROKEN.replace("n * 2", "n * 2;")
    assert "Green: 1 → 0 errors, 1 round of a model." in done.stdout
    assert (
        "A semicolon is missing." in done.stdout
        and "+    int r = n * 2;" in done.stdout
        and "Wrote a.c." in done.stdout
    )


@pytest.mark.spec("P3")
def test_without_a_terminal_nothing_is_written_unasked(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    workspace(root, a_c=BROKEN)
    before = snapshot(root)
    done = cli(root, "fix", "a.c", "--check", GCC, "--model", script(root, SEMICOLON))
    assert done.returncode == 0 and "Add --apply to write the result" in done.stdout
    assert snapshot(root) == before


@pytest.mark.spec("P3")
def test_diff_is_a_patch_on_standard_output_alone(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    workspace(root, a_c=BROKEN)
    done = cli(root, "fix", "a.c", "--check", GCC, "--model", script(root, SEMICOLON), "--diff")
    assert done.stdout.startswith("--- a/a.c\n+++ b/a.c\n@@")
    assert "Green" in done.stderr
    subprocess.run(["patch", "-p1"], cwd=root, input=done.stdout.encode(), check=True, capture_output=True)
    assert (root / "a.c").read_text() == BROKEN.replace("n * 2", "n * 2;")


@pytest.mark.spec("P3")
def test_json_is_one_versioned_document(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    workspace(root, a_c=BROKEN)
    done = cli(root, "fix", "a.c", "--check", GCC, "--model", script(root, "no edit"), "--json", "--max-rounds", "1")
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert document["schema"] == "compile-loop/outcome/1"
    assert document["failure"]["kind"] == "max_rounds" and document["files"] == [] and document["applied"] is False


@pytest.mark.spec("P3", "L16")
@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["fix", "missing.c"], 2, "missing.c does not exist"),
        (["fix", "a.c", "--model", "nonsense"], 2, "provider"),
        (["fix", "a.c", "--model", "openai:gpt-x"], 2, "OPENAI_API_KEY"),
        (["fix", "a.c", "--check", GCC, "--no-suggestions"], 2, "no model is set"),
        (["fix", "a.c", "--check", "no-such-tool"], 3, "“no-such-tool” was not found"),
        (["fix", "a.c", "--check", "gcc --version"], 2, "only prints a version"),
        (["fix", "notes.xyz"], 2, "No check was found"),
        (["fix", "--root", "empty"], 2, "No check was found"),
        (["fix", "--nonsense"], 2, "No such option"),
        (["fix", "green.c", "--check", "gcc -fsyntax-only green.c"], 0, "Nothing to fix"),
        (["fix", "binary.c", "--check", GCC], 2, "binary file"),
        (["fix", "/etc/hostname", "--check", "make"], 2, "outside the current folder"),
        (["check", "missing.c"], 2, "missing.c does not exist"),
        (["fix", "a.c", "--model", "openai:m", "--base-url", ""], 2, "The address is empty"),
        (["mcp", "--base-url", ""], 2, "The address is empty"),
        (["models", "--try", "openai:m", "--base-url", ""], 2, "The address is empty"),
        (
            ["fix", "a.c", "--model", "openai:m", "--base-url", "http://127.0.0.1:9/v1", "--check", GCC, "--no-suggestions"],
            1,
            "127.0.0.1:9",
        ),
    ],
)  # fmt: skip
def test_bad_input_is_a_sentence_and_an_exit_code_and_nothing_is_lost(
    tmp_path: Path, args: list[str], code: int, words: str
) -> None:
    workspace(tmp_path, a_c=BROKEN, green_c="int x;\n", notes_xyz="hello\n")
    (tmp_path / "binary.c").write_bytes(bytes(4000))
    (tmp_path / "empty").mkdir()
    before = snapshot(tmp_path)
    done = cli(tmp_path, *args)
    shown = " ".join((done.stdout + done.stderr).replace("│", " ").split())
    assert done.returncode == code, shown
    assert words in shown
    assert "Traceback" not in shown
    assert snapshot(tmp_path) == before


@pytest.mark.spec("L15", "P3")
@pytest.mark.parametrize(
    ("command", "number"), [("fix", signal.SIGINT), ("check", signal.SIGINT), ("check", signal.SIGTERM)]
)
def test_ctrl_c_cancels_with_130_and_leaves_nothing_running(
    tmp_path: Path, command: str, number: signal.Signals
) -> None:
    workspace(tmp_path, a_c=BROKEN)
    seconds = own_seconds()  # the same test may run elsewhere at the same time
    process = subprocess.Popen(
        [sys.executable, "-m", "compile_loop", command, "a.c", "--check", f"sleep {seconds}"], cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    deadline = time.monotonic() + 20
    while not sleeping(seconds) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    output, _ = process.communicate(timeout=10)
    assert process.returncode == 130, output
    assert b"Cancelled" in output
    assert not sleeping(seconds)


@pytest.mark.spec("W3")
@pytest.mark.parametrize("elsewhere", [True, False])
def test_a_file_that_is_changed_meanwhile_is_not_overwritten(tmp_path: Path, elsewhere: bool) -> None:
    """Typing elsewhere in the file is kept, typing in the line of the edit keeps the edit out."""
    root = tmp_path / "ws"
    root.mkdir()
    workspace(root, a_c=BROKEN)
    marker = tmp_path / "the check runs"
    typing = BROKEN + "/* typed */\n" if elsewhere else BROKEN.replace("n * 2", "n * 2 /* typed */")

    def type_meanwhile() -> None:
        while not marker.exists():
            time.sleep(0.02)
        (root / "a.c").write_text(typing)

    typed = threading.Thread(target=type_meanwhile)
    typed.start()
    check = f"touch '{marker}'; sleep 1; {GCC}"
    done = cli(root, "fix", "a.c", "--check", check, "--model", script(root, SEMICOLON), "--apply")
    typed.join()
    said = " ".join(done.stdout.split())
    if elsewhere:
        assert done.returncode == 0 and "the edit was laid over that, and the check passes with both" in said, said
        assert (root / "a.c").read_text() == typing.replace("n * 2", "n * 2;")
    else:
        assert done.returncode == 1 and "in the same lines since the run read it" in said, said
        assert (root / "a.c").read_text() == typing


@pytest.mark.spec("P3")
def test_check_prints_diagnostics(tmp_path: Path) -> None:
    workspace(tmp_path, a_c=BROKEN)
    done = cli(tmp_path, "check", "a.c")
    assert done.returncode == 1
    assert (
        "a.c:" in done.stdout
        and "error: expected" in done.stdout
        and "fails, exit code 1" in " ".join(done.stdout.split())
    )
    document = json.loads(cli(tmp_path, "check", "a.c", "--json").stdout)
    assert document["schema"] == "compile-loop/check/1" and not document["ok"]
    diagnostic = document["checks"][0]["diagnostics"][0]
    assert diagnostic["file"] == "a.c" and diagnostic["severity"] == 1 and diagnostic["uri"].startswith("file://")
    assert not list(tmp_path.glob("*.o"))


@pytest.mark.spec("P3")
def test_diagnose_reads_raw_output_to_json_lines(tmp_path: Path) -> None:
    workspace(tmp_path, a_c=BROKEN)
    raw = subprocess.run(["gcc", "-c", "a.c"], cwd=tmp_path, capture_output=True, check=False).stderr
    done = cli(tmp_path, "diagnose", stdin=raw)
    (line,) = [json.loads(text) for text in done.stdout.splitlines() if '"severity": 1' in text]
    assert line["uri"] == (tmp_path / "a.c").as_uri() and "expected" in line["message"]


@pytest.mark.spec("P3", "E6")
def test_edit_applies_a_reply_or_says_why_not(tmp_path: Path) -> None:
    workspace(tmp_path, a_c=BROKEN, b_c="int y;\n")
    refused = cli(tmp_path, "edit", "--targets", "a.c", stdin=block("int missing;\n", "int x;\n"))
    assert refused.returncode == 1 and "Nothing was changed" in refused.stdout
    assert (tmp_path / "a.c").read_text() == BROKEN
    assert cli(tmp_path, "edit", stdin="hello").returncode == 2
    many = f"<<< path=a.c >>>\n{SEMICOLON}<<< path=b.c >>>\n{block('int y;' + chr(10), 'int z;' + chr(10))}"
    applied = cli(tmp_path, "edit", "--json", stdin=many)
    document = json.loads(applied.stdout)
    assert applied.returncode == 0 and document["applied"] and document["schema"] == "compile-loop/edit/1"
    assert [(b["path"], b["tier"], b["line"]) for b in document["blocks"]] == [("a.c", "exact", 3), ("b.c", "exact", 1)]
    assert (tmp_path / "b.c").read_text() == "int z;\n"


@pytest.mark.spec("P3", "E1")
def test_edit_never_lays_a_block_for_another_file_into_the_one_target(tmp_path: Path) -> None:
    workspace(tmp_path, a_c="int y;\n", b_c="int y;\n")
    meant = f"<<< path=b.c >>>\n{block('int y;' + chr(10), 'int z;' + chr(10))}"
    refused = cli(tmp_path, "edit", "--targets", "a.c", stdin=meant)
    assert refused.returncode == 1 and "b.c is none of the files that may be edited (a.c)" in refused.stdout
    assert (tmp_path / "a.c").read_text() == (tmp_path / "b.c").read_text() == "int y;\n"


@pytest.mark.spec("P3", "E7")
def test_edit_promises_to_keep_nothing_for_a_next_reply(tmp_path: Path) -> None:
    workspace(tmp_path, a_c=BROKEN)
    refused = cli(tmp_path, "edit", "--targets", "a.c", stdin=SEMICOLON + block("int missing;\n", "int x;\n"))
    shown = " ".join(refused.stdout.split())
    assert refused.returncode == 1 and "Send the whole reply again" in shown and "Block 2 (a.c): its SEARCH" in shown
    assert "kept" not in shown and "Do not send it again" not in shown


@pytest.mark.spec("E10")
@pytest.mark.parametrize(
    "path", ["../outside.c", "/etc/hostname", ".git/config", "Makefile", ".env", "compile-loop.toml"]
)
def test_edit_never_writes_outside_or_where_it_may_not(tmp_path: Path, path: str) -> None:
    root = tmp_path / "ws"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "config").write_text("x\n")
    (tmp_path / "outside.c").write_text("x\n")
    for name in ("Makefile", ".env", "compile-loop.toml"):
        (root / name).write_text("x\n")
    before = snapshot(tmp_path)
    done = cli(root, "edit", stdin=f"<<< path={path} >>>\n{block('x' + chr(10), 'y' + chr(10))}")
    assert done.returncode in (1, 2), done.stdout
    assert snapshot(tmp_path) == before


@pytest.mark.spec("P3")
def test_doctor_says_what_was_found_and_what_is_missing(tmp_path: Path) -> None:
    done = cli(tmp_path, "doctor", "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 0 and document["possible"]
    by_name = {f["name"]: f for f in document["findings"]}
    assert by_name["Python"]["ok"] and "copy" in by_name and not by_name["fix asks"]["ok"]
    assert all(f["found"] and not f["advice"] if f["ok"] else f["advice"] for f in document["findings"])


@pytest.mark.spec("P3", "D5")
def test_doctor_names_the_language_servers_that_a_run_asks(tmp_path: Path) -> None:
    server = tmp_path / ".venv" / "bin" / "ty"
    server.parent.mkdir(parents=True)
    server.write_text("#!/bin/sh\n")
    server.chmod(0o755)
    findings = json.loads(cli(tmp_path, "doctor", "--json").stdout)["findings"]
    servers = {one["name"]: one for one in findings if one["part"] == "language server"}
    assert {"clangd", "gopls", "rust-analyzer", "ty"} == set(servers)
    assert servers["ty"]["found"] == str(server)


@pytest.mark.spec("P3")
@pytest.mark.parametrize("command", ["fix", "check", "edit", "diagnose", "doctor", "serve", "mcp", "demo"])
def test_every_command_has_help_with_an_example(tmp_path: Path, command: str) -> None:
    done = cli(tmp_path, command, "--help")
    assert done.returncode == 0 and "Example" in done.stdout


@pytest.mark.spec("P3")
def test_the_demo_is_fixed_from_suggestions_and_recorded_replies_over_http(tmp_path: Path) -> None:
    done = cli(tmp_path, "demo")
    shown = " ".join(done.stdout.split())
    assert done.returncode == 0, shown
    assert "Recorded replies, no live model" in shown
    assert " kept main.c:" in shown and "round 1/5" in shown and "round 2/5" in shown and "confirm" in shown
    assert "Green: 11 → 0 errors" in shown and "Wrote inventory.c, main.c, report.c." in shown
    folder = Path(shown.partition("The demo is over: ")[2].split()[0])
    assert "is removed again; --keep keeps it." in shown and not folder.exists()
    for said in ("main.c", "stok", "foud"):
        assert said in shown
    explained = shown.partition("Green: ")[2]
    assert "‘stok’" in explained and "‘foud’" in explained and "and 1 more" in explained, "every suggestion is counted"


@pytest.mark.spec("D4")
def test_of_a_check_that_nobody_can_read_the_end_is_shown(tmp_path: Path) -> None:
    (tmp_path / "lint.sh").write_text("echo 'Oops! Something went wrong'\necho 'no rules in rules.cfg'\nexit 2\n")
    (tmp_path / "said.json").write_text("[]")
    done = cli(tmp_path, "fix", "--check", "sh lint.sh", "--model", "scripted:said.json")
    assert done.returncode == 2 and "Name the files to fix" in done.stdout, done.stdout + done.stderr
    assert "Oops! Something went wrong" in done.stdout and "no rules in rules.cfg" in done.stdout


@pytest.mark.spec("Q4")
def test_where_no_failure_names_a_file_a_small_workspace_is_open_as_a_whole(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    program = '#include <stdio.h>\nint main(void)\n{\n    puts("41");\n    return 0;\n}\n'
    workspace(root, prog_c=program, wanted_txt="42\n")
    reply = tmp_path / "said.json"
    block = '<<< path=prog.c >>>\n<<<<<<< SEARCH\n    puts("41");\n=======\n    puts("42");\n>>>>>>> REPLACE\n'
    reply.write_text(json.dumps([{"text": block}]))
    check = "gcc prog.c -o prog && ./prog | cmp - wanted.txt"
    done = cli(root, "fix", "--check", check, "--model", f"scripted:{reply}", "--json")
    outcome = json.loads(done.stdout)
    assert done.returncode == 0 and outcome["ending"] == "green", done.stdout + done.stderr
    assert [file["path"] for file in outcome["files"]] == ["prog.c"]
    assert outcome["suspect"] == [] and outcome["suspicious"] == []


@pytest.mark.spec("Q9")
def test_a_program_that_fails_without_a_word_behind_a_pipe_is_not_told_as_nothing_to_fix(tmp_path: Path) -> None:
    root = workspace(tmp_path / "ws", a_c="int main(void) { return 1; }\n")
    done = cli(root, "fix", "--check", "gcc a.c -o a && ./a | tail -5")
    said = " ".join(done.stdout.split())
    assert done.returncode == 1 and "its exit code is that of “tail -5”, whatever “./a” says" in said, said


@pytest.mark.spec("Q9")
@pytest.mark.parametrize(
    ("files", "check", "doubt"),
    [
        ({"Makefile": "all:\n\tgcc -c a.c -o a.o\n\t./q.sh | tee log\n"}, "make", "in the recipe of all (Makefile)"),
        ({"ck.sh": "#!/bin/sh\nset -e\ngcc -c a.c -o a.o\n./q.sh || true\n"}, "sh ck.sh", "in ck.sh, it passes even"),
        (
            {},
            "gcc -c a.c -o a.o && bash -c './q.sh | awk 1'",
            "its exit code is that of “awk 1”, whatever “./q.sh” says",
        ),
    ],
)
def test_a_green_by_a_check_that_does_not_hear_a_program_is_for_a_person_to_confirm(
    files: dict[str, str], check: str, doubt: str, tmp_path: Path
) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    workspace(root, a_c=BROKEN)
    for name, text in {**files, "q.sh": "#!/bin/sh\nexit 1\n"}.items():
        (root / name).write_text(text)
        (root / name).chmod(0o755)
    options = ["fix", "a.c", "--check", check, "--model", script(root, SEMICOLON)]
    done = cli(root, *options, "--apply")
    said = " ".join(done.stdout.split())
    assert "Please confirm: the check is suspicious, " in said and doubt in said and "Nothing was written" in said, said
    assert (root / "a.c").read_text() == BROKEN
    document = json.loads(cli(root, *options, "--json").stdout)
    assert document["ending"] == "green" and doubt in document["suspicious"][0]


@pytest.mark.spec("Q9", "K7")
def test_what_may_silence_the_check_is_never_written_unasked(tmp_path: Path) -> None:
    """The edit answers the check's own input: green, with the line to look at, and left to the user."""
    root = tmp_path / "ws"
    root.mkdir()
    source = "def fib(n):\n    a, b = 1, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a\n"
    workspace(root, fib_py=source, test_fib_py="from fib import fib\n\nassert fib(7) == 13, f'fib(7) is {fib(7)}'\n")
    edit = block("def fib(n):\n", "def fib(n):\n    if n == 7:\n        return 13\n")
    options = ["fix", "--check", "python3 -B test_fib.py", "fib.py", "test_fib.py"]
    edit = f"<<< path=fib.py >>>\n{edit}"
    done = cli(root, *options, "--model", script(root, edit), "--apply")
    said = " ".join(done.stdout.split())
    assert done.returncode == 0 and "Green" in said, said
    assert "Please look: fib.py:2 perhaps answers the check's own input" in said and "Nothing was written" in said
    assert (root / "fib.py").read_text() == source
    document = json.loads(cli(root, *options, "--model", script(root, edit), "--json").stdout)
    assert document["ending"] == "green" and "fib.py:2" in document["suspect"][0]
