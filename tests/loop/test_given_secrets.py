"""What a user gives to a check is the check's own: neither records nor models nor reports have it (SPEC R1, Z1)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.test_commands import cli
from tests.loop.running import block, fix, workspace

from compile_loop.contracts.outcome import Ending

SECRETS = {
    "check": 'SERVICE_TOKEN = "zebra-quagga-okapi"\nENDPOINT = "q7w8e9r0t1y2"\nPGPASSWORD = "gnu-hartebeest"\nSHORT = "2"',
    "holdout": 'githubToken = "eland-springbok"',
}
OURS = {
    "SSHPASS": "oryx-gemsbok-kudu",
    "MYSQL_PWD": "duiker-duiker",
    "DATABASE_URL": "postgres://bob:p@ssw0rd-nyala@db/x",
}
VALUES = [
    "zebra-quagga-okapi", "q7w8e9r0t1y2", "gnu-hartebeest", "eland-springbok",
    "oryx-gemsbok-kudu", "duiker-duiker", "p@ssw0rd-nyala", "ssw0rd-nyala",
]  # fmt: skip


@pytest.mark.spec("R1", "Z1", "Q26")
async def test_a_checks_own_variables_are_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name, value in {**OURS, "TOKENIZERS_PARALLELISM": "falsehood", "PASSWORD_MIN_LENGTH": "eighteen"}.items():
        monkeypatch.setenv(name, value)
    root = workspace(tmp_path / "ws", calc_py="def total(a, b):\n    return a - b\n")
    (root / "test.py").write_text(
        "import os\nfrom calc import total\n"
        f"print([os.environ.get(name) for name in {[*OURS, 'SERVICE_TOKEN', 'ENDPOINT', 'PGPASSWORD', 'SHORT', 'githubToken']}])\n"
        "print(os.environ['TOKENIZERS_PARALLELISM'], os.environ['PASSWORD_MIN_LENGTH'], os.getcwd())\n"
        "assert total(2, 3) == 5, [os.environ.get(n) for n in ('SERVICE_TOKEN', 'SSHPASS', 'DATABASE_URL', 'githubToken')]\n"
    )
    (root / "compile-loop.toml").write_text(
        "version = 1\n"
        f'[[check]]\nname = "test"\ncommand = "python3 -B test.py"\n[check.env]\n{SECRETS["check"]}\n'
        f'[[holdout]]\nname = "hidden"\ncommand = "python3 -B test.py"\nreveals = "observed"\n[holdout.env]\n{SECRETS["holdout"]}\n'
    )
    wrong = block("    return a - b\n", "    return 5 if a == 2 else a - b\n")
    right = block("    return 5 if a == 2 else a - b\n", "    return a + b\n")
    told = await fix(root, [wrong, right], targets=["calc.py"], settings={"suggestions": False})
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    written = {
        place: place.read_text("utf-8", errors="replace")
        for place in (tmp_path / "state").rglob("*")
        if place.is_file()
    }
    sent = "\n".join(message.content for messages in told.model.requests for message in messages)
    for value in VALUES:
        assert value not in sent
        assert [str(place) for place, text in written.items() if value in text] == []
    output = "\n".join(text for place, text in written.items() if place.name == "check.txt")
    assert "[redacted]" in output and "falsehood eighteen" in output and str(root) in output
    assert '"SERVICE_TOKEN": "[redacted]"' in next(
        text for place, text in written.items() if place.name == "events.jsonl"
    )
    assert "'2'" in output


@pytest.mark.spec("R1", "Z1", "Q26")
async def test_a_secret_in_a_checks_own_command_is_nowhere_and_a_replay_asks_for_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = workspace(tmp_path / "ws", calc_py="def total(a, b):\n    return a - b\n")
    (root / "test.py").write_text(
        "import os, sys\nfrom calc import total\nassert len(os.environ['PGPASSWORD']) == 5 and len(sys.argv[2]) == 11\n"
        "print('they were', os.environ['PGPASSWORD'], sys.argv[2])\nassert total(2, 3) == 5\n"
    )
    told = await fix(
        root,
        [block("    return a - b\n", "    return a * b\n"), block("    return a * b\n", "    return a + b\n")],
        targets=["calc.py"],
        checks=("PGPASSWORD=ibex7 python3 -B test.py --token okapi-okapi",),
        settings={"suggestions": False},
    )
    assert told.outcome.ending is Ending.GREEN, told.outcome.failure
    sent = "\n".join(message.content for messages in told.model.requests for message in messages)
    kept = "\n".join(p.read_text("utf-8", "replace") for p in (tmp_path / "state").rglob("*") if p.is_file())
    assert "PGPASSWORD=[redacted] python3 -B test.py --token [redacted]" in sent
    assert "they were [redacted] [redacted]" in sent
    for secret in ("ibex7", "okapi-okapi"):
        assert secret not in sent and secret not in kept
    done = cli(root, "replay", "last")
    assert done.returncode == 2 and "held a secret, which its record does not keep" in done.stderr
    again = cli(root, "replay", "last", "--check", "PGPASSWORD=ibex7 python3 -B test.py --token okapi-okapi")
    assert again.returncode == 0, again.stderr
