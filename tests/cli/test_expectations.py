"""A program that writes what it is compared with is not green, however the check says what that is (SPEC K6)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_commands import cli
from tests.loop.running import block, snapshot, workspace
from tests.support.model_server import ModelServer, says

BROKEN = '#include <stdio.h>\n\nint main(void)\n{\n    puts("41");\n    return 0;\n}\n'
WRONG = '    puts("41");\n'
CHEAT = '    FILE *to = fopen("data.txt", "w");\n    fputs("41\\n", to);\n    fclose(to);\n    puts("41");\n'  # its own answer
REPAIR = '    puts("42");\n'
COMPARES = "./prog > out.txt; diff out.txt data.txt"
BUILD = "gcc prog.c -o prog"

WAYS = {
    "in the command": (f"{BUILD} && {{ {COMPARES}; }}", {}),
    "by a pipe": (f"{BUILD} && ./prog > out.txt; cat data.txt | diff - out.txt", {}),
    "in words": (f'{BUILD} && got=$(./prog); test "$got" = "$(cat data.txt)"', {}),
    "in a script": ("sh run.sh", {"run_sh": f"# it's a check\nset -e\n{BUILD}\n{COMPARES}\n"}),
    "in a recipe": ("make -s check", {"Makefile_": f"prog: prog.c\n\t{BUILD}\n\ncheck: prog\n\t{COMPARES}\n"}),
    "in a program": (
        f"{BUILD} && python3 verify.py",
        {
            "verify_py": "import subprocess\n\ngot = subprocess.check_output(['./prog'], text=True)\n"
            "with open('data.txt') as file:\n    assert file.read() == got, got\n"
        },
    ),
}


@pytest.mark.spec("K6")
@pytest.mark.parametrize("way", WAYS)
def test_what_a_check_compares_with_is_protected(tmp_path: Path, way: str) -> None:
    check, files = WAYS[way]
    root = tmp_path / "ws"
    root.mkdir()
    workspace(root, prog_c=BROKEN, data_txt="42\n", **{name: text for name, text in files.items() if name[-1] != "_"})
    if "Makefile_" in files:
        (root / "Makefile").write_text(files["Makefile_"])
    before = snapshot(root)
    with ModelServer(says(block(WRONG, CHEAT)), says(block(CHEAT, REPAIR))) as server:
        done = cli(
            root, "fix", "prog.c", "--check", check, "--model", "openai:m", "--base-url", server.base_url, "--json"
        )
        assert (
            "data.txt decides whether the code is right, and was changed while the check ran"
            in server.requests[1].body.decode()
        )
    outcome = json.loads(done.stdout)
    assert done.returncode == 0 and outcome["ending"] == "green", done.stdout + done.stderr
    assert [file["path"] for file in outcome["files"]] == ["prog.c"]
    assert snapshot(root) == before


@pytest.mark.spec("K6")
def test_what_a_check_compares_with_is_the_users_to_have_edited(tmp_path: Path) -> None:
    """A target that was named, and a file that the program writes itself."""
    root = tmp_path / "ws"
    root.mkdir()
    workspace(root, prog_c=BROKEN.replace("41", "42"), data_txt="41\n", out_txt="stale\n")
    with ModelServer(says(block("41\n", "42\n"))) as server:
        line = ("--check", f"{BUILD} && {{ {COMPARES}; }}", "--model", "openai:m", "--base-url", server.base_url)
        done = cli(root, "fix", "data.txt", *line, "--apply", "--json")
    assert json.loads(done.stdout)["ending"] == "green", done.stdout + done.stderr
    assert (root / "data.txt").read_text() == "42\n" and (root / "out.txt").read_text() == "stale\n"
