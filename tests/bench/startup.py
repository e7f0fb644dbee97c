"""How long from spawning the language server until `initialize` is answered, against a bare pygls server.

The two are started in turn, so that whatever else the machine does meets both. Run as
`python -m tests.bench.startup [runs]`.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

OURS = (sys.executable, "-m", "compile_loop.lsp")
BARE = (
    sys.executable,
    "-c",
    "from pygls.lsp.server import LanguageServer\nLanguageServer('bare', '1').start_io()",
)
INITIALIZE = {"processId": None, "rootUri": None, "capabilities": {}}


def framed(message: object) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def seconds_to_initialize(command: Sequence[str]) -> float:
    """Start a server and wait for its first answer; then end it."""
    begun = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        process.stdin.write(framed({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}))
        process.stdin.flush()
        length = 0
        while (line := process.stdout.readline().strip()) or not length:
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
            elif not line and process.poll() is not None:
                raise RuntimeError(process.stderr.read().decode())
        answer = json.loads(process.stdout.read(length))
        taken = time.perf_counter() - begun
        assert answer["result"]["capabilities"], answer
        process.kill()
    return taken


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    for command in (BARE, OURS):  # once unmeasured: compiled files, the disk's cache
        seconds_to_initialize(command)
    taken: dict[str, list[float]] = {"bare pygls": [], "Compile Loop": []}
    for _ in range(runs):
        for name, command in zip(taken, (BARE, OURS), strict=True):
            taken[name].append(seconds_to_initialize(command))
    print(f"spawn to `initialize` answered, {runs} runs each, in turn")
    for name, seconds in taken.items():
        median, low, high = statistics.median(seconds), min(seconds), max(seconds)
        print(f"  {name:<14} median {median * 1000:4.0f} ms   (least {low * 1000:.0f}, most {high * 1000:.0f})")
    bare, ours = (statistics.median(seconds) for seconds in taken.values())
    pairs = [o / b for b, o in zip(*taken.values(), strict=True)]
    print(f"  ratio of the medians {ours / bare:.2f}, median of the pairs' ratios {statistics.median(pairs):.2f}")


if __name__ == "__main__":
    main()
