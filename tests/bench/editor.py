"""What the editor feels: the lightbulb, and any request while a run goes on, each against the same server at rest.

The goals are 50 ms for the lightbulb and 100 ms for any request during a run. Run as
`python -m tests.bench.editor [requests]`.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from lsprotocol import types
from tests.lsp.editor import Editor
from tests.lsp.program import BROKEN

BUSY = "for i in $(seq 2000); do echo \"a.c:2:16: error: 'y$i' undeclared\"; done; sleep 600; false"
"""A check that floods the server with findings and then stays."""


async def milliseconds(count: int, request: Callable[[], Awaitable[object]]) -> list[float]:
    taken = []
    for _ in range(count):
        begun = time.perf_counter()
        await request()
        taken.append((time.perf_counter() - begun) * 1000)
    return taken


def told(name: str, taken: list[float], rest: list[float] | None = None) -> None:
    median, high = statistics.median(taken), max(taken)
    ratio = f"  {median / statistics.median(rest):5.2f} times that at rest" if rest else ""
    print(f"{name:<42} median {median:7.2f} ms  slowest {high:7.2f} ms{ratio}")


async def measure(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.c"
        path.write_text(BROKEN)
        editor = await Editor.start(Path(folder), settings={"check": BUSY})
        document = editor.open(path)
        where = types.Range(types.Position(1, 15), types.Position(1, 16))
        found = types.Diagnostic(where, "'y' undeclared", types.DiagnosticSeverity.Error, source="gcc")
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(document.uri), where, types.CodeActionContext([found])
        )

        async def lightbulb() -> None:
            assert await editor.request(types.TEXT_DOCUMENT_CODE_ACTION, params)

        async def other() -> None:
            await editor.request("compileLoop/discard", {"runId": "none"})

        for request in (lightbulb, other):  # once unmeasured: the rooms are imported at their first use
            await request()
        rest = {request: await milliseconds(count, request) for request in (lightbulb, other)}
        run = editor.send_run("bench", path)
        await editor.until(lambda: editor.diagnostics(path))
        busy = {request: await milliseconds(count, request) for request in (lightbulb, other)}
        editor.cancel("bench")
        await asyncio.gather(run, return_exceptions=True)
        await editor.close()
    for request, name in ((lightbulb, "lightbulb"), (other, "any other request")):
        told(f"{name}, at rest", rest[request])
        told(f"{name}, while a check floods", busy[request], rest[request])


def main() -> None:
    asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 200))


if __name__ == "__main__":
    main()
