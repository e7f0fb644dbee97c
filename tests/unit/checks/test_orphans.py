"""Ending the checks of a process that was killed, while they go on starting others (SPEC W4)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.support.sleepers import own_seconds, sleeping

from compile_loop.checks.process_tree import MARK, end_orphans
from compile_loop.shadow.holding import program


@pytest.mark.spec("W4", "K3")
@pytest.mark.skipif(sys.platform != "linux", reason="the program around a check is Linux's")
def test_what_a_check_starts_while_it_is_ended_does_not_get_away(tmp_path: Path) -> None:
    """The program around the check runs still, since nobody has told it yet that its owner is gone."""
    seconds = own_seconds()
    gone = subprocess.Popen(["true"])
    gone.wait()
    script = f"i=0; while [ $i -lt 2000 ]; do env -i setsid sleep {seconds} & sleep 0.01; i=$((i+1)); done"
    guard = subprocess.Popen(
        program("guard", "1", str(tmp_path), "0", "/bin/sh", "-c", script),
        env={"PATH": os.environ["PATH"], MARK: f"{gone.pid}:1.0:test"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 20
        while not sleeping(seconds) and guard.poll() is None and time.monotonic() < until:
            time.sleep(0.001)
        end_orphans()  # as a test beside this one may be doing just now
        assert guard.wait(20) < 0
        assert sleeping(seconds) == []
    finally:
        guard.kill()
        for process in sleeping(seconds):
            process.kill()
