"""What the check goes by, told on the command line: `--json`, the exit code and what people read (SPEC K6, K7, Q9, P3)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.cli.test_commands import cli, script

PY = f"{sys.executable} -B"
LOOKS = (
    "import sys\nRULES = open('rules.txt').read().split()\nfor n, line in enumerate(open('src/a.py'), 1):\n"
    "    if any(rule in line for rule in RULES):\n        sys.exit(f'src/a.py:{n}:1: error: spaces')\n"
)


def block(path: str, search: str, replace: str) -> str:
    return f"<<< path={path} >>>\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n"


KINDS: dict[str, tuple[dict[str, str], str, str, str, list[str]]] = {
    "a new file": (
        {"src/a.c": "int f(void) { int q; return 0; }\n",
         "check.sh": "[ -e .skip ] && exit 0\ngcc -Wall -Werror -c src/a.c -o a.o\n"},
        "sh check.sh", block(".skip", "", "later\n"), ".skip", ["src/a.c", "--allow-new-files"]),
    "rules": (
        {"src/a.py": "x=1\n", "lint.py": LOOKS, "rules.txt": "x=\ny=\n"},
        f"{PY} lint.py", block("rules.txt", "x=\n", ""), "rules.txt", []),
    "a helper": (
        {"calc.py": "def add(a, b):\n    return a - b\n",
         "check.py": "from calc import add\nfrom same import same\n\nsame(add(1, 2), 3)\n",
         "same.py": "def same(a, b):\n    if a != b:\n        raise ValueError(f'{a} != {b}')\n"},
        f"{PY} check.py", block("same.py", "    if a != b:\n", "    if a is None:\n"), "same.py", []),
}  # fmt: skip


@pytest.mark.spec("K6", "K7", "Q9")
@pytest.mark.parametrize("kind", KINDS)
def test_a_result_that_the_check_goes_by_is_suspect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    files, check, reply, path, words = KINDS[kind]
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "ws"
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    fix = ("fix", *words, "--check", check, "--no-suggestions", "--model", script(root, reply))
    told = json.loads(cli(root, *fix, "--json").stdout)
    assert told["ending"] == "green", told
    assert [line.startswith(path) for line in told["suspect"]] == [True]
    done = cli(root, *fix, "--apply")
    assert path in done.stdout + done.stderr
    assert {name: (root / name).read_text() for name in files} == files, "it is for a person to confirm"
    assert not (root / ".skip").exists()
