"""Records made by hand, without a run."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import psutil

from compile_loop.record.asked import Asked


def record_of(
    runs: Path,
    run_id: str,
    *,
    started: str = "20260101-000000",
    age: float = 0.0,
    size: int = 0,
    owner: str = "gone",
    **more: Any,
) -> Path:
    """A finished record (`owner` "gone"), or one under way in this process (`owner` "me"). `age` is in days."""
    folder = runs / f"{started}-{run_id}"
    folder.mkdir(parents=True)
    me = psutil.Process()
    about = {
        "schema": "compile-loop/run/1",
        "id": run_id,
        "started": started,
        "owner": {"pid": me.pid, "created": me.create_time() + (owner != "me")},
        "model": "scripted:x",
        "asked": Asked(root="/ws", targets=("a.c",)).out(),
        **more,
    }
    (folder / "run.json").write_text(json.dumps(about))
    (folder / "events.jsonl").write_text("".join(json.dumps({"at": n, "event": "warned"}) + "\n" for n in range(3)))
    (folder / "turns.jsonl").write_bytes(bytes(size))
    if owner == "gone":
        (folder / "report.json").write_text(json.dumps({"ending": "green", "failure": None}))
    at = (folder / "events.jsonl").stat().st_mtime - age * 86400
    os.utime(folder / "events.jsonl", (at, at))
    return folder
