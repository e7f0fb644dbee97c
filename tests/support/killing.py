"""A run for tests to kill with −9: two files, two rounds, a check that leaves processes; and what is looked for after."""

from __future__ import annotations

import os
import re
from pathlib import Path

import psutil
from tests.loop.running import block
from tests.support.sleepers import sleeping

from compile_loop.shadow.places import PREFIX

KILLS = int(os.environ.get("COMPILE_LOOP_TEST_KILLS", "0"))
"""How often a run is killed; 0: a quick sample."""
BROKEN = "int one(void) { return 1 }\n\nint two(void) { return 2 }\n"
OTHER = "int three(void) { return 3 }\n"
FIRST = "<<< path=a.c >>>\n" + block("int one(void) { return 1 }\n", "int one(void) { return 1; }\n")
SECOND = (
    "<<< path=a.c >>>\n"
    + block("int two(void) { return 2 }\n", "int two(void) { return 2; }\n")
    + "<<< path=b.c >>>\n"
    + block("int three(void) { return 3 }\n", "int three(void) { return 3; }\n")
)
SLEEP = f"83.{os.getpid()}"
CHECK = f"(env -i setsid sleep {SLEEP} & sleep {SLEEP} &) >/dev/null 2>&1; gcc -fsyntax-only a.c b.c"


def left_behind(scratch: Path, pid: int) -> list[str]:
    """Processes, mounts and temporary folders of a process that is gone; `scratch` is where temporary folders are made."""
    found = [str(place) for place in scratch.iterdir()]
    found += [f"process {process.pid}, that sleeps" for process in sleeping(SLEEP)]
    for process in psutil.process_iter():
        try:
            table = Path(f"/proc/{process.pid}/mountinfo").read_text()
        except OSError:
            continue
        if re.search(rf" {PREFIX}\d+-{pid}-", table):
            found.append(f"process {process.pid} in its mounts")
    if str(scratch.parent) in Path("/proc/self/mountinfo").read_text():
        found.append("a mount")
    return found
